// Graphs of stream work: capture, replay, inspection.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "comm/retired_links.h"
#include "engine/graph_capture.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Graph;
using engine::GraphCaptures;
using engine::Runtime;

namespace {

constexpr std::uint32_t kLongestName = 255;

Status CheckMode(int mode) {
  if (mode >= ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return {};
  return base::Fail(Code::kInvalidArgument, "mode {} is not valid; use 0 (global), 1 (thread local) or 2 (relaxed)",
                    mode);
}

Status RefuseDefaultStream(const exec::Stream& stream) {
  const auto context = engine::FindContext(stream.notes.context.load());
  if (!context || (*context)->default_stream() != &stream) return {};
  return base::Fail(Code::kInvalidParam, "stream: the default stream cannot be captured; use one of aclrtCreateStream");
}

Status QueueReplay(aclmdlRI modelRI, aclrtStream stream) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  return graph->Replay(*target, GraphCaptures::Get().Of(*target) != nullptr);
}

// Replays on the default stream and waits; an error of the stream is told and cleared, as a synchronise does.
Status ReplayAndWait(aclmdlRI modelRI, base::Nanos limit) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclmdlRIExecute"));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(stream, FindStream(nullptr, *device));
  SOFTHCCL_RETURN_IF_ERROR(GraphCaptures::Get().RefuseCaptured(*stream, "aclmdlRIExecute"));
  SOFTHCCL_RETURN_IF_ERROR(QueueReplay(modelRI, nullptr));
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  const base::Nanos deadline = limit == base::kForever ? base::kForever : scheduler.Now() + limit;
  SOFTHCCL_RETURN_IF_ERROR(scheduler.Drain(*stream, deadline));
  return TakeStreamError(*stream);
}

// Copies handles into an array of *count, which becomes how many there are; a null array only counts.
template <typename Entry>
Status CopyOut(const std::vector<std::uint64_t>& handles, Entry* array, uint32_t* count) {
  if (array != nullptr && *count < handles.size()) {
    return base::Fail(Code::kArrayTooSmall, "the array has room for {}, there are {}; ask with a null array first",
                      *count, handles.size());
  }
  for (std::size_t i = 0; array != nullptr && i < handles.size(); ++i) array[i] = Handle(handles[i]);
  *count = static_cast<uint32_t>(handles.size());
  return {};
}

Status WriteFile(const char* path, const std::string& text) {
  std::FILE* file = std::fopen(path, "we");
  if (file == nullptr) return base::Fail(Code::kFileError, "path {} cannot be written: {}", path, std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) == 0 && written) return {};
  return base::Fail(Code::kFileError, "path {} could not be written to the end: {}", path, std::strerror(errno));
}

}  // namespace

// --- Capture -----------------------------------------------------------------------------------------------------

extern "C" aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  return CallAcl("aclmdlRICaptureBegin", [&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_RETURN_IF_ERROR(CheckMode(RawValue(mode)));
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclmdlRICaptureBegin"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindOwnStream(stream, *device));
    SOFTHCCL_RETURN_IF_ERROR(RefuseDefaultStream(*found));
    return GraphCaptures::Get().Begin(Runtime::Get().scheduler(), *found,
                                      static_cast<engine::CaptureMode>(RawValue(mode)));
  });
}

extern "C" aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return CallAcl("aclmdlRICaptureEnd", [&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindOwnStream(stream, *device));
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().End(*found));
    *modelRI = Handle(graph);
    return {};
  });
}

extern "C" aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI) {
  return CallAcl("aclmdlRICaptureGetInfo", [&]() -> Status {
    SOFTHCCL_REQUIRE(status);
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindStream(stream, *device));
    const auto graph = GraphCaptures::Get().Of(*found);
    *modelRI = graph != nullptr ? Handle(graph->handle()) : nullptr;
    if (graph == nullptr) {
      *status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    } else {
      *status = graph->state() == Graph::State::kCapturing ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
                                                           : ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
    }
    return {};
  });
}

