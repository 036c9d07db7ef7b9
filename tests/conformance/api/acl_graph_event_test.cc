// Events in captures: they fork and join streams, and order graphs with what is outside of them.
#include "graph_test_fixture.h"

namespace softhccl::conformance {
namespace {

class GraphEventTest : public GraphFixture {};

TEST_F(GraphEventTest, ForkAndJoin_RunInOrderAtEachReplay) {
  const DeviceInts ints({0, 0, 0});
  aclrtStream other = MakeStream();
  Begin();
  Copy(ints, 0, 1, stream_);
  Order(stream_, other);
  Copy(ints, 1, 2, other);
  Order(other, stream_);
  Copy(ints, 2, 0, stream_);
  End();
  EXPECT_THAT(ints.Read(), ::testing::Each(0)) << "nothing has run";
  for (int i = 1; i <= 50; ++i) {
    Set(ints, {i, 0, 0});
    Replay();
    ASSERT_THAT(ints.Read(), ::testing::Each(i));
  }
  uint32_t count = 0;
  ASSERT_EQ(aclmdlRIGetStreams(graph_, nullptr, &count), ACL_SUCCESS);
  EXPECT_EQ(count, 2u);
}

TEST_F(GraphEventTest, ManyReplaysQueuedAtOnce_FollowEachOther) {
  std::vector<uint32_t> seen;
  const auto note = [](void* list) {
    auto& numbers = *static_cast<std::vector<uint32_t>*>(list);
    numbers.push_back(static_cast<uint32_t>(numbers.size()));
  };
  aclrtStream other = MakeStream();
  Begin();
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, note, &seen), ACL_SUCCESS);
  Order(stream_, other);
  ASSERT_EQ(aclrtLaunchHostFunc(other, note, &seen), ACL_SUCCESS);
  Order(other, stream_);
  End();
  for (int i = 0; i < 30; ++i) ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(seen.size(), 60u) << "two at once would have raced";
}

TEST_F(GraphEventTest, StreamJoinedThroughAnother_ComesBackThroughIt) {
  const DeviceInts ints({7, 0, 0, 0});
  aclrtStream second = MakeStream();
  aclrtStream third = MakeStream();
  Begin();
  Order(stream_, second);
  Copy(ints, 0, 1, second);
  Order(second, third);
  Copy(ints, 1, 2, third);
  Order(third, second);
  Copy(ints, 2, 3, second);
  Order(second, stream_);
  End();
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(7));
}

TEST_F(GraphEventTest, ReplayOnACapturedStream_TakesTheForkAlong) {
  const DeviceInts ints({3, 0, 0});
  aclrtStream other = MakeStream();
  Begin();
  Order(stream_, other);
  Copy(ints, 0, 1, other);
  Order(other, stream_);
  End();
  aclmdlRI outer = nullptr;
  Begin();
  ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  Copy(ints, 1, 2, stream_);
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &outer), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
  graph_ = outer;
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(3));
  Set(ints, {4, 0, 0});
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(4));
}

TEST_F(GraphEventTest, StreamThatDoesNotComeBack_IsNamedAtTheEnd) {
  const DeviceInts ints({1, 0});
  aclrtStream other = MakeStream();
  int32_t id = -1;
  ASSERT_EQ(aclrtStreamGetId(other, &id), ACL_SUCCESS);
  Begin();
  Order(stream_, other);
  Copy(ints, 0, 1, other);
  EndInvalid("stream " + std::to_string(id) + " joined it and has work that no other captured stream waits for",
             ACL_ERROR_RT_STREAM_UNJOINED);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(1, 0)) << "nothing has run";
}

TEST_F(GraphEventTest, WorkBehindTheLastJoin_IsNotJoined) {
  const DeviceInts ints({1, 0});
  aclrtStream other = MakeStream();
  Begin();
  Order(stream_, other);
  Order(other, stream_);
  Copy(ints, 0, 1, other);
  EndInvalid("has work that no other captured stream waits for", ACL_ERROR_RT_STREAM_UNJOINED);
}

TEST_F(GraphEventTest, RecordThatNobodyWaitsFor_IsNoWork) {
  const DeviceInts ints({1, 0});
  aclrtStream other = MakeStream();
  Begin();
  Order(stream_, other);
  Copy(ints, 0, 1, other);
  Order(other, stream_);
  ASSERT_EQ(aclrtRecordEvent(MakeEvent(), other), ACL_SUCCESS);
  End();
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(1));
}

TEST_F(GraphEventTest, EventRecordedOutside_IsNoDependencyOfAGraph) {
  aclrtEvent outside = MakeEvent();
  ASSERT_EQ(aclrtRecordEvent(outside, MakeStream()), ACL_SUCCESS);
  Begin();
  EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_DEPENDENCY, aclrtStreamWaitEvent, (stream_, outside), "is captured into graph",
               "was recorded outside of the capture", "ACL_EVENT_EXTERNAL");
  EndInvalid("recorded outside of the capture");
}

TEST_F(GraphEventTest, EventOfAnotherCapture_IsAConflict) {
  aclrtStream other = MakeStream();
  aclrtEvent event = MakeEvent();
  aclmdlRI second = nullptr;
  Begin();
  ASSERT_EQ(aclmdlRICaptureBegin(other, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_STREAM_CAPTURE_CONFLICT, aclrtStreamWaitEvent, (other, event),
               "was recorded in another capture");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd, (other, &second), "the capture is invalid");
  End();
}

