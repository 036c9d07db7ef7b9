// The tasks of graphs: what they are, what they do instead, and groups of them that are updated as one.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "acl/acl_rt.h"
#include "api/launch.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/graph_capture.h"
#include "engine/ops/classes.h"
#include "engine/ops/clone.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::EventUse;
using engine::GraphCaptures;
using engine::Invocation;
using engine::Runtime;

namespace {

aclmdlRITaskType TypeOf(const exec::Op& op) {
  if (op.op_class == &engine::ops::kKernelLaunch) return ACL_MODEL_RI_TASK_KERNEL;
  if (op.op_class == &engine::ops::kEventRecord) return ACL_MODEL_RI_TASK_EVENT_RECORD;
  if (op.op_class == &engine::ops::kEventWait) return ACL_MODEL_RI_TASK_EVENT_WAIT;
  if (op.op_class == &engine::ops::kEventReset) return ACL_MODEL_RI_TASK_EVENT_RESET;
  if (op.op_class == &engine::ops::kValueWrite) return ACL_MODEL_RI_TASK_VALUE_WRITE;
  if (op.op_class == &engine::ops::kValueWait) return ACL_MODEL_RI_TASK_VALUE_WAIT;
  return ACL_MODEL_RI_TASK_DEFAULT;
}

aclmdlRITaskType TypeOf(const GraphCaptures::FoundTask& found) {
  aclmdlRITaskType type{};
  found.graph->LookAt(*found.task, [&](const exec::Op& op) { type = TypeOf(op); });
  return type;
}

LaunchAttributes* AttributesOf(const Invocation& launch) { return static_cast<LaunchAttributes*>(launch.config.get()); }

void DescribeKernel(const Invocation& launch, aclmdlRIKernelTaskParams* params) {
  params->funcHandle = Handle(launch.info->handle);
  params->cfg = AttributesOf(launch) != nullptr ? &AttributesOf(launch)->cfg : nullptr;
  const bool is_in_place = !launch.arguments_in_place.empty();
  params->args = is_in_place ? launch.arguments_in_place.data() : const_cast<std::byte*>(launch.arguments.data());
  params->argsSize = is_in_place ? launch.arguments_in_place.size() : launch.arguments.size();
  params->numBlocks = launch.blocks;
}

// The parameters of records, waits and resets are alike but for the name of the last member.
template <typename Params>
void DescribeEvent(const engine::ops::EventTask& task, Params* params, uint32_t Params::* use) {
  if (task.event == nullptr) return;  // the fork or join of a graph that this one replays
  params->event = Handle(task.event->handle);
  params->eventFlag = task.event->flags;
  params->*use = task.use == EventUse::kExternal ? ACL_EVENT_RECORD_EXTERNAL : ACL_EVENT_RECORD_DEFAULT;
}

void Describe(const exec::Op& op, aclmdlRITaskParams* params) {
  params->type = TypeOf(op);
  switch (params->type) {
    case ACL_MODEL_RI_TASK_KERNEL: return DescribeKernel(engine::ops::LaunchOf(op), &params->kernelTaskParams);
    case ACL_MODEL_RI_TASK_EVENT_RECORD:
      return DescribeEvent(engine::ops::EventTaskOf(op), &params->eventRecordTaskParams,
                           &aclmdlRIEventRecordTaskParams::recordFlag);
    case ACL_MODEL_RI_TASK_EVENT_WAIT:
      return DescribeEvent(engine::ops::EventTaskOf(op), &params->eventWaitTaskParams,
                           &aclmdlRIEventWaitTaskParams::waitFlag);
    case ACL_MODEL_RI_TASK_EVENT_RESET:
      return DescribeEvent(engine::ops::EventTaskOf(op), &params->eventResetTaskParams,
                           &aclmdlRIEventResetTaskParams::resetFlag);
    case ACL_MODEL_RI_TASK_VALUE_WRITE: params->valueWriteTaskParams = {Handle(op.arg[0]), op.arg[1]}; return;
    case ACL_MODEL_RI_TASK_VALUE_WAIT:
      params->valueWaitTaskParams = {Handle(op.arg[0]), op.arg[1], static_cast<uint32_t>(op.arg[2])};
      return;
    default: return;
  }
}

// The launch that `params` describe, for the device of the task.
base::Result<exec::Op> MakeLaunch(const aclmdlRIKernelTaskParams& params, int device) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLaunch(params.funcHandle, params.numBlocks));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckArgumentBytes(params.args, params.argsSize, "params->args"));
  if (params.isHostArgs > 1) {
    return base::FailResult(Code::kInvalidParam, "params->isHostArgs {} is not valid; use 0 (device) or 1 (host)",
                            params.isHostArgs);
  }
  auto info = Runtime::Get().kernels().FindFunction(Bits(params.funcHandle));
  if (!info) return tl::unexpected(info.error());
  auto config = ReadConfig(params.cfg);
  if (!config) return tl::unexpected(config.error());
  config->attributes = KeepAttributes(params.cfg);  // the task is asked for them whether anything is captured or not
  return MakeLaunch(device, *info, params.numBlocks, *config, {params.args, params.argsSize, params.isHostArgs == 1});
}

