// Captures and graphs that are used at the wrong time, or go on after something failed.
#include "hcomm/hcomm_primitives.h"
#include "one_rank_test.h"

namespace softhccl::conformance {
namespace {

constexpr auto kMode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

class GraphMisuseTest : public DeviceTest {};

TEST_F(GraphMisuseTest, TasksWhileCaptured_AreRefused) {
  aclmdlRICaptureStatus status{};
  aclmdlRI graph = nullptr;
  aclrtStream own = nullptr;
  uint32_t count = 1;
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, kMode), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &graph), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIGetStreams(graph, &own, &count), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIGetTasksByStream, (own, nullptr, &count), "is being captured");
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &graph), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIGetTasksByStream(own, nullptr, &count), ACL_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
}

TEST_F(GraphMisuseTest, DefaultStream_CannotBeCaptured) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureBegin, (stream, kMode),
               "the default stream cannot be captured");
}

TEST_F(GraphMisuseTest, SynchroniseOfADeviceWithACapturedStream_InvalidatesTheCapture) {
  aclmdlRI graph = nullptr;
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, kMode), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclrtSynchronizeDevice, (), "is captured into graph");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd, (stream_, &graph),
               "aclrtSynchronizeDevice was called");
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST_F(GraphMisuseTest, CountingNotifies_InvalidateTheCapture) {
  aclrtCntNotify notify = nullptr;
  aclmdlRI graph = nullptr;
  aclrtCntNotifyRecordInfo info{ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 1};
  ASSERT_EQ(aclrtCntNotifyCreate(&notify, 0), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, kMode), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtCntNotifyRecord, (notify, stream_, &info),
               "a graph cannot hold a", "the capture is invalid now");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd, (stream_, &graph), "a graph cannot hold a");
  EXPECT_EQ(aclrtCntNotifyDestroy(notify), ACL_SUCCESS);
}

TEST_F(GraphMisuseTest, ContextDestroyedWhileCaptured_EndsTheCapture) {
  aclrtContext before = nullptr;
  aclrtContext made = nullptr;
  aclrtStream captured = nullptr;
  aclmdlRICaptureStatus status{};
  aclmdlRI graph = nullptr;
  uint32_t id = 0;
  ASSERT_EQ(aclrtGetCurrentContext(&before), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&captured), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureBegin(captured, kMode), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureGetInfo(captured, &status, &graph), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(before), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRIGetId, (graph, &id), "modelRI");
}

TEST_F(GraphMisuseTest, FailureOnAStreamOfTheGraph_IsOverAtTheNextReplay) {
  aclrtStream other = nullptr;
  aclrtNotify there = nullptr;
  aclrtNotify back = nullptr;
  aclmdlRI graph = nullptr;
  std::atomic<uint32_t> answer{7};
  std::atomic<int> runs{0};
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateNotify(&there, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateNotify(&back, 0), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, kMode), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordNotify(there, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtWaitAndResetNotify(there, other, 0), ACL_SUCCESS);
  const Launch kernel(other, [&](const Hcomm&) {
    ++runs;
    return answer.load();
  });
  ASSERT_EQ(aclrtRecordNotify(back, other), ACL_SUCCESS);
  ASSERT_EQ(aclrtWaitAndResetNotify(back, stream_, 0), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &graph), ACL_SUCCESS);
  ExpectLog({"kernel launch", "returned 7"});
  AllowLog({"notify wait", "returned 7"});
  ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream_), ACL_SUCCESS);
  EXPECT_NE(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  answer = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  }
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(there), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(back), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(GraphMisuseTest, DefaultStreamStoppedDuringAReplay_StaysStopped) {
  aclmdlRI graph = nullptr;
  std::atomic<bool> runs{false};
  std::atomic<bool> may_end{false};
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, kMode), ACL_SUCCESS);
  const Launch kernel(stream_, [&](const Hcomm&) {
    runs = true;
    WaitUntil([&] { return may_end.load(); }, "the context is stopped");
    return 0u;
  });
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &graph), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  ExpectLog({"kernel launch", "returned 7"});
  std::thread failing([&] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    WaitUntil([&] { return runs.load(); }, "the replay runs");
    EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 7u; }), ACL_ERROR_RT_AICPU_EXCEPTION);
    may_end = true;
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  });
  EXPECT_FAILS(ACL_ERROR_RT_AICPU_EXCEPTION, aclmdlRIExecute, (graph, -1), "returned 7");
  failing.join();
  EXPECT_FAILS(ACL_ERROR_RT_AICPU_EXCEPTION, aclmdlRIExecute, (graph, -1), "returned 7",
               "using a stream that a failure has stopped");
  EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
}

using GraphMisuseOfThreadTest = OneRankTest;

TEST_F(GraphMisuseOfThreadTest, JoinOfACapturedThread_IsRefused) {
  ThreadHandle thread = 0;
  aclmdlRI graph = nullptr;
  ASSERT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, stream_, 1, &thread), HCCL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, kMode), ACL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcommThreadJoin, (thread, 5), "is captured into graph", "the capture is invalid now");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd, (stream_, &graph),
               "HcommThreadJoin was called for");
}

}  // namespace
}  // namespace softhccl::conformance
