// aclrtCntNotifyCreate, -Destroy, -GetId, -Record, -Reset, -WaitWithTimeout.
#include <set>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class CntNotifyTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCntNotifyCreate(&notify_, 0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(other_), ACL_SUCCESS);
    if (notify_ != nullptr) {
      EXPECT_EQ(aclrtCntNotifyDestroy(notify_), ACL_SUCCESS);
    }
    DeviceTest::TearDown();
  }
  void Record(aclrtCntNotifyRecordMode mode, uint32_t value, aclrtStream stream) {
    aclrtCntNotifyRecordInfo info{mode, value};
    EXPECT_EQ(aclrtCntNotifyRecord(notify_, stream, &info), ACL_SUCCESS);
  }
  aclError Wait(aclrtCntNotifyWaitMode mode, uint32_t value, aclrtStream stream, uint32_t timeout = 0,
                uint8_t clear = 0) {
    aclrtCntNotifyWaitInfo info{mode, value, timeout, clear, {}};
    return aclrtCntNotifyWaitWithTimeout(notify_, stream, &info);
  }
  bool IsDone(aclrtStream stream) {
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
    return status == ACL_STREAM_STATUS_COMPLETE;
  }
  aclrtCntNotify notify_ = nullptr;
  aclrtStream other_ = nullptr;
};

using aclrtCntNotifyCreateTest = CntNotifyTest;

TEST_F(aclrtCntNotifyCreateTest, BadArguments_AreRefusedInOrder) {
  aclrtCntNotify made = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyCreate, (nullptr, 1), "cntNotify is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCntNotifyCreate, (&made, 1), "flag 1 is reserved and must be 0");
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCntNotifyCreate, (&made, 0), "no device is set");
  }).join();
  EXPECT_EQ(made, nullptr);
}

using aclrtCntNotifyDestroyTest = CntNotifyTest;

TEST_F(aclrtCntNotifyDestroyTest, NullStaleOrWrongKind_IsRefusedByName) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyDestroy, (nullptr), "cntNotify is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtCntNotifyDestroy, (stream_),
               "is a stream, expected a counting notify");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyNotify, (notify_), "is a counting notify, expected a notify");
  EXPECT_EQ(aclrtCntNotifyDestroy(notify_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtCntNotifyDestroy, (notify_),
               "is a counting notify that was destroyed");
  notify_ = nullptr;
}

TEST_F(aclrtCntNotifyDestroyTest, WhileAStreamWaits_FailsTheStream) {
  ExpectLog({"counting notify wait", "was destroyed while a stream waits for it"});
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 1, stream_), ACL_SUCCESS);
  Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 2, other_);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  WaitUntil([&] { return !IsDone(stream_); }, "the wait");
  ASSERT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  ExpectLog({"aclrtSynchronizeStreamWithTimeout", "507046]"});
  static_cast<void>(aclGetRecentErrMsg());
  EXPECT_EQ(aclrtCntNotifyDestroy(notify_), ACL_SUCCESS);
  notify_ = nullptr;
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream, (stream_), "counting notify",
                       "was destroyed while a stream waits");
}

using aclrtCntNotifyGetIdTest = CntNotifyTest;

TEST_F(aclrtCntNotifyGetIdTest, Several_HaveDifferentIds) {
  std::set<uint32_t> ids;
  std::vector<aclrtCntNotify> made(4, nullptr);
  for (aclrtCntNotify& notify : made) {
    ASSERT_EQ(aclrtCntNotifyCreate(&notify, 0), ACL_SUCCESS);
    uint32_t id = UINT32_MAX;
    EXPECT_EQ(aclrtCntNotifyGetId(notify, &id), ACL_SUCCESS);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), made.size());
  for (aclrtCntNotify notify : made) EXPECT_EQ(aclrtCntNotifyDestroy(notify), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyGetId, (nullptr, nullptr), "cntNotify is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyGetId, (notify_, nullptr), "notifyId is null");
}

using aclrtCntNotifyRecordTest = CntNotifyTest;

TEST_F(aclrtCntNotifyRecordTest, EachMode_ChangesTheCount) {
  Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 12, stream_);
  Record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 3, stream_);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 15, stream_), ACL_SUCCESS);
  Record(ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 6, stream_);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 6, stream_), ACL_SUCCESS);
  Record(ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 1, stream_);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 7, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(aclrtCntNotifyRecordTest, RecordedTwiceBeforeAWait_NothingIsLost) {
  Record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1, stream_);
  Record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1, stream_);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 2, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
}

