// Counting notifies: what records do to the count, which waits end at which record, and how failures, limits and
// destruction reach those who wait.
#include "exec/count_notify.h"

#include <thread>

#include "exec/watch.h"
#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;
using Change = CountNotify::Change;
using Until = CountGoal::Until;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CountGoalTest, IsReached_EachGoal_ComparesAsItSays) {
  struct Row {
    Until until;
    std::uint32_t value;
    std::uint32_t count;
    bool is_reached;
  };
  for (const Row& row :
       {Row{Until::kLess, 5, 4, true}, Row{Until::kLess, 5, 5, false}, Row{Until::kEqual, 5, 5, true},
        Row{Until::kEqual, 5, 6, false}, Row{Until::kGreater, 5, 6, true}, Row{Until::kGreater, 5, 5, false},
        Row{Until::kAtLeast, 5, 5, true}, Row{Until::kAtLeast, 5, 4, false}, Row{Until::kAllBits, 6, 7, true},
        Row{Until::kAllBits, 6, 4, false}, Row{Until::kAtLeast, 5, UINT32_MAX, true}}) {
    EXPECT_EQ((CountGoal{row.until, row.value, false}.IsReached(row.count)), row.is_reached)
        << static_cast<int>(row.until) << " " << row.value << " " << row.count;
  }
}

class CountNotifyTest : public ExecTest {
 protected:
  void Begin(int workers, const base::Clock* clock = nullptr) {
    Start(workers, -1, 0, clock);
    notify_ = std::make_shared<CountNotify>(scheduler(), 0, 4);
  }
  Op WaitForCount(CountGoal goal, base::Nanos deadline = base::kForever) {
    waits_.emplace_back();
    std::unique_ptr<CountWait>& wait = waits_.back();
    return Call(
        [this, &wait, goal, deadline](OpContext& context) {
          if (wait == nullptr) {
            const OpOutcome begun = CountWait::Begin(context, notify_, goal, &wait);
            if (begun != OpOutcome::kSuspended) return begun;
          }
          const OpOutcome outcome = wait->Run(context, Op(), deadline);
          if (outcome != OpOutcome::kSuspended) wait.reset();
          return outcome;
        },
        [&wait](const base::Status&) { wait.reset(); });
  }
  Op Record(Change change, std::uint32_t value) {
    return Do([this, change, value] { notify_->Record(change, value); },
              [this](const base::Status& cause) { notify_->RecordFailure(cause); });
  }
  // The count is exactly `value`.
  void ExpectCount(std::uint32_t value) {
    Stream* stream = NewStream();
    Submit(stream, {WaitForCount({Until::kEqual, value, false})});
    RunAll();
    EXPECT_EQ(stream->completed(), 1u) << "the count is not " << value;
    scheduler().DestroyStream(stream);
  }

  std::shared_ptr<CountNotify> notify_;
  std::deque<std::unique_ptr<CountWait>> waits_;
};

TEST_F(CountNotifyTest, Records_ChangeTheCount) {
  Begin(0);
  ExpectCount(0);
  notify_->Record(Change::kSet, 12);
  ExpectCount(12);
  notify_->Record(Change::kAdd, 3);
  ExpectCount(15);
  notify_->Record(Change::kAnd, 6);
  ExpectCount(6);
  notify_->Record(Change::kOr, 9);
  ExpectCount(15);
  notify_->Record(Change::kAdd, UINT32_MAX);
  ExpectCount(14);
  notify_->Reset();
  ExpectCount(0);
}

TEST_F(CountNotifyTest, Waits_EndAtTheRecordThatReachesTheirGoal) {
  Begin(0);
  Stream* first = NewStream();
  Stream* second = NewStream();
  Submit(first, {WaitForCount({Until::kAtLeast, 2, false})});
  Submit(second, {WaitForCount({Until::kAtLeast, 3, false})});
  RunAll();
  notify_->Record(Change::kAdd, 1);
  RunAll();
  EXPECT_TRUE(first->parked());
  notify_->Record(Change::kAdd, 1);
  RunAll();
  EXPECT_EQ(first->completed(), 1u);
  EXPECT_TRUE(second->parked());
  notify_->Record(Change::kAdd, 1);
  RunAll();
  EXPECT_EQ(second->completed(), 1u);
}

TEST_F(CountNotifyTest, GoalReachedAndLeftAgain_StillCounts) {
  Begin(0);
  Stream* stream = NewStream();
  Submit(stream, {WaitForCount({Until::kEqual, 2, false})});
  RunAll();
  notify_->Record(Change::kSet, 2);
  notify_->Record(Change::kSet, 7);
  RunAll();
  EXPECT_EQ(stream->completed(), 1u);
}

TEST_F(CountNotifyTest, ClearingWait_LeavesNothingForTheNext) {
  Begin(0);
  Stream* first = NewStream();
  Stream* second = NewStream();
  Submit(first, {WaitForCount({Until::kAtLeast, 1, true})});
  RunAll();
  Submit(second, {WaitForCount({Until::kAtLeast, 1, true})});
  RunAll();
  notify_->Record(Change::kAdd, 1);
  RunAll();
  EXPECT_EQ(first->completed(), 1u) << "the oldest first";
  EXPECT_TRUE(second->parked());
  notify_->Record(Change::kAdd, 5);
  RunAll();
  EXPECT_EQ(second->completed(), 1u);
  ExpectCount(0);
}