extern "C" aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return CallAcl("aclmdlRICaptureThreadExchangeMode", [&]() -> Status {
    SOFTHCCL_REQUIRE(mode);
    SOFTHCCL_RETURN_IF_ERROR(CheckMode(RawValue(*mode)));
    engine::CaptureMode& current = engine::CaptureModeOfThread();
    const engine::CaptureMode wanted = static_cast<engine::CaptureMode>(RawValue(*mode));
    *mode = static_cast<aclmdlRICaptureMode>(current);
    current = wanted;
    return {};
  });
}

// --- Replay ------------------------------------------------------------------------------------------------------

extern "C" aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return CallAcl("aclmdlRIExecuteAsync", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    return QueueReplay(modelRI, stream);
  });
}

extern "C" aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  return CallAcl("aclmdlRIExecute", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    if (timeout < -1 || timeout == 0) {
      return base::Fail(Code::kInvalidParam,
                        "timeout {} is not valid; use -1 for no limit or a positive number of milliseconds", timeout);
    }
    return ReplayAndWait(modelRI, timeout == -1 ? base::kForever : base::FromMillis(timeout));
  });
}

extern "C" aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return CallAcl("aclmdlRIDestroy", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclmdlRIDestroy"));
    std::vector<Graph::Callback> callbacks;
    SOFTHCCL_RETURN_IF_ERROR(GraphCaptures::Get().Destroy(Bits(modelRI), &callbacks));
    comm::FreeRetiredLinks();
    for (const auto& [function, argument] : callbacks) function(argument);
    return {};
  });
}

// --- Inspection --------------------------------------------------------------------------------------------------

extern "C" aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId) {
  return CallAcl("aclmdlRIGetId", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_REQUIRE(modelRIId);
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    *modelRIId = graph->id();
    return {};
  });
}

extern "C" aclError aclmdlRISetName(aclmdlRI modelRI, const char* name) {
  return CallAcl("aclmdlRISetName", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_REQUIRE(name);
    const std::size_t length = ::strnlen(name, kLongestName + 1);
    if (length > kLongestName) {
      return base::Fail(Code::kInvalidParam, "name is longer than the limit of {} bytes", kLongestName);
    }
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    graph->SetName(name);
    return {};
  });
}

extern "C" aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name) {
  return CallAcl("aclmdlRIGetName", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_REQUIRE(name);
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    const std::string known = graph->name();
    if (known.size() >= maxLen) {
      return base::Fail(Code::kInvalidParam, "maxLen {} is too small; the name '{}' needs {}", maxLen, known,
                        known.size() + 1);
    }
    std::memcpy(name, known.c_str(), known.size() + 1);
    return {};
  });
}

extern "C" aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams, uint32_t* numStreams) {
  return CallAcl("aclmdlRIGetStreams", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_REQUIRE(numStreams);
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    std::vector<std::uint64_t> handles;
    for (const exec::Stream* stream : graph->Streams()) handles.push_back(stream->handle);
    return CopyOut(handles, streams, numStreams);
  });
}

extern "C" aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks, uint32_t* numTasks) {
  return CallAcl("aclmdlRIGetTasksByStream", [&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_REQUIRE(numTasks);
    SOFTHCCL_ASSIGN(found, Runtime::Get().scheduler().streams().Get(Bits(stream), "stream"));
    SOFTHCCL_ASSIGN(handles, GraphCaptures::Get().TasksOf(*found));
    return CopyOut(handles, tasks, numTasks);
  });
}

extern "C" aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags) {
  return CallAcl("aclmdlRIDebugJsonPrint", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_REQUIRE(path);
    if (flags > ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE) {
      return base::Fail(Code::kInvalidParam, "flags {} is not valid; use 0 (summary) or 1 (verbose)", flags);
    }
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    return WriteFile(path, graph->Describe(flags == ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE) + "\n");
  });
}

extern "C" aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
  return CallAcl("aclmdlRIDebugPrint", [&]() -> Status {
    SOFTHCCL_REQUIRE(modelRI);
    SOFTHCCL_ASSIGN(graph, GraphCaptures::Get().Find(Bits(modelRI)));
    std::fputs((graph->Describe(false) + "\n").c_str(), stderr);  // what the caller asked to be printed
    return {};
  });
}
