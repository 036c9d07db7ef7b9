// The few system calls the runtime makes itself.
#include "base/os.h"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <climits>

namespace softhccl::base {

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this != &other) {
    Reset();
    address_ = std::exchange(other.address_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void Mapping::Reset() {
  if (address_ != nullptr) ::munmap(address_, size_);
  address_ = nullptr;
  size_ = 0;
}

void FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected, Nanos timeout) {
  timespec limit{};
  if (timeout != kForever) {
    const Nanos positive = std::max<Nanos>(timeout, 0);
    limit.tv_sec = positive / 1'000'000'000;
    limit.tv_nsec = positive % 1'000'000'000;
  }
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeout == kForever ? nullptr : &limit, nullptr, 0);
}

void FutexWake(std::atomic<std::uint32_t>& word, int count) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

int UsableCores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace softhccl::base