TEST_F(CountNotifyTest, ClearingAtOnce_ReleasesThoseWhoWaitForLess) {
  Begin(0);
  notify_->Record(Change::kSet, 5);
  Stream* low = NewStream();
  Stream* high = NewStream();
  Submit(low, {WaitForCount({Until::kLess, 1, false})});
  RunAll();
  EXPECT_TRUE(low->parked());
  Submit(high, {WaitForCount({Until::kEqual, 5, true})});
  RunAll();
  EXPECT_EQ(high->completed(), 1u);
  EXPECT_EQ(low->completed(), 1u);
}

TEST_F(CountNotifyTest, SkippedRecord_FailsWhoWaitsWithoutASecondReport) {
  Begin(0);
  Stream* stream = NewStream();
  Stream* other = NewStream();
  Submit(stream, {WaitForCount({Until::kAtLeast, 1, false})});
  RunAll();
  Submit(other, {FailWith(Code::kInternal, "first cause"), Record(Change::kAdd, 1)});
  RunAll();
  EXPECT_EQ(stream->error().message(), "first cause");
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("first cause")));
}

TEST_F(CountNotifyTest, SkippedRecordBeforeTheWait_FailsTheNextWaitOnly) {
  Begin(0);
  notify_->RecordFailure(base::Fail(Code::kInternal, "first cause"));
  Stream* stream = NewStream();
  Submit(stream, {WaitForCount({Until::kAtLeast, 1, false})});
  RunAll();
  EXPECT_EQ(stream->error().message(), "first cause");
  Stream* other = NewStream();
  Submit(other, {WaitForCount({Until::kAtLeast, 1, false})});
  RunAll();
  EXPECT_TRUE(other->parked());
  scheduler().DestroyStream(other);
}

TEST_F(CountNotifyTest, Closed_WaitsFailByName) {
  Begin(0);
  Stream* stream = NewStream();
  Submit(stream, {WaitForCount({Until::kAtLeast, 1, false})});
  RunAll();
  notify_->Close();
  RunAll();
  EXPECT_EQ(stream->error().code(), Code::kInvalidHandle);
  Stream* late = NewStream();
  Submit(late, {WaitForCount({Until::kAtLeast, 1, false})});
  RunAll();
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("counting notify 4 of device 0 was destroyed while a stream waits"),
                                     HasSubstr("counting notify 4 of device 0 was destroyed before a stream waits")));
}

TEST_F(CountNotifyTest, LimitPasses_WaitFailsAndSaysForWhat) {
  base::ManualClock clock;
  Begin(0, &clock);
  WatchOptions options;
  options.own_thread = false;
  Watch watch(scheduler(), options);
  Stream* stream = NewStream();
  Submit(stream, {WaitForCount({Until::kAtLeast, 3, false}, clock.Now() + base::FromSeconds(2))});
  RunAll();
  clock.Advance(base::FromSeconds(2));
  watch.Tick();
  RunAll();
  EXPECT_EQ(stream->error().code(), Code::kTimeout);
  EXPECT_THAT(TakeLog(),
              ElementsAre(HasSubstr("for a record of counting notify 4 of device 0, a count of at least 3")));
  notify_->Record(Change::kAdd, 3);  // nobody waits any more
  ExpectCount(3);
}

TEST_F(CountNotifyTest, StreamDestroyedWhileItWaits_IsForgotten) {
  Begin(0);
  Stream* stream = NewStream();
  Submit(stream, {WaitForCount({Until::kAtLeast, 1, true})});
  RunAll();
  scheduler().DestroyStream(stream);
  notify_->Record(Change::kAdd, 1);
  ExpectCount(1);
}

// Producers and consumers on real threads: as many waits end as there are records.
TEST_F(CountNotifyTest, ManyRecordsAndWaits_AddUp) {
  Begin(2);
  constexpr int kEach = 100;
  std::vector<Stream*> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(NewStream());
  for (int i = 0; i < kEach; ++i) {
    Submit(streams[0], {Record(Change::kAdd, 1)});
    Submit(streams[1], {Record(Change::kAdd, 1)});
  }
  Submit(streams[2], {WaitForCount({Until::kAtLeast, 2 * kEach, false})});
  Drain(streams[2]);
  Submit(streams[3], {WaitForCount({Until::kEqual, 2 * kEach, true})});
  for (Stream* stream : streams) Drain(stream);
}

TEST(CountNotifyTableTest, Handles_AreFoundUntilDestroyed) {
  Scheduler scheduler({});
  CountNotifyTable table;
  const auto made = table.Make(scheduler, 3);
  ASSERT_TRUE(made.has_value());
  const auto found = table.Find(*made);
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT((*found)->label(), HasSubstr("of device 3"));
  EXPECT_TRUE(table.Destroy(*made).ok());
  EXPECT_THAT(table.Find(*made).error().message(), HasSubstr("is a counting notify that was destroyed"));
  EXPECT_EQ(table.Destroy(*made).code(), Code::kInvalidHandle);
}

}  // namespace
}  // namespace softhccl::exec
