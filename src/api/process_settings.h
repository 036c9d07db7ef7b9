// Time limits that a program sets for its whole process, and that launches and waits without one of their own take.
#pragma once

#include <cstdint>

namespace softhccl::api {

// Microseconds between two looks at running kernels: limits are kept with this precision.
inline constexpr std::uint64_t kLimitInterval = 40'000;

// Seconds a kernel may run, 0: without limit. The vendor's default until it is set.
double OpExecuteSeconds();
void SetOpExecuteSeconds(double seconds);

// Seconds a stream waits for an event, 0: without limit, which is the default.
std::uint32_t OpWaitSeconds();
void SetOpWaitSeconds(std::uint32_t seconds);

}  // namespace softhccl::api
