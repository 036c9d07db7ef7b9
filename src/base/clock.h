// Monotonic time as the runtime sees it. Tests put a ManualClock in its place and move it by hand.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace softhccl::base {

using Nanos = std::int64_t;                   // nanoseconds since an arbitrary start
inline constexpr Nanos kForever = INT64_MAX;  // a deadline that never comes

// More than about 292 years is for ever.
inline constexpr Nanos FromSeconds(double seconds) {
  return seconds < 9.2e9 ? static_cast<Nanos>(seconds * 1e9) : kForever;
}
inline constexpr Nanos FromMillis(std::int64_t millis) { return millis * 1'000'000; }

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanos Now() const = 0;
};

class SteadyClock final : public Clock {
 public:
  Nanos Now() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

class ManualClock final : public Clock {
 public:
  Nanos Now() const override { return now_.load(); }
  void Advance(Nanos by) { now_.fetch_add(by); }

 private:
  std::atomic<Nanos> now_{1};
};

}  // namespace softhccl::base
