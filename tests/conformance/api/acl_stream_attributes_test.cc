// Streams with a configuration, their attributes, what a program can ask of them, and their end by force.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class StreamTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateNotify(&gate_, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyNotify(gate_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  aclrtNotify gate_ = nullptr;
};

using aclrtCreateStreamWithConfigTest = StreamTest;

TEST_F(aclrtCreateStreamWithConfigTest, PriorityAndFlags_AreKept) {
  aclrtStream made = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamWithConfig, (nullptr, 0, 0), "stream is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateStreamWithConfig, (&made, 8, 0), "priority 8 is out of range",
               "0 (most urgent) to 7");
  ASSERT_EQ(aclrtCreateStreamWithConfig(&made, 3, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC), ACL_SUCCESS);
  uint32_t priority = 0;
  uint32_t flags = 0;
  EXPECT_EQ(aclrtStreamGetPriority(made, &priority), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetFlags(made, &flags), ACL_SUCCESS);
  EXPECT_EQ(priority, 3u);
  EXPECT_EQ(flags, 3u);
  EXPECT_EQ(RunKernel(made, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamGetPriority, (stream_, nullptr), "priority is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamGetFlags, (stream_, nullptr), "flags is null");
}

TEST_F(aclrtCreateStreamWithConfigTest, StreamOfTheDevice_IsNotSynchronised) {
  aclrtStream made = nullptr;
  ASSERT_EQ(aclrtCreateStreamWithConfig(&made, 0, ACL_STREAM_PERSISTENT), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(gate_, made, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(made), ACL_SUCCESS) << "although it has work";
  EXPECT_EQ(aclrtRecordNotify(gate_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
}

class aclrtCreateStreamV2Test : public StreamTest {};

TEST_F(aclrtCreateStreamV2Test, Options_ReachTheStream) {
  aclrtStreamConfigHandle* config = aclrtCreateStreamConfigHandle();
  ASSERT_NE(config, nullptr);
  const size_t flag = ACL_STREAM_FAST_SYNC;
  const uint32_t priority = 6;
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof flag), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt, (config, ACL_RT_STREAM_PRIORITY, &priority, 8),
               "valueSize 8 does not fit", "has 4 bytes");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt,
               (config, FromNumber<aclrtStreamConfigAttr>(9), &priority, 4), "attr 9 is not known");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt, (config, ACL_RT_STREAM_FLAG, nullptr, 8),
               "attrValue is null");
  aclrtStream made = nullptr;
  ASSERT_EQ(aclrtCreateStreamV2(&made, config), ACL_SUCCESS);
  uint32_t value = 0;
  EXPECT_EQ(aclrtStreamGetPriority(made, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 6u);
  EXPECT_EQ(aclrtStreamGetFlags(made, &value), ACL_SUCCESS);
  EXPECT_EQ(value, ACL_STREAM_FAST_SYNC);
  EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamConfigHandle(config), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStreamConfigHandle, (config), "is not a stream configuration");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtCreateStreamV2, (&made, config), "is not a stream configuration");
  EXPECT_EQ(aclrtCreateStreamV2(&made, nullptr), ACL_SUCCESS) << "the defaults";
  EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
}

class aclrtStreamGetIdTest : public StreamTest {};

TEST_F(aclrtStreamGetIdTest, TwoStreams_Differ) {
  int32_t ids[2] = {-1, -1};
  EXPECT_EQ(aclrtStreamGetId(stream_, &ids[0]), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetId(nullptr, &ids[1]), ACL_SUCCESS) << "the default stream";
  EXPECT_GE(ids[0], 0);
  EXPECT_GE(ids[1], 0);
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamGetId, (stream_, nullptr), "streamId is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamGetId, (gate_, &ids[0]), "is a notify, expected a stream");
}

class aclrtGetStreamAvailableNumTest : public StreamTest {};

TEST_F(aclrtGetStreamAvailableNumTest, EachStream_TakesOne) {
  uint32_t before = 0;
  uint32_t after = 0;
  EXPECT_EQ(aclrtGetStreamAvailableNum(&before), ACL_SUCCESS);
  EXPECT_EQ(before, 1983u) << "the fixture has one";
  aclrtStream made = nullptr;
  ASSERT_EQ(aclrtCreateStream(&made), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamAvailableNum(&after), ACL_SUCCESS);
  EXPECT_EQ(after, before - 1);
  EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
}

class aclrtSetStreamAttributeTest : public StreamTest {};

TEST_F(aclrtSetStreamAttributeTest, EveryAttribute_ComesBack) {
  for (int type = ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK; type <= ACL_STREAM_ATTR_PRIORITY; ++type) {
    aclrtStreamAttrValue value{};
    value.userCustomTag = static_cast<uint32_t>(type);
    EXPECT_EQ(aclrtSetStreamAttribute(stream_, FromNumber<aclrtStreamAttr>(type), &value), ACL_SUCCESS);
    aclrtStreamAttrValue read{};
    EXPECT_EQ(aclrtGetStreamAttribute(stream_, FromNumber<aclrtStreamAttr>(type), &read), ACL_SUCCESS);
    EXPECT_EQ(read.userCustomTag, static_cast<uint32_t>(type));
  }
  aclrtStreamAttrValue value{};
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetStreamAttribute, (stream_, FromNumber<aclrtStreamAttr>(0), &value),
               "stmAttrType 0 is not known");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetStreamAttribute, (stream_, ACL_STREAM_ATTR_PRIORITY, nullptr),
               "value is null");
  uint32_t flag = 0;
  EXPECT_EQ(aclrtSetStreamOverflowSwitch(stream_, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamOverflowSwitch(stream_, &flag), ACL_SUCCESS);
  EXPECT_EQ(flag, 1u);
}

