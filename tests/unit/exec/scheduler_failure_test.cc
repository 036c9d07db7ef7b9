// A failure must reach everybody who depends on it, once, with its first cause, and nobody else: later ops of the
// stream, waiters for skipped records, the other ranks of the communicator. Destroying things in use belongs here too.
#include <atomic>
#include <thread>

#include "exec/abort_domain.h"
#include "exec/wait_report.h"
#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SchedulerFailure : public ExecTest {
 protected:
  SchedulerFailure() { Start(0); }

  Party Rank(std::uint32_t rank) { return {domain_, rank}; }
  AbortDomain& domain() { return *domain_; }

 private:
  std::shared_ptr<AbortDomain> domain_ = std::make_shared<AbortDomain>("world");
};

TEST_F(SchedulerFailure, Op_Fails_LaterOpsAreSkippedWithItsCause) {
  Stream* stream = NewStream({}, "the failing stream");
  bool ran = false;
  std::string cause;
  Submit(stream, {Do([] {}), FailWith(Code::kKernelFailed, "boom 7"),
                  Do([&] { ran = true; }, [&](const base::Status& status) { cause = status.message(); })});
  RunAll();
  EXPECT_FALSE(ran);
  EXPECT_EQ(cause, "boom 7");
  EXPECT_EQ(stream->completed(), 3u);
  EXPECT_EQ(stream->error().code(), Code::kKernelFailed);
  EXPECT_THAT(TakeLog(), ElementsAre("the failing stream: test call (op 2) failed: boom 7"));
}

TEST_F(SchedulerFailure, Error_Taken_StreamRunsAgain) {
  Stream* stream = NewStream();
  Submit(stream, {FailWith(Code::kKernelFailed, "first"), FailWith(Code::kTimeout, "second")});
  RunAll();
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("first")));
  EXPECT_EQ(stream->TakeError().message(), "first");
  EXPECT_TRUE(stream->TakeError().ok());
  bool ran = false;
  Submit(stream, {Do([&] { ran = true; })});
  RunAll();
  EXPECT_TRUE(ran);
}

TEST_F(SchedulerFailure, SkippedRecord_ReachesTheWaiterAsFailure) {
  Stream* recorder = NewStream();
  Stream* waiter = NewStream();
  Stream* bystander = NewStream();
  Notify* notify = NewNotify();
  bool passed = false;
  bool other = false;
  Submit(waiter, {WaitFor(notify), Do([&] { passed = true; })});
  Submit(bystander, {Do([&] { other = true; })});
  RunAll();
  Submit(recorder, {FailWith(Code::kKernelFailed, "kernel returned 3"), RecordOf(notify)});
  RunAll();
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("kernel returned 3")));
  EXPECT_FALSE(passed);
  EXPECT_TRUE(other);
  EXPECT_EQ(waiter->error().message(), "kernel returned 3");
  EXPECT_TRUE(bystander->error().ok());
  EXPECT_FALSE(notify->IsSet());
}

TEST_F(SchedulerFailure, OpOfACommunicatorFails_PeersWaitsEndWithTheFirstCause) {
  Stream* failing = NewStream(Rank(0));
  Stream* peer = NewStream(Rank(1));
  Stream* third = NewStream(Rank(2));
  Stream* outsider = NewStream();
  Notify* from_zero = NewNotify(Rank(0));
  Notify* from_one = NewNotify(Rank(1));
  Notify* unrelated = NewNotify();
  Submit(peer, {WaitFor(from_zero)});
  Submit(third, {WaitFor(from_one)});
  Submit(outsider, {WaitFor(unrelated)});
  RunAll();
  Submit(failing, {FailWith(Code::kKernelFailed, "kernel returned 3")});
  RunAll();
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("kernel returned 3")));
  for (Stream* stream : {peer, third}) {
    EXPECT_EQ(stream->completed(), 1u);
    EXPECT_EQ(stream->error().code(), Code::kRemote);
    EXPECT_THAT(stream->error().message(),
                HasSubstr("communicator world was aborted because rank 0: kernel returned 3"));
  }
  EXPECT_EQ(domain().failed_rank(), 0u);
  EXPECT_EQ(outsider->completed(), 0u) << "a stream of nobody's communicator goes on waiting";
  Submit(NewStream(), {RecordOf(unrelated)});
  RunAll();
  EXPECT_TRUE(outsider->error().ok());
  EXPECT_EQ(outsider->completed(), 1u);
}

