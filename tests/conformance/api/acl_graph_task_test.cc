// The tasks of a graph: what they are, what they do instead, and groups that are updated between replays and during
// one.
#include "graph_test_fixture.h"

namespace softhccl::conformance {
namespace {

// A graph of one stream or two, and the tasks of the first.
class GraphTaskFixture : public GraphFixture {
 protected:
  void EndAndList() {
    End();
    aclrtStream streams[2] = {};
    uint32_t count = 2;
    ASSERT_EQ(aclmdlRIGetStreams(graph_, streams, &count), ACL_SUCCESS);
    own_ = streams[0];
    ASSERT_EQ(aclmdlRIGetTasksByStream(own_, nullptr, &count), ACL_SUCCESS);
    tasks_.resize(count);
    ASSERT_EQ(aclmdlRIGetTasksByStream(own_, tasks_.data(), &count), ACL_SUCCESS);
  }
  aclmdlRITaskParams Params(std::size_t task) {
    aclmdlRITaskParams params;
    std::memset(&params, 0xAB, sizeof params);
    EXPECT_EQ(aclmdlRITaskGetParams(tasks_.at(task), &params), ACL_SUCCESS);
    return params;
  }
  // Launches a kernel that stores its count of calls at `out`.
  static void LaunchCount(uint32_t* out, aclrtStream stream) {
    ASSERT_EQ(aclrtLaunchKernel(Kernel("CountCalls"), 1, &out, sizeof out, stream), ACL_SUCCESS);
  }
  aclrtStream own_ = nullptr;
  std::vector<aclmdlRITask> tasks_;
};

// --- Types and parameters

class aclmdlRITaskGetParamsTest : public GraphTaskFixture {};

TEST_F(aclmdlRITaskGetParamsTest, Kernel_IsToldAsItWasLaunched) {
  uint32_t calls = 0;
  uint32_t* out = &calls;
  aclrtFuncHandle function = Kernel("CountCalls");
  aclrtLaunchKernelAttr attr{};
  attr.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attr.value.timeout = 30;
  aclrtLaunchKernelCfg cfg{&attr, 1};
  Begin();
  ASSERT_EQ(aclrtLaunchKernelV2(function, 3, &out, sizeof out, &cfg, stream_), ACL_SUCCESS);
  EndAndList();
  attr.value.timeout = 0;  // the program's own may change
  ASSERT_EQ(tasks_.size(), 1u);
  const aclmdlRITaskParams params = Params(0);
  EXPECT_EQ(params.type, ACL_MODEL_RI_TASK_KERNEL);
  EXPECT_EQ(params.taskGrp, nullptr);
  EXPECT_EQ(params.opInfoPtr, nullptr);
  const aclmdlRIKernelTaskParams& kernel = params.kernelTaskParams;
  EXPECT_EQ(kernel.funcHandle, function);
  EXPECT_EQ(kernel.numBlocks, 3u);
  EXPECT_EQ(kernel.isHostArgs, 0u);
  ASSERT_EQ(kernel.argsSize, sizeof out);
  EXPECT_EQ(std::memcmp(kernel.args, &out, sizeof out), 0);
  ASSERT_NE(kernel.cfg, nullptr);
  ASSERT_EQ(kernel.cfg->numAttrs, 1u);
  EXPECT_EQ(kernel.cfg->attrs[0].value.timeout, 30);
}

TEST_F(aclmdlRITaskGetParamsTest, Events_AreToldWithTheirFlags) {
  aclrtEvent fork = MakeEventWith(ACL_EVENT_SYNC);
  aclrtEvent gate = MakeEventWith(ACL_EVENT_EXTERNAL);
  aclrtEvent outside = MakeEventExWith(ACL_EVENT_SYNC);
  const DeviceInts ints({1, 2});
  Begin();
  ASSERT_EQ(aclrtRecordEvent(fork, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetEvent(gate, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEventWithFlag(stream_, outside, 0, ACL_EVENT_WAIT_EXTERNAL), ACL_SUCCESS);
  Copy(ints, 0, 1, stream_);
  EndAndList();
  ASSERT_EQ(tasks_.size(), 5u);
  const aclmdlRITaskType expected[] = {ACL_MODEL_RI_TASK_EVENT_RECORD, ACL_MODEL_RI_TASK_EVENT_WAIT,
                                       ACL_MODEL_RI_TASK_EVENT_RESET, ACL_MODEL_RI_TASK_EVENT_WAIT,
                                       ACL_MODEL_RI_TASK_DEFAULT};
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    aclmdlRITaskType type{};
    EXPECT_EQ(aclmdlRITaskGetType(tasks_[i], &type), ACL_SUCCESS);
    EXPECT_EQ(type, expected[i]) << i;
    EXPECT_EQ(Params(i).type, expected[i]) << i;
  }
  EXPECT_EQ(Params(0).eventRecordTaskParams.event, fork);
  EXPECT_EQ(Params(0).eventRecordTaskParams.eventFlag, ACL_EVENT_SYNC);
  EXPECT_EQ(Params(0).eventRecordTaskParams.recordFlag, ACL_EVENT_RECORD_DEFAULT);
  EXPECT_EQ(Params(1).eventWaitTaskParams.event, gate);
  EXPECT_EQ(Params(1).eventWaitTaskParams.eventFlag, ACL_EVENT_EXTERNAL);
  EXPECT_EQ(Params(2).eventResetTaskParams.event, gate);
  EXPECT_EQ(Params(3).eventWaitTaskParams.waitFlag, ACL_EVENT_WAIT_EXTERNAL);
}

TEST_F(aclmdlRITaskGetParamsTest, BadArguments_AreRefused) {
  Begin();
  ASSERT_EQ(aclrtLaunchKernel(Kernel("ReturnSeven"), 1, nullptr, 0, stream_), ACL_SUCCESS);
  EndAndList();
  aclmdlRITaskParams params{};
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRITaskGetParams, (nullptr, &params), "task is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRITaskGetParams, (tasks_[0], nullptr), "params is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRITaskGetParams, (graph_, &params), "task 0x");
}

class aclmdlRIKernelTaskGetAttributeTest : public GraphTaskFixture {};

TEST_F(aclmdlRIKernelTaskGetAttributeTest, Values_AreThoseOfTheLaunch) {
  const DeviceInts ints({1, 2});
  aclrtLaunchKernelAttr attrs[2] = {};
  attrs[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE;
  attrs[0].value.schemMode = 1;
  attrs[1].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
  attrs[1].value.timeoutUs.timeoutLow = 5000000;
  aclrtLaunchKernelCfg cfg{attrs, 2};
  Begin();
  ASSERT_EQ(aclrtLaunchKernelV2(Kernel("ReturnSeven"), 1, nullptr, 0, &cfg, stream_), ACL_SUCCESS);
  Copy(ints, 0, 1, stream_);
  EndAndList();
  aclrtLaunchKernelAttrValue value{};
  const auto ask = [&](int id) {
    return aclmdlRIKernelTaskGetAttribute(tasks_[0], FromNumber<aclrtLaunchKernelAttrId>(id), &value);
  };
  EXPECT_EQ(ask(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE), ACL_SUCCESS);
  EXPECT_EQ(value.schemMode, 1);
  EXPECT_EQ(ask(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US), ACL_SUCCESS);
  EXPECT_EQ(value.timeoutUs.timeoutLow, 5000000u);
  EXPECT_EQ(ask(ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP), ACL_SUCCESS);
  EXPECT_EQ(value.isDataDump, 0) << "it was not given";
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIKernelTaskGetAttribute,
               (tasks_[0], ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, &value), "attrId 3 cannot be asked for");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIKernelTaskGetAttribute,
               (tasks_[0], FromNumber<aclrtLaunchKernelAttrId>(77), &value), "attrId 77 is not known");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIKernelTaskGetAttribute,
               (tasks_[1], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &value), "only tasks of type 1 (kernel)");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIKernelTaskGetAttribute,
               (tasks_[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, nullptr), "attrValue is null");
}

