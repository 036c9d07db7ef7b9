// Events: what a record marks, what a wait keeps, times that are measured, and what programs are refused.
#include <chrono>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class EventTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateNotify(&gate_, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&event_), ACL_SUCCESS);
  }
  void TearDown() override {
    if (event_ != nullptr) {
      EXPECT_EQ(aclrtDestroyEvent(event_), ACL_SUCCESS);
    }
    EXPECT_EQ(aclrtDestroyNotify(gate_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(other_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  // Holds the stream back until Open.
  void Close(aclrtStream stream) { EXPECT_EQ(aclrtWaitAndResetNotify(gate_, stream, 0), ACL_SUCCESS); }
  void Open() {
    aclrtStream opener = nullptr;
    EXPECT_EQ(aclrtCreateStream(&opener), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordNotify(gate_, opener), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(opener), ACL_SUCCESS);
  }
  aclrtEventRecordedStatus Recorded(aclrtEvent event) {
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
    return status;
  }
  aclrtStream other_ = nullptr;
  aclrtNotify gate_ = nullptr;
  aclrtEvent event_ = nullptr;
};

// --- Creation

using aclrtCreateEventTest = EventTest;

TEST_F(aclrtCreateEventTest, NullOrNoDevice_IsRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateEvent, (nullptr), "event is null");
  std::thread([this] {
    aclrtEvent made = nullptr;
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEvent, (&made), "no device is set");
    EXPECT_EQ(made, nullptr);
  }).join();
}

using aclrtCreateEventWithFlagTest = EventTest;

TEST_F(aclrtCreateEventWithFlagTest, FlagNotKnown_IsRefused) {
  aclrtEvent made = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateEventWithFlag, (nullptr, ACL_EVENT_SYNC), "event is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag, (&made, 0), "flag 0x0 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag, (&made, ACL_EVENT_IPC), "flag 0x40", "0x3b");
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(aclrtCreateEventWithFlag(&made, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(made), ACL_SUCCESS);
}

using aclrtCreateEventExWithFlagTest = EventTest;

TEST_F(aclrtCreateEventExWithFlagTest, NeverRecorded_CountsAsReached) {
  aclrtEvent made = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventExWithFlag, (&made, 0x80), "flag 0x80", "0x7b");
  EXPECT_EQ(aclrtCreateEventExWithFlag(&made, ACL_EVENT_SYNC | ACL_EVENT_IPC), ACL_SUCCESS);
  EXPECT_EQ(Recorded(made), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, made), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(made), ACL_SUCCESS);
}

using aclrtDestroyEventTest = EventTest;

TEST_F(aclrtDestroyEventTest, NullStaleOrWrongKind_IsRefusedByName) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyEvent, (nullptr), "event is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyEvent, (stream_), "is a stream, expected an event");
  int on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyEvent, (&on_the_stack), "is not an event of this process");
  aclrtEvent stale = event_;
  event_ = nullptr;
  EXPECT_EQ(aclrtDestroyEvent(stale), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyEvent, (stale), "is an event that was destroyed");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordEvent, (stale, stream_), "is an event that was destroyed");
}

TEST_F(aclrtDestroyEventTest, RecordAndWaitQueued_TheyGoOn) {
  std::atomic<bool> ran{false};
  Close(stream_);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event_), ACL_SUCCESS);
  event_ = nullptr;
  const Launch behind(other_, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  EXPECT_FALSE(ran.load());
  Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_TRUE(ran.load());
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

// --- Record and wait

using aclrtRecordEventTest = EventTest;

TEST_F(aclrtRecordEventTest, BadArguments_AreRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRecordEvent, (nullptr, stream_), "event is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordEvent, (event_, event_), "is an event, expected a stream");
  std::thread([this] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordEvent, (event_, stream_), "no device is set");
  }).join();
}