TEST_F(SchedulerFailure, AbortedCommunicator_StaysUnusable) {
  scheduler().AbortParty(Rank(2), base::Fail(Code::kTimeout, "too late"));
  Stream* stream = NewStream(Rank(1));
  bool ran = false;
  Submit(stream, {Do([&] { ran = true; })});
  RunAll();
  EXPECT_FALSE(ran);
  EXPECT_EQ(stream->TakeError().code(), Code::kRemote);
  Submit(stream, {Do([&] { ran = true; })});
  RunAll();
  EXPECT_FALSE(ran) << "taking the error does not revive the communicator";
  EXPECT_THAT(stream->error().message(), HasSubstr("because rank 2: too late"));
}

TEST_F(SchedulerFailure, SecondAbort_KeepsTheFirstCause) {
  scheduler().AbortParty(Rank(2), base::Fail(Code::kTimeout, "first"));
  scheduler().AbortParty(Rank(1), base::Fail(Code::kTimeout, "second"));
  EXPECT_THAT(domain().AbortStatus().message(), HasSubstr("because rank 2: first"));
}

TEST_F(SchedulerFailure, LastOperation_NotedTwice_NamesTheLastAndTheCount) {
  EXPECT_EQ(domain().LastOperation(3), "it has not started any operation on this communicator");
  domain().NoteOperation(3, "HcclSendCustom#0");
  domain().NoteOperation(3, "HcclRecvCustom#1");
  EXPECT_EQ(domain().LastOperation(3), "its last operation was HcclRecvCustom#1 (2 started)");
}

// --- Tickets

TEST_F(SchedulerFailure, Ticket_UsedOnce_IsIgnoredAfterwards) {
  Stream* stream = NewStream();
  std::vector<Ticket> tickets;
  int runs = 0;
  Submit(stream, {Call([&](OpContext& context) {
           ++runs;
           if (tickets.size() == 2) return OpOutcome::kDone;
           tickets.push_back(context.Suspend(0, base::kForever));
           return OpOutcome::kSuspended;
         })});
  RunAll();
  ASSERT_EQ(tickets.size(), 1u);
  EXPECT_TRUE(scheduler().Resume(tickets[0], ResumeCode::kSignalled));
  EXPECT_FALSE(scheduler().Resume(tickets[0], ResumeCode::kTimeout)) << "ready, not run yet";
  RunAll();
  ASSERT_EQ(tickets.size(), 2u);
  EXPECT_FALSE(scheduler().Resume(tickets[0], ResumeCode::kSignalled)) << "parked again, with another ticket";
  RunAll();
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(scheduler().Resume(tickets[1], ResumeCode::kSignalled));
  RunAll();
  EXPECT_EQ(runs, 3);
  EXPECT_FALSE(scheduler().Resume(tickets[1], ResumeCode::kSignalled)) << "idle";
}

TEST_F(SchedulerFailure, Ticket_UsedAndStreamRunning_IsIgnored) {
  Stream* stream = NewStream();
  Ticket ticket;
  bool resumed_again = true;
  Submit(stream, {Call([&](OpContext& context) {
           if (context.resume_code() != ResumeCode::kNone) {
             resumed_again = scheduler().Resume(ticket, ResumeCode::kAborted);
             return OpOutcome::kDone;
           }
           ticket = context.Suspend(0, base::kForever);
           return OpOutcome::kSuspended;
         })});
  RunAll();
  EXPECT_TRUE(scheduler().Resume(ticket, ResumeCode::kSignalled));
  RunAll();
  EXPECT_FALSE(resumed_again);
}

TEST_F(SchedulerFailure, Ticket_ResumedBeforeParking_OpRunsOn) {
  Stream* stream = NewStream();
  ResumeCode code = ResumeCode::kNone;
  Submit(stream, {Call([&](OpContext& context) {
           if (context.resume_code() != ResumeCode::kNone) {
             code = context.resume_code();
             return OpOutcome::kDone;
           }
           const Ticket ticket = context.Suspend(0, base::kForever);
           EXPECT_TRUE(scheduler().Resume(ticket, ResumeCode::kSignalled));
           EXPECT_FALSE(scheduler().Resume(ticket, ResumeCode::kTimeout));
           return OpOutcome::kSuspended;
         })});
  RunAll();
  EXPECT_EQ(code, ResumeCode::kSignalled);
}

