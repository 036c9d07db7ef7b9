// A notify is one bit: set by record, taken by wait, and what is lost is said. Each test is one order of the two.
#include "exec/notify.h"

#include "event/labels.h"
#include "exec/wait_report.h"
#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class NotifyTest : public ExecTest {
 protected:
  NotifyTest() { Start(0, -1, 0, &clock_); }

  // The ticket of the only stream of `stream` that is parked.
  Ticket TicketOf(const Stream* stream) {
    const WaitGraph graph = WaitGraph::Collect(scheduler());
    for (const WaitEntry& entry : graph.entries()) {
      if (entry.stream == stream) return entry.ticket;
    }
    return {};
  }

  base::ManualClock clock_;
};

TEST_F(NotifyTest, Record_BeforeWait_IsTakenByIt) {
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  EXPECT_FALSE(notify->IsSet());
  Submit(stream, {RecordOf(notify)});
  RunAll();
  EXPECT_TRUE(notify->IsSet());
  Submit(stream, {WaitFor(notify)});
  RunAll();
  EXPECT_FALSE(notify->IsSet());
  EXPECT_EQ(stream->completed(), 2u);
}

TEST_F(NotifyTest, Wait_BeforeRecord_ParksAndIsServed) {
  Stream* waiter = NewStream();
  Notify* notify = NewNotify();
  Submit(waiter, {WaitFor(notify)});
  RunAll();
  EXPECT_EQ(waiter->completed(), 0u);
  EXPECT_FALSE(scheduler().RunOne()) << "a parked stream is not ready";
  Submit(NewStream(), {RecordOf(notify)});
  RunAll();
  EXPECT_EQ(waiter->completed(), 1u);
  EXPECT_FALSE(notify->IsSet());
}

TEST_F(NotifyTest, OneRecord_TwoWaits_ServesOne) {
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  Submit(stream, {RecordOf(notify), WaitFor(notify), WaitFor(notify)});
  RunAll();
  EXPECT_EQ(stream->completed(), 2u);
}

TEST_F(NotifyTest, RecordedTwice_LossIsReportedOnceWithBothSites) {
  Stream* first = NewStream({}, "stream one");
  Stream* second = NewStream({}, "stream two");
  Notify* notify = NewNotify({}, "notify 3 of rank 1");
  Op early = RecordOf(notify);
  early.origin = event::NameId("HcclSendCustom#1 0->1");
  early.call_site = reinterpret_cast<const void*>(&RecordOf);
  Submit(first, {Do([] {}), early});
  RunAll();
  Submit(second, {RecordOf(notify)});
  RunAll();
  EXPECT_THAT(TakeLog(),
              ElementsAre(AllOf(HasSubstr("lost record: notify 3 of rank 1 was still set"),
                                HasSubstr("first: op 2 of stream one in HcclSendCustom#1 0->1 (called from "),
                                HasSubstr("second: op 1 of stream two"))));
  Submit(second, {WaitFor(notify), WaitFor(notify)});
  RunAll();
  EXPECT_EQ(second->completed(), 2u) << "one of the two records is gone";
}

TEST_F(NotifyTest, SecondWaiter_QueuesAndIsServedNext) {
  Stream* first = NewStream();
  Stream* second = NewStream();
  Stream* third = NewStream();
  Stream* recorder = NewStream();
  Notify* notify = NewNotify();
  for (Stream* stream : {first, second, third}) {
    Submit(stream, {WaitFor(notify)});
    RunAll();
  }
  std::vector<std::uint64_t> served;
  for (int i = 0; i < 3; ++i) {
    Submit(recorder, {RecordOf(notify)});
    RunAll();
    served.push_back(first->completed() * 100 + second->completed() * 10 + third->completed());
  }
  EXPECT_THAT(served, ElementsAre(100u, 110u, 111u));
  EXPECT_FALSE(notify->IsSet());
}

