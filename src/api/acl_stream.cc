// Streams: create, destroy, synchronise.
#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "base/clock.h"

using namespace softhccl;
using namespace softhccl::api;
using engine::Runtime;

extern "C" aclError aclrtCreateStream(aclrtStream* stream) {
  const base::Status status = Guard([&]() -> base::Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(made, device->CreateStream());
    *stream = Handle(made->handle);
    return {};
  });
  if (status.code() == base::Code::kUnavailable) {
    return ReportAclAs("aclrtCreateStream", status, ACL_ERROR_RT_NO_STREAM_RESOURCE);
  }
  return ReportAcl("aclrtCreateStream", status);
}

extern "C" aclError aclrtDestroyStream(aclrtStream stream) {
  return CallAcl("aclrtDestroyStream", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclrtDestroyStream"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindOwnStream(stream, *device));
    return device->DestroyStream(found);
  });
}

namespace {

// The stream's stored error, which is cleared by telling it.
aclError Synchronise(const char* call, aclrtStream stream, base::Nanos limit) {
  bool told = false;
  const base::Status status = Guard([&]() -> base::Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindStream(stream, *device));
    exec::Scheduler& scheduler = Runtime::Get().scheduler();
    const base::Nanos deadline = limit == base::kForever ? base::kForever : scheduler.Now() + limit;
    SOFTHCCL_RETURN_IF_ERROR(scheduler.Drain(*found, deadline));
    told = true;
    return found->TakeError();
  });
  return told ? ReportKnownAcl(call, status) : ReportAcl(call, status);
}

}  // namespace

extern "C" aclError aclrtSynchronizeStream(aclrtStream stream) {
  return Synchronise("aclrtSynchronizeStream", stream, base::kForever);
}

extern "C" aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  if (timeout < -1 || timeout == 0) {
    return ReportAcl(
        "aclrtSynchronizeStreamWithTimeout",
        base::Fail(base::Code::kInvalidParam,
                   "timeout {} is not valid; use -1 for no limit or a positive number of milliseconds", timeout));
  }
  return Synchronise("aclrtSynchronizeStreamWithTimeout", stream,
                     timeout == -1 ? base::kForever : base::FromMillis(timeout));
}