// --- Changing tasks

class aclmdlRITaskSetParamsTest : public GraphTaskFixture {};

TEST_F(aclmdlRITaskSetParamsTest, ChangedKernel_RunsAfterTheUpdate) {
  uint32_t first = 0;
  uint32_t second = 0;
  Begin();
  LaunchCount(&first, stream_);
  EndAndList();
  Replay();
  const uint32_t before = first;
  ASSERT_GT(before, 0u);
  uint32_t* out = &second;
  aclmdlRITaskParams params = Params(0);
  params.kernelTaskParams.args = &out;
  params.kernelTaskParams.isHostArgs = 1;
  ASSERT_EQ(aclmdlRITaskSetParams(tasks_[0], &params), ACL_SUCCESS);
  out = nullptr;  // it was copied
  Replay();
  EXPECT_EQ(first, before + 1) << "not before aclmdlRIUpdate";
  ASSERT_EQ(aclmdlRIUpdate(graph_), ACL_SUCCESS);
  Replay();
  EXPECT_EQ(first, before + 1);
  EXPECT_EQ(second, before + 2);
  EXPECT_EQ(aclmdlRITaskGetParams(tasks_[0], &params), ACL_SUCCESS);
  ASSERT_EQ(params.kernelTaskParams.argsSize, sizeof out);
  EXPECT_EQ(*static_cast<uint32_t**>(params.kernelTaskParams.args), &second);
}