Status SetParams(const GraphCaptures::FoundTask& found, const aclmdlRITaskParams& params) {
  const int wanted = RawValue(params.type);
  const aclmdlRITaskType type = TypeOf(found);
  if (wanted != static_cast<int>(type)) {
    return base::Fail(Code::kInvalidParam, "params->type {} is not that of the task, {}; a task keeps its type", wanted,
                      static_cast<int>(type));
  }
  if (type != ACL_MODEL_RI_TASK_KERNEL) {
    return base::Fail(Code::kNotSupported, "params->type {}: only tasks of type 1 (kernel) can be set", wanted);
  }
  int device = -1;
  found.graph->LookAt(*found.task, [&](const exec::Op& op) { device = engine::ops::LaunchOf(op).device; });
  SOFTHCCL_ASSIGN(op, MakeLaunch(params.kernelTaskParams, device));
  found.graph->StageReplacement(*found.task, op);
  return {};
}

constexpr int kNotAsked[] = {ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET,
                             ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH};

Status CheckAttribute(int id) {
  if (std::find(std::begin(kNotAsked), std::end(kNotAsked), id) != std::end(kNotAsked)) {
    return base::Fail(Code::kNotSupported, "attrId {} cannot be asked for", id);
  }
  if (id >= ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE && id <= ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING) return {};
  return base::Fail(Code::kInvalidParam, "attrId {} is not known; use one of ACL_RT_LAUNCH_KERNEL_ATTR_...", id);
}

// The last of the launch's attributes with this id, as at the launch; zero when it was not given.
aclrtLaunchKernelAttrValue AttributeOf(const Invocation& launch, int id) {
  aclrtLaunchKernelAttrValue value{};
  if (const LaunchAttributes* attributes = AttributesOf(launch)) {
    for (const aclrtLaunchKernelAttr& attr : attributes->list) {
      if (RawValue(attr.id) == id) value = attr.value;
    }
  }
  return value;
}

base::Result<exec::Stream*> FindUserStream(aclrtStream stream) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(stream, "stream"));
  auto device = CurrentDevice();
  if (!device) return tl::unexpected(device.error());
  return FindOwnStream(stream, **device);
}

}  // namespace

// --- One task ------------------------------------------------------------------------------------------------------

extern "C" aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type) {
  return CallAcl("aclmdlRITaskGetType", [&]() -> Status {
    SOFTHCCL_REQUIRE(task);
    SOFTHCCL_REQUIRE(type);
    SOFTHCCL_ASSIGN(found, GraphCaptures::Get().FindTask(Bits(task)));
    *type = TypeOf(found);
    return {};
  });
}

extern "C" aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id) {
  return CallAcl("aclmdlRITaskGetSeqId", [&]() -> Status {
    SOFTHCCL_REQUIRE(task);
    SOFTHCCL_REQUIRE(id);
    SOFTHCCL_ASSIGN(found, GraphCaptures::Get().FindTask(Bits(task)));
    *id = found.task->number;
    return {};
  });
}

