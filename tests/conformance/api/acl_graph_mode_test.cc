// What a capture forbids: to whom, in which mode, and what it means for the capture.
#include "graph_test_fixture.h"
#include "runtime/rt_external.h"

namespace softhccl::conformance {
namespace {

constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr auto kThreadLocal = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto kRelaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
constexpr auto kD2D = ACL_MEMCPY_DEVICE_TO_DEVICE;

class CaptureModeTest : public GraphFixture {
 protected:
  void SetUp() override {
    GraphFixture::SetUp();
    ints_ = std::make_unique<DeviceInts>(std::vector<int>{1, 2});
  }
  void TearDown() override {
    ints_.reset();
    GraphFixture::TearDown();
  }
  // On a thread of its own with the same device, in this mode of its own.
  void OnOtherThread(aclmdlRICaptureMode mode, const std::function<void()>& body) {
    std::thread([&] {
      EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
      body();
      EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    }).join();
  }
  aclError CopyNow() { return aclrtMemcpy(ints_->data(), 4, ints_->data() + 1, 4, kD2D); }
  void ExpectStatus(aclmdlRICaptureStatus expected) {
    aclmdlRICaptureStatus status{};
    aclmdlRI graph = nullptr;
    ASSERT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &graph), ACL_SUCCESS);
    EXPECT_EQ(status, expected);
  }
  // Exchanges the mode of this thread while it lives.
  class ScopedMode {
   public:
    explicit ScopedMode(aclmdlRICaptureMode mode) : mode_(mode) {
      EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode_), ACL_SUCCESS);
    }
    ~ScopedMode() { EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode_), ACL_SUCCESS); }

   private:
    aclmdlRICaptureMode mode_;
  };
  std::unique_ptr<DeviceInts> ints_;
};

TEST_F(CaptureModeTest, GlobalAndThreadLocal_ForbidTheCapturingThreadCopiesAndFills) {
  for (const auto mode : {kGlobal, kThreadLocal}) {
    const char* name = mode == kGlobal ? "in mode GLOBAL" : "in mode THREAD_LOCAL";
    Begin(mode);
    EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemcpy, (ints_->data(), 4, ints_->data() + 1, 4, kD2D),
                 name, "switch this thread to RELAXED", "the capture is invalid now");
    ExpectStatus(ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemset, (ints_->data(), 4, 0, 4), name);
    EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemsetD32, (ints_->data(), 4, 0, 1), name);
    EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemcpy2d,
                 (ints_->data(), 4, ints_->data() + 1, 4, 4, 1, kD2D), name);
    EndInvalid("aclrtMemcpy was called, which mode");
    EXPECT_THAT(ints_->Read(), ::testing::ElementsAre(1, 2));
  }
}

TEST_F(CaptureModeTest, BatchOfCopies_IsForbiddenToo) {
  void* to = ints_->data();
  void* from = ints_->data() + 1;
  size_t size = 4;
  size_t index = 0;
  size_t failed = 7;
  aclrtMemcpyBatchAttr attr{};
  attr.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  attr.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  Begin();
  EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemcpyBatch,
               (&to, &size, &from, &size, 1, &attr, &index, 1, &failed), "in mode GLOBAL");
  EXPECT_EQ(failed, SIZE_MAX);
  EndInvalid("aclrtMemcpyBatch was called");
}

TEST_F(CaptureModeTest, Global_ForbidsOtherThreadsUnlessTheyLoosenIt) {
  Begin(kGlobal);
  OnOtherThread(kThreadLocal, [&] { EXPECT_EQ(CopyNow(), ACL_SUCCESS); });
  OnOtherThread(kRelaxed, [&] { EXPECT_EQ(CopyNow(), ACL_SUCCESS); });
  ExpectStatus(ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  OnOtherThread(kGlobal, [&] {
    EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemcpy, (ints_->data(), 4, ints_->data() + 1, 4, kD2D),
                 "to all threads", "switch this thread to THREAD_LOCAL or RELAXED");
  });
  EndInvalid("aclrtMemcpy was called, which mode GLOBAL forbids");
}

