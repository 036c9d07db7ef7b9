// aclrtCreateNotify, aclrtDestroyNotify, aclrtGetNotifyId, aclrtRecordNotify, aclrtWaitAndResetNotify.
#include <set>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class NotifyTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateNotify(&notify_, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(other_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyNotify(notify_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  // True when nothing that was queued on the stream is pending.
  bool IsDone(aclrtStream stream) {
    const aclError result = aclrtSynchronizeStreamWithTimeout(stream, 30);
    if (result == ACL_SUCCESS) return true;
    EXPECT_EQ(result, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    static_cast<void>(aclGetRecentErrMsg());
    ExpectLog({"aclrtSynchronizeStreamWithTimeout", "507046]"});
    return false;
  }
  aclrtNotify notify_ = nullptr;
  aclrtStream other_ = nullptr;
};

using aclrtCreateNotifyTest = NotifyTest;

TEST_F(aclrtCreateNotifyTest, BadArguments_AreRefusedInOrder) {
  aclrtNotify made = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateNotify, (nullptr, 9), "notify is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateNotify, (&made, 2),
               "flag 2 is not known; use ACL_NOTIFY_DEFAULT 0 or ACL_NOTIFY_DEVICE_USE_ONLY 1", "107000]");
  std::thread([this] {
    aclrtNotify other = nullptr;
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateNotify, (&other, 2), "flag 2");
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateNotify, (&other, 0), "no device is set");
  }).join();
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(aclrtCreateNotify(&made, ACL_NOTIFY_DEVICE_USE_ONLY), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(made), ACL_SUCCESS);
}

using aclrtDestroyNotifyTest = NotifyTest;

TEST_F(aclrtDestroyNotifyTest, NullStaleOrWrongKind_IsRefusedByName) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyNotify, (nullptr), "notify is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyNotify, (stream_), "is a stream, expected a notify");
  aclrtNotify made = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&made, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  std::thread([made] { EXPECT_EQ(aclrtDestroyNotify(made), ACL_SUCCESS) << "no device is needed"; }).join();
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyNotify, (made), "is a notify that was destroyed");
}

using aclrtGetNotifyIdTest = NotifyTest;

TEST_F(aclrtGetNotifyIdTest, SeveralNotifies_HaveDifferentSmallIds) {
  std::set<uint32_t> ids;
  std::vector<aclrtNotify> made(5, nullptr);
  for (aclrtNotify& notify : made) {
    ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    uint32_t id = UINT32_MAX;
    EXPECT_EQ(aclrtGetNotifyId(notify, &id), ACL_SUCCESS);
    EXPECT_LT(id, 65535u);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), made.size());
  for (aclrtNotify notify : made) EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
}

TEST_F(aclrtGetNotifyIdTest, BadArguments_AreRefusedInOrder) {
  uint32_t id = 77;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetNotifyId, (nullptr, nullptr), "notify is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetNotifyId, (stream_, nullptr), "notifyId is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtGetNotifyId, (stream_, &id), "is a stream, expected a notify");
  EXPECT_EQ(id, 77u);
}

// Both calls check the same things in the same order.
using aclrtRecordNotifyTest = NotifyTest;

TEST_F(aclrtRecordNotifyTest, BadArguments_AreRefusedInOrder) {
  int on_the_stack = 0;
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRecordNotify, (nullptr, stream_), "notify is null");
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordNotify, (&on_the_stack, stream_), "no device is set");
  }).join();
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordNotify, (&on_the_stack, &on_the_stack),
               "is not a notify of this process");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordNotify, (notify_, notify_), "is a notify, expected a stream");
}

TEST_F(aclrtRecordNotifyTest, StreamOfAnotherDevice_IsRefused) {
  EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtRecordNotify, (notify_, stream_), "belongs to device 0",
               "but device 1 is set", "107003]");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtWaitAndResetNotify, (notify_, stream_, 0), "belongs to device 0");
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(aclrtRecordNotifyTest, RecordedTwiceBeforeAWait_OneIsLostAndSaysSo) {
  ExpectLog({"lost record: notify", "was still set when it was recorded again"});
  EXPECT_EQ(aclrtRecordNotify(notify_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(notify_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, stream_, 0), ACL_SUCCESS);
  EXPECT_TRUE(IsDone(stream_)) << "one wait takes the bit";
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, stream_, 0), ACL_SUCCESS);
  EXPECT_FALSE(IsDone(stream_)) << "the second record left nothing for a second wait";
  EXPECT_EQ(aclrtRecordNotify(notify_, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(aclrtRecordNotifyTest, RecordedByADefaultStream_ReleasesTheWait) {
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(notify_, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

using aclrtWaitAndResetNotifyTest = NotifyTest;

TEST_F(aclrtWaitAndResetNotifyTest, BadArguments_AreRefusedInOrder) {
  int on_the_stack = 0;
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtWaitAndResetNotify, (nullptr, stream_, 0), "notify is null");
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtWaitAndResetNotify, (&on_the_stack, stream_, 0), "no device is set");
  }).join();
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtWaitAndResetNotify, (&on_the_stack, stream_, 0),
               "is not a notify of this process");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtWaitAndResetNotify, (notify_, &on_the_stack, 0),
               "is not a stream of this process");
}

TEST_F(aclrtWaitAndResetNotifyTest, QueuedBeforeTheRecord_HoldsBackLaterWorkOfItsStreamOnly) {
  std::atomic<bool> ran{false};
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, stream_, UINT32_MAX), ACL_SUCCESS);
  const Launch behind(stream_, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  EXPECT_EQ(RunKernel(other_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
  EXPECT_FALSE(ran.load());
  EXPECT_EQ(aclrtRecordNotify(notify_, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_TRUE(ran.load());
}

TEST_F(aclrtWaitAndResetNotifyTest, LimitPasses_StreamFailsWithTaskTimeout) {
  ExpectLog({"EI0002 wait timeout: 1 wait reached the limit", "notify", "of device 0"});
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, stream_, 1), ACL_SUCCESS);
  // With a limit of its own: an untimed call would let the wait be ended earlier, as a deadlock.
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStreamWithTimeout, (stream_, 30000), "wait timeout",
                       "has waited 1.", "107020]");
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  // The notify is as before: one record, one wait.
  EXPECT_EQ(aclrtRecordNotify(notify_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

class NotifyLimitTest : public ApiTest {};

TEST_F(NotifyLimitTest, aclrtCreateNotify_MoreThanTheDeviceHas_IsRefused) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  std::vector<aclrtNotify> made(65535, nullptr);
  for (aclrtNotify& notify : made) ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  aclrtNotify extra = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, aclrtCreateNotify, (&extra, ACL_NOTIFY_DEFAULT),
               "device 0 has 65535 notifies, its limit", "[ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009]");
  EXPECT_EQ(extra, nullptr);
  for (aclrtNotify notify : made) EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
