// Capture and replay of stream work.
#include <fstream>
#include <iterator>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

constexpr auto kMode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr auto kD2D = ACL_MEMCPY_DEVICE_TO_DEVICE;

class GraphTest : public DeviceTest {
 protected:
  void TearDown() override {
    if (graph_ != nullptr) {
      EXPECT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
    }
    DeviceTest::TearDown();
  }
  void Begin() { ASSERT_EQ(aclmdlRICaptureBegin(stream_, kMode), ACL_SUCCESS); }
  void End() { ASSERT_EQ(aclmdlRICaptureEnd(stream_, &graph_), ACL_SUCCESS); }
  // A graph that fills one int with ones.
  void CaptureFill(const DeviceInts& target) {
    Begin();
    ASSERT_EQ(aclrtMemsetAsync(target.data(), 4, 1, 4, stream_), ACL_SUCCESS);
    End();
  }
  aclmdlRI graph_ = nullptr;
};

class aclmdlRICaptureBeginTest : public GraphTest {};

TEST_F(aclmdlRICaptureBeginTest, BadArguments_AreRefusedInOrder) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureBegin, (nullptr, kMode), "stream is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureBegin, (stream_, FromNumber<aclmdlRICaptureMode>(3)),
               "mode 3 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRICaptureBegin, (this, kMode), "stream 0x");
  Begin();
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRICaptureBegin, (stream_, kMode), "is captured already");
  End();
}

class aclmdlRICaptureEndTest : public GraphTest {};

TEST_F(aclmdlRICaptureEndTest, Captured_DoesNotRunAndEarlierWorkDoes) {
  const DeviceInts ints({5, 6});
  ASSERT_EQ(aclrtMemcpyAsync(ints.data(), 4, ints.data() + 1, 4, kD2D, stream_), ACL_SUCCESS);
  Begin();
  ASSERT_EQ(aclrtMemsetAsync(ints.data() + 1, 4, 0, 4, stream_), ACL_SUCCESS);
  End();
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(6, 6));
}

TEST_F(aclmdlRICaptureEndTest, BadArguments_AreRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureEnd, (nullptr, &graph_), "stream is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureEnd, (stream_, nullptr), "modelRI is null");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureEnd, (stream_, &graph_), "is not captured");
  EXPECT_EQ(graph_, nullptr);
}

TEST_F(aclmdlRICaptureEndTest, SynchroniseOfACapturedStream_InvalidatesTheCapture) {
  Begin();
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclrtSynchronizeStream, (stream_), "is captured into graph",
               "the capture is invalid now");
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  aclmdlRI graph = nullptr;
  EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &graph), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd, (stream_, &graph_),
               "the capture is invalid", "aclrtSynchronizeStream was called for");
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "the capture is over";
}

TEST_F(aclmdlRICaptureEndTest, StreamThatWaits_JoinsAndMustBeJoinedBack) {
  const DeviceInts ints({0, 0});
  aclrtStream other = nullptr;
  aclrtNotify there = nullptr;
  aclrtNotify back = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateNotify(&there, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateNotify(&back, 0), ACL_SUCCESS);
  const auto fork = [&] {
    Begin();
    ASSERT_EQ(aclrtMemsetAsync(ints.data(), 4, 2, 4, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordNotify(there, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtWaitAndResetNotify(there, other, 0), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpyAsync(ints.data() + 1, 4, ints.data(), 4, kD2D, other), ACL_SUCCESS);
  };
  fork();
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_UNJOINED, aclmdlRICaptureEnd, (stream_, &graph_),
               "joined it and has work that no other");
  fork();
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, aclmdlRICaptureEnd, (other, &graph_), "only joined the capture");
  ASSERT_EQ(aclrtRecordNotify(back, other), ACL_SUCCESS);
  ASSERT_EQ(aclrtWaitAndResetNotify(back, stream_, 0), ACL_SUCCESS);
  End();
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS) << "nothing was queued";
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(aclrtMemset(ints.data(), 8, 0, 8), ACL_SUCCESS);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    ASSERT_THAT(ints.Read(), ::testing::Each(0x02020202));
  }
  uint32_t count = 0;
  ASSERT_EQ(aclmdlRIGetStreams(graph_, nullptr, &count), ACL_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(aclrtDestroyNotify(there), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(back), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

class aclmdlRICaptureGetInfoTest : public GraphTest {};

TEST_F(aclmdlRICaptureGetInfoTest, Status_FollowsTheCapture) {
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  aclmdlRI graph = this;
  ASSERT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &graph), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
  EXPECT_EQ(graph, nullptr);
  Begin();
  ASSERT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &graph), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  End();
  EXPECT_EQ(graph, graph_);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureGetInfo, (stream_, nullptr, &graph), "status is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureGetInfo, (stream_, &status, nullptr), "modelRI is null");
}

