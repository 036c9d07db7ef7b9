// The watch must be right about time (not early, not never), about blame (who waits for what on which rank, the root
// first) and about the difference between a stall and a deadlock. A manual clock and Tick make every case exact.
#include "exec/watch.h"

#include "event/labels.h"
#include "exec/abort_domain.h"
#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;
using base::FromMillis;
using base::FromSeconds;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class WatchTest : public ExecTest {
 protected:
  WatchTest() {
    Start(0, -1, 0, &clock_);
    WatchOptions options;
    options.own_thread = false;
    options.is_closed = [this] {
      ++samples_;
      return closed_;
    };
    watch_ = std::make_unique<Watch>(scheduler(), options);
  }
  ~WatchTest() override { watch_.reset(); }

  Party Rank(std::uint32_t rank) { return {domain_, rank}; }

  // rank `from` waits for rank `to` in an operation of its own.
  Stream* WaitBetween(std::uint32_t from, std::uint32_t to, base::Nanos limit = base::kForever) {
    Stream* stream = NewStream(Rank(from), fmt::format("thread of rank {}", from));
    Notify* notify = NewNotify(Rank(to), fmt::format("notify {} to {}", to, from));
    Op op = WaitFor(notify, limit);
    op.origin = event::NameId(fmt::format("HcclRecvCustom#{} {}->{}", from, to, from));
    Submit(stream, {op});
    RunAll();
    last_notify_ = notify;
    return stream;
  }

  // Ticks every 40 ms until `duration` has passed, as the watch's own thread does.
  void TickFor(base::Nanos duration) {
    for (base::Nanos passed = 0; passed < duration; passed += FromMillis(40)) {
      clock_.Advance(FromMillis(40));
      watch_->Tick();
    }
  }

  base::ManualClock clock_;
  std::shared_ptr<AbortDomain> domain_ = std::make_shared<AbortDomain>("world");
  std::unique_ptr<Watch> watch_;
  bool closed_ = false;
  int samples_ = 0;
  Notify* last_notify_ = nullptr;
};

// --- Limits

TEST_F(WatchTest, Limit_NotReached_WaitGoesOn) {
  Stream* stream = WaitBetween(0, 1, FromSeconds(3));
  clock_.Advance(FromSeconds(3) - 1);
  EXPECT_TRUE(watch_->Tick());
  EXPECT_FALSE(scheduler().RunOne());
  EXPECT_EQ(stream->completed(), 0u);
}

TEST_F(WatchTest, Limit_Reached_WaitEndsAndTheTextTellsAll) {
  domain_->NoteOperation(1, "HcclSendCustom#4 1->2");
  Stream* stream = WaitBetween(0, 1, FromSeconds(3));
  clock_.Advance(FromSeconds(3));
  watch_->Tick();
  RunAll();
  EXPECT_EQ(stream->error().code(), Code::kTimeout);
  EXPECT_EQ(stream->error().message(),
            "wait timeout: rank 0 (thread of rank 0) has waited 3.0 s in HcclRecvCustom#0 1->0 for rank 1 to record "
            "notify 1 to 0 (op 1); rank 1 is not waiting for anybody; its last operation was HcclSendCustom#4 1->2 "
            "(1 started)");
  EXPECT_THAT(TakeLog(), ElementsAre(AllOf(HasSubstr("EI0002 wait timeout: 1 wait reached the limit"),
                                           HasSubstr("missing: rank 1 of communicator world; its last operation was "
                                                     "HcclSendCustom#4 1->2 (1 started)"),
                                           HasSubstr("root: rank 0 "))));
  EXPECT_TRUE(domain_->aborted()) << "an expired wait of a communicator aborts it";
  EXPECT_FALSE(watch_->Tick()) << "nothing is parked any more";
}

TEST_F(WatchTest, Limit_ReachedAfterTheRecord_WaitSucceeds) {
  Stream* stream = WaitBetween(0, 1, FromSeconds(3));
  last_notify_->slot->word.store(kNotifySet);  // the recorder has not rung yet
  clock_.Advance(FromSeconds(10));
  watch_->Tick();
  RunAll();
  EXPECT_TRUE(stream->error().ok());
  EXPECT_EQ(stream->completed(), 1u);
}

