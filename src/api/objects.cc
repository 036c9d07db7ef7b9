// Lookups shared by the C functions.
#include "api/objects.h"

#include "api/report.h"
#include "event/labels.h"

namespace softhccl::api {

using base::Code;
using base::Status;
using engine::Runtime;

base::Result<engine::Device*> CurrentDevice() { return Runtime::Get().devices().Current(); }

base::Result<exec::Stream*> FindStream(void* stream, engine::Device& device) {
  if (stream != nullptr) return Runtime::Get().scheduler().streams().Get(Bits(stream), "stream");
  exec::Stream* default_stream = device.default_stream();
  if (default_stream == nullptr) {
    return base::FailResult(Code::kNoContext, "device {} was reset; call aclrtSetDevice first", device.id());
  }
  return default_stream;
}

base::Result<exec::Stream*> FindOwnStream(void* stream, engine::Device& device) {
  auto found = FindStream(stream, device);
  if (found && (*found)->device != device.id()) {
    return base::FailResult(Code::kWrongContext, "stream: {} belongs to device {}, but device {} is set on this thread",
                            event::GetLabel(event::LabelKind::kStream, (*found)->id), (*found)->device, device.id());
  }
  return found;
}

base::Result<exec::Notify*> FindNotify(void* notify) {
  return Runtime::Get().scheduler().notifies().Get(Bits(notify), "notify");
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

Status RefuseInKernel(const char* call) {
  if (engine::CurrentInvocation() == nullptr) return {};
  return base::Fail(Code::kInvalidParam, "{} waits and must not be called from a kernel ({})", call,
                    engine::CurrentInvocation()->label);
}

}  // namespace softhccl::api
