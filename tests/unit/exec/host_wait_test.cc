// Host calls that block hold no stream, so the watch knows of them from their register only. It must find a circle of
// them, alone or through parked streams, name who waits where, and end nothing that could still go on.
#include "exec/host_wait.h"

#include "event/labels.h"
#include "exec/watch.h"
#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;
using base::FromMillis;
using base::FromSeconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HostWaitTest : public ExecTest {
 protected:
  HostWaitTest() {
    Start(0, -1, 0, &clock_);
    WatchOptions options;
    options.own_thread = false;
    options.is_closed = [this] { return closed_; };
    watch_ = std::make_unique<Watch>(scheduler(), options);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      x_->SetDevice(rank, static_cast<int>(rank));
      y_->SetDevice(rank, static_cast<int>(rank));
    }
  }
  ~HostWaitTest() override { watch_.reset(); }

  using Wait = std::unique_ptr<ScopedHostWait>;
  Wait Begin(const std::shared_ptr<AbortDomain>& domain, std::uint32_t rank) {
    return std::make_unique<ScopedHostWait>(scheduler(), Party{domain, rank}, "HcclChannelAcquire",
                                            "to acquire its end");
  }

  // Ticks as the watch's thread does, while the calls look twice per tick and find that the ranks are still missing.
  void TickFor(base::Nanos duration, const std::vector<std::pair<ScopedHostWait*, std::vector<std::uint32_t>>>& calls) {
    for (base::Nanos passed = 0; passed < duration; passed += FromMillis(40)) {
      for (const auto& [call, missing] : calls) {
        last_ = call->Look(missing);
        last_ = call->Look(missing);
      }
      clock_.Advance(FromMillis(40));
      watch_->Tick();
    }
  }

  base::ManualClock clock_;
  std::shared_ptr<AbortDomain> x_ = std::make_shared<AbortDomain>("X");
  std::shared_ptr<AbortDomain> y_ = std::make_shared<AbortDomain>("Y");
  std::unique_ptr<Watch> watch_;
  bool closed_ = true;
  base::Status last_;
};

TEST_F(HostWaitTest, TwoCommunicatorsInOppositeOrder_AreACycleWithinTwoSeconds) {
  const Wait zero = Begin(x_, 0);
  const Wait one = Begin(y_, 1);
  TickFor(FromMillis(1'900), {{zero.get(), {1}}, {one.get(), {0}}});
  EXPECT_EQ(watch_->deadlocks_reported(), 1u);
  EXPECT_THAT(
      TakeLog(),
      ElementsAre(AllOf(
          HasSubstr(
              "deadlock: calls wait for each other and nothing is left that could end them; softhccl explain SH-W006"),
          HasSubstr("cycle: rank 0 in HcclChannelAcquire -> rank 1 on X, rank 1 in HcclChannelAcquire -> rank 0 on Y"),
          HasSubstr("root: rank 0 of communicator X has waited 0."),
          HasSubstr(
              "in HcclChannelAcquire for rank 1 to acquire its end; rank 1 waits itself for rank 0 of communicator "
              "Y in HcclChannelAcquire"))));
  const base::Status ended = zero->Look({1});
  EXPECT_EQ(ended.code(), Code::kTimeout);
  EXPECT_THAT(ended.message(), AllOf(HasSubstr("deadlock: rank 0 of communicator X"), HasSubstr("(SH-W006)")));
  EXPECT_EQ(one->Look({0}).code(), Code::kTimeout);
}

TEST_F(HostWaitTest, CallThatDoesNotLook_MayStillFindItsPeer) {
  const Wait zero = Begin(x_, 0);
  const Wait one = Begin(x_, 1);
  EXPECT_TRUE(zero->Look({1}).ok());
  EXPECT_TRUE(one->Look({0}).ok());
  TickFor(FromSeconds(3), {{zero.get(), {1}}});  // rank 1 was woken and gets no processor
  EXPECT_EQ(watch_->deadlocks_reported(), 0u);
  TickFor(FromSeconds(2), {{zero.get(), {1}}, {one.get(), {0}}});
  EXPECT_EQ(watch_->deadlocks_reported(), 1u) << "same communicator: the two calls do not match";
  TakeLog();
}

TEST_F(HostWaitTest, ThroughAStream_IsACycle) {
  // Rank 0 acquires; rank 1 synchronises a stream that waits for a record of rank 0.
  const Wait zero = Begin(x_, 0);
  Stream* stream = NewStream(Party{y_, 1}, "thread of rank 1");
  Op op = WaitFor(NewNotify(Party{y_, 0}, "notify 0 to 1"), base::kForever);
  op.origin = event::NameId("HcclRecvCustom#0 0->1");
  Submit(stream, {op});
  RunAll();
  TickFor(FromSeconds(1), {{zero.get(), {1, 2}}});
  RunAll();
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("cycle: rank 0 in HcclChannelAcquire -> rank 1 on X, rank 1 in "
                                               "HcclRecvCustom#0 0->1 -> rank 0 on Y")));
  EXPECT_EQ(stream->error().code(), Code::kTimeout);
  EXPECT_EQ(zero->Look({1, 2}).code(), Code::kTimeout);
}