TEST_F(WatchTest, NoLimit_AfterADay_WaitGoesOn) {
  Stream* stream = WaitBetween(0, 1);
  for (int day = 0; day < 3; ++day) {
    clock_.Advance(FromSeconds(86'400));
    watch_->Tick();
  }
  RunAll();
  EXPECT_EQ(stream->completed(), 0u);
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("no progress for 86400 s")));
}

TEST_F(WatchTest, SetWordWithoutRing_IsFoundByTheNextTick) {
  Stream* stream = WaitBetween(0, 1);
  last_notify_->slot->word.store(kNotifySet);  // the recorder died before it rang
  watch_->Tick();
  RunAll();
  EXPECT_EQ(stream->completed(), 1u);
}

TEST_F(WatchTest, TwoLimitsAtOnce_BothKeepTheirOwnText) {
  Stream* first = WaitBetween(0, 1, FromSeconds(2));
  Stream* second = WaitBetween(2, 1, FromSeconds(2));
  clock_.Advance(FromSeconds(2));
  watch_->Tick();
  RunAll();
  EXPECT_EQ(TakeLog().size(), 1u) << "one episode, one report";
  EXPECT_THAT(first->error().message(), HasSubstr("wait timeout: rank 0 "));
  EXPECT_THAT(second->error().message(), HasSubstr("wait timeout: rank 2 "));
  EXPECT_EQ(second->error().code(), Code::kTimeout) << "not the abort that the first one caused";
}

// --- Stalls