TEST_F(SchedulerFailure, Ticket_OfAnEarlierStreamInTheSlot_IsIgnored) {
  Stream* first = NewStream();
  std::vector<Ticket> old;
  const Body suspend_twice = [&](OpContext& context) {
    if (old.size() == 2) return OpOutcome::kDone;
    old.push_back(context.Suspend(0, base::kForever));
    return OpOutcome::kSuspended;
  };
  Submit(first, {Call(suspend_twice)});
  RunAll();
  scheduler().Resume(old[0], ResumeCode::kSignalled);
  RunAll();
  scheduler().Resume(old[1], ResumeCode::kSignalled);
  RunAll();
  scheduler().DestroyStream(first);
  Stream* second = NewStream();
  ASSERT_EQ(second, first) << "the slot is used again";
  Notify* notify = NewNotify();
  Submit(second, {WaitFor(notify)});
  RunAll();
  for (const Ticket ticket : old) EXPECT_FALSE(scheduler().Resume(ticket, ResumeCode::kSignalled));
  EXPECT_FALSE(scheduler().Resume(Ticket::Make(0xFFFFFF, 1), ResumeCode::kSignalled)) << "no such stream";
  RunAll();
  EXPECT_EQ(second->completed(), 0u);
}

// --- Destroying

TEST_F(SchedulerFailure, DestroyStream_WaitParked_EndsItAndSkipsTheRest) {
  Stream* stream = NewStream({}, "the doomed stream");
  Notify* notify = NewNotify();
  bool ran = false;
  std::string cause;
  const Skip keep = [&](const base::Status& status) { cause = status.message(); };
  Submit(stream, {WaitFor(notify), Do([&] { ran = true; }, keep)});
  RunAll();
  scheduler().DestroyStream(stream);
  EXPECT_FALSE(ran);
  EXPECT_EQ(cause, "the doomed stream was destroyed with work pending");
  EXPECT_EQ(stream->completed(), 2u);
  // The notify is free for others: no ticket is left in its word.
  Stream* next = NewStream();
  Submit(next, {RecordOf(notify), WaitFor(notify)});
  RunAll();
  EXPECT_EQ(next->completed(), 2u);
}

TEST_F(SchedulerFailure, DestroyStream_WorkNeverStarted_SkipsIt) {
  Stream* stream = NewStream();
  bool ran = false;
  int skipped = 0;
  for (int i = 0; i < 3; ++i) Submit(stream, {Do([&] { ran = true; }, [&](const base::Status&) { ++skipped; })});
  scheduler().DestroyStream(stream);
  EXPECT_FALSE(ran);
  EXPECT_EQ(skipped, 3);
  EXPECT_EQ(scheduler().streams().Lookup(stream->handle), nullptr);
  EXPECT_FALSE(scheduler().RunOne());
}

TEST_F(SchedulerFailure, DestroyStream_Twice_SecondDoesNothing) {
  Stream* stream = NewStream();
  scheduler().DestroyStream(stream);
  scheduler().DestroyStream(stream);
  EXPECT_EQ(scheduler().streams().live(), 0u);
}

TEST_F(SchedulerFailure, StreamInAUsedSlot_StartsClean) {
  Stream* first = NewStream(Rank(0));
  Submit(first, {FailWith(Code::kKernelFailed, "boom"), Do([] {})});
  RunAll();
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("boom")));
  scheduler().DestroyStream(first);
  Stream* second = NewStream();
  ASSERT_EQ(second, first);
  EXPECT_FALSE(second->failed());
  EXPECT_EQ(second->submitted(), 0u);
  int ran = 0;
  Submit(second, {Do([&] { ++ran; })});
  RunAll();
  EXPECT_EQ(ran, 1) << "op number 1 of the new stream is not taken for one that ran already";
}