TEST_F(NotifyTest, FirstWaiterTimesOut_SecondIsServed) {
  Stream* first = NewStream();
  Stream* second = NewStream();
  Notify* notify = NewNotify();
  Submit(first, {WaitFor(notify)});
  Submit(second, {WaitFor(notify)});
  RunAll();
  EXPECT_TRUE(notify->Cancel(TicketOf(first), ResumeCode::kTimeout));
  RunAll();
  EXPECT_EQ(first->TakeError().code(), Code::kTimeout);
  EXPECT_EQ(second->completed(), 0u);
  Submit(first, {RecordOf(notify)});
  RunAll();
  EXPECT_EQ(second->completed(), 1u);
  EXPECT_TRUE(second->error().ok());
}

TEST_F(NotifyTest, QueuedWaiterTimesOut_OthersKeepTheirTurn) {
  Stream* first = NewStream();
  Stream* second = NewStream();
  Stream* third = NewStream();
  Notify* notify = NewNotify();
  for (Stream* stream : {first, second, third}) {
    Submit(stream, {WaitFor(notify)});
    RunAll();
  }
  EXPECT_TRUE(notify->Cancel(TicketOf(second), ResumeCode::kTimeout));
  RunAll();
  EXPECT_EQ(second->completed(), 1u);
  Stream* recorder = NewStream();
  for (int i = 0; i < 2; ++i) {
    Submit(recorder, {RecordOf(notify)});
    RunAll();
  }
  EXPECT_TRUE(first->error().ok());
  EXPECT_TRUE(third->error().ok());
  EXPECT_EQ(first->completed() + third->completed(), 2u);
}

TEST_F(NotifyTest, QueuedWaiterWokenFromOutside_StaleTicketWakesTheNextOne) {
  // The watch may wake a queued waiter; its old ticket stays in the queue and must not swallow a wake-up.
  Stream* first = NewStream();
  Stream* second = NewStream();
  Notify* notify = NewNotify();
  Submit(first, {WaitFor(notify)});
  Submit(second, {WaitFor(notify)});
  RunAll();
  EXPECT_TRUE(scheduler().Resume(TicketOf(second), ResumeCode::kSignalled));
  RunAll();
  EXPECT_EQ(second->completed(), 0u) << "it looked, found nothing and queued again";
  Stream* recorder = NewStream();
  for (int i = 0; i < 2; ++i) {
    Submit(recorder, {RecordOf(notify)});
    RunAll();
  }
  EXPECT_EQ(first->completed(), 1u);
  EXPECT_EQ(second->completed(), 1u);
}

TEST_F(NotifyTest, Cancel_AfterRecord_FailsAndTheWaitSucceeds) {
  Stream* waiter = NewStream();
  Notify* notify = NewNotify();
  Submit(waiter, {WaitFor(notify)});
  RunAll();
  const Ticket ticket = TicketOf(waiter);
  notify->slot->word.store(kNotifySet);  // a recorder that has not rung yet
  EXPECT_FALSE(notify->Cancel(ticket, ResumeCode::kTimeout));
  EXPECT_TRUE(scheduler().Resume(ticket, ResumeCode::kSignalled));
  RunAll();
  EXPECT_TRUE(waiter->error().ok());
  EXPECT_EQ(waiter->completed(), 1u);
}

TEST_F(NotifyTest, Cancel_WaiterParked_EndsWithTheCode) {
  const std::pair<ResumeCode, Code> cases[] = {{ResumeCode::kTimeout, Code::kTimeout},
                                               {ResumeCode::kAborted, Code::kRemote},
                                               {ResumeCode::kDeadlock, Code::kTimeout}};
  for (const auto& [code, expected] : cases) {
    Stream* waiter = NewStream();
    Notify* notify = NewNotify();
    Submit(waiter, {WaitFor(notify)});
    RunAll();
    const Ticket ticket = TicketOf(waiter);
    EXPECT_TRUE(notify->Cancel(ticket, code));
    EXPECT_FALSE(notify->Cancel(ticket, code)) << "ended already";
    RunAll();
    EXPECT_EQ(waiter->error().code(), expected);
    EXPECT_FALSE(notify->IsSet());
  }
}

