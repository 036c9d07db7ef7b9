// What a kernel's way of ending means for its stream, and on which thread it runs.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "launch_fixture.h"

namespace softhccl::engine {
namespace {

using base::Code;
using ::testing::HasSubstr;

using KernelLaunchTest = LaunchFixture;

std::atomic<int> g_calls{0};
std::atomic<std::thread::id> g_thread;
std::atomic<bool> g_may_return{false};

std::uint32_t CountCall(void*) {
  g_calls.fetch_add(1);
  g_thread.store(std::this_thread::get_id());
  return 0;
}
std::uint32_t ReturnSeven(void*) { return 7; }
std::uint32_t AddToArgument(void* argument) {
  int value = 0;
  std::memcpy(&value, argument, sizeof value);
  g_calls.fetch_add(value);
  return 0;
}
std::atomic<int> g_started{0};
std::uint32_t WaitUntilAllowed(void*) {
  g_started.fetch_add(1);
  while (!g_may_return.load()) std::this_thread::yield();
  return 0;
}
std::uint32_t OpenBatch(void*) {
  EXPECT_TRUE(BatchStart("left open").ok());
  return 0;
}
std::uint32_t HoldSomething(void*) {
  CurrentContext().Hold({"comm A", [] { g_calls.fetch_add(1); }});
  return 0;
}
std::uint32_t SwallowFailure(void*) {
  MarkLaunchFailed(base::Fail(Code::kNullPointer, "thread is 0"));
  return 0;
}

TEST_F(KernelLaunchTest, Kernel_ReturnsZero_StreamIsFine) {
  g_calls = 0;
  Launch(MakeInvocation(MakeInfo("Fine"), CountCall));
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_EQ(g_calls, 1);
}

TEST_F(KernelLaunchTest, Kernel_HasThreeBlocks_RunsThreeTimes) {
  g_calls = 0;
  auto invocation = MakeInvocation(MakeInfo("Fine"), CountCall);
  invocation->blocks = 3;
  Launch(invocation);
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_EQ(g_calls, 3);
}

TEST_F(KernelLaunchTest, Kernel_GetsArguments_SeesCopiedBytes) {
  g_calls = 0;
  auto invocation = MakeInvocation(MakeInfo("Adds"), AddToArgument);
  const int value = 41;
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  invocation->arguments.assign(bytes, bytes + sizeof value);
  Launch(invocation);
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_EQ(g_calls, 41);
}

TEST_F(KernelLaunchTest, Kernel_ReturnsNonZero_FailsStreamAndSkipsLater) {
  g_calls = 0;
  Launch(MakeInvocation(MakeInfo("Bad"), ReturnSeven));
  Launch(MakeInvocation(MakeInfo("Fine"), CountCall));
  const base::Status status = Synchronise();
  EXPECT_EQ(status.code(), Code::kKernelFailed);
  EXPECT_THAT(status.message(), HasSubstr("kernel Bad#1 on device 0 returned 7"));
  EXPECT_EQ(g_calls, 0) << "a kernel behind a failed one must be skipped";
  EXPECT_TRUE(TakeLine("returned 7"));
  Launch(MakeInvocation(MakeInfo("Fine"), CountCall));
  EXPECT_TRUE(Synchronise().ok()) << "telling the error ends it";
  EXPECT_EQ(g_calls, 1);
}

TEST_F(KernelLaunchTest, Kernel_CannotBeResolved_FailsStreamWithTheReason) {
  auto invocation = MakeInvocation(MakeInfo("Missing"), CountCall);
  invocation->function = base::FailResult(Code::kKernelFailed, "library libx.so is nowhere");
  Launch(invocation);
  EXPECT_THAT(Synchronise().message(), HasSubstr("libx.so is nowhere"));
  EXPECT_TRUE(TakeLine("libx.so is nowhere"));
}

TEST_F(KernelLaunchTest, Kernel_OutlivesItsLimit_TimesOutAndIsGivenUp) {
  g_may_return = false;
  auto invocation = MakeInvocation(MakeInfo("Endless"), WaitUntilAllowed);
  invocation->limit = base::FromMillis(100);
  Launch(invocation);
  const base::Status status = Synchronise();
  EXPECT_EQ(status.code(), Code::kKernelTimeout);
  EXPECT_THAT(status.message(), HasSubstr("Endless#1 on device 0 did not return within its limit of 0.1 s"));
  EXPECT_TRUE(TakeLine("did not return within its limit"));
  g_may_return = true;  // the abandoned thread goes home
}

TEST_F(KernelLaunchTest, Kernel_LeavesBatchOpen_IsReportedAndNotSubmitted) {
  Launch(MakeInvocation(MakeInfo("Forgets"), OpenBatch));
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_TRUE(TakeLine("Forgets#1 on device 0 returned with batch \"left open\" open: its 0 queued ops"));
}

TEST_F(KernelLaunchTest, Kernel_LeavesCommunicatorHeld_IsReportedAndReleased) {
  g_calls = 0;
  Launch(MakeInvocation(MakeInfo("Forgets"), HoldSomething));
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_EQ(g_calls, 1) << "the hold must be released";
  EXPECT_TRUE(TakeLine("returned without HcommReleaseComm(\"comm A\")"));
}

TEST_F(KernelLaunchTest, Kernel_SwallowsFailureOfCall_FailsStream) {
  Launch(MakeInvocation(MakeInfo("Swallows"), SwallowFailure));
  const base::Status status = Synchronise();
  EXPECT_EQ(status.code(), Code::kNullPointer);
  EXPECT_THAT(status.message(), HasSubstr("thread is 0, while running Swallows#1"));
  EXPECT_TRUE(TakeLine("thread is 0"));
}

TEST_F(KernelLaunchTest, Kernel_IsNew_RunsOnACore) {
  Launch(MakeInvocation(MakeInfo("New"), CountCall));
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_NE(g_thread.load(), std::this_thread::get_id());
}

TEST_F(KernelLaunchTest, Kernel_WasFastSixteenTimes_MayRunInline) {
  auto info = MakeInfo("Fast");
  for (int i = 0; i < KernelInfo::kEarned; ++i) info->NoteDuration(KernelInfo::kFast);
  EXPECT_TRUE(info->MayRunInline());
  info->NoteDuration(KernelInfo::kFast + 1);
  EXPECT_TRUE(info->MayRunInline()) << "one slower run does not cost what was earned";
  info->NoteDuration(KernelInfo::kDemotion + 1);
  EXPECT_FALSE(info->MayRunInline());
}

TEST_F(KernelLaunchTest, Kernel_IsSlowOnTheWay_StartsCountingAgain) {
  auto info = MakeInfo("Mixed");
  for (int i = 0; i < KernelInfo::kEarned - 1; ++i) info->NoteDuration(1);
  info->NoteDuration(KernelInfo::kFast + 1);
  info->NoteDuration(1);
  EXPECT_FALSE(info->MayRunInline());
}

TEST_F(KernelLaunchTest, TimedSynchronise_EarnedKernel_NeverRunsInline) {
  auto info = MakeInfo("Fast");
  info->fast_returns.store(KernelInfo::kEarned);
  for (int i = 0; i < 50; ++i) {
    Launch(MakeInvocation(info, CountCall));
    ASSERT_TRUE(runtime_.scheduler().Drain(*stream_, runtime_.scheduler().Now() + base::FromSeconds(60)).ok());
    ASSERT_NE(g_thread.load(), std::this_thread::get_id());
  }
}

// Queues a copy on another stream and waits for it, as a kernel may that talks through memory.
exec::Stream* g_other = nullptr;
std::uint32_t PollForOwnWork(void*) {
  static std::uint32_t from = 1;
  static std::uint32_t to = 0;
  const exec::Op op = ops::LocalCopy(&to, &from, sizeof from);
  if (!Runtime::Get().scheduler().Submit(*g_other, {&op, 1}).ok()) return 1;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (g_other->completed() == 0) {
    if (std::chrono::steady_clock::now() > end) return 2;
  }
  return to == 1 ? 0 : 3;
}

TEST_F(KernelLaunchTest, InlineKernel_PollsForWorkItQueued_SomebodyElseRunsIt) {
  g_other = runtime_.scheduler().CreateStream(0, {}, "polled stream").value();
  auto info = MakeInfo("Polls");
  info->fast_returns.store(KernelInfo::kEarned);
  Launch(MakeInvocation(info, PollForOwnWork));
  EXPECT_TRUE(Synchronise().ok());
  runtime_.scheduler().DestroyStream(g_other);
}

TEST_F(KernelLaunchTest, InlineKernel_LimitIsShort_RunsWhereItCanBeGivenUp) {
  g_may_return = false;
  auto info = MakeInfo("Endless");
  info->fast_returns.store(KernelInfo::kEarned);
  auto invocation = MakeInvocation(info, WaitUntilAllowed);
  invocation->limit = base::FromMillis(100);
  Launch(invocation);
  EXPECT_EQ(Synchronise().code(), Code::kKernelTimeout);
  EXPECT_TRUE(TakeLine("did not return within its limit"));
  g_may_return = true;
}

TEST_F(KernelLaunchTest, Pool_ManyBlockedKernels_GrowsOnDemand) {
  g_may_return = false;
  g_started = 0;
  std::vector<exec::Stream*> streams;
  for (int i = 0; i < 12; ++i) {
    streams.push_back(runtime_.scheduler().CreateStream(0, {}, "blocked").value());
    auto invocation = MakeInvocation(MakeInfo("Blocked"), WaitUntilAllowed);
    invocation->stream = streams.back();
    const exec::Op op = ops::KernelLaunch(invocation);
    ASSERT_TRUE(runtime_.scheduler().Submit(*streams.back(), {&op, 1}).ok());
  }
  while (g_started.load() < 12) std::this_thread::yield();
  // A kernel behind twelve blocked ones still gets a core.
  g_calls = 0;
  Launch(MakeInvocation(MakeInfo("Free"), CountCall));
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_EQ(g_calls, 1);
  EXPECT_GE(runtime_.aicpu_pool().thread_count(), 13u);
  g_may_return = true;
  for (exec::Stream* stream : streams) {
    EXPECT_TRUE(runtime_.scheduler().Drain(*stream, base::kForever).ok());
    runtime_.scheduler().DestroyStream(stream);
  }
}

TEST_F(KernelLaunchTest, Batch_InHostThread_IsSubmittedAtEndInOrderOfFirstUse) {
  auto* notify = runtime_.scheduler().CreateNotify(0, 0, {}, "test notify").value();
  ASSERT_TRUE(BatchStart("host batch").ok());
  EXPECT_TRUE(Issue(runtime_.scheduler(), *stream_, ops::NotifyRecord(notify->handle)).ok());
  EXPECT_EQ(stream_->submitted(), 0u) << "nothing is queued before End";
  EXPECT_EQ(BatchStart("second").code(), Code::kInvalidParam) << "batches do not nest";
  EXPECT_TRUE(BatchEnd(runtime_.scheduler()).ok());
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_TRUE(notify->IsSet());
  EXPECT_TRUE(BatchEnd(runtime_.scheduler()).ok()) << "End without Start is harmless";
  runtime_.scheduler().DestroyNotify(notify);
}

TEST_F(KernelLaunchTest, Batch_OfManyOps_FlushesAtItsLimit) {
  auto* notify = runtime_.scheduler().CreateNotify(0, 0, {}, "test notify").value();
  char bytes[2] = {1, 0};
  ASSERT_TRUE(BatchStart(nullptr).ok());
  for (std::size_t i = 0; i < LaunchContext::kBatchLimit; ++i) {
    EXPECT_TRUE(Issue(runtime_.scheduler(), *stream_, ops::LocalCopy(&bytes[1], &bytes[0], 1)).ok());
  }
  EXPECT_EQ(stream_->submitted(), LaunchContext::kBatchLimit);
  EXPECT_TRUE(BatchEnd(runtime_.scheduler()).ok());
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_EQ(bytes[1], 1);
  runtime_.scheduler().DestroyNotify(notify);
}

}  // namespace
}  // namespace softhccl::engine