TEST_F(aclmdlRITaskSetParamsTest, Attributes_AreToldAgainAfterTheUpdate) {
  aclrtLaunchKernelAttr attr{};
  attr.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attr.value.timeout = 30;
  aclrtLaunchKernelCfg cfg{&attr, 1};
  Begin();
  ASSERT_EQ(aclrtLaunchKernelV2(Kernel("ReturnSeven"), 1, nullptr, 0, &cfg, stream_), ACL_SUCCESS);
  EndAndList();
  aclmdlRITaskParams params = Params(0);
  params.kernelTaskParams.numBlocks = 2;
  ASSERT_EQ(aclmdlRITaskSetParams(tasks_[0], &params), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIUpdate(graph_), ACL_SUCCESS);
  EXPECT_EQ(Params(0).kernelTaskParams.numBlocks, 2u);
  ASSERT_NE(Params(0).kernelTaskParams.cfg, nullptr);
  EXPECT_EQ(Params(0).kernelTaskParams.cfg->numAttrs, 1u);
  aclrtLaunchKernelAttrValue value{};
  ASSERT_EQ(aclmdlRIKernelTaskGetAttribute(tasks_[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &value), ACL_SUCCESS);
  EXPECT_EQ(value.timeout, 30);
}

TEST_F(aclmdlRITaskSetParamsTest, AnotherKernel_CanTakeThePlace) {
  uint32_t calls = 0;
  Begin();
  LaunchCount(&calls, stream_);
  EndAndList();
  aclmdlRITaskParams params = Params(0);
  params.kernelTaskParams.funcHandle = Kernel("ReturnSeven");
  params.kernelTaskParams.args = nullptr;
  params.kernelTaskParams.argsSize = 0;
  ASSERT_EQ(aclmdlRITaskSetParams(tasks_[0], &params), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIUpdate(graph_), ACL_SUCCESS);
  ExpectLog({"kernel launch", "ReturnSeven", "returned 7"});
  ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
}

TEST_F(aclmdlRITaskSetParamsTest, BadParameters_AreRefused) {
  const DeviceInts ints({1, 2});
  uint32_t calls = 0;
  Begin();
  LaunchCount(&calls, stream_);
  Copy(ints, 0, 1, stream_);
  EndAndList();
  aclmdlRITaskParams params = Params(0);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRITaskSetParams, (tasks_[1], &params), "params->type 1 is not that");
  params.type = ACL_MODEL_RI_TASK_DEFAULT;
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRITaskSetParams, (tasks_[1], &params),
               "only tasks of type 1 (kernel)");
  params = Params(0);
  params.kernelTaskParams.numBlocks = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRITaskSetParams, (tasks_[0], &params), "numBlocks 0");
  params = Params(0);
  params.kernelTaskParams.funcHandle = stream_;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRITaskSetParams, (tasks_[0], &params), "funcHandle 0x");
  params = Params(0);
  params.kernelTaskParams.args = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRITaskSetParams, (tasks_[0], &params), "params->args is null");
  params = Params(0);
  params.kernelTaskParams.isHostArgs = 2;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRITaskSetParams, (tasks_[0], &params), "isHostArgs 2");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRITaskSetParams, (tasks_[0], nullptr), "params is null");
}