class aclmdlRICaptureThreadExchangeModeTest : public ApiTest {};

TEST_F(aclmdlRICaptureThreadExchangeModeTest, Mode_IsTheThreadsOwn) {
  std::thread([this] {
    auto mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
    EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
    EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    mode = FromNumber<aclmdlRICaptureMode>(7);
    EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureThreadExchangeMode, (&mode), "mode 7");
    EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureThreadExchangeMode, (nullptr), "mode is null");
  }).join();
}

class aclmdlRIExecuteAsyncTest : public GraphTest {};

TEST_F(aclmdlRIExecuteAsyncTest, KernelAndCopies_GiveTheSameAsRunningThem) {
  const DeviceInts ints({0, 0});
  uint32_t calls = 0;
  uint32_t* out = &calls;
  ASSERT_EQ(aclrtLaunchKernel(Kernel("CountCalls"), 1, &out, sizeof out, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  const uint32_t before = calls;
  Begin();
  ASSERT_EQ(aclrtLaunchKernel(Kernel("CountCalls"), 1, &out, sizeof out, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(ints.data() + 1, 4, ints.data(), 4, kD2D, stream_), ACL_SUCCESS);
  End();
  EXPECT_EQ(calls, before);
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  for (uint32_t i = 1; i <= 50; ++i) {
    const int value = static_cast<int>(i);
    aclrtStream target = i % 2 == 0 ? stream_ : other;
    ASSERT_EQ(aclrtMemcpy(ints.data(), 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, target), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(target), ACL_SUCCESS);
    ASSERT_EQ(calls, before + i);
    ASSERT_EQ(ints.Read()[1], value);
  }
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(aclmdlRIExecuteAsyncTest, ManyQueued_RunInOrder) {
  uint32_t calls = 0;
  uint32_t* out = &calls;
  Begin();
  ASSERT_EQ(aclrtLaunchKernel(Kernel("CountCalls"), 1, &out, sizeof out, stream_), ACL_SUCCESS);
  End();
  ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  const uint32_t before = calls;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS) << "what is queued goes on";
  graph_ = nullptr;
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(calls, before + 100);
}

TEST_F(aclmdlRIExecuteAsyncTest, OnACapturedStream_BecomesPartOfThatGraph) {
  const DeviceInts ints({0, 0});
  CaptureFill(ints);
  aclmdlRI outer = nullptr;
  Begin();
  ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(ints.data() + 1, 4, ints.data(), 4, kD2D, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &outer), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::Each(0));
  ASSERT_EQ(aclmdlRIExecute(outer, -1), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::Each(0x01010101));
  EXPECT_EQ(aclmdlRIDestroy(outer), ACL_SUCCESS);
}

TEST_F(aclmdlRIExecuteAsyncTest, FailingKernel_FailsTheStreamOfTheReplay) {
  Begin();
  ASSERT_EQ(aclrtLaunchKernel(Kernel("ReturnSeven"), 1, nullptr, 0, stream_), ACL_SUCCESS);
  End();
  ExpectLog({"kernel launch", "ReturnSeven", "returned 7"});
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
    EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
  }
}

TEST_F(aclmdlRIExecuteAsyncTest, BadArguments_AreRefused) {
  const DeviceInts ints({0});
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIExecuteAsync, (nullptr, stream_), "modelRI is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRIExecuteAsync, (stream_, stream_), "is a stream");
  CaptureFill(ints);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRIExecuteAsync, (graph_, graph_), "stream 0x");
  aclmdlRICaptureStatus status{};
  aclmdlRI capturing = nullptr;
  Begin();
  ASSERT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &capturing), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIExecuteAsync, (capturing, nullptr),
               "its capture has not been ended");
  EXPECT_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIDestroy, (capturing), "is being captured");
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &capturing), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(capturing), ACL_SUCCESS);
}

