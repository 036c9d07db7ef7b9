// Ordinary host memory that is registered for devices, and how a device addresses host memory.
#include <cstdint>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "memory/memory.h"
#include "memory/registrations.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using memory::Registrations;

namespace {

constexpr int kHighestHacType = ACL_RT_HAC_TYPE_CCU;

Status Register(void* ptr, uint64_t size) {
  if (size == 0) return base::Fail(Code::kInvalidArgument, "size 0; register at least one byte");
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  return Registrations::Process().Add(ptr, size);
}

Status CheckFlag(uint32_t flag) {
  constexpr std::uint32_t kKnown = ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
  if ((flag & ACL_HOST_REG_IOMEMORY) != 0) {
    return base::Fail(Code::kNotSupported, "flag 0x{:x}: ACL_HOST_REG_IOMEMORY is not supported", flag);
  }
  if (flag != 0 && (flag & ~kKnown) == 0) return {};
  return base::Fail(Code::kInvalidParam, "flag 0x{:x} is not valid; use bits of 0x{:x}", flag, kKnown);
}

}  // namespace

extern "C" aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return CallAcl("aclrtHostRegister", [&]() -> Status {
    SOFTHCCL_REQUIRE(ptr);
    SOFTHCCL_REQUIRE(devPtr);
    const int raw = RawValue(type);
    if (raw == ACL_HOST_REGISTER_IOMEMORY) {
      return base::Fail(Code::kNotSupported, "type ACL_HOST_REGISTER_IOMEMORY is not supported");
    }
    if (raw != ACL_HOST_REGISTER_MAPPED && raw != ACL_HOST_REGISTER_READONLY) {
      return base::Fail(Code::kInvalidArgument, "type {} is not valid; use ACL_HOST_REGISTER_MAPPED 0", raw);
    }
    SOFTHCCL_RETURN_IF_ERROR(Register(ptr, size));
    *devPtr = ptr;
    return {};
  });
}

extern "C" aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return CallAcl("aclrtHostRegisterV2", [&]() -> Status {
    SOFTHCCL_REQUIRE(ptr);
    SOFTHCCL_RETURN_IF_ERROR(CheckFlag(flag));
    return Register(ptr, size);
  });
}

extern "C" aclError aclrtHostUnregister(void* ptr) {
  return CallAcl("aclrtHostUnregister", [&]() -> Status {
    SOFTHCCL_REQUIRE(ptr);
    return Registrations::Process().Remove(ptr);
  });
}

extern "C" aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  return CallAcl("aclrtHostGetDevicePointer", [&]() -> Status {
    SOFTHCCL_REQUIRE(pHost);
    SOFTHCCL_REQUIRE(pDevice);
    if (flag != 0) return base::Fail(Code::kInvalidParam, "flag {} must be 0", flag);
    const auto own = memory::Memory::Process().Resolve(pHost);
    const bool is_host = own && own->space == memory::Space::kHost;
    if (!is_host && !Registrations::Process().Holds(pHost)) {
      return base::Fail(Code::kInvalidParam,
                        "pHost {} is not host memory that devices know; register it with aclrtHostRegister",
                        fmt::ptr(pHost));
    }
    *pDevice = pHost;
    return {};
  });
}

extern "C" aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
                                                aclrtHostMemMapCapability* capabilities) {
  return CallAcl("aclrtHostMemMapCapabilities", [&]() -> Status {
    SOFTHCCL_REQUIRE(capabilities);
    const int raw = RawValue(hacType);
    if (raw < 0 || raw > kHighestHacType) {
      return base::Fail(Code::kInvalidArgument, "hacType {} is not valid; use 0 to {}", raw, kHighestHacType);
    }
    SOFTHCCL_ASSIGN(device, engine::Runtime::Get().devices().Get(static_cast<int>(deviceId)));
    static_cast<void>(device);
    *capabilities = ACL_RT_HOST_MEM_MAP_SUPPORTED;
    return {};
  });
}
