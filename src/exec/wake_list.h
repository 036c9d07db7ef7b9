// Sleeping threads of the scheduler: who waits for a stream, and who is woken when the lock is released.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/os.h"
#include "exec/scheduler.h"

namespace softhccl::exec {

// A thread inside Drain, linked to the stream it waits for. Guarded by the scheduler's lock.
struct DrainWaiter {
  Executor* executor;
  std::uint64_t handle;  // of the stream; another one may get the slot while the thread is on its way out
  std::uint64_t target;
  DrainWaiter* next;
};

// Sleepers to wake once the lock is released: declare it before the lock guard. A full list wakes at once.
class WakeList {
 public:
  WakeList() = default;
  ~WakeList() {
    for (int i = 0; i < count_; ++i) base::FutexWake(*words_[static_cast<std::size_t>(i)], 1);
  }
  WakeList(const WakeList&) = delete;
  WakeList& operator=(const WakeList&) = delete;
  void Add(std::atomic<std::uint32_t>& word) {
    if (count_ == static_cast<int>(words_.size())) {
      base::FutexWake(word, 1);
    } else {
      words_[static_cast<std::size_t>(count_++)] = &word;
    }
  }

 private:
  std::array<std::atomic<std::uint32_t>*, 8> words_{};
  int count_ = 0;
};

}  // namespace softhccl::exec