TEST_F(GraphEventTest, HostThatAsksForARecordedEvent_IsRefused) {
  aclrtEvent event = MakeEvent();
  aclrtEventRecordedStatus status{};
  Begin();
  ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_CAPTURED, aclrtQueryEventStatus, (event, &status), "only replays reach it");
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_CAPTURED, aclrtSynchronizeEvent, (event), "was recorded in the capture into graph",
               "the capture is invalid now");
  EndInvalid("aclrtSynchronizeEvent was called for event");
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_CAPTURED, aclrtSynchronizeEvent, (event), "record it again");
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_CAPTURED, aclrtStreamWaitEvent, (stream_, event), "record it again");
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
}

TEST_F(GraphEventTest, OpenWaits_AreThoseOfReplays) {
  aclrtStream other = MakeStream();
  aclrtEvent fork = MakeEvent();
  aclrtEventWaitStatus status{};
  Begin();
  ASSERT_EQ(aclrtRecordEvent(fork, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, fork), ACL_SUCCESS);
  Order(other, stream_);
  End();
  ASSERT_EQ(aclrtQueryEventWaitStatus(fork, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_WAIT_STATUS_COMPLETE);
  Replay();
  ASSERT_EQ(aclrtQueryEventWaitStatus(fork, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_WAIT_STATUS_COMPLETE);
}

TEST_F(GraphEventTest, EventUsedAgainAndDestroyed_KeepsTheGraphsOrder) {
  const DeviceInts ints({5, 0, 0});
  aclrtStream other = MakeStream();
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  Begin();
  ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetEvent(event, other), ACL_SUCCESS);
  Copy(ints, 0, 1, other);
  ASSERT_EQ(aclrtRecordEvent(event, other), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, event), ACL_SUCCESS);
  Copy(ints, 1, 2, stream_);
  End();
  ASSERT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(5));
}

// --- Events that belong to a graph and to others

class ExternalEventTest : public GraphFixture {};

TEST_F(ExternalEventTest, Latch_HoldsAReplayUntilSomebodyOutsideRecordsIt) {
  const DeviceInts ints({1, 0});
  aclrtEvent gate = MakeEventWith(ACL_EVENT_EXTERNAL);
  aclrtStream outside = MakeStream();
  aclrtStreamStatus status{};
  Begin();
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetEvent(gate, stream_), ACL_SUCCESS);
  Copy(ints, 0, 1, stream_);
  End();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
    EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY) << "the reset of replay " << i - 1 << " has closed the gate";
    Set(ints, {i, 0});
    ASSERT_EQ(aclrtRecordEvent(gate, outside), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_THAT(ints.Read(), ::testing::Each(i));
  }
}

TEST_F(ExternalEventTest, LatchRecordedBefore_LetsTheReplayPass) {
  aclrtEvent gate = MakeEventWith(ACL_EVENT_EXTERNAL);
  Begin();
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, gate), ACL_SUCCESS);
  End();
  ASSERT_EQ(aclrtRecordEvent(gate, MakeStream()), ACL_SUCCESS);
  Replay();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag, (&gate, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC),
               "cannot be combined");
}

TEST_F(ExternalEventTest, ExternalRecord_IsWaitedForOutside) {
  const DeviceInts ints({6, 0, 0});
  aclrtEvent done = MakeEventExWith(ACL_EVENT_SYNC);
  aclrtStream outside = MakeStream();
  Begin();
  Copy(ints, 0, 1, stream_);
  ASSERT_EQ(aclrtRecordEventWithFlag(done, stream_, ACL_EVENT_RECORD_EXTERNAL), ACL_SUCCESS);
  End();
  for (int i = 1; i <= 5; ++i) {
    Set(ints, {i, 0, 0});
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(outside, done), ACL_SUCCESS);
    Copy(ints, 1, 2, outside);
    ASSERT_EQ(aclrtSynchronizeStream(outside), ACL_SUCCESS);
    EXPECT_EQ(ints.Read()[2], i);
    ASSERT_EQ(aclrtSynchronizeEvent(done), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  }
}

TEST_F(ExternalEventTest, ExternalWait_WaitsForTheRecordBeforeTheReplay) {
  const DeviceInts ints({0, 0});
  aclrtEvent ready = MakeEventExWith(ACL_EVENT_SYNC);
  aclrtStream producer = MakeStream();
  Begin();
  ASSERT_EQ(aclrtStreamWaitEventWithFlag(stream_, ready, 0, ACL_EVENT_WAIT_EXTERNAL), ACL_SUCCESS);
  Copy(ints, 0, 1, stream_);
  End();
  Replay();  // nothing was recorded: there is nothing to wait for
  ASSERT_EQ(aclrtMemsetAsync(ints.data(), 4, 1, 4, producer), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(ready, producer), ACL_SUCCESS);
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(0x01010101));
}

TEST_F(ExternalEventTest, BadUse_IsRefused) {
  aclrtEvent plain = MakeEvent();
  aclrtEvent recorded = MakeEventExWith(ACL_EVENT_SYNC);
  aclrtEvent fresh = MakeEventExWith(ACL_EVENT_SYNC);
  ASSERT_EQ(aclrtRecordEvent(recorded, stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclrtRecordEventWithFlag, (fresh, stream_, ACL_EVENT_RECORD_EXTERNAL),
               "is for streams that are captured");
  Begin();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag, (plain, stream_, ACL_EVENT_RECORD_EXTERNAL),
               "aclrtCreateEventExWithFlag made with ACL_EVENT_SYNC alone");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag, (recorded, stream_, ACL_EVENT_RECORD_EXTERNAL),
               "was recorded by aclrtRecordEvent before");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithFlag, (stream_, fresh, 3, ACL_EVENT_WAIT_EXTERNAL),
               "timeout 3", "use 0");
  End();
}

}  // namespace
}  // namespace softhccl::conformance
