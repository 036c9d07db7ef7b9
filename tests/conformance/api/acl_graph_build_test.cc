// Graphs that are built of bound streams, streams that a library adds to a capture, the end of replays, and callbacks
// at the end of a graph.
#include "graph_test_fixture.h"
#include "runtime/rt_external.h"

namespace softhccl::conformance {
namespace {

class GraphBuildFixture : public GraphFixture {
 protected:
  aclrtStream MakePersistent() {
    aclrtStream made = nullptr;
    EXPECT_EQ(aclrtCreateStreamWithConfig(&made, 0, ACL_STREAM_PERSISTENT), ACL_SUCCESS);
    persistent_.push_back(made);
    return made;
  }
  void TearDown() override {
    if (graph_ != nullptr) {
      EXPECT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
    }
    graph_ = nullptr;
    for (aclrtStream stream : persistent_) EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    GraphFixture::TearDown();
  }
  void BuildBegin() { ASSERT_EQ(aclmdlRIBuildBegin(&graph_, 0), ACL_SUCCESS); }
  void Bind(aclrtStream stream) {
    ASSERT_EQ(aclmdlRIBindStream(graph_, stream, ACL_MODEL_STREAM_FLAG_HEAD), ACL_SUCCESS);
  }
  void BuildEnd() { ASSERT_EQ(aclmdlRIBuildEnd(graph_, nullptr), ACL_SUCCESS); }

 private:
  std::vector<aclrtStream> persistent_;
};

class aclmdlRIBuildBeginTest : public GraphBuildFixture {};

TEST_F(aclmdlRIBuildBeginTest, BoundStreams_BeginAndEndWithEachReplay) {
  const DeviceInts ints({0, 0, 0, 0});
  aclrtStream first = MakePersistent();
  aclrtStream second = MakePersistent();
  BuildBegin();
  Bind(first);
  Bind(second);
  Copy(ints, 0, 1, first);
  Copy(ints, 0, 2, second);
  ASSERT_EQ(aclmdlRIEndTask(graph_, first), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIEndTask(graph_, second), ACL_SUCCESS);
  BuildEnd();
  EXPECT_THAT(ints.Read(), ::testing::Each(0)) << "nothing has run";
  for (int i = 1; i <= 30; ++i) {
    ASSERT_EQ(aclrtMemsetD32Async(ints.data(), 4, static_cast<uint32_t>(i), 1, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
    Copy(ints, 2, 3, stream_);
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    ASSERT_THAT(ints.Read(), ::testing::Each(i));
  }
  uint32_t count = 0;
  ASSERT_EQ(aclmdlRIGetStreams(graph_, nullptr, &count), ACL_SUCCESS);
  EXPECT_EQ(count, 2u);
}

TEST_F(aclmdlRIBuildBeginTest, StreamsOfABuild_MayWaitForEachOther) {
  const DeviceInts ints({7, 0, 0});
  aclrtStream first = MakePersistent();
  aclrtStream second = MakePersistent();
  BuildBegin();
  Bind(first);
  Bind(second);
  Copy(ints, 0, 1, first);
  Order(first, second);
  Copy(ints, 1, 2, second);
  BuildEnd();
  EXPECT_EQ(aclmdlRIExecute(graph_, -1), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::Each(7));
}

TEST_F(aclmdlRIBuildBeginTest, BadArguments_AreRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIBuildBegin, (nullptr, 0), "modelRI is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildBegin, (&graph_, 1), "flag 1 is not valid");
}

class aclmdlRIBindStreamTest : public GraphBuildFixture {};

TEST_F(aclmdlRIBindStreamTest, WrongStreams_AreRefused) {
  aclrtStream persistent = MakePersistent();
  aclmdlRI other = nullptr;
  BuildBegin();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream, (graph_, stream_, ACL_MODEL_STREAM_FLAG_HEAD),
               "was made without ACL_STREAM_PERSISTENT");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIBindStream, (graph_, nullptr, ACL_MODEL_STREAM_FLAG_HEAD),
               "stream is null");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIBindStream,
               (graph_, persistent, ACL_MODEL_STREAM_FLAG_DEFAULT), "aclrtActiveStream");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream, (graph_, persistent, 5), "flag 0x5 is not known");
  Bind(persistent);
  ASSERT_EQ(aclmdlRIBuildBegin(&other, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream, (other, persistent, ACL_MODEL_STREAM_FLAG_HEAD),
               "is bound to a model already");
  EXPECT_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIDestroy, (other), "is being captured");
  ASSERT_EQ(aclmdlRIBuildEnd(other, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIDestroy(other), ACL_SUCCESS);
  BuildEnd();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream, (graph_, persistent, ACL_MODEL_STREAM_FLAG_HEAD),
               "is not being built");
}