extern "C" aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams* params) {
  return CallAcl("aclmdlRITaskGetParams", [&]() -> Status {
    SOFTHCCL_REQUIRE(task);
    SOFTHCCL_REQUIRE(params);
    SOFTHCCL_ASSIGN(found, GraphCaptures::Get().FindTask(Bits(task)));
    std::memset(params, 0, sizeof *params);
    if (found.task->group != nullptr) params->taskGrp = Handle(found.task->group->handle);
    found.graph->LookAt(*found.task, [&](const exec::Op& op) { Describe(op, params); });
    return {};
  });
}

extern "C" aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams* params) {
  return CallAcl("aclmdlRITaskSetParams", [&]() -> Status {
    SOFTHCCL_REQUIRE(task);
    SOFTHCCL_REQUIRE(params);
    SOFTHCCL_ASSIGN(found, GraphCaptures::Get().FindTask(Bits(task)));
    return SetParams(found, *params);
  });
}

extern "C" aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task, aclrtLaunchKernelAttrId attrId,
                                                   aclrtLaunchKernelAttrValue* attrValue) {
  return CallAcl("aclmdlRIKernelTaskGetAttribute", [&]() -> Status {
    SOFTHCCL_REQUIRE(task);
    SOFTHCCL_REQUIRE(attrValue);
    SOFTHCCL_RETURN_IF_ERROR(CheckAttribute(RawValue(attrId)));
    SOFTHCCL_ASSIGN(found, GraphCaptures::Get().FindTask(Bits(task)));
    if (TypeOf(found) != ACL_MODEL_RI_TASK_KERNEL) {
      return base::Fail(Code::kInvalidParam, "task: it is of type {}; only tasks of type 1 (kernel) have attributes",
                        static_cast<int>(TypeOf(found)));
    }
    found.graph->LookAt(*found.task, [&](const exec::Op& op) {
      *attrValue = AttributeOf(engine::ops::LaunchOf(op), RawValue(attrId));
    });
    return {};
  });
}

extern "C" aclError aclmdlRITaskDisable(aclmdlRITask task) {
  return CallAcl("aclmdlRITaskDisable", [&]() -> Status {
    SOFTHCCL_REQUIRE(task);
    SOFTHCCL_ASSIGN(found, GraphCaptures::Get().FindTask(Bits(task)));
    found.graph->StageDisabling(*found.task);
    return {};
  });
}

extern "C" aclError aclmdlRIUpdate(aclmdlRI modelRI) {
  return CallAcl("aclmdlRIUpdate", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    if (graph->state() != engine::Graph::State::kComplete) {
      return base::Fail(Code::kGraphCaptured, "modelRI: {} is being captured; end the capture first", graph->name());
    }
    graph->Update();
    return {};
  });
}

// --- Groups of tasks -----------------------------------------------------------------------------------------------

extern "C" aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream) {
  return CallAcl("aclmdlRICaptureTaskGrpBegin", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindUserStream(stream));
    return GraphCaptures::Get().BeginGroup(*found);
  });
}

extern "C" aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle) {
  return CallAcl("aclmdlRICaptureTaskGrpEnd", [&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_ASSIGN(found, FindUserStream(stream));
    SOFTHCCL_ASSIGN(group, GraphCaptures::Get().EndGroup(*found));
    *handle = Handle(group);
    return {};
  });
}

extern "C" aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle) {
  return CallAcl("aclmdlRICaptureTaskUpdateBegin", [&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclmdlRICaptureTaskUpdateBegin"));
    SOFTHCCL_ASSIGN(found, FindUserStream(stream));
    return GraphCaptures::Get().BeginUpdate(*found, Bits(handle));
  });
}

extern "C" aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream) {
  return CallAcl("aclmdlRICaptureTaskUpdateEnd", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclmdlRICaptureTaskUpdateEnd"));
    SOFTHCCL_ASSIGN(found, FindUserStream(stream));
    return GraphCaptures::Get().EndUpdate(Runtime::Get().scheduler(), *found);
  });
}
