// Lookups shared by the C functions.
#include "api/objects.h"

#include <utility>

#include "api/report.h"
#include "engine/host_callback.h"
#include "engine/shared_notifies.h"
#include "event/labels.h"

namespace softhccl::api {

using base::Code;
using base::Status;
using engine::Runtime;

base::Result<engine::Device*> CurrentDevice() { return Runtime::Get().devices().Current(); }

base::Result<std::shared_ptr<engine::Context>> CurrentContext() { return Runtime::Get().devices().CurrentContext(); }

base::Result<exec::Stream*> FindStream(void* stream, engine::Device& device) {
  if (stream != nullptr) return Runtime::Get().scheduler().streams().Get(Bits(stream), "stream");
  exec::Stream* default_stream = device.default_stream();
  const auto context = CurrentContext();
  if (context && (*context)->device() == device.id()) default_stream = (*context)->default_stream();
  if (default_stream == nullptr) {
    return base::FailResult(Code::kNoContext, "device {} was reset; call aclrtSetDevice first", device.id());
  }
  return default_stream;
}

base::Result<exec::Stream*> FindStreamOfContext(void* stream, engine::Device& device) {
  auto found = FindStream(stream, device);
  if (!found || stream == nullptr) return found;
  if ((*found)->device != device.id()) {
    return base::FailResult(Code::kWrongContext, "stream: {} belongs to device {}, but device {} is set on this thread",
                            event::GetLabel(event::LabelKind::kStream, (*found)->id), (*found)->device, device.id());
  }
  const auto context = CurrentContext();
  const std::uint64_t made_in = (*found)->notes.context.load();
  if (context && (*context)->device() == device.id() && made_in != 0 && made_in != (*context)->handle()) {
    return base::FailResult(Code::kWrongContext,
                            "stream: {} belongs to context 0x{:x}, but context 0x{:x} is current on this thread",
                            event::GetLabel(event::LabelKind::kStream, (*found)->id), made_in, (*context)->handle());
  }
  return found;
}

base::Result<exec::Stream*> FindOwnStream(void* stream, engine::Device& device) {
  auto found = FindStreamOfContext(stream, device);
  if (found && (*found)->notes.stopped.load()) {
    Status error = (*found)->error();
    // Not stored yet: this thread saw the stop while it happened.
    if (error.ok()) error = base::Fail(Code::kStreamAborted, "a failure on its context stopped the stream");
    return tl::unexpected(std::move(error).While("using a stream that a failure has stopped"));
  }
  return found;
}

base::Result<exec::Notify*> FindNotify(void* notify) {
  auto handle = engine::SharedNotifies::Get().Resolve(Bits(notify));
  if (!handle) return tl::unexpected(std::move(handle).error());
  return Runtime::Get().scheduler().notifies().Get(*handle, "notify");
}

base::Result<std::shared_ptr<comm::Communicator>> FindComm(void* comm) {
  if (engine::CurrentInvocation() == nullptr) {
    auto device = CurrentDevice();
    if (!device) return tl::unexpected(device.error());
  }
  Status present = RequirePointer(comm, "comm");
  if (!present.ok()) return tl::unexpected(present);
  return comm::Registry::Get().Find(Bits(comm));
}

base::Result<std::shared_ptr<comm::Communicator>> FindCommByName(const char* name, const char* argument) {
  Status present = RequirePointer(name, argument);
  if (!present.ok()) return tl::unexpected(present);
  if (const engine::Invocation* invocation = engine::CurrentInvocation()) {
    return comm::Registry::Get().FindByName(name, invocation->device);
  }
  auto device = CurrentDevice();
  if (!device) return tl::unexpected(device.error());
  return comm::Registry::Get().FindByName(name, (*device)->id());
}

Status TakeStreamError(exec::Stream& stream) {
  Status error = stream.notes.stopped.load() ? stream.error() : stream.TakeError();
  if (!error.ok() && stream.notes.stopped.load()) stream.SetError(error);  // stopped meanwhile: it stays
  // Who asked to be told of failures knows before the call that returns one.
  if (!error.ok()) Runtime::Get().failure_reports().Flush();
  return error;
}

std::vector<std::uint64_t> StreamsOfDevice(int device) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  const auto held = scheduler.HoldObjects();
  std::vector<std::uint64_t> streams;
  scheduler.streams().ForEach([&](std::uint64_t handle, const exec::Stream& stream) {
    if (stream.device == device) streams.push_back(handle);
  });
  return streams;
}

Status AbortStream(exec::Stream& stream, const Status& cause, base::Nanos deadline) {
  const std::uint64_t handle = stream.handle;
  return Runtime::Get().scheduler().AbortStream(stream, cause, deadline,
                                                [handle] { engine::HostCallbacks::Get().Cancel(handle); });
}

Status RefuseInKernel(const char* call) {
  if (engine::IsInCallback()) {
    return base::Fail(Code::kInvalidParam, "{} waits and must not be called from a callback", call);
  }
  if (engine::CurrentInvocation() == nullptr) return {};
  return base::Fail(Code::kInvalidParam, "{} waits and must not be called from a kernel ({}) (SH-A008)", call,
                    engine::CurrentInvocation()->label);
}

}  // namespace softhccl::api
