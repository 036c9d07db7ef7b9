// What the op classes tell about themselves: names, what they touch, how much they carry. Traces, the checkers and the
// time model believe these answers, so each is pinned here.
#include "engine/ops/ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "launch_fixture.h"
#include "memory/memory.h"

namespace softhccl::engine {
namespace {

using ::testing::HasSubstr;

// A link that only answers questions.
class StillLink final : public transport::Link {
 public:
  StillLink() : Link(transport::Window()) {}
  std::uint32_t peer_notify_count() const override { return 8; }
  std::uint64_t peer_notify(std::uint32_t index) const override { return 1000 + index; }
  exec::OpOutcome Read(exec::OpContext&, std::byte*, const std::byte*, std::size_t, const transport::Reduction*,
                       std::uint64_t*) override {
    return exec::OpOutcome::kDone;
  }
  exec::OpOutcome Write(exec::OpContext&, std::byte*, const std::byte*, std::size_t, const transport::Reduction*,
                        std::uint64_t*) override {
    return exec::OpOutcome::kDone;
  }
  exec::OpOutcome Complete(exec::OpContext&) override { return exec::OpOutcome::kDone; }
  exec::OpOutcome Record(exec::OpContext&, const exec::Op&, std::uint32_t) override { return exec::OpOutcome::kDone; }
  void RecordFailure(exec::Scheduler&, std::uint32_t, const base::Status&) override {}
};

class OpsTest : public ::testing::Test {
 protected:
  // The op moves 24 bytes from from_ to to_ and records `notify`.
  void ExpectMoves(const exec::Op& op, const char* name, std::uint64_t notify = 0) {
    SCOPED_TRACE(name);
    EXPECT_STREQ(op.op_class->name, name);
    const exec::Footprint footprint = op.op_class->footprint(op);
    EXPECT_EQ(footprint.read.address, from_);
    EXPECT_EQ(footprint.read.size, sizeof from_);
    EXPECT_EQ(footprint.written.address, to_);
    EXPECT_EQ(footprint.written.size, sizeof to_);
    EXPECT_EQ(footprint.notify_recorded, notify);
    EXPECT_EQ(footprint.notify_taken, 0u);
    ASSERT_NE(op.op_class->bytes, nullptr);
    EXPECT_EQ(op.op_class->bytes(op), sizeof from_);
  }
  static void ExpectTouchesNothing(const exec::Op& op, const char* name) {
    SCOPED_TRACE(name);
    EXPECT_STREQ(op.op_class->name, name);
    const exec::Footprint footprint = op.op_class->footprint(op);
    EXPECT_EQ(footprint.read.size + footprint.written.size, 0u);
    EXPECT_EQ(footprint.notify_recorded + footprint.notify_taken, 0u);
    EXPECT_EQ(op.op_class->bytes, nullptr);
  }

  StillLink link_;
  const transport::Reduction* sum_ = transport::FindReduction(2, 0).value();
  int from_[6] = {};
  int to_[6] = {};
};

TEST_F(OpsTest, Transfers_TellBothRangesAndTheNotify) {
  ExpectMoves(ops::LocalCopy(to_, from_, 24), "local copy");
  ExpectMoves(ops::LocalReduce(to_, from_, 24, sum_), "local reduce");
  ExpectMoves(ops::Read(&link_, to_, from_, 24, nullptr), "read");
  ExpectMoves(ops::Read(&link_, to_, from_, 24, sum_), "read reduce");
  ExpectMoves(ops::Write(&link_, to_, from_, 24, nullptr), "write");
  ExpectMoves(ops::Write(&link_, to_, from_, 24, sum_), "write reduce");
  ExpectMoves(ops::WriteWithNotify(&link_, to_, from_, 24, nullptr, 5), "write with notify", 1005);
  ExpectMoves(ops::WriteWithNotify(&link_, to_, from_, 24, sum_, 0), "write reduce with notify", 1000);
}

TEST_F(OpsTest, OrderingOps_TouchNothing) {
  ExpectTouchesNothing(ops::Fence(), "fence");
  ExpectTouchesNothing(ops::ChannelFence(&link_), "channel fence");
  ExpectTouchesNothing(ops::ChannelDrain(&link_), "channel drain");
  exec::Op signal = ops::Signal(std::make_shared<std::atomic<std::uint32_t>>(0));
  ExpectTouchesNothing(signal, "signal");
  signal.op_class->skip(signal, base::Status());
}

TEST_F(OpsTest, Notifies_TellWhatTheyRecordAndTake) {
  const exec::Op record = ops::ChannelRecord(&link_, 3);
  EXPECT_EQ(record.op_class->footprint(record).notify_recorded, 1003u);
  const exec::Op wait = ops::NotifyWait(77, base::kForever);
  EXPECT_EQ(wait.op_class->footprint(wait).notify_taken, 77u);
}

TEST_F(OpsTest, Table_HasEveryClassOnceAndComplete) {
  std::set<std::string> names;
  for (const exec::OpClass* op_class : ops::AllOpClasses()) {
    EXPECT_TRUE(names.insert(op_class->name).second) << op_class->name;
    EXPECT_NE(op_class->run, nullptr);
    EXPECT_NE(op_class->footprint, nullptr);
  }
  for (const char* name : {"local reduce", "read reduce", "write", "write reduce with notify", "channel drain"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

using OpsRunTest = LaunchFixture;

TEST_F(OpsRunTest, FreedBetweenCallAndRun_FailsByNameWithoutTouchingIt) {
  auto freed = memory::Memory::Process().Allocate(memory::Space::kDevice, 0, 64, "a test").value();
  int to = 0;
  const exec::Op ops[] = {ops::LocalReduce(&to, freed, 4, transport::FindReduction(2, 0).value())};
  ASSERT_TRUE(memory::Memory::Process().Free(memory::Space::kDevice, freed).ok());
  ASSERT_TRUE(runtime_.scheduler().Submit(*stream_, ops).ok());
  const base::Status status = Synchronise();
  EXPECT_EQ(status.code(), base::Code::kInvalidParam);
  EXPECT_THAT(status.message(), HasSubstr("src: "));
  EXPECT_TRUE(TakeLine("local reduce"));
}

TEST_F(OpsRunTest, Signal_ReachedOrSkipped_WakesTheSleeper) {
  const auto reached = std::make_shared<std::atomic<std::uint32_t>>(0);
  const exec::Op op = ops::Signal(reached);
  ASSERT_TRUE(runtime_.scheduler().Submit(*stream_, {&op, 1}).ok());
  EXPECT_TRUE(Synchronise().ok());
  EXPECT_EQ(reached->load(), 1u);
  const auto skipped = std::make_shared<std::atomic<std::uint32_t>>(0);
  stream_->SetError(base::Status(base::Code::kInternal, "broken by the test"));
  const exec::Op second = ops::Signal(skipped);
  ASSERT_TRUE(runtime_.scheduler().Submit(*stream_, {&second, 1}).ok());
  EXPECT_FALSE(Synchronise().ok());
  EXPECT_EQ(skipped->load(), 1u);
  EXPECT_EQ(skipped.use_count(), 1) << "the op has let go of it";
}

}  // namespace
}  // namespace softhccl::engine
