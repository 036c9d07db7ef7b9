// Devices: choosing one for the calling thread.
#include "acl/acl_rt.h"
#include "api/lifecycle.h"
#include "api/objects.h"
#include "api/report.h"

using namespace softhccl;
using namespace softhccl::api;

extern "C" aclError aclrtGetDeviceCount(uint32_t* count) {
  const base::Status status = Guard([&]() -> base::Status {
    SOFTHCCL_REQUIRE(count);
    SOFTHCCL_ASSIGN(devices, engine::Runtime::Get().devices().Count());
    *count = devices;
    return {};
  });
  if (status.code() == base::Code::kUnavailable) {
    return ReportAclAs("aclrtGetDeviceCount", status, ACL_ERROR_RT_NO_DEVICE);
  }
  return ReportAcl("aclrtGetDeviceCount", status);
}

extern "C" aclError aclrtSetDevice(int32_t deviceId) {
  return CallAcl("aclrtSetDevice", [&] {
    StartObservation();
    return engine::Runtime::Get().devices().Select(deviceId);
  });
}

extern "C" aclError aclrtResetDevice(int32_t deviceId) {
  return CallAcl("aclrtResetDevice", [&]() -> base::Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclrtResetDevice"));
    return engine::Runtime::Get().devices().Reset(deviceId);
  });
}

extern "C" aclError aclrtGetDevice(int32_t* deviceId) {
  return CallAcl("aclrtGetDevice", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(deviceId);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    *deviceId = device->id();
    return {};
  });
}