class aclmdlRIExecuteTest : public GraphTest {};

TEST_F(aclmdlRIExecuteTest, Replays_AndWaits) {
  const DeviceInts ints({0});
  CaptureFill(ints);
  EXPECT_EQ(aclmdlRIExecute(graph_, -1), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(0x01010101));
  EXPECT_EQ(aclmdlRIExecute(graph_, 1000), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecute, (graph_, 0), "timeout 0 is not valid");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIExecute, (nullptr, -1), "modelRI is null");
}

class aclmdlRIDestroyTest : public GraphTest {};

TEST_F(aclmdlRIDestroyTest, Twice_IsRefused) {
  const DeviceInts ints({0});
  CaptureFill(ints);
  EXPECT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRIDestroy, (graph_), "modelRI");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIDestroy, (nullptr), "modelRI is null");
  graph_ = nullptr;
}

class aclmdlRIGetIdTest : public GraphTest {};

TEST_F(aclmdlRIGetIdTest, Graph_HasOne) {
  const DeviceInts ints({0});
  CaptureFill(ints);
  uint32_t id = UINT32_MAX;
  EXPECT_EQ(aclmdlRIGetId(graph_, &id), ACL_SUCCESS);
  EXPECT_NE(id, UINT32_MAX);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIGetId, (graph_, nullptr), "modelRIId is null");
}

class aclmdlRISetNameTest : public GraphTest {};

TEST_F(aclmdlRISetNameTest, Name_IsKept) {
  const DeviceInts ints({0});
  CaptureFill(ints);
  char name[8] = {};
  EXPECT_EQ(aclmdlRISetName(graph_, "step"), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIGetName(graph_, 8, name), ACL_SUCCESS);
  EXPECT_STREQ(name, "step");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRISetName, (graph_, std::string(256, 'x').c_str()), "limit of 255");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRISetName, (graph_, nullptr), "name is null");
}

class aclmdlRIGetNameTest : public GraphTest {};

TEST_F(aclmdlRIGetNameTest, TooLittleRoom_IsRefused) {
  const DeviceInts ints({0});
  CaptureFill(ints);
  ASSERT_EQ(aclmdlRISetName(graph_, "step"), ACL_SUCCESS);
  char name[8] = {};
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIGetName, (graph_, 4, name), "the name 'step' needs 5");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIGetName, (graph_, 8, nullptr), "name is null");
}

// A graph of a kernel launch and a fill, and its stream and tasks.
class TasksTest : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    ints_ = std::make_unique<DeviceInts>(std::vector<int>{0});
    Begin();
    ASSERT_EQ(aclrtLaunchKernel(Kernel("ReturnSeven"), 1, nullptr, 0, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemsetAsync(ints_->data(), 4, 1, 4, stream_), ACL_SUCCESS);
    End();
    uint32_t count = 1;
    ASSERT_EQ(aclmdlRIGetStreams(graph_, &own_, &count), ACL_SUCCESS);
    ASSERT_EQ(count, 1u);
    count = 2;
    ASSERT_EQ(aclmdlRIGetTasksByStream(own_, tasks_, &count), ACL_SUCCESS);
    ASSERT_EQ(count, 2u);
  }
  void TearDown() override {
    ints_.reset();
    GraphTest::TearDown();
  }
  std::unique_ptr<DeviceInts> ints_;
  aclrtStream own_ = nullptr;
  aclmdlRITask tasks_[2] = {};
};