TEST_F(CaptureModeTest, Global_DoesNotConcernOtherContexts) {
  Begin(kGlobal);
  std::thread([&] {
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(CopyNow(), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  }).join();
  End();
}

TEST_F(CaptureModeTest, ThreadLocal_DoesNotConcernOtherThreads) {
  Begin(kThreadLocal);
  OnOtherThread(kGlobal, [&] { EXPECT_EQ(CopyNow(), ACL_SUCCESS); });
  End();
}

TEST_F(CaptureModeTest, ThreadThatIsRelaxed_MayCopyInItsOwnCapture) {
  for (const auto mode : {kGlobal, kThreadLocal}) {
    Begin(mode);
    {
      const ScopedMode relaxed(kRelaxed);
      EXPECT_EQ(CopyNow(), ACL_SUCCESS);
    }
    End();
    ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
    graph_ = nullptr;
  }
}

TEST_F(CaptureModeTest, ThreadLocalIsNotEnough_ForTheCapturingThread) {
  const ScopedMode local(kThreadLocal);
  Begin(kGlobal);
  EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemset, (ints_->data(), 4, 0, 4),
               "switch this thread to RELAXED");
  EndInvalid("aclrtMemset was called");
}

TEST_F(CaptureModeTest, Relaxed_ForbidsNothingWhateverThreadsWant) {
  Begin(kRelaxed);
  EXPECT_EQ(CopyNow(), ACL_SUCCESS);
  OnOtherThread(kGlobal, [&] { EXPECT_EQ(CopyNow(), ACL_SUCCESS); });
  End();
}

TEST_F(CaptureModeTest, CopyThatHasToWait_IsForbiddenLikeASynchronousOne) {
  int host = 0;
  aclrtStream other = MakeStream();
  for (aclrtStream stream : {stream_, other}) {
    Begin(kGlobal);
    EXPECT_FAILS(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, aclrtMemcpyAsync,
                 (&host, 4, ints_->data(), 4, ACL_MEMCPY_DEVICE_TO_HOST, stream), "in mode GLOBAL");
    EndInvalid("aclrtMemcpyAsync was called");
  }
  Begin(kRelaxed);
  EXPECT_EQ(aclrtMemcpyAsync(&host, 4, ints_->data(), 4, ACL_MEMCPY_DEVICE_TO_HOST, other), ACL_SUCCESS);
  EXPECT_EQ(host, 1);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync,
               (&host, 4, ints_->data(), 4, ACL_MEMCPY_DEVICE_TO_HOST, stream_), "cannot be copied by a graph");
  End();
}

TEST_F(CaptureModeTest, Synchronise_IsForbiddenInEveryMode) {
  for (const auto mode : {kGlobal, kThreadLocal, kRelaxed}) {
    Begin(mode);
    const ScopedMode relaxed(kRelaxed);
    EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclrtSynchronizeStream, (stream_), "nothing of it runs before a replay");
    EndInvalid("aclrtSynchronizeStream was called for");
    Begin(mode);
    EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclrtDestroyStream, (stream_), "is captured into graph");
    EndInvalid("aclrtDestroyStream was called for");
  }
}

TEST_F(CaptureModeTest, OtherStreams_MayBeSynchronisedMeanwhile) {
  aclrtStream other = MakeStream();
  Begin(kGlobal);
  Copy(*ints_, 1, 0, other);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  End();
  EXPECT_THAT(ints_->Read(), ::testing::ElementsAre(2, 2));
}

TEST_F(CaptureModeTest, EndOnAnotherThread_IsForRelaxedOnly) {
  for (const auto mode : {kGlobal, kThreadLocal}) {
    Begin(mode);
    OnOtherThread(kRelaxed, [&] {
      EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, aclmdlRICaptureEnd, (stream_, &graph_),
                   "must be ended by it", "RELAXED");
    });
    ExpectStatus(ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    End();
    ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
    graph_ = nullptr;
  }
  Begin(kRelaxed);
  OnOtherThread(kGlobal, [&] { End(); });
}

TEST_F(CaptureModeTest, LastTask_IsTheOneThatWasCaptured) {
  uint32_t task = 0;
  uint32_t task_stream = 0;
  Begin();
  Copy(*ints_, 0, 1, stream_);
  Copy(*ints_, 0, 1, stream_);
  ASSERT_EQ(rtGetTaskIdAndStreamID(&task, &task_stream), ACL_SUCCESS);
  End();
  aclrtStream own = nullptr;
  uint32_t count = 1;
  int32_t id = -1;
  ASSERT_EQ(aclmdlRIGetStreams(graph_, &own, &count), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamGetId(own, &id), ACL_SUCCESS);
  EXPECT_EQ(task, 2u);
  EXPECT_EQ(task_stream, static_cast<uint32_t>(id));
}

}  // namespace
}  // namespace softhccl::conformance