TEST_F(aclrtRecordEventTest, WorkBeforeIt_IsDoneWhenItIsReached) {
  EXPECT_EQ(Recorded(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY) << "not recorded";
  Close(stream_);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(Recorded(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  Open();
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_EQ(Recorded(event_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(aclrtRecordEventTest, RecordedAgain_EarlierWaitsKeepTheirRecord) {
  Close(stream_);
  EXPECT_EQ(aclrtRecordEvent(event_, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS) << "of the first record, which is reached";
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS) << "the second record does not hold it back";
  EXPECT_EQ(Recorded(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

class aclrtRecordEventWithFlagTest : public EventTest {};

TEST_F(aclrtRecordEventWithFlagTest, Default_IsAnOrdinaryRecord) {
  EXPECT_EQ(aclrtRecordEventWithFlag(event_, stream_, ACL_EVENT_RECORD_DEFAULT), ACL_SUCCESS);
  // External ones belong to captures: acl_graph_event_test.cc.
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag, (event_, stream_, 2), "flag 2 is not known");
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
}

class aclrtResetEventTest : public EventTest {};

TEST_F(aclrtResetEventTest, AfterIt_NothingIsRecorded) {
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(Recorded(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  aclrtEvent ex = nullptr;
  EXPECT_EQ(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtResetEvent, (ex, stream_), "needs no reset");
  EXPECT_EQ(aclrtDestroyEvent(ex), ACL_SUCCESS);
}

using aclrtStreamWaitEventTest = EventTest;

TEST_F(aclrtStreamWaitEventTest, SeveralStreamsWait_AllGoOn) {
  std::vector<aclrtStream> streams(6, nullptr);
  std::atomic<int> ran{0};
  std::vector<std::unique_ptr<Launch>> launches;
  Close(stream_);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  for (aclrtStream& stream : streams) {
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(stream, event_), ACL_SUCCESS);
    launches.push_back(std::make_unique<Launch>(stream, [&](const Hcomm&) {
      ran.fetch_add(1);
      return 0u;
    }));
  }
  aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_COMPLETE;
  EXPECT_EQ(aclrtQueryEventWaitStatus(event_, &waits), ACL_SUCCESS);
  EXPECT_EQ(waits, ACL_EVENT_WAIT_STATUS_NOT_READY);
  EXPECT_EQ(ran.load(), 0);
  Open();
  for (aclrtStream stream : streams) {
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  }
  EXPECT_EQ(ran.load(), 6);
  EXPECT_EQ(aclrtQueryEventWaitStatus(event_, &waits), ACL_SUCCESS);
  EXPECT_EQ(waits, ACL_EVENT_WAIT_STATUS_COMPLETE);
}

TEST_F(aclrtStreamWaitEventTest, NeverRecordedOrWithoutSync_NoWaitOrRefused) {
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "nothing was recorded, nothing is waited for";
  aclrtEvent timed = nullptr;
  EXPECT_EQ(aclrtCreateEventWithFlag(&timed, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtStreamWaitEvent, (stream_, timed), "ACL_EVENT_SYNC");
  EXPECT_EQ(aclrtDestroyEvent(timed), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamWaitEvent, (stream_, nullptr), "event is null");
}

TEST_F(aclrtStreamWaitEventTest, RecordingStreamFails_TheWaitFailsToo) {
  ExpectLog({"returned 7"});
  const Launch failing(stream_, [](const Hcomm&) { return 7u; });
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (other_), "returned 7");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeEvent, (event_), "returned 7");
}

class aclrtStreamWaitEventWithTimeoutTest : public EventTest {};

TEST_F(aclrtStreamWaitEventWithTimeoutTest, LimitPasses_StreamFailsWithTaskTimeout) {
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithTimeout, (stream_, event_, -1), "timeout -1");
  ExpectLog({"EI0002 wait timeout", "event", "of device 0"});
  Close(stream_);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEventWithTimeout(other_, event_, 1), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStreamWithTimeout, (other_, 30000), "wait timeout");
  Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

class aclrtStreamWaitEventWithFlagTest : public EventTest {};

TEST_F(aclrtStreamWaitEventWithFlagTest, Default_IsAnOrdinaryWait) {
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEventWithFlag(other_, event_, 5, ACL_EVENT_WAIT_DEFAULT), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithFlag, (other_, event_, 5, 2), "flag 2");
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
}

class aclrtSetOpWaitTimeoutTest : public EventTest {};

TEST_F(aclrtSetOpWaitTimeoutTest, LaterWaits_HaveTheLimit) {
  ExpectLog({"EI0002 wait timeout"});
  Close(stream_);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetOpWaitTimeout(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetOpWaitTimeout(0), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStreamWithTimeout, (other_, 30000), "wait timeout");
  Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

// --- Synchronise and query

class aclrtSynchronizeEventTest : public EventTest {};

TEST_F(aclrtSynchronizeEventTest, WorkBehindIt_IsNotWaitedFor) {
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS) << "not recorded";
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  Close(stream_);
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSynchronizeEvent, (nullptr), "event is null");
}

class aclrtSynchronizeEventWithTimeoutTest : public EventTest {};

TEST_F(aclrtSynchronizeEventWithTimeoutTest, TimePasses_TheWorkGoesOn) {
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout, (event_, 0), "timeout 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout, (event_, -2), "timeout -2");
  Close(stream_);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout, (event_, 20), "507047]");
  Open();
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, -1), ACL_SUCCESS);
}

class aclrtQueryEventTest : public EventTest {};

TEST_F(aclrtQueryEventTest, BothQueries_AgreeAndCheckPointers) {
  aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
  EXPECT_EQ(aclrtQueryEvent(event_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_STATUS_NOT_READY);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtQueryEvent(event_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_STATUS_COMPLETE);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtQueryEvent, (event_, nullptr), "status is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtQueryEventStatus, (nullptr, nullptr), "event is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtQueryEventWaitStatus, (event_, nullptr), "status is null");
}

// --- Time and numbers

class aclrtEventElapsedTimeTest : public EventTest {};

TEST_F(aclrtEventElapsedTimeTest, BetweenTwoEvents_IsWhatTheKernelTook) {
  aclrtEvent end = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  const Launch kernel(stream_, [](const Hcomm&) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return 0u;
  });
  EXPECT_EQ(aclrtRecordEvent(end, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
  const std::chrono::duration<float, std::milli> outside = std::chrono::steady_clock::now() - began;
  float ms = -1;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, end), ACL_SUCCESS);
  EXPECT_GE(ms, 30.0f);
  EXPECT_LE(ms, outside.count());
  uint64_t first = 0;
  uint64_t second = 0;
  EXPECT_EQ(aclrtEventGetTimestamp(event_, &first), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventGetTimestamp(end, &second), ACL_SUCCESS);
  EXPECT_NEAR(static_cast<double>(second - first), static_cast<double>(ms) * 1000, 5);
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, aclrtEventElapsedTime, (&ms, end, event_), "before startEvent",
               "107007]");
  EXPECT_EQ(aclrtDestroyEvent(end), ACL_SUCCESS);
}

