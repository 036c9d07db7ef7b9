// A lock for sections of a few dozen instructions on the scheduler's fast path. It spins briefly and then yields the
// core, so that a holder that lost its core can finish; it never enters a futex.
#pragma once

#include <sched.h>

#include <atomic>

namespace softhccl::base {

inline void CpuRelax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// BasicLockable: use with std::lock_guard and std::unique_lock. Any thread; not recursive.
class SpinLock {
 public:
  void lock() {
    int spins = 0;
    // Acquire: pairs with the release in unlock().
    while (locked_.exchange(true, std::memory_order_acquire)) {
      while (locked_.load(std::memory_order_relaxed)) {
        if (++spins % kSpinsBeforeYield == 0) {
          ::sched_yield();
        } else {
          CpuRelax();
        }
      }
    }
  }
  void unlock() { locked_.store(false, std::memory_order_release); }  // pairs with lock()

 private:
  static constexpr int kSpinsBeforeYield = 64;
  std::atomic<bool> locked_{false};
};

}  // namespace softhccl::base