class aclmdlRIEndTaskTest : public GraphBuildFixture {};

TEST_F(aclmdlRIEndTaskTest, TaskBehindIt_IsRefusedAndTheBuildInvalid) {
  const DeviceInts ints({1, 0});
  aclrtStream stream = MakePersistent();
  BuildBegin();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIEndTask, (graph_, stream), "is not bound to");
  Bind(stream);
  ASSERT_EQ(aclmdlRIEndTask(graph_, stream), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync,
               (ints.data() + 1, 4, ints.data(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
               "aclmdlRIEndTask has ended its tasks");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRIBuildEnd, (graph_, nullptr), "the capture is invalid");
  graph_ = nullptr;
}

class aclmdlRIBuildEndTest : public GraphBuildFixture {};

TEST_F(aclmdlRIBuildEndTest, BoundStream_TakesTasksAgainWhenItIsUnbound) {
  const DeviceInts ints({1, 0});
  aclrtStream stream = MakePersistent();
  BuildBegin();
  Bind(stream);
  EXPECT_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIUnbindStream, (graph_, stream), "is being built");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIBuildEnd, (graph_, this), "reserve");
  BuildEnd();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync,
               (ints.data() + 1, 4, ints.data(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
               "takes no tasks any more; call aclmdlRIUnbindStream first");
  ASSERT_EQ(aclmdlRIUnbindStream(graph_, stream), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIUnbindStream, (graph_, stream), "is not bound to");
  Copy(ints, 0, 1, stream);
  Order(stream, stream_);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::Each(1));
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd, (graph_, nullptr), "is not being built");
}

using aclmdlRIUnbindStreamTest = aclmdlRIBuildEndTest;

TEST_F(aclmdlRIUnbindStreamTest, DestroyedGraph_HasUnboundItsStreams) {
  const DeviceInts ints({1, 0});
  aclrtStream stream = MakePersistent();
  BuildBegin();
  Bind(stream);
  BuildEnd();
  ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
  graph_ = nullptr;
  Copy(ints, 0, 1, stream);
  Order(stream, stream_);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::Each(1));
}

// --- Streams that a library adds

class rtStreamAddToModelTest : public GraphBuildFixture {
 protected:
  aclmdlRI Capturing() {
    aclmdlRICaptureStatus status{};
    aclmdlRI graph = nullptr;
    EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &graph), ACL_SUCCESS);
    return graph;
  }
};

TEST_F(rtStreamAddToModelTest, AddedStream_BeginsAndEndsWithTheReplay) {
  const DeviceInts ints({0, 0, 0, 0});
  aclrtStream library = MakeStream();
  Begin();
  ASSERT_EQ(rtStreamAddToModel(library, Capturing()), ACL_SUCCESS);
  ASSERT_EQ(rtStreamAddToModel(library, Capturing()), ACL_SUCCESS) << "again is no difference";
  Copy(ints, 0, 1, library);
  Copy(ints, 0, 2, stream_);
  End();
  for (int i = 1; i <= 30; ++i) {
    ASSERT_EQ(aclrtMemsetD32Async(ints.data(), 4, static_cast<uint32_t>(i), 1, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
    Copy(ints, 1, 3, stream_);
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    ASSERT_THAT(ints.Read(), ::testing::Each(i));
  }
}

TEST_F(rtStreamAddToModelTest, ReplayInAnotherCapture_TakesItAlong) {
  const DeviceInts ints({5, 0});
  aclrtStream library = MakeStream();
  aclmdlRI inner = nullptr;
  Begin();
  ASSERT_EQ(rtStreamAddToModel(library, Capturing()), ACL_SUCCESS);
  Copy(ints, 0, 1, library);
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &inner), ACL_SUCCESS);
  Begin();
  ASSERT_EQ(aclmdlRIExecuteAsync(inner, stream_), ACL_SUCCESS);
  End();
  ASSERT_EQ(aclmdlRIDestroy(inner), ACL_SUCCESS);
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(5));
}

