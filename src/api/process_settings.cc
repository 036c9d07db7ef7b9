// The values, which any thread may read and set.
#include "api/process_settings.h"

#include <atomic>

namespace softhccl::api {
namespace {

std::atomic<double> g_execute_seconds{1091};  // the vendor's process-wide default for AICPU kernels
std::atomic<std::uint32_t> g_wait_seconds{0};

}  // namespace

double OpExecuteSeconds() { return g_execute_seconds.load(); }
void SetOpExecuteSeconds(double seconds) { g_execute_seconds.store(seconds); }
std::uint32_t OpWaitSeconds() { return g_wait_seconds.load(); }
void SetOpWaitSeconds(std::uint32_t seconds) { g_wait_seconds.store(seconds); }

}  // namespace softhccl::api