TEST_F(aclrtCntNotifyRecordTest, BadArguments_AreRefusedInOrder) {
  aclrtCntNotifyRecordInfo info{FromNumber<aclrtCntNotifyRecordMode>(3), 1};
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyRecord, (nullptr, stream_, nullptr), "cntNotify is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyRecord, (stream_, stream_, nullptr), "info is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCntNotifyRecord, (stream_, stream_, &info),
               "info->mode 3 is not valid; use 0 (set), 1 (add), 2 (or), 4 (and)");
  info.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtCntNotifyRecord, (stream_, stream_, &info),
               "is a stream, expected a counting notify");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtCntNotifyRecord, (notify_, notify_, &info),
               "is a counting notify, expected a stream");
}

TEST_F(aclrtCntNotifyRecordTest, OfAFailedStream_FailsWhoWaits) {
  ExpectLog({"value write", "failed: devAddr"});
  void* gone = nullptr;
  ASSERT_EQ(aclrtMalloc(&gone, 8, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 5, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtValueWait(gone, 1, ACL_STREAM_WAIT_VALUE_EQ, other_), ACL_SUCCESS);
  aclrtNotify hold = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&hold, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(hold, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtValueWrite(gone, 1, 0, stream_), ACL_SUCCESS);
  Record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 5, stream_);
  EXPECT_EQ(aclrtFree(gone), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(hold, nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "devAddr");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (other_), "devAddr");
  EXPECT_EQ(aclrtDestroyNotify(hold), ACL_SUCCESS);
}

using aclrtCntNotifyResetTest = CntNotifyTest;

TEST_F(aclrtCntNotifyResetTest, Reset_InStreamOrder_CountIsZero) {
  Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 5, stream_);
  EXPECT_EQ(aclrtCntNotifyReset(notify_, stream_), ACL_SUCCESS);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0, stream_), ACL_SUCCESS);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 1, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyReset, (nullptr, stream_), "cntNotify is null");
}

using aclrtCntNotifyWaitWithTimeoutTest = CntNotifyTest;

TEST_F(aclrtCntNotifyWaitWithTimeoutTest, BadArguments_AreRefusedInOrder) {
  aclrtCntNotifyWaitInfo info{FromNumber<aclrtCntNotifyWaitMode>(5), 1, 0, 2, {}};
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyWaitWithTimeout, (nullptr, stream_, nullptr),
               "cntNotify is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyWaitWithTimeout, (notify_, stream_, nullptr), "info is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCntNotifyWaitWithTimeout, (notify_, stream_, &info),
               "info->mode 5 is not valid; use 0 to 4");
  info.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCntNotifyWaitWithTimeout, (notify_, stream_, &info),
               "info->isClear 2 is not valid; use 0 or 1");
}

TEST_F(aclrtCntNotifyWaitWithTimeoutTest, GatheredFromSeveralStreams_EndsAtTheLast) {
  constexpr uint32_t kStreams = 6;
  std::vector<aclrtStream> streams(kStreams, nullptr);
  std::atomic<bool> ran{false};
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, kStreams, stream_, UINT32_MAX, 1), ACL_SUCCESS);
  const Launch behind(stream_, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  for (uint32_t i = 0; i < kStreams; ++i) {
    ASSERT_EQ(aclrtCreateStream(&streams[i]), ACL_SUCCESS);
    EXPECT_FALSE(ran.load());
    Record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1, streams[i]);
    EXPECT_EQ(aclrtSynchronizeStream(streams[i]), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0, stream_), ACL_SUCCESS) << "isClear has set it to 0";
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  for (aclrtStream stream : streams) EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(aclrtCntNotifyWaitWithTimeoutTest, EachMode_EndsAtTheFirstCountThatFits) {
  struct Row {
    aclrtCntNotifyWaitMode mode;
    uint32_t value;
    uint32_t not_yet;
    uint32_t then;
  };
  for (const Row& row :
       {Row{ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 5, 5, 4}, Row{ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 5, 6, 5},
        Row{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 5, 5, 6}, Row{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 5, 4, 5},
        Row{ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 6, 4, 7}}) {
    Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, row.not_yet, other_);
    EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
    EXPECT_EQ(Wait(row.mode, row.value, stream_), ACL_SUCCESS);
    Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, row.not_yet, other_);
    EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
    EXPECT_FALSE(IsDone(stream_)) << row.mode;
    Record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, row.then, other_);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  }
}

TEST_F(aclrtCntNotifyWaitWithTimeoutTest, LimitPasses_StreamFailsWithTaskTimeout) {
  ExpectLog({"EI0002 wait timeout: 1 wait reached the limit", "counting notify", "a count of at least 2"});
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 2, stream_, 1), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStreamWithTimeout, (stream_, 30000), "wait timeout",
                       "has waited 1.", "107020]");
  Record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 2, stream_);
  EXPECT_EQ(Wait(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 2, stream_), ACL_SUCCESS) << "nothing was taken";
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
