// Devices: choosing one for the calling thread, giving it back, ending its work.
#include "acl/acl_rt.h"
#include "api/lifecycle.h"
#include "api/objects.h"
#include "api/report.h"
#include "api/state_callbacks.h"
#include "engine/host_callback.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

extern "C" aclError aclrtGetDeviceCount(uint32_t* count) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(count);
    SOFTHCCL_ASSIGN(devices, Runtime::Get().devices().Count());
    *count = devices;
    return {};
  });
  if (status.code() == Code::kUnavailable) {
    return ReportAclAs("aclrtGetDeviceCount", status, ACL_ERROR_RT_NO_DEVICE);
  }
  return ReportAcl("aclrtGetDeviceCount", status);
}

extern "C" aclError aclrtSetDevice(int32_t deviceId) {
  return CallAcl("aclrtSetDevice", [&]() -> Status {
    StartObservation();
    engine::DeviceTable& devices = Runtime::Get().devices();
    SOFTHCCL_ASSIGN(device, devices.Get(deviceId));
    static_cast<void>(device);
    TellDeviceState(deviceId, ACL_RT_DEVICE_STATE_SET_PRE);
    SOFTHCCL_RETURN_IF_ERROR(devices.Select(deviceId));
    TellDeviceState(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
    return {};
  });
}

namespace {

Status Reset(const char* call, int32_t deviceId, Status (engine::Device::*release)()) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
  SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
  const bool is_set = device->retained() > 0;
  if (is_set) TellDeviceState(deviceId, ACL_RT_DEVICE_STATE_RESET_PRE);
  SOFTHCCL_RETURN_IF_ERROR((device->*release)());
  TellDeviceState(deviceId, ACL_RT_DEVICE_STATE_RESET_POST);
  return {};
}

}  // namespace

extern "C" aclError aclrtResetDevice(int32_t deviceId) {
  return CallAcl("aclrtResetDevice", [&] { return Reset("aclrtResetDevice", deviceId, &engine::Device::Release); });
}

extern "C" aclError aclrtResetDeviceForce(int32_t deviceId) {
  return CallAcl("aclrtResetDeviceForce",
                 [&] { return Reset("aclrtResetDeviceForce", deviceId, &engine::Device::ReleaseAll); });
}

extern "C" aclError aclrtGetDevice(int32_t* deviceId) {
  return CallAcl("aclrtGetDevice", [&]() -> Status {
    SOFTHCCL_REQUIRE(deviceId);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    *deviceId = device->id();
    return {};
  });
}

extern "C" aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback, void* args) {
  return CallAcl("aclrtRegDeviceStateCallback", [&]() -> Status {
    SOFTHCCL_REQUIRE(regName);
    DeviceStateCallbacks().Set(regName, callback, args);
    return {};
  });
}

extern "C" aclError aclrtSetDeviceTaskAbortCallback(const char* regName, aclrtDeviceTaskAbortCallback callback,
                                                    void* args) {
  return CallAcl("aclrtSetDeviceTaskAbortCallback", [&]() -> Status {
    SOFTHCCL_REQUIRE(regName);
    TaskAbortCallbacks().Set(regName, callback, args);
    return {};
  });
}

namespace {

Status TellTaskAbort(int32_t device, aclrtDeviceTaskAbortStage stage, std::uint32_t timeout) {
  for (const auto& entry : TaskAbortCallbacks().All()) {
    const int32_t answer = entry.function(device, stage, timeout, entry.argument);
    if (answer == 0) continue;
    return base::Fail(Code::kInternal, "a callback of aclrtSetDeviceTaskAbortCallback answered {}, expected 0", answer);
  }
  return {};
}

// The streams that programs made; those of communicators end with the waits of their kernels.
Status AbortTasks(int device, std::uint32_t timeout) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  const base::Nanos deadline = timeout == 0 ? base::kForever : scheduler.Now() + base::FromMillis(timeout);
  const Status cause = base::Fail(Code::kDeviceAborted, "the tasks of device {} were aborted", device);
  Status first;
  for (const std::uint64_t handle : StreamsOfDevice(device)) {
    exec::Stream* stream = scheduler.streams().Lookup(handle);
    if (stream == nullptr || stream->notes.context.load() == 0) continue;
    Status aborted = AbortStream(*stream, cause, deadline);
    if (first.ok()) first = std::move(aborted);
  }
  return first;
}

}  // namespace

extern "C" aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout) {
  return CallAcl("aclrtDeviceTaskAbort", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclrtDeviceTaskAbort"));
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    SOFTHCCL_RETURN_IF_ERROR(TellTaskAbort(deviceId, ACL_RT_DEVICE_TASK_ABORT_PRE, timeout));
    SOFTHCCL_RETURN_IF_ERROR(AbortTasks(device->id(), timeout));
    return TellTaskAbort(deviceId, ACL_RT_DEVICE_TASK_ABORT_POST, timeout);
  });
}

extern "C" aclError aclrtSetTsDevice(aclrtTsId tsId) {
  return CallAcl("aclrtSetTsDevice", [&]() -> Status {
    const int id = RawValue(tsId);
    if (id == ACL_TS_ID_AICORE) return {};
    if (id == ACL_TS_ID_AIVECTOR) {
      return base::Fail(Code::kNotSupported,
                        "tsId ACL_TS_ID_AIVECTOR 1 does not exist; there is one task scheduler, ACL_TS_ID_AICORE 0");
    }
    return base::Fail(Code::kInvalidArgument, "tsId {} is not valid; use ACL_TS_ID_AICORE 0", id);
  });
}