class aclmdlRITaskDisableTest : public GraphTaskFixture {};

TEST_F(aclmdlRITaskDisableTest, Disabled_IsLeftOutAfterTheUpdate) {
  const DeviceInts ints({1, 2, 3});
  Begin();
  Copy(ints, 0, 1, stream_);
  Copy(ints, 0, 2, stream_);
  EndAndList();
  ASSERT_EQ(aclmdlRITaskDisable(tasks_[0]), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIUpdate(graph_), ACL_SUCCESS);
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(1, 2, 1));
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRITaskDisable, (nullptr), "task is null");
}

TEST_F(aclmdlRITaskDisableTest, DisabledRecord_HoldsNobodyUp) {
  const DeviceInts ints({1, 2});
  aclrtStream other = MakeStream();
  Begin();
  Order(stream_, other);
  Copy(ints, 0, 1, other);
  Order(other, stream_);
  EndAndList();
  ASSERT_EQ(aclmdlRITaskDisable(tasks_[0]), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIUpdate(graph_), ACL_SUCCESS);
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::Each(1));
}

TEST_F(aclmdlRITaskDisableTest, DisabledRecord_StillOrdersThoseWhoWaitForIt) {
  const DeviceInts ints({1, 2, 3});
  aclrtStream other = MakeStream();
  aclrtEvent gate = MakeEventWith(ACL_EVENT_EXTERNAL);
  Begin();
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, gate), ACL_SUCCESS);
  Copy(ints, 0, 1, stream_);
  Order(stream_, other);
  Copy(ints, 1, 2, other);
  Order(other, stream_);
  EndAndList();
  ASSERT_EQ(tasks_.size(), 4u);
  ASSERT_EQ(aclmdlRITaskDisable(tasks_[2]), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIUpdate(graph_), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(gate, MakeStream()), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(ints.Read(), ::testing::Each(1));
}

class aclmdlRIUpdateTest : public GraphTaskFixture {};

TEST_F(aclmdlRIUpdateTest, WhileCaptured_IsRefused) {
  aclmdlRICaptureStatus status{};
  aclmdlRI capturing = nullptr;
  Begin();
  ASSERT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &capturing), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIUpdate, (capturing), "is being captured");
  End();
  EXPECT_EQ(aclmdlRIUpdate(graph_), ACL_SUCCESS) << "nothing to do";
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIUpdate, (nullptr), "modelRI is null");
}

// --- Groups

class aclmdlRICaptureTaskGrpTest : public GraphTaskFixture {
 protected:
  // A group of a kernel launch and a copy, behind a gate if one is given.
  void CaptureGroup(uint32_t* out, const DeviceInts& ints, aclrtEvent gate = nullptr) {
    Begin();
    if (gate != nullptr) {
      ASSERT_EQ(aclrtStreamWaitEvent(stream_, gate), ACL_SUCCESS);
      ASSERT_EQ(aclrtResetEvent(gate, stream_), ACL_SUCCESS);
    }
    ASSERT_EQ(aclmdlRICaptureTaskGrpBegin(stream_), ACL_SUCCESS);
    LaunchCount(out, stream_);
    Copy(ints, 0, 1, stream_);
    ASSERT_EQ(aclmdlRICaptureTaskGrpEnd(stream_, &group_), ACL_SUCCESS);
    Copy(ints, 1, 3, stream_);
    EndAndList();
  }
  void Update(aclrtStream stream, uint32_t* out, const DeviceInts& ints, int from) {
    ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(stream, group_), ACL_SUCCESS);
    LaunchCount(out, stream);
    Copy(ints, from, 1, stream);
    ASSERT_EQ(aclmdlRICaptureTaskUpdateEnd(stream), ACL_SUCCESS);
  }
  aclrtTaskGrp group_ = nullptr;
};

