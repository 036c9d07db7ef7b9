// libruntime.so: what operator libraries call of the layer below ACL.
#include "runtime/rt_external.h"
#include "api/exception_listeners.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/graph_capture.h"
#include "exec/scheduler.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

extern "C" rtError_t rtGetTaskIdAndStreamID(uint32_t* taskId, uint32_t* streamId) {
  return CallAcl("rtGetTaskIdAndStreamID", [&]() -> Status {
    SOFTHCCL_REQUIRE(taskId);
    SOFTHCCL_REQUIRE(streamId);
    const exec::TaskId last = exec::Scheduler::LastTaskOfThread();
    if (last.number == 0) return base::Fail(Code::kNotFound, "this thread has queued no task yet");
    *taskId = static_cast<uint32_t>(last.number);
    *streamId = last.stream;
    return {};
  });
}

extern "C" rtError_t rtStreamAddToModel(rtStream_t stm, rtModel_t captureMdl) {
  return CallAcl("rtStreamAddToModel", [&]() -> Status {
    SOFTHCCL_REQUIRE(stm);
    SOFTHCCL_REQUIRE(captureMdl);
    SOFTHCCL_ASSIGN(found, engine::Runtime::Get().scheduler().streams().Get(Bits(stm), "stm"));
    return engine::GraphCaptures::Get().AddTo(Bits(captureMdl), *found);
  });
}

extern "C" rtError_t rtRegTaskFailCallbackByModule(const char* moduleName, rtTaskFailCallback callback) {
  return CallAcl("rtRegTaskFailCallbackByModule", [&]() -> Status {
    SOFTHCCL_REQUIRE(moduleName);
    SetModuleCallback(moduleName, callback);
    return {};
  });
}