TEST_F(SchedulerFailure, DestroyNotify_StreamsWait_TheyRunAgainAndFindItStale) {
  Stream* first = NewStream();
  Stream* second = NewStream();
  Notify* notify = NewNotify();
  Submit(first, {WaitFor(notify)});
  Submit(second, {WaitFor(notify)});
  RunAll();
  scheduler().DestroyNotify(notify);
  RunAll();
  for (Stream* stream : {first, second}) {
    EXPECT_EQ(stream->completed(), 1u);
    EXPECT_EQ(stream->error().message(), "the notify was destroyed");
  }
  EXPECT_EQ(TakeLog().size(), 2u);
}

TEST_F(SchedulerFailure, NotifyInAUsedSlot_StartsClean) {
  Stream* stream = NewStream();
  Notify* first = NewNotify();
  Submit(stream, {RecordOf(first)});
  RunAll();
  first->RecordFailure(base::Fail(Code::kRemote, "old failure"));
  const std::uint64_t old_handle = first->handle;
  scheduler().DestroyNotify(first);
  Notify* second = NewNotify();
  ASSERT_EQ(second, first);
  EXPECT_NE(second->handle, old_handle);
  EXPECT_FALSE(second->IsSet());
  Submit(stream, {RecordOf(second), WaitFor(second)});
  RunAll();
  EXPECT_TRUE(stream->error().ok());
}

TEST_F(SchedulerFailure, AbortStream_Parked_EndsTheWaitAndSkipsTheRest) {
  Stream* stream = NewStream();
  bool ran = false;
  std::string cause;
  Submit(stream, {WaitFor(NewNotify()),
                  Do([&] { ran = true; }, [&](const base::Status& status) { cause = status.message(); })});
  RunAll();
  ASSERT_TRUE(stream->parked());
  bool woken = false;
  const base::Status aborted = scheduler().AbortStream(*stream, base::Fail(Code::kStreamAborted, "enough"),
                                                       base::kForever, [&] { woken = true; });
  EXPECT_TRUE(aborted.ok()) << aborted.message();
  EXPECT_TRUE(woken);
  EXPECT_FALSE(ran);
  EXPECT_EQ(cause, "enough");
  EXPECT_EQ(stream->completed(), 2u);
  EXPECT_EQ(stream->TakeError().code(), Code::kStreamAborted);
  Submit(stream, {Do([&] { ran = true; })});
  RunAll();
  EXPECT_TRUE(ran) << "the stream is usable again";
}

TEST_F(SchedulerFailure, AbortStream_WaitThatIsAboutToPark_DoesNotWait) {
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  Submit(stream, {WaitFor(notify), WaitFor(notify)});
  const base::Status aborted =
      scheduler().AbortStream(*stream, base::Fail(Code::kStreamAborted, "enough"), base::kForever);
  EXPECT_TRUE(aborted.ok()) << aborted.message();
  EXPECT_EQ(stream->completed(), 2u);
}

TEST_F(SchedulerFailure, Observer_HearsOfTheFirstFailureOfAStreamOnly) {
  std::vector<std::string> heard;
  scheduler().SetFailureObserver([&](Stream& stream, const Op& op, const base::Status& failure) {
    heard.push_back(fmt::format("{} {} {}", stream.completed(), op.number, failure.message()));
  });
  Stream* stream = NewStream();
  Submit(stream, {Do([] {}), FailWith(Code::kKernelFailed, "first"), FailWith(Code::kKernelFailed, "second")});
  RunAll();
  EXPECT_THAT(heard, ElementsAre("1 2 first")) << "before the op counts as done";
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("first")));
}

// The one that waits may wake when the slot has its next stream already, whose count of ops begins anew.
TEST_F(SchedulerFailure, SlotIsReusedAtOnce_WhoWaitedForTheOldStreamReturns) {
  Start(0);
  Notify* notify = NewNotify();
  for (int round = 0; round < 200; ++round) {
    Stream* stream = NewStream();
    Submit(stream, {WaitFor(notify)});
    std::thread waiting([&] { EXPECT_TRUE(scheduler().DrainTo(*stream, 1, base::kForever).ok()); });
    ASSERT_TRUE(WaitUntil([&] { return stream->parked(); })) << "only the one that waits can have run it";
    scheduler().DestroyStream(stream);
    Stream* next = NewStream();
    ASSERT_EQ(next, stream);
    waiting.join();
    scheduler().DestroyStream(next);
  }
}

}  // namespace
}  // namespace softhccl::exec