TEST_F(aclrtEventElapsedTimeTest, NoTime_SaysWhichEventAndWhy) {
  float ms = -1;
  aclrtEvent untimed = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&untimed, ACL_EVENT_SYNC), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime, (&ms, event_, event_), "startEvent",
               "was not recorded", "107006]");
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime, (&ms, event_, untimed), "endEvent",
               "without ACL_EVENT_TIME_LINE");
  Close(stream_);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  uint64_t time = 0;
  EXPECT_FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp, (event_, &time), "was not reached yet");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtEventElapsedTime, (nullptr, event_, event_), "ms is null");
  EXPECT_EQ(ms, -1);
  Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(untimed), ACL_SUCCESS);
}

class aclrtGetEventIdTest : public EventTest {};

TEST_F(aclrtGetEventIdTest, TwoEvents_DifferAndTheRestShrinks) {
  aclrtEvent second = nullptr;
  uint32_t before = 0;
  uint32_t after = 0;
  EXPECT_EQ(aclrtGetEventAvailNum(&before), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&second), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetEventAvailNum(&after), ACL_SUCCESS);
  EXPECT_EQ(after, before - 1);
  uint32_t ids[2] = {};
  EXPECT_EQ(aclrtGetEventId(event_, &ids[0]), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetEventId(second, &ids[1]), ACL_SUCCESS);
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_EQ(aclrtDestroyEvent(second), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetEventId, (event_, nullptr), "eventId is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetEventAvailNum, (nullptr), "eventCount is null");
}

}  // namespace
}  // namespace softhccl::conformance