class aclrtSetStreamFailureModeTest : public StreamTest {};

TEST_F(aclrtSetStreamFailureModeTest, Stop_StopsTheContextForGood) {
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode, (stream_, 2), "mode 2 is not known");
  EXPECT_EQ(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode, (stream_, ACL_CONTINUE_ON_FAILURE),
               "cannot be taken back");
  aclrtStreamAttrValue value{};
  EXPECT_EQ(aclrtGetStreamAttribute(stream_, ACL_STREAM_ATTR_FAILURE_MODE, &value), ACL_SUCCESS);
  EXPECT_EQ(value.failureMode, ACL_STOP_ON_FAILURE);
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  ExpectLog({"returned 7"});
  const Launch failing(stream_, [](const Hcomm&) { return 7u; });
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (other), "returned 7");
  EXPECT_FAILS(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtRecordNotify, (gate_, other), "returned 7",
               "using a stream that a failure has stopped");
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  EXPECT_EQ(RunKernel(other, [](const Hcomm&) { return 0u; }), ACL_SUCCESS) << "one made afterwards works";
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

class aclrtStreamQueryTest : public StreamTest {};

TEST_F(aclrtStreamQueryTest, WorkQueued_IsNotReadyUntilItIsDone) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  EXPECT_EQ(aclrtWaitAndResetNotify(gate_, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  EXPECT_EQ(aclrtRecordNotify(gate_, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamQuery, (stream_, nullptr), "status is null");
}

class aclrtStreamAbortTest : public StreamTest {};

TEST_F(aclrtStreamAbortTest, WaitingStream_DropsItsWorkAndSaysSoOnce) {
  std::atomic<bool> ran{false};
  EXPECT_EQ(aclrtWaitAndResetNotify(gate_, stream_, 0), ACL_SUCCESS);
  const Launch behind(stream_, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  EXPECT_EQ(aclrtStreamAbort(stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream, (stream_), "aborted by aclrtStreamAbort",
                       "107023]");
  EXPECT_FALSE(ran.load());
  EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS) << "and it is usable again";
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamAbort, (nullptr), "stream is null");
}

class aclrtDestroyStreamForceTest : public StreamTest {};

TEST_F(aclrtDestroyStreamForceTest, WaitingStream_IsDestroyedAtOnce) {
  aclrtStream made = nullptr;
  ASSERT_EQ(aclrtCreateStream(&made), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(gate_, made, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamForce(made), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream, (made), "was destroyed");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStreamForce, (nullptr), "stream is null");
}

class aclrtGetThreadLastTaskIdTest : public StreamTest {};

TEST_F(aclrtGetThreadLastTaskIdTest, EachTask_HasTheNextNumberOfItsStream) {
  uint32_t first = 0;
  uint32_t second = 0;
  EXPECT_EQ(aclrtRecordNotify(gate_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetThreadLastTaskId(&first), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(gate_, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetThreadLastTaskId(&second), ACL_SUCCESS);
  EXPECT_EQ(second, first + 1);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  std::thread([this] {
    uint32_t none = 7;
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtGetThreadLastTaskId, (&none), "has queued no task yet");
  }).join();
}

class aclrtRegStreamStateCallbackTest : public StreamTest {};

TEST_F(aclrtRegStreamStateCallbackTest, StreamsThatComeAndGo_AreTold) {
  using Seen = std::vector<std::pair<aclrtStream, aclrtStreamState>>;
  Seen seen;
  const auto note = [](aclrtStream stream, aclrtStreamState state, void* list) {
    static_cast<Seen*>(list)->emplace_back(stream, state);
  };
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRegStreamStateCallback, (nullptr, note, &seen), "regName is null");
  EXPECT_EQ(aclrtRegStreamStateCallback("test", note, &seen), ACL_SUCCESS);
  aclrtStream made = nullptr;
  ASSERT_EQ(aclrtCreateStream(&made), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
  EXPECT_EQ(seen, (Seen{{made, ACL_RT_STREAM_STATE_CREATE_POST}, {made, ACL_RT_STREAM_STATE_DESTROY_PRE}}));
  EXPECT_EQ(aclrtRegStreamStateCallback("test", nullptr, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&made), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
  EXPECT_EQ(seen.size(), 2u);
}

class aclrtSynchronizeDeviceTest : public StreamTest {};

TEST_F(aclrtSynchronizeDeviceTest, EveryStream_IsWaitedForAndTheFirstErrorTold) {
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  std::atomic<int> ran{0};
  const auto body = [&](const Hcomm&) {
    ran.fetch_add(1);
    return 0u;
  };
  const Launch first(stream_, body);
  const Launch second(other, body);
  const Launch third(nullptr, body);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(ran.load(), 3);
  ExpectLog({"returned 7"});
  const Launch failing(other, [](const Hcomm&) { return 7u; });
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeDevice, (), "returned 7");
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS) << "told and cleared";
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  std::thread([this] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice, (), "no device is set");
  }).join();
}

class aclrtSynchronizeDeviceWithTimeoutTest : public StreamTest {};

TEST_F(aclrtSynchronizeDeviceWithTimeoutTest, TimePasses_TheWorkGoesOn) {
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDeviceWithTimeout, (0), "timeout 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDeviceWithTimeout, (-2), "timeout -2");
  EXPECT_EQ(aclrtWaitAndResetNotify(gate_, stream_, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout, (20), "507046]");
  EXPECT_EQ(aclrtRecordNotify(gate_, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-1), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