class aclmdlRIGetStreamsTest : public TasksTest {};

TEST_F(aclmdlRIGetStreamsTest, TooLittleRoom_IsRefused) {
  aclrtStream none[1];
  uint32_t count = 0;
  EXPECT_FAILS(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, aclmdlRIGetStreams, (graph_, none, &count),
               "room for 0, there are 1");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIGetStreams, (graph_, none, nullptr), "numStreams is null");
}

class aclmdlRIGetTasksByStreamTest : public TasksTest {};

TEST_F(aclmdlRIGetTasksByStreamTest, OtherStream_IsRefused) {
  uint32_t count = 2;
  aclmdlRITask again[2] = {};
  EXPECT_EQ(aclmdlRIGetTasksByStream(own_, again, &count), ACL_SUCCESS);
  EXPECT_EQ(again[1], tasks_[1]);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIGetTasksByStream, (stream_, again, &count),
               "is not a stream of a graph");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIGetTasksByStream, (own_, again, nullptr), "numTasks is null");
}

class aclmdlRITaskGetTypeTest : public TasksTest {};

TEST_F(aclmdlRITaskGetTypeTest, KernelsAndOthers_AreTold) {
  aclmdlRITaskType type{};
  EXPECT_EQ(aclmdlRITaskGetType(tasks_[0], &type), ACL_SUCCESS);
  EXPECT_EQ(type, ACL_MODEL_RI_TASK_KERNEL);
  EXPECT_EQ(aclmdlRITaskGetType(tasks_[1], &type), ACL_SUCCESS);
  EXPECT_EQ(type, ACL_MODEL_RI_TASK_DEFAULT);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRITaskGetType, (graph_, &type), "task 0x");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRITaskGetType, (tasks_[0], nullptr), "type is null");
}

class aclmdlRITaskGetSeqIdTest : public TasksTest {};

TEST_F(aclmdlRITaskGetSeqIdTest, Numbers_AscendAndEndWithTheGraph) {
  uint32_t id = 7;
  EXPECT_EQ(aclmdlRITaskGetSeqId(tasks_[0], &id), ACL_SUCCESS);
  EXPECT_EQ(id, 0u);
  EXPECT_EQ(aclmdlRITaskGetSeqId(tasks_[1], &id), ACL_SUCCESS);
  EXPECT_EQ(id, 1u);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRITaskGetSeqId, (tasks_[0], nullptr), "id is null");
  ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
  graph_ = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRITaskGetSeqId, (tasks_[0], &id), "task 0x");
}

class aclmdlRIDebugJsonPrintTest : public TasksTest {};

TEST_F(aclmdlRIDebugJsonPrintTest, File_DescribesStreamsAndTasks) {
  const std::string path = ::testing::TempDir() + "acl_graph_test.json";
  ASSERT_EQ(aclmdlRIDebugJsonPrint(graph_, path.c_str(), ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE), ACL_SUCCESS);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const char* part : {"\"operation\": \"kernel launch\"", "\"kernel\": \"ReturnSeven\"", "\"operation\": \"fill\"",
                           "\"writes\": \"0x", "\"bytes\": 4", "captured from"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(part));
  }
  std::remove(path.c_str());
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDebugJsonPrint, (graph_, "/no/such/folder/x", 0),
               "cannot be written");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDebugJsonPrint, (graph_, path.c_str(), 2), "flags 2");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIDebugJsonPrint, (graph_, nullptr, 0), "path is null");
}

class aclmdlRIDebugPrintTest : public TasksTest {};

TEST_F(aclmdlRIDebugPrintTest, Text_GoesToStandardError) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(aclmdlRIDebugPrint(graph_), ACL_SUCCESS);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("ReturnSeven"));
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIDebugPrint, (nullptr), "modelRI is null");
}

}  // namespace
}  // namespace softhccl::conformance