TEST_F(HostWaitTest, RankThatDoesNotWait_IsOnlyMissing) {
  const Wait zero = Begin(x_, 0);
  TickFor(FromSeconds(4), {{zero.get(), {1, 2}}});
  EXPECT_THAT(TakeLog(), IsEmpty()) << "its own limit ends it";
  TickFor(FromSeconds(2), {{zero.get(), {1, 2}}});
  EXPECT_THAT(TakeLog(),
              ElementsAre(AllOf(HasSubstr("no progress for 5 s"), HasSubstr("missing: rank 1 of communicator X"),
                                HasSubstr("missing: rank 2 of communicator X"),
                                HasSubstr("in HcclChannelAcquire for ranks 1, 2 to acquire its end"))));
  EXPECT_EQ(watch_->deadlocks_reported(), 0u);
  EXPECT_TRUE(last_.ok());
}

TEST_F(HostWaitTest, ParkedStreamBesideABlockedCall_IsNotEnded) {
  Stream* stream = NewStream(Party{x_, 2}, "thread of rank 2");
  Submit(stream, {WaitFor(NewNotify(Party{x_, 1}, "notify 1 to 2"), base::kForever)});
  RunAll();
  const Wait zero = Begin(x_, 0);
  TickFor(FromSeconds(4), {{zero.get(), {1}}});
  EXPECT_EQ(watch_->deadlocks_reported(), 0u) << "the call returns at its limit, and then the program may act";
  EXPECT_EQ(stream->completed(), 0u);
}

TEST_F(HostWaitTest, OpenProcessOrProgress_IsNoDeadlock) {
  closed_ = false;
  const Wait zero = Begin(x_, 0);
  const Wait one = Begin(y_, 1);
  TickFor(FromSeconds(4), {{zero.get(), {1}}, {one.get(), {0}}});
  closed_ = true;
  for (int i = 0; i < 20; ++i) {
    TickFor(FromMillis(200), {{zero.get(), {1}}, {one.get(), {0}}});
    const Wait other = Begin(x_, 2);  // somebody comes and goes
  }
  EXPECT_EQ(watch_->deadlocks_reported(), 0u);
  EXPECT_THAT(TakeLog(), IsEmpty());
}

TEST_F(HostWaitTest, OnlyTheCircleIsEnded) {
  const Wait zero = Begin(x_, 0);
  const Wait one = Begin(y_, 1);
  const Wait two = Begin(x_, 2);  // waits for a member of the circle
  TickFor(FromMillis(600), {{zero.get(), {1}}, {one.get(), {0}}, {two.get(), {0}}});
  EXPECT_THAT(TakeLog(), ElementsAre(Not(HasSubstr("rank 2"))));
  EXPECT_FALSE(zero->Look({1}).ok());
  EXPECT_FALSE(one->Look({0}).ok());
  EXPECT_TRUE(two->Look({0}).ok()) << "it may go on when the others have left";
}

TEST_F(HostWaitTest, CallThatWaitsForNoRank_IsShownAndNeverEnded) {
  const ScopedHostWait kernel(scheduler(), Party{x_, 0}, "HcommAcquireComm", "until Other#3 on device 0 releases it");
  TickFor(FromSeconds(6), {});
  EXPECT_EQ(watch_->deadlocks_reported(), 0u);
  EXPECT_THAT(TakeLog(), ElementsAre(AllOf(HasSubstr("no progress for 5 s"),
                                           HasSubstr("blocked: rank 0 of communicator X has waited 5."),
                                           HasSubstr("in HcommAcquireComm until Other#3 on device 0 releases it"))));
}

TEST_F(HostWaitTest, EndedCall_IsForgotten) {
  {
    const Wait zero = Begin(x_, 0);
  }
  EXPECT_THAT(HostWaits(), IsEmpty());
  EXPECT_FALSE(watch_->Tick()) << "nothing keeps the watch awake";
}

}  // namespace
}  // namespace softhccl::exec
