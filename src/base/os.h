// RAII for what the operating system hands out: file descriptors, mappings, and the futex call.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <utility>

#include "base/clock.h"

namespace softhccl::base {

// Owns one descriptor. Not thread-safe.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { Reset(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// Owns one mmap range. Not thread-safe.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* address, std::size_t size) : address_(address), size_(size) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping() { Reset(); }
  std::byte* data() const { return static_cast<std::byte*>(address_); }
  std::size_t size() const { return size_; }
  bool valid() const { return address_ != nullptr; }
  void Reset();

 private:
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

// Sleeps while *word == expected, at most `timeout` (kForever: without limit). Returns on wake-up, on a changed
// word, on timeout and on signals alike: callers re-check their condition.
void FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected, Nanos timeout);
void FutexWake(std::atomic<std::uint32_t>& word, int count);

// Number of cores this process may use, at least 1.
int UsableCores();

// Kernel thread id of the caller.
inline std::int32_t ThreadId() {
  static thread_local const auto id = static_cast<std::int32_t>(::syscall(SYS_gettid));
  return id;
}

}  // namespace softhccl::base
