// Streams: create, destroy, synchronise, query, abort.
#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "api/state_callbacks.h"
#include "api/stream_config.h"
#include "base/clock.h"
#include "engine/graph_capture.h"
#include "engine/host_callback.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

constexpr std::uint32_t kLowestPriority = 7;  // 0 is the most urgent
// Work that such a stream gets is not the host's to wait for.
constexpr std::uint32_t kNotSynchronised = ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

aclError CreateStream(const char* call, aclrtStream* stream, std::uint32_t priority, std::uint32_t flags) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    if (priority > kLowestPriority) {
      return base::Fail(Code::kInvalidParam, "priority {} is out of range; use 0 (most urgent) to {}", priority,
                        kLowestPriority);
    }
    SOFTHCCL_ASSIGN(context, CurrentContext());
    SOFTHCCL_ASSIGN(made, context->CreateStream());
    made->notes.priority.store(priority);
    made->notes.flags.store(flags);
    *stream = Handle(made->handle);
    return {};
  });
  if (status.code() == Code::kUnavailable) return ReportAclAs(call, status, ACL_ERROR_RT_NO_STREAM_RESOURCE);
  if (status.ok()) TellStreamState(*stream, ACL_RT_STREAM_STATE_CREATE_POST);
  return ReportAcl(call, status);
}

Status DestroyStream(const char* call, aclrtStream stream, bool by_force) {
  SOFTHCCL_REQUIRE(stream);
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(found, FindStreamOfContext(stream, *device));
  SOFTHCCL_RETURN_IF_ERROR(engine::GraphCaptures::Get().RefuseCaptured(*found, call));
  auto context = engine::FindContext(found->notes.context.load());
  if (!context) return device->DestroyStream(found);  // which says what this stream is
  if (found != (*context)->default_stream()) TellStreamState(stream, ACL_RT_STREAM_STATE_DESTROY_PRE);
  if (by_force) engine::HostCallbacks::Get().Cancel(found->handle);
  SOFTHCCL_RETURN_IF_ERROR((*context)->DestroyStream(found, by_force));
  engine::HostCallbacks::Get().ForgetStream(Bits(stream));
  return {};
}

}  // namespace

extern "C" aclError aclrtCreateStream(aclrtStream* stream) { return CreateStream("aclrtCreateStream", stream, 0, 0); }

extern "C" aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return CreateStream("aclrtCreateStreamWithConfig", stream, priority, flag);
}

extern "C" aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  if (handle == nullptr) return CreateStream("aclrtCreateStreamV2", stream, 0, 0);
  const auto config = ReadStreamConfig(handle);
  if (!config) return ReportAcl("aclrtCreateStreamV2", config.error());
  return CreateStream("aclrtCreateStreamV2", stream, config->priority, static_cast<std::uint32_t>(config->flag));
}

extern "C" aclError aclrtDestroyStream(aclrtStream stream) {
  return CallAcl("aclrtDestroyStream", [&] { return DestroyStream("aclrtDestroyStream", stream, false); });
}

extern "C" aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return CallAcl("aclrtDestroyStreamForce", [&] { return DestroyStream("aclrtDestroyStreamForce", stream, true); });
}

namespace {

// The stream's stored error, which is cleared by telling it unless it is for good.
aclError Synchronise(const char* call, aclrtStream stream, base::Nanos limit) {
  bool told = false;
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindStream(stream, *device));
    if ((found->notes.flags.load() & kNotSynchronised) != 0) return {};
    SOFTHCCL_RETURN_IF_ERROR(engine::GraphCaptures::Get().RefuseCaptured(*found, call));
    exec::Scheduler& scheduler = Runtime::Get().scheduler();
    const base::Nanos deadline = limit == base::kForever ? base::kForever : scheduler.Now() + limit;
    SOFTHCCL_RETURN_IF_ERROR(scheduler.Drain(*found, deadline));
    told = true;
    return TakeStreamError(*found);
  });
  return told ? ReportKnownAcl(call, status) : ReportAcl(call, status);
}

Status CheckTimeout(int32_t timeout) {
  if (timeout == -1 || timeout > 0) return {};
  return base::Fail(Code::kInvalidParam,
                    "timeout {} is not valid; use -1 for no limit or a positive number of milliseconds", timeout);
}