TEST_F(rtStreamAddToModelTest, WrongModelsAndStreams_AreRefused) {
  aclrtStream other = MakeStream();
  aclmdlRI second = nullptr;
  Begin();
  aclmdlRI capturing = Capturing();
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, rtStreamAddToModel, (nullptr, capturing), "stm is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, rtStreamAddToModel, (other, nullptr), "captureMdl is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, rtStreamAddToModel, (capturing, capturing), "stm 0x");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, rtStreamAddToModel, (other, other), "captureMdl 0x");
  ASSERT_EQ(aclmdlRICaptureBegin(other, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, rtStreamAddToModel, (other, capturing), "is captured into");
  ASSERT_EQ(aclmdlRICaptureEnd(other, &second), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(second), ACL_SUCCESS);
  End();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, rtStreamAddToModel, (other, graph_), "is not being captured");
}

// --- The end of replays and of graphs

class aclmdlRIAbortTest : public GraphBuildFixture {};

TEST_F(aclmdlRIAbortTest, WaitingReplay_EndsAndTheNextOneRuns) {
  const DeviceInts ints({3, 0});
  aclrtEvent gate = MakeEventWith(ACL_EVENT_EXTERNAL);
  aclrtStream other = MakeStream();
  Begin();
  Order(stream_, other);
  ASSERT_EQ(aclrtStreamWaitEvent(other, gate), ACL_SUCCESS);
  Copy(ints, 0, 1, other);
  Order(other, stream_);
  End();
  EXPECT_EQ(aclmdlRIAbort(graph_), ACL_SUCCESS) << "nothing to end";
  AllowLog({"was ended by aclmdlRIAbort"});
  ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIAbort(graph_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_MODEL_ABORT_NORMAL, aclrtSynchronizeStream, (stream_),
                       "was ended by aclmdlRIAbort");
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(3, 0));
  ASSERT_EQ(aclrtRecordEvent(gate, MakeStream()), ACL_SUCCESS);
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(3));
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIAbort, (nullptr), "modelRI is null");
}

class aclmdlRIDestroyRegisterCallbackTest : public GraphBuildFixture {
 protected:
  static void Note(void* list) { static_cast<std::vector<int>*>(list)->push_back(1); }
  static void NoteOther(void* list) { static_cast<std::vector<int>*>(list)->push_back(2); }
};

TEST_F(aclmdlRIDestroyRegisterCallbackTest, Registered_AreCalledInOrderAtTheDestroy) {
  std::vector<int> calls;
  Begin();
  End();
  ASSERT_EQ(aclmdlRIDestroyRegisterCallback(graph_, NoteOther, &calls), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIDestroyRegisterCallback(graph_, Note, &calls), ACL_SUCCESS);
  EXPECT_THAT(calls, ::testing::IsEmpty());
  ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
  graph_ = nullptr;
  EXPECT_THAT(calls, ::testing::ElementsAre(2, 1));
}

TEST_F(aclmdlRIDestroyRegisterCallbackTest, Unregistered_IsNotCalled) {
  std::vector<int> calls;
  Begin();
  End();
  ASSERT_EQ(aclmdlRIDestroyRegisterCallback(graph_, Note, &calls), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIDestroyRegisterCallback(graph_, NoteOther, &calls), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIDestroyUnregisterCallback(graph_, Note), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDestroyUnregisterCallback, (graph_, Note), "is not registered");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIDestroyRegisterCallback, (graph_, nullptr, &calls), "func is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIDestroyUnregisterCallback, (graph_, nullptr), "func is null");
  ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
  graph_ = nullptr;
  EXPECT_THAT(calls, ::testing::ElementsAre(2));
}

}  // namespace
}  // namespace softhccl::conformance
