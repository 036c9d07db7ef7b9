// The check macro for our own bugs, never for user input: prints the broken condition and aborts.
#pragma once

namespace softhccl::base {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace softhccl::base

#define SOFTHCCL_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::softhccl::base::CheckFailed(#condition, __FILE__, __LINE__))
