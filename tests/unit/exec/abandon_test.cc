// A stream whose kernel never returns can still be destroyed: after five seconds its work is given up, and what the
// kernel does later must not touch the stream that comes next. Alone in a program because of the five seconds.
#include <atomic>
#include <thread>

#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

class SchedulerAbandon : public ExecTest, public ::testing::WithParamInterface<int> {
 protected:
  // Work that has not started is skipped and never abandoned.
  void LetItStart() {
    if (GetParam() == 0) scheduler().RunOne();
    ASSERT_TRUE(WaitUntil([&] { return started_.load(); }));
  }

  std::atomic<bool> started_{false};
};
INSTANTIATE_TEST_SUITE_P(Workers, SchedulerAbandon, ::testing::Values(0, 2));

TEST_P(SchedulerAbandon, DestroyStream_KernelNeverReturns_TicketIsStaleAndSlotUsable) {
  Start(GetParam());
  Stream* stream = NewStream();
  Ticket ticket;
  bool ran = false;
  base::Status skipped;
  Submit(stream, {Call([&](OpContext& context) {
                    ticket = context.Suspend(0, base::kForever);
                    started_.store(true);
                    return OpOutcome::kSuspended;
                  }),
                  Do([&] { ran = true; }, [&](const base::Status& cause) { skipped = cause; })});
  LetItStart();
  std::thread waiting([&] { EXPECT_TRUE(scheduler().DrainTo(*stream, 2, base::kForever).ok()); });
  scheduler().DestroyStream(stream);
  waiting.join();  // what was behind the kernel is over, though it was never run
  EXPECT_EQ(skipped.code(), base::Code::kInvalidHandle);
  EXPECT_THAT(skipped.message(), ::testing::HasSubstr("was destroyed with work pending"));
  EXPECT_FALSE(scheduler().Resume(ticket, ResumeCode::kSignalled));
  EXPECT_FALSE(ran);
  Stream* next = NewStream();
  ASSERT_EQ(next, stream);
  EXPECT_FALSE(scheduler().Resume(ticket, ResumeCode::kSignalled));
  int count = 0;
  Submit(next, {Do([&] { ++count; })});
  Drain(next);
  EXPECT_EQ(count, 1);
}

TEST_P(SchedulerAbandon, DestroyStream_OpNeverEnds_IsTakenOutOfTheReadyQueue) {
  Start(GetParam());
  Stream* stream = NewStream();
  Submit(stream, {Call([&](OpContext&) {
           started_.store(true);
           return OpOutcome::kAgain;
         })});
  LetItStart();
  scheduler().DestroyStream(stream);
  EXPECT_EQ(scheduler().Observe().ready, 0u);
  EXPECT_FALSE(scheduler().RunOne());
}

}  // namespace
}  // namespace softhccl::exec
