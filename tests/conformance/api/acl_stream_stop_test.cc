// aclrtStreamStop.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclrtStreamStopTest : public DeviceTest {};

TEST_F(aclrtStreamStopTest, QueuedWork_StaysQueuedUntilItIsAborted) {
  const DeviceInts ints({1, 2});
  EXPECT_EQ(aclrtStreamStop(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(ints.data(), 4, ints.data() + 1, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_), ACL_SUCCESS);
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream, (stream_), "was stopped and holds back 1 of its");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStreamWithTimeout, (stream_, 1000), "was stopped");
  EXPECT_EQ(aclrtStreamAbort(stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream, (stream_), "was aborted");
  EXPECT_EQ(ints.Read(), (std::vector<int>{1, 2})) << "the copy never ran";
  EXPECT_EQ(aclrtMemcpyAsync(ints.data(), 4, ints.data() + 1, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "after the abort it is a stream as before";
  EXPECT_EQ(ints.Read(), (std::vector<int>{2, 2}));
}

TEST_F(aclrtStreamStopTest, WhileItWaits_TakesNoRecordAndRunsNothingBehind) {
  aclrtNotify notify = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  aclrtStream stopped = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stopped), ACL_SUCCESS);
  const DeviceInts ints({1, 2});
  EXPECT_EQ(aclrtWaitAndResetNotify(notify, stopped, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(ints.data(), 4, ints.data() + 1, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stopped), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamStop(stopped), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(notify, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "the record was left for others";
  EXPECT_EQ(aclrtDestroyStream(stopped), ACL_SUCCESS);
  EXPECT_EQ(ints.Read(), (std::vector<int>{1, 2}));
  EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
}

TEST_F(aclrtStreamStopTest, WhileAKernelRuns_TheKernelReturnsAndNothingFollows) {
  std::atomic<bool> started{false};
  std::atomic<bool> go{false};
  std::atomic<bool> returned{false};
  std::atomic<bool> ran{false};
  aclrtStream stopped = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stopped), ACL_SUCCESS);
  const Launch running(stopped, [&](const Hcomm&) {
    started.store(true);
    WaitUntil([&] { return go.load(); }, "the test");
    returned.store(true);
    return 0u;
  });
  const Launch behind(stopped, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  WaitUntil([&] { return started.load(); }, "the kernel");
  EXPECT_EQ(aclrtStreamStop(stopped), ACL_SUCCESS);
  go.store(true);
  WaitUntil([&] { return returned.load(); }, "the kernel's return");
  EXPECT_EQ(aclrtDestroyStream(stopped), ACL_SUCCESS);
  EXPECT_FALSE(ran.load());
}

TEST_F(aclrtStreamStopTest, BadArguments_AreRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamStop, (nullptr), "stream is null");
  aclrtStream usual = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&usual), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamStop, (usual), "the default stream cannot be stopped");
  int on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamStop, (&on_the_stack), "is not a stream of this process");
}

}  // namespace
}  // namespace softhccl::conformance