TEST_F(aclmdlRICaptureTaskGrpTest, UpdatedTasks_RunInTheNextReplay) {
  uint32_t first = 0;
  uint32_t second = 0;
  const DeviceInts ints({10, 0, 20, 0});
  CaptureGroup(&first, ints);
  Replay();
  EXPECT_GT(first, 0u);
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(10, 10, 20, 10));
  const uint32_t before = first;
  aclrtStream updater = MakeStream();
  Update(updater, &second, ints, 2);
  ASSERT_EQ(aclrtSynchronizeStream(updater), ACL_SUCCESS);
  EXPECT_EQ(second, 0u) << "an update runs nothing";
  Replay();
  EXPECT_EQ(first, before);
  EXPECT_EQ(second, before + 1);
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(10, 20, 20, 20));
}

TEST_F(aclmdlRICaptureTaskGrpTest, ReplayBehindAGate_GetsTheUpdateBeforeIt) {
  uint32_t first = 0;
  uint32_t second = 0;
  const DeviceInts ints({10, 0, 20, 0});
  aclrtEvent gate = MakeEventWith(ACL_EVENT_EXTERNAL);
  CaptureGroup(&first, ints, gate);
  aclrtStream updater = MakeStream();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
    Update(updater, &second, ints, i % 2 == 0 ? 0 : 2);
    ASSERT_EQ(aclrtRecordEvent(gate, updater), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(ints.Read()[3], i % 2 == 0 ? 10 : 20);
  }
  EXPECT_EQ(first, 0u);
  EXPECT_GT(second, 0u);
}

TEST_F(aclmdlRICaptureTaskGrpTest, Handle_IsToldWithTheTasks) {
  uint32_t calls = 0;
  const DeviceInts ints({1, 0, 2, 0});
  CaptureGroup(&calls, ints);
  ASSERT_EQ(tasks_.size(), 3u);
  EXPECT_NE(group_, nullptr);
  EXPECT_EQ(Params(0).taskGrp, group_);
  EXPECT_EQ(Params(0).type, ACL_MODEL_RI_TASK_KERNEL);
  EXPECT_EQ(Params(1).taskGrp, group_);
  EXPECT_EQ(Params(2).taskGrp, nullptr);
}

TEST_F(aclmdlRICaptureTaskGrpTest, DestroyedGraph_TakesItsGroupsAlong) {
  uint32_t calls = 0;
  const DeviceInts ints({1, 0, 2, 0});
  CaptureGroup(&calls, ints);
  ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
  graph_ = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRICaptureTaskUpdateBegin, (stream_, group_), "handle 0x");
}

TEST_F(aclmdlRICaptureTaskGrpTest, WrongOrder_IsRefused) {
  aclrtTaskGrp group = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureTaskGrpBegin, (stream_), "is not captured");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureTaskGrpEnd, (stream_, &group), "is not captured");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureTaskGrpBegin, (nullptr), "stream is null");
  Begin();
  EXPECT_FAILS(ACL_ERROR_STREAM_TASK_GROUP_STATUS, aclmdlRICaptureTaskGrpEnd, (stream_, &group),
               "no group of tasks is open");
  ASSERT_EQ(aclmdlRICaptureTaskGrpBegin(stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_STREAM_TASK_GROUP_STATUS, aclmdlRICaptureTaskGrpBegin, (stream_), "groups do not nest");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureTaskGrpEnd, (stream_, nullptr), "handle is null");
  EndInvalid("a group of tasks is still open", ACL_ERROR_STREAM_TASK_GROUP_STATUS);
}

