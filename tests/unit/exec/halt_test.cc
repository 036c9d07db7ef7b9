// A halted stream keeps what it has and runs nothing of it, whatever it was doing; those who wait for it are told; and
// what drops its work also ends the halt.
#include <atomic>
#include <thread>

#include "exec/wait_report.h"
#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;
using ::testing::HasSubstr;

class SchedulerHalt : public ExecTest, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override { Start(GetParam()); }
  Op Count() {
    return Do([this] { ran_.fetch_add(1); }, [this](const base::Status&) { skipped_.fetch_add(1); });
  }
  // With workers there is nothing to drive.
  void Run() {
    if (GetParam() == 0) RunAll();
  }

  std::atomic<int> ran_{0};
  std::atomic<int> skipped_{0};
};
INSTANTIATE_TEST_SUITE_P(Workers, SchedulerHalt, ::testing::Values(0, 2));

TEST_P(SchedulerHalt, SubmittedAfterwards_StaysQueued_OthersGoOn) {
  Stream* stream = NewStream();
  Stream* other = NewStream();
  scheduler().HaltStream(*stream);
  Submit(stream, {Count(), Count()});
  Submit(other, {Count()});
  Drain(other);
  Run();
  EXPECT_EQ(ran_.load(), 1);
  const base::Status held = scheduler().Drain(*stream, base::kForever);
  EXPECT_EQ(held.code(), Code::kStreamAborted);
  EXPECT_THAT(held.message(), HasSubstr("was stopped and holds back 2 of its 2 ops"));
  EXPECT_EQ(stream->completed(), 0u);
}

TEST_P(SchedulerHalt, NothingQueued_DrainSucceeds) {
  Stream* stream = NewStream();
  scheduler().HaltStream(*stream);
  Drain(stream);
}

TEST_P(SchedulerHalt, Aborted_WorkIsSkippedAndTheStreamRunsAgain) {
  Stream* stream = NewStream();
  scheduler().HaltStream(*stream);
  Submit(stream, {Count(), Count()});
  Run();
  const base::Status cause = base::Fail(Code::kStreamAborted, "aborted");
  EXPECT_TRUE(scheduler().AbortStream(*stream, cause, base::kForever).ok());
  EXPECT_EQ(skipped_.load(), 2);
  EXPECT_EQ(stream->TakeError().message(), "aborted");
  Submit(stream, {Count()});
  Drain(stream);
  EXPECT_EQ(ran_.load(), 1);
}

TEST_P(SchedulerHalt, Destroyed_WorkIsSkipped) {
  Stream* stream = NewStream();
  scheduler().HaltStream(*stream);
  Submit(stream, {Count()});
  Run();
  scheduler().DestroyStream(stream);
  EXPECT_EQ(ran_.load(), 0);
  EXPECT_EQ(skipped_.load(), 1);
}

TEST_P(SchedulerHalt, WhileItWaits_DoesNotTakeTheRecord) {
  Stream* stream = NewStream();
  Stream* other = NewStream();
  Notify* notify = NewNotify();
  Submit(stream, {WaitFor(notify), Count()});
  Run();
  ASSERT_TRUE(WaitUntil([&] { return stream->parked(); }));
  scheduler().HaltStream(*stream);
  Submit(other, {RecordOf(notify)});
  Drain(other);
  Run();
  EXPECT_TRUE(notify->IsSet());
  EXPECT_EQ(ran_.load(), 0);
  EXPECT_EQ(stream->completed(), 0u);
  scheduler().DestroyStream(stream);
  EXPECT_EQ(ran_.load(), 0);
}

TEST_P(SchedulerHalt, WhileSomebodyDrains_ReturnsWithTheReason) {
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  Submit(stream, {WaitFor(notify)});
  std::thread draining([&] { EXPECT_EQ(scheduler().Drain(*stream, base::kForever).code(), Code::kStreamAborted); });
  EXPECT_TRUE(WaitUntil([&] { return stream->parked(); }));
  scheduler().HaltStream(*stream);
  draining.join();
  scheduler().DestroyStream(stream);
}

TEST_P(SchedulerHalt, DuringALongOp_StopsAtTheEndOfItsQuantum) {
  Stream* stream = NewStream();
  std::atomic<int> turns{0};
  std::atomic<bool> last{false};
  Submit(stream, {Call([&](OpContext&) {
           turns.fetch_add(1);
           return last.load() ? OpOutcome::kDone : OpOutcome::kAgain;
         })});
  if (GetParam() == 0) scheduler().RunOne();
  ASSERT_TRUE(WaitUntil([&] { return turns.load() > 0; }));
  scheduler().HaltStream(*stream);
  const int seen = turns.load();
  Run();
  EXPECT_EQ(turns.load(), seen);
  EXPECT_EQ(stream->completed(), 0u);
  last.store(true);
  scheduler().DestroyStream(stream);
}

TEST_P(SchedulerHalt, WhileAKernelRuns_LetsItReturnAndRunsNothingBehindIt) {
  Stream* stream = NewStream();
  Ticket ticket;
  std::atomic<bool> started{false};
  Submit(stream, {Call([&](OpContext& context) {
                    if (context.resume_code() != ResumeCode::kNone) return OpOutcome::kDone;
                    ticket = context.Suspend(0, base::kForever);
                    started.store(true);
                    return OpOutcome::kSuspended;
                  }),
                  Count()});
  Run();
  ASSERT_TRUE(WaitUntil([&] { return started.load() && stream->parked(); }));
  scheduler().HaltStream(*stream);
  EXPECT_TRUE(scheduler().Resume(ticket, ResumeCode::kSignalled));
  Run();
  scheduler().DestroyStream(stream);
  EXPECT_EQ(ran_.load(), 0);
  EXPECT_EQ(skipped_.load(), 1);
}

TEST_P(SchedulerHalt, HeldBackWork_IsInTheReportAndIsNoWait) {
  Stream* stream = NewStream({}, "stream 7");
  scheduler().HaltStream(*stream);
  Submit(stream, {Count()});
  Run();
  {
    const auto held = scheduler().HoldObjects();
    const WaitGraph graph = WaitGraph::Collect(scheduler());
    EXPECT_FALSE(graph.empty());
    EXPECT_TRUE(graph.entries().empty());
    EXPECT_THAT(graph.Report("head", {}), HasSubstr("blocked: stream 7 was stopped and holds back 1 ops"));
  }
  scheduler().DestroyStream(stream);
}

}  // namespace
}  // namespace softhccl::exec
