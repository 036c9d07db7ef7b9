// How far the two cores of a measurement are apart. The host of a virtual machine moves its cores between caches every
// few seconds, which changes every hand-over by a factor of three to five; so each repetition is preceded and followed
// by this probe, and is counted as near or far only when both say the same. Used by both sides of the comparison.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace softhccl::bench {

inline constexpr double kFarFrom = 160.0;  // ns of one way; seen on two machines: 25 to 120 near, 210 to 480 far

enum class Placement : int { kMixed = 0, kNear = 1, kFar = 2 };

inline Placement ClassifyPlacement(double before_ns, double after_ns) {
  if (before_ns < kFarFrom && after_ns < kFarFrom) return Placement::kNear;
  return before_ns >= kFarFrom && after_ns >= kFarFrom ? Placement::kFar : Placement::kMixed;
}

inline double NowNs() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Keeps the calling thread on the n-th core that it may use; gives it back its cores in the end. Exits when there is
// no such core: two threads that spin for each other on one core measure the scheduler's time slice.
class ScopedPin {
 public:
  explicit ScopedPin(int nth) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    int core = 0;
    for (int seen = -1; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &before_) && ++seen == nth) break;
    }
    if (core == CPU_SETSIZE) {
      std::fprintf(stderr, "the benchmark needs %d cores, this process may use fewer\n", nth + 1);
      std::exit(1);
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~ScopedPin() { ::sched_setaffinity(0, sizeof before_, &before_); }
  ScopedPin(const ScopedPin&) = delete;
  ScopedPin& operator=(const ScopedPin&) = delete;

 private:
  cpu_set_t before_{};
};

// Shared by the two sides; zero at the start. A line per direction.
struct ProbeLines {
  alignas(128) std::atomic<std::uint32_t> there;
  alignas(128) std::atomic<std::uint32_t> back;
};

// Side 0 and side 1 call it at the same time, pinned to two cores, each with a sequence counter of its own that starts
// at 0. Returns to both the ns from a store on one core to the load on the other: the best of six bursts, so that an
// interrupt does not count.
inline double OneWayNs(ProbeLines& lines, int side, std::uint32_t* sequence) {
  constexpr int kBursts = 6;
  constexpr int kRoundTrips = 100;
  double best = 1e18;
  for (int burst = 0; burst < kBursts; ++burst) {
    const double start = NowNs();
    for (int i = 0; i < kRoundTrips; ++i) {
      const std::uint32_t value = ++*sequence;
      // Release and acquire: each load pairs with the store of the same value on the other side.
      if (side == 0) {
        lines.there.store(value, std::memory_order_release);
        while (lines.back.load(std::memory_order_acquire) != value) {
        }
      } else {
        while (lines.there.load(std::memory_order_acquire) != value) {
        }
        lines.back.store(value, std::memory_order_release);
      }
    }
    const double one_way = (NowNs() - start) / (2.0 * kRoundTrips);
    if (one_way < best) best = one_way;
  }
  return best;
}

}  // namespace softhccl::bench
