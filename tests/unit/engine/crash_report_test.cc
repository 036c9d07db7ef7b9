// A kernel that kills the process: what is printed first, and how the process ends.
#include "launch_fixture.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "engine/crash_report.h"

namespace softhccl::engine {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
std::uint32_t DereferenceNull(void*) {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
  return 0;
}
std::uint32_t Abort(void*) { std::abort(); }
#endif
std::uint32_t ExitWithThree(void*) { std::exit(3); }
std::uint32_t ExitWithZero(void*) { std::exit(0); }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion"  // that is the point
std::uint32_t OverflowStack(void* argument) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(reinterpret_cast<std::uintptr_t>(argument));
  return OverflowStack(const_cast<char*>(&frame[0])) + static_cast<std::uint32_t>(frame[0]);
}
#pragma GCC diagnostic pop

std::uint32_t Throw(void*) { throw std::runtime_error("boom"); }
#endif

// Runs in a child process of its own: the runtime must not exist before.
void RunKernel(KernelFunction function, int fast_returns = 0) {
  InstallCrashReport();
  Runtime& runtime = Runtime::Get();
  auto invocation = std::make_shared<Invocation>();
  invocation->info = std::make_shared<KernelInfo>();
  invocation->info->entry.kernel_name = "Fatal";
  invocation->info->fast_returns.store(fast_returns);
  invocation->label = "Fatal#1 on device 0";
  invocation->function = function;
  invocation->stream = runtime.scheduler().CreateStream(0, {}, "test stream").value();
  const exec::Op op = ops::KernelLaunch(invocation);
  static_cast<void>(runtime.scheduler().Submit(*invocation->stream, {&op, 1}));
  static_cast<void>(runtime.scheduler().Drain(*invocation->stream, base::kForever));
}

class CrashReportDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// A sanitizer reports fatal signals itself, in its own words.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(CrashReportDeathTest, Kernel_DereferencesNull_NamesKernelSignalAndAddress) {
  EXPECT_EXIT(RunKernel(DereferenceNull), ::testing::KilledBySignal(SIGSEGV),
              "kernel Fatal#1 on device 0 died with SIGSEGV.*at address 0x0; back-trace");
}

TEST_F(CrashReportDeathTest, Kernel_Aborts_NamesKernel) {
  EXPECT_EXIT(RunKernel(Abort), ::testing::KilledBySignal(SIGABRT), "kernel Fatal#1 on device 0 died with SIGABRT");
}

TEST_F(CrashReportDeathTest, Kernel_Throws_NamesKernel) {
  EXPECT_EXIT(RunKernel(Throw), ::testing::KilledBySignal(SIGABRT), "kernel Fatal#1 on device 0 died with SIGABRT");
}

TEST_F(CrashReportDeathTest, EarnedKernel_ThrowsInline_NamesKernelToo) {
  EXPECT_EXIT(RunKernel(Throw, KernelInfo::kEarned), ::testing::KilledBySignal(SIGABRT),
              "kernel Fatal#1 on device 0 died with SIGABRT");
}

TEST_F(CrashReportDeathTest, Kernel_OverflowsStack_NamesKernel) {
  EXPECT_EXIT(RunKernel(OverflowStack), ::testing::KilledBySignal(SIGSEGV),
              "kernel Fatal#1 on device 0 died with SIGSEGV");
}
#endif

TEST_F(CrashReportDeathTest, Kernel_Exits_KeepsItsStatus) {
  EXPECT_EXIT(RunKernel(ExitWithThree), ::testing::ExitedWithCode(3), "kernel Fatal#1 on device 0 called exit\\(\\)");
}

TEST_F(CrashReportDeathTest, Kernel_ExitsWithZero_ProcessStillFails) {
  EXPECT_EXIT(RunKernel(ExitWithZero), ::testing::ExitedWithCode(1), "kernel Fatal#1 on device 0 called exit\\(\\)");
}

}  // namespace
}  // namespace softhccl::engine