TEST_F(WatchTest, Stall_FiveSeconds_OneWarningNothingEnded) {
  Stream* stream = WaitBetween(1, 2);
  watch_->Tick();
  TickFor(FromMillis(4'900));
  EXPECT_THAT(TakeLog(), IsEmpty());
  TickFor(FromMillis(300));
  EXPECT_THAT(TakeLog(), ElementsAre(AllOf(HasSubstr("no progress for 5 s: nothing is ended"),
                                           HasSubstr("missing: rank 2 of communicator world; it has not started"),
                                           HasSubstr("rank 1 (thread of rank 1) has waited 5."))));
  TickFor(FromSeconds(60));
  EXPECT_THAT(TakeLog(), IsEmpty()) << "one warning per stall";
  EXPECT_EQ(watch_->stalls_reported(), 1u);
  EXPECT_EQ(stream->completed(), 0u);
}

TEST_F(WatchTest, Stall_WaitForTheHost_IsToldButNeverEnded) {
  closed_ = true;
  Stream* stream = NewStream({}, "stream 7");
  Submit(stream, {Call([](OpContext& context) {
           if (context.resume_code() != ResumeCode::kNone) return OpOutcome::kDone;
           static_cast<void>(context.Suspend(0, base::kForever));
           return OpOutcome::kSuspended;
         })});
  RunAll();
  watch_->Tick();
  TickFor(FromMillis(5'200));
  EXPECT_THAT(TakeLog(), ElementsAre(AllOf(
                             HasSubstr("no progress for 5 s: nothing is ended"),
                             ContainsRegex("blocked: stream 7 has waited 5.. s for its test call to return .op 1"))));
  EXPECT_EQ(watch_->deadlocks_reported(), 0u);
  EXPECT_TRUE(stream->parked());
}

TEST_F(WatchTest, Stall_AfterProgress_WarnsAgain) {
  WaitBetween(1, 2);
  watch_->Tick();
  TickFor(FromSeconds(6));
  EXPECT_EQ(TakeLog().size(), 1u);
  Submit(NewStream(), {Do([] {})});
  RunAll();
  watch_->Tick();
  TickFor(FromSeconds(4));
  EXPECT_THAT(TakeLog(), IsEmpty());
  TickFor(FromSeconds(2));
  EXPECT_EQ(TakeLog().size(), 1u);
  EXPECT_EQ(watch_->stalls_reported(), 2u);
}

TEST_F(WatchTest, Stall_WhileSomethingIsReady_IsNone) {
  WaitBetween(1, 2);
  Submit(NewStream(), {Do([] {})});
  TickFor(FromSeconds(10));
  EXPECT_THAT(TakeLog(), IsEmpty());
  EXPECT_EQ(samples_, 0) << "threads are only looked at in a stall";
}

TEST_F(WatchTest, Stall_WhileAKernelRuns_IsNone) {
  closed_ = true;
  WaitBetween(1, 2);
  scheduler().CountForeign(1);
  TickFor(FromSeconds(10));
  EXPECT_THAT(TakeLog(), IsEmpty());
  EXPECT_EQ(watch_->deadlocks_reported(), 0u);
  scheduler().CountForeign(-1);
}

// --- Deadlocks

TEST_F(WatchTest, Deadlock_ClosedInTwoSamples_EndsWithinTwoSeconds) {
  closed_ = true;
  Stream* zero = WaitBetween(0, 1);
  Stream* one = WaitBetween(1, 0);
  watch_->Tick();
  clock_.Advance(FromMillis(199));
  watch_->Tick();
  EXPECT_EQ(watch_->deadlocks_reported(), 0u) << "two samples at least 200 ms apart";
  TickFor(FromMillis(1'800));
  EXPECT_EQ(watch_->deadlocks_reported(), 1u);
  RunAll();
  EXPECT_THAT(TakeLog(), ElementsAre(AllOf(HasSubstr("deadlock: every thread waits"),
                                           HasSubstr("cycle: rank 0 -> rank 1 -> rank 0 (communicator world)"),
                                           HasSubstr("root: rank 0 "), HasSubstr("root: rank 1 "))));
  for (Stream* stream : {zero, one}) {
    EXPECT_EQ(stream->error().code(), Code::kTimeout) << "not kRemote, though the first one aborts the communicator";
    EXPECT_THAT(stream->error().message(), AllOf(HasSubstr("deadlock: rank "), HasSubstr("; cycle rank ")));
  }
  EXPECT_THAT(zero->error().message(), HasSubstr("rank 1 waits itself for rank 0 in HcclRecvCustom#1 0->1"));
}

TEST_F(WatchTest, Deadlock_OpenProcess_IsOnlyAStall) {
  WaitBetween(0, 1);
  WaitBetween(1, 0);
  TickFor(FromSeconds(4));
  EXPECT_EQ(watch_->deadlocks_reported(), 0u);
  EXPECT_GT(samples_, 4);
  EXPECT_LT(samples_, 40) << "reading every thread at every tick costs too much";
}

TEST_F(WatchTest, Deadlock_OpenInBetween_StartsCountingAnew) {
  WaitBetween(0, 1);
  watch_->Tick();  // the turn that parked the stream was progress
  closed_ = true;
  watch_->Tick();
  EXPECT_EQ(samples_, 1);
  closed_ = false;
  clock_.Advance(FromMillis(300));
  watch_->Tick();
  EXPECT_EQ(samples_, 2);
  closed_ = true;
  clock_.Advance(FromMillis(300));
  watch_->Tick();
  EXPECT_EQ(samples_, 3);
  EXPECT_EQ(watch_->deadlocks_reported(), 0u) << "one closed sample since it was open";
  clock_.Advance(FromMillis(300));
  watch_->Tick();
  EXPECT_EQ(watch_->deadlocks_reported(), 1u);
  RunAll();
  TakeLog();
}

TEST_F(WatchTest, Deadlock_ProgressBetweenTheSamples_IsNone) {
  closed_ = true;
  WaitBetween(0, 1);
  Stream* lively = NewStream();
  for (int i = 0; i < 40; ++i) {
    watch_->Tick();
    clock_.Advance(FromMillis(150));
    Submit(lively, {Do([] {})});
    RunAll();
  }
  EXPECT_EQ(watch_->deadlocks_reported(), 0u);
}

TEST_F(WatchTest, Deadlock_RankMissing_RootFirstThenConsequences) {
  closed_ = true;
  domain_->NoteOperation(2, "HcclSendCustom#0 2->3");
  Stream* consequence = WaitBetween(0, 1);
  Stream* root = WaitBetween(1, 2);
  TickFor(FromSeconds(1));
  RunAll();
  const std::vector<std::string> log = TakeLog();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], HasSubstr("missing: rank 2 of communicator world; its last operation was HcclSendCustom#0 2->3"));
  const std::size_t root_at = log[0].find("root: rank 1 (thread of rank 1)");
  const std::size_t consequence_at = log[0].find("consequence: rank 0 (thread of rank 0)");
  ASSERT_NE(root_at, std::string::npos) << log[0];
  ASSERT_NE(consequence_at, std::string::npos) << log[0];
  EXPECT_LT(root_at, consequence_at);
  EXPECT_THAT(log[0], Not(HasSubstr("cycle")));
  EXPECT_EQ(root->error().code(), Code::kTimeout);
  EXPECT_EQ(consequence->error().code(), Code::kTimeout);
}

TEST_F(WatchTest, Deadlock_TwoCyclesAndAUserStream_EachCycleOnceFollowersCounted) {
  closed_ = true;
  for (const auto& [from, to] : {std::pair{2u, 0u}, {0u, 1u}, {1u, 2u}, {5u, 4u}, {4u, 5u}}) WaitBetween(from, to);
  Stream* user = NewStream();
  Submit(user, {WaitFor(NewNotify())});
  RunAll();
  TickFor(FromMillis(400));
  RunAll();
  EXPECT_TRUE(user->error().ok()) << "what follows gets its failure through the records first";
  TickFor(FromSeconds(1));
  RunAll();
  EXPECT_EQ(user->error().code(), Code::kTimeout) << "and is ended by itself when that does not come";
  const std::string text = TakeLog().at(0);
  EXPECT_THAT(text, AllOf(HasSubstr("cycle: rank 0 -> rank 1 -> rank 2 -> rank 0 (communicator world)"),
                          HasSubstr("cycle: rank 4 -> rank 5 -> rank 4 (communicator world)"),
                          HasSubstr("and 1 wait of streams that follow from these")));
  std::size_t cycles = 0;
  for (std::size_t at = text.find("cycle: "); at != std::string::npos; at = text.find("cycle: ", at + 1)) ++cycles;
  EXPECT_EQ(cycles, 2u);
}

TEST_F(WatchTest, Deadlock_OnlyUserStreams_AreEndedAndNamed) {
  closed_ = true;
  Stream* user = NewStream({}, "device 0/stream 5");
  Submit(user, {WaitFor(NewNotify({}, "notify 9 of device 0"))});
  RunAll();
  TickFor(FromSeconds(1));
  RunAll();
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("device 0/stream 5 has waited")));
  EXPECT_THAT(user->error().message(),
              AllOf(HasSubstr("deadlock: device 0/stream 5"), HasSubstr("for a record of notify 9 of device 0"),
                    HasSubstr("any stream may record it")));
}

// --- Its own thread

TEST_F(WatchTest, Ticker_NeedsMoreTicks_KeepsTheWatchAwake) {
  bool needs = true;
  base::Nanos seen = 0;
  watch_->AddTicker([&](base::Nanos now) {
    seen = now;
    return needs;
  });
  EXPECT_TRUE(watch_->Tick());
  EXPECT_EQ(seen, clock_.Now());
  needs = false;
  EXPECT_FALSE(watch_->Tick());
}

TEST_F(WatchTest, OwnThread_ParkWakesIt_LimitIsEnforced) {
  watch_.reset();  // it belongs to the scheduler that is replaced
  Start(1);        // real time
  WatchOptions options;
  options.is_closed = [] { return false; };
  Watch watch(scheduler(), options);
  // It sleeps for good while nothing is parked.
  EXPECT_TRUE(WaitUntil([&] { return scheduler().watch_word().load() == 1; }));
  Stream* stream = NewStream();
  Submit(stream, {WaitFor(NewNotify(), FromMillis(30))});
  Drain(stream);
  EXPECT_EQ(stream->error().code(), Code::kTimeout);
  EXPECT_EQ(TakeLog().size(), 1u);
  EXPECT_TRUE(WaitUntil([&] { return scheduler().watch_word().load() == 1; })) << "and sleeps again";
}

}  // namespace
}  // namespace softhccl::exec
