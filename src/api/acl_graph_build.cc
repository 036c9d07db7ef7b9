// Graphs that a program builds from streams, the end of replays, and what is called when a graph is destroyed.
#include <cstdint>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/graph_capture.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::GraphCaptures;
using engine::Runtime;

namespace {

// A stream that may be bound: its work is not the host's to wait for.
base::Result<exec::Stream*> FindPersistentStream(aclrtStream stream) {
  auto device = CurrentDevice();
  if (!device) return tl::unexpected(device.error());
  auto found = FindOwnStream(stream, **device);
  if (!found || ((*found)->notes.flags.load() & ACL_STREAM_PERSISTENT) != 0) return found;
  return base::FailResult(
      Code::kInvalidParam,
      "stream: it was made without ACL_STREAM_PERSISTENT; make it with aclrtCreateStreamWithConfig");
}

Status CheckStreamFlag(std::uint32_t flag) {
  if (flag == ACL_MODEL_STREAM_FLAG_HEAD) return {};
  if (flag == ACL_MODEL_STREAM_FLAG_DEFAULT) {
    return base::Fail(Code::kNotSupported,
                      "flag 0x{:x}: such a stream begins when aclrtActiveStream is called, which this library does not "
                      "implement; use ACL_MODEL_STREAM_FLAG_HEAD 0",
                      flag);
  }
  return base::Fail(Code::kInvalidParam, "flag 0x{:x} is not known; use ACL_MODEL_STREAM_FLAG_HEAD 0", flag);
}

}  // namespace

extern "C" aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t flag) {
  return CallAcl("aclmdlRIBuildBegin", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    if (flag != 0) return base::Fail(Code::kInvalidParam, "flag {} is not valid; it is reserved, use 0", flag);
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclmdlRIBuildBegin"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().BeginBuild(Runtime::Get().scheduler(), device->id()));
    *modelRI = Handle(graph);
    return {};
  });
}

extern "C" aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag) {
  return CallAcl("aclmdlRIBindStream", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_RETURN_IF_ERROR(CheckStreamFlag(flag));
    SOFTHCCL_ASSIGN(found, FindPersistentStream(stream));
    return GraphCaptures::Get().Bind(Bits(modelRI), *found);
  });
}

extern "C" aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream) {
  return CallAcl("aclmdlRIEndTask", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_ASSIGN(found, FindPersistentStream(stream));
    return GraphCaptures::Get().EndTasks(Bits(modelRI), *found);
  });
}

extern "C" aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void* reserve) {
  return CallAcl("aclmdlRIBuildEnd", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    if (reserve != nullptr) return base::Fail(Code::kInvalidArgument, "reserve {} must be null", fmt::ptr(reserve));
    return GraphCaptures::Get().EndBuild(Bits(modelRI));
  });
}

extern "C" aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream) {
  return CallAcl("aclmdlRIUnbindStream", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_ASSIGN(found, FindPersistentStream(stream));
    return GraphCaptures::Get().Unbind(Bits(modelRI), *found);
  });
}

extern "C" aclError aclmdlRIAbort(aclmdlRI modelRI) {
  return CallAcl("aclmdlRIAbort", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclmdlRIAbort"));
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    const Status cause = base::Fail(Code::kGraphAborted, "the replay of {} was ended by aclmdlRIAbort", graph->name());
    for (const std::uint64_t handle : graph->BusyStreams()) {
      exec::Stream* stream = Runtime::Get().scheduler().streams().Lookup(handle);
      if (stream != nullptr) SOFTHCCL_RETURN_IF_ERROR(AbortStream(*stream, cause, base::kForever));
    }
    return {};
  });
}

extern "C" aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void* userData) {
  return CallAcl("aclmdlRIDestroyRegisterCallback", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(reinterpret_cast<const void*>(func), "func"));
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    graph->AddDestroyCallback({func, userData});
    return {};
  });
}

extern "C" aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func) {
  return CallAcl("aclmdlRIDestroyUnregisterCallback", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(reinterpret_cast<const void*>(func), "func"));
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    return graph->RemoveDestroyCallback(func);
  });
}