base::Nanos FromTimeout(int32_t timeout) { return timeout == -1 ? base::kForever : base::FromMillis(timeout); }

}  // namespace

extern "C" aclError aclrtSynchronizeStream(aclrtStream stream) {
  return Synchronise("aclrtSynchronizeStream", stream, base::kForever);
}

extern "C" aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  const Status valid = CheckTimeout(timeout);
  if (!valid.ok()) return ReportAcl("aclrtSynchronizeStreamWithTimeout", valid);
  return Synchronise("aclrtSynchronizeStreamWithTimeout", stream, FromTimeout(timeout));
}

namespace {

Status RefuseCapturedStreams(const char* call, const std::vector<std::uint64_t>& streams) {
  for (const std::uint64_t handle : streams) {
    const exec::Stream* stream = Runtime::Get().scheduler().streams().Lookup(handle);
    if (stream == nullptr || (stream->notes.flags.load() & kNotSynchronised) != 0) continue;
    SOFTHCCL_RETURN_IF_ERROR(engine::GraphCaptures::Get().RefuseCaptured(*stream, call));
  }
  return {};
}

// All streams of the device, those of communicators too. The first error is told, the others are cleared with it.
aclError SynchroniseDevice(const char* call, base::Nanos limit) {
  bool told = false;
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    exec::Scheduler& scheduler = Runtime::Get().scheduler();
    const base::Nanos deadline = limit == base::kForever ? base::kForever : scheduler.Now() + limit;
    const std::vector<std::uint64_t> streams = StreamsOfDevice(device->id());
    SOFTHCCL_RETURN_IF_ERROR(RefuseCapturedStreams(call, streams));
    for (const std::uint64_t handle : streams) {
      exec::Stream* stream = scheduler.streams().Lookup(handle);
      if (stream == nullptr || (stream->notes.flags.load() & kNotSynchronised) != 0) continue;
      SOFTHCCL_RETURN_IF_ERROR(scheduler.Drain(*stream, deadline));
    }
    told = true;
    Status first;
    for (const std::uint64_t handle : streams) {
      exec::Stream* stream = scheduler.streams().Lookup(handle);
      if (stream == nullptr || stream->notes.context.load() == 0) continue;
      Status error = TakeStreamError(*stream);
      if (first.ok()) first = std::move(error);
    }
    return first;
  });
  return told ? ReportKnownAcl(call, status) : ReportAcl(call, status);
}

}  // namespace

extern "C" aclError aclrtSynchronizeDevice() { return SynchroniseDevice("aclrtSynchronizeDevice", base::kForever); }

extern "C" aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  const Status valid = CheckTimeout(timeout);
  if (!valid.ok()) return ReportAcl("aclrtSynchronizeDeviceWithTimeout", valid);
  return SynchroniseDevice("aclrtSynchronizeDeviceWithTimeout", FromTimeout(timeout));
}

extern "C" aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return CallAcl("aclrtStreamQuery", [&]() -> Status {
    SOFTHCCL_REQUIRE(status);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindStream(stream, *device));
    const bool is_done = found->completed() >= found->submitted();
    *status = is_done ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return {};
  });
}

namespace {

// Errors: kSyncTimeout when a kernel of the stream does not end.
Status Abort(const char* call, aclrtStream stream) {
  SOFTHCCL_REQUIRE(stream);
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(found, FindStreamOfContext(stream, *device));
  return AbortStream(*found, base::Fail(Code::kStreamAborted, "the stream was aborted by {}", call), base::kForever);
}

}  // namespace

extern "C" aclError aclrtStreamAbort(aclrtStream stream) {
  return CallAcl("aclrtStreamAbort", [&] { return Abort("aclrtStreamAbort", stream); });
}

extern "C" aclError aclrtStreamStop(aclrtStream stream) {
  return CallAcl("aclrtStreamStop", [&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclrtStreamStop"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindStreamOfContext(stream, *device));
    SOFTHCCL_RETURN_IF_ERROR(engine::GraphCaptures::Get().RefuseCaptured(*found, "aclrtStreamStop"));
    SOFTHCCL_ASSIGN(default_stream, FindStream(nullptr, *device));
    if (found == default_stream) {
      return base::Fail(Code::kInvalidParam, "stream: the default stream cannot be stopped");
    }
    Runtime::Get().scheduler().HaltStream(*found);
    return {};
  });
}