TEST_F(aclmdlRICaptureTaskGrpTest, TaskThatOrdersOthers_DoesNotFit) {
  aclrtEvent event = MakeEvent();
  Begin();
  ASSERT_EQ(aclmdlRICaptureTaskGrpBegin(stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, aclrtRecordEvent, (event, stream_),
               "a group of tasks cannot hold a 'event record'");
  EndInvalid("a group of tasks cannot hold");
}

using aclmdlRICaptureTaskUpdateTest = aclmdlRICaptureTaskGrpTest;

TEST_F(aclmdlRICaptureTaskUpdateTest, OtherTasksThanTheGroups_AreRefusedAndNothingChanges) {
  uint32_t calls = 0;
  const DeviceInts ints({1, 0, 2, 0});
  CaptureGroup(&calls, ints);
  aclrtStream updater = MakeStream();
  ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updater, group_), ACL_SUCCESS);
  Copy(ints, 2, 1, updater);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureTaskUpdateEnd, (updater),
               "the update has 1 tasks, but the group has 2");
  ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updater, group_), ACL_SUCCESS);
  Copy(ints, 2, 1, updater);
  LaunchCount(&calls, updater);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureTaskUpdateEnd, (updater),
               "task 0 of the update is a 'local copy', but that of the group is a 'kernel launch'");
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(1, 1, 2, 1));
}

TEST_F(aclmdlRICaptureTaskUpdateTest, CaptureOfAStreamThatUpdates_IsRefused) {
  uint32_t calls = 0;
  const DeviceInts ints({1, 0, 2, 0});
  CaptureGroup(&calls, ints);
  aclrtStream updater = MakeStream();
  ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updater, group_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_STREAM_TASK_GROUP_STATUS, aclmdlRICaptureBegin, (updater, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               "has an update of tasks that is open", "aclmdlRICaptureTaskUpdateEnd");
  LaunchCount(&calls, updater);
  Copy(ints, 2, 1, updater);
  EXPECT_EQ(aclmdlRICaptureTaskUpdateEnd(updater), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(updater), ACL_SUCCESS);
}

TEST_F(aclmdlRICaptureTaskUpdateTest, WrongOrder_IsRefused) {
  uint32_t calls = 0;
  const DeviceInts ints({1, 0, 2, 0});
  CaptureGroup(&calls, ints);
  aclrtStream updater = MakeStream();
  EXPECT_FAILS(ACL_ERROR_STREAM_TASK_GROUP_STATUS, aclmdlRICaptureTaskUpdateEnd, (updater), "no update that is open");
  ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updater, group_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_STREAM_TASK_GROUP_STATUS, aclmdlRICaptureTaskUpdateBegin, (updater, group_),
               "updates do not nest");
  EXPECT_FAILS(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, aclrtRecordEvent, (MakeEvent(), updater),
               "is updating tasks, and a group cannot hold a 'event record'");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureTaskUpdateEnd, (updater), "has 0 tasks");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureTaskUpdateBegin, (updater, nullptr), "handle is null");
  aclmdlRI second = nullptr;
  Begin();
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRICaptureTaskUpdateBegin, (stream_, group_),
               "update on another stream");
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &second), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(second), ACL_SUCCESS);
}

TEST_F(aclmdlRICaptureTaskUpdateTest, StreamDestroyedMeanwhile_DropsTheUpdate) {
  uint32_t calls = 0;
  const DeviceInts ints({1, 0, 2, 0});
  CaptureGroup(&calls, ints);
  aclrtStream updater = nullptr;
  ASSERT_EQ(aclrtCreateStream(&updater), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updater, group_), ACL_SUCCESS);
  LaunchCount(&calls, updater);
  ASSERT_EQ(aclrtDestroyStream(updater), ACL_SUCCESS);
  Replay();
  EXPECT_THAT(ints.Read(), ::testing::ElementsAre(1, 1, 2, 1));
}

}  // namespace
}  // namespace softhccl::conformance