TEST_F(NotifyTest, RecordTakenByAnother_LimitOfTheWokenWaiterIsHonoured) {
  Stream* waiter = NewStream();
  Stream* thief = NewStream();
  Notify* notify = NewNotify();
  Submit(waiter, {WaitFor(notify)});
  RunAll();
  const Ticket ticket = TicketOf(waiter);
  notify->slot->word.store(kNotifySet);  // the recorder dies before it rings
  Submit(thief, {WaitFor(notify)});
  RunAll();
  EXPECT_EQ(thief->completed(), 1u);
  EXPECT_TRUE(notify->Cancel(ticket, ResumeCode::kTimeout));
  RunAll();
  EXPECT_EQ(waiter->error().code(), Code::kTimeout);
}

TEST_F(NotifyTest, RecordFailure_BeforeAndAfterTheWait_FailsItOnce) {
  Stream* waiter = NewStream();
  Notify* notify = NewNotify();
  for (const bool failure_first : {true, false}) {
    if (failure_first) notify->RecordFailure(base::Fail(Code::kKernelFailed, "the sender failed"));
    Submit(waiter, {WaitFor(notify)});
    RunAll();
    if (!failure_first) notify->RecordFailure(base::Fail(Code::kKernelFailed, "the sender failed"));
    RunAll();
    EXPECT_EQ(waiter->TakeError().message(), "the sender failed");
    Submit(waiter, {RecordOf(notify), WaitFor(notify)});
    RunAll();
    EXPECT_TRUE(waiter->error().ok()) << "the failure was consumed";
  }
}

TEST_F(NotifyTest, WaitWithLimit_Parked_SameDeadlineAfterSpuriousWakeUp) {
  Stream* waiter = NewStream();
  Notify* notify = NewNotify();
  Submit(waiter, {WaitFor(notify, 1000)});
  RunAll();
  const WaitEntry before = WaitGraph::Collect(scheduler()).entries().front();
  clock_.Advance(400);
  EXPECT_TRUE(notify->Cancel(before.ticket, ResumeCode::kSignalled));
  RunAll();
  const std::vector<WaitEntry> after = WaitGraph::Collect(scheduler()).entries();
  ASSERT_THAT(after, SizeIs(1));
  EXPECT_EQ(after[0].deadline, before.deadline);
  EXPECT_EQ(after[0].since, before.since);
  EXPECT_NE(after[0].ticket, before.ticket);
}

TEST_F(NotifyTest, Signal_SetsTheBitOnceAndResumesTheWaiter) {
  Stream* waiter = NewStream();
  Notify* notify = NewNotify();
  Submit(waiter, {WaitFor(notify)});
  RunAll();
  EXPECT_TRUE(waiter->parked());
  notify->Signal();
  RunAll();
  EXPECT_EQ(waiter->completed(), 1u);
  notify->Signal();
  notify->Signal();
  EXPECT_TRUE(notify->IsSet()) << "twice is no lost record: the log stays empty";
}

TEST_F(NotifyTest, ClearBit_TakesBitAndFailureAndLeavesWaitersParked) {
  Stream* waiter = NewStream();
  Notify* notify = NewNotify();
  notify->RecordFailure(base::Fail(Code::kKernelFailed, "the sender failed"));
  notify->ClearBit();
  EXPECT_FALSE(notify->IsSet());
  Submit(waiter, {WaitFor(notify)});
  RunAll();
  notify->ClearBit();
  EXPECT_TRUE(waiter->parked());
  notify->Signal();
  RunAll();
  EXPECT_TRUE(waiter->error().ok());
}

}  // namespace
}  // namespace softhccl::exec
