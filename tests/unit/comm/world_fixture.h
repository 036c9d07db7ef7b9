// A world of communicators for tests: the ranks of a group are threads of the test, each on a device of its own. The
// fixture destroys what a test left and then demands that every handle, every notify and all memory is gone.
#pragma once

#include <sched.h>

#include <chrono>
#include <functional>
#include <thread>

#include "../base/captured_log.h"
#include "comm/registry.h"
#include "engine/runtime.h"
#include "memory/memory.h"

namespace softhccl::comm {

inline constexpr int kCpu = 0;
inline constexpr int kAicpu = 2;
inline constexpr int kAicpuTs = 3;

// Runs `body` for every rank in a thread of its own and waits for all.
inline void InRanks(std::uint32_t size, const std::function<void(std::uint32_t)>& body) {
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < size; ++rank) threads.emplace_back(body, rank);
  for (std::thread& thread : threads) thread.join();
}

// True as soon as `condition` holds; false when it does not within 30 seconds, which no healthy run needs.
inline bool WaitUntil(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    ::sched_yield();
  }
  return true;
}

class WorldTest : public ::testing::Test {
 protected:
  WorldTest() : before_(Count()) {}
  ~WorldTest() override {
    for (std::uint32_t rank = 0; rank < handles_.size(); ++rank) DestroyRank(rank);
    ranks_.clear();
    const Counts after = Count();
    EXPECT_EQ(after.threads, before_.threads);
    EXPECT_EQ(after.channels, before_.channels);
    EXPECT_EQ(after.streams, before_.streams);
    EXPECT_EQ(after.notifies, before_.notifies);
    EXPECT_EQ(after.device_memory, before_.device_memory);
    EXPECT_EQ(after.host_memory, before_.host_memory);
    EXPECT_THAT(Registry::Get().Names(), ::testing::IsEmpty());
  }

  static Communicator::Options Limit(std::int64_t connect_millis, std::string name = "") {
    Communicator::Options options;
    options.name = std::move(name);
    options.buffer_mib = 1;
    options.connect_limit = base::FromMillis(connect_millis);
    return options;
  }

  // Creates a communicator of `size` ranks, rank r on device r.
  void Open(std::uint32_t size, std::int64_t connect_millis = 60'000) {
    root_ = Registry::Get().OpenRoot(0);
    handles_.assign(size, 0);
    ranks_.assign(size, nullptr);
    InRanks(size, [&](std::uint32_t rank) {
      const auto made = Registry::Get().Create(root_, rank, size, static_cast<int>(rank), Limit(connect_millis));
      ASSERT_TRUE(made) << made.error().message();
      handles_[rank] = *made;
      ranks_[rank] = Registry::Get().Find(*made).value();
    });
  }
  Communicator& rank(std::uint32_t number) { return *ranks_.at(number); }
  std::uint64_t handle(std::uint32_t number) const { return handles_.at(number); }
  const std::string& root() const { return root_; }

  // No effect when it is destroyed already.
  void DestroyRank(std::uint32_t number) {
    if (handles_[number] == 0) return;
    const base::Status destroyed = Registry::Get().Destroy(handles_[number], static_cast<int>(number));
    EXPECT_TRUE(destroyed.ok()) << destroyed.message();
    handles_[number] = 0;
  }

  static std::vector<std::uint64_t> Get(base::Result<std::vector<std::uint64_t>> acquired) {
    EXPECT_TRUE(acquired) << (acquired ? "" : acquired.error().message());
    return acquired ? *acquired : std::vector<std::uint64_t>();
  }

  base::CapturedLog& log() { return log_; }

 private:
  struct Counts {
    std::uint32_t threads, channels, streams, notifies;
    std::uint64_t device_memory, host_memory;
  };
  static Counts Count() {
    engine::Runtime& runtime = engine::Runtime::Get();
    Counts counts{Threads().live(),
                  Channels().live(),
                  runtime.scheduler().streams().live(),
                  runtime.scheduler().notifies().live(),
                  0,
                  memory::Memory::Process().UsageOf(memory::Space::kHost, -1).count};
    for (int device = 0; device < 8; ++device) {
      counts.device_memory += memory::Memory::Process().UsageOf(memory::Space::kDevice, device).count;
    }
    return counts;
  }

  base::CapturedLog log_;
  const Counts before_;
  std::string root_;
  std::vector<std::uint64_t> handles_;
  std::vector<std::shared_ptr<Communicator>> ranks_;
};

}  // namespace softhccl::comm
