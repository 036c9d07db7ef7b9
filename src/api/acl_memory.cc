// Memory of devices and hosts: allocating, freeing, and what an address is.
#include <cstdint>
#include <span>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "memory/memory.h"
#include "memory/registrations.h"
#include "memory/system_memory.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;
using memory::Memory;
using memory::Registrations;
using memory::Space;

namespace {

constexpr std::uint32_t kPageSize = 4096;
constexpr std::size_t kMostAttributes = 64;  // more than there are kinds; a greater number was never initialised

Status Allocate(Space space, void** out, size_t size, const char* purpose) {
  if (size == 0) return base::Fail(Code::kInvalidArgument, "size 0; ask for at least one byte");
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(data, Memory::Process().Allocate(space, device->id(), size, purpose));
  *out = data;
  return {};
}

// A configuration has no effect here, but what a card refuses is refused. Null means none.
Status CheckConfig(const aclrtMallocConfig* cfg) {
  if (cfg == nullptr || cfg->numAttrs == 0) return {};
  if (cfg->attrs == nullptr) {
    return base::Fail(Code::kInvalidParam, "cfg->attrs is null with numAttrs {}; pass cfg null for no attributes",
                      cfg->numAttrs);
  }
  if (cfg->numAttrs > kMostAttributes) {
    return base::Fail(Code::kInvalidParam, "cfg->numAttrs {} is not valid; use at most {}, and initialise cfg",
                      cfg->numAttrs, kMostAttributes);
  }
  for (std::size_t i = 0; i < cfg->numAttrs; ++i) {
    const int type = RawValue(cfg->attrs[i].attr);
    if (type >= ACL_RT_MEM_ATTR_RSV && type <= ACL_RT_MEM_ATTR_VA_FLAG) continue;
    return base::Fail(Code::kInvalidParam, "cfg->attrs[{}].attr {} is not valid; use 0 to {}", i, type,
                      static_cast<int>(ACL_RT_MEM_ATTR_VA_FLAG));
  }
  return {};
}

// The policy has no effect here, but a number that is no policy is a mistake: a page kind, and flags.
Status CheckPolicy(const aclrtMemMallocPolicy& policy) {
  constexpr unsigned kFlags =
      ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH | ACL_MEM_ACCESS_USER_SPACE_READONLY;
  const auto bits = static_cast<unsigned>(RawValue(policy));
  if ((bits & ~kFlags) <= ACL_MEM_MALLOC_HUGE1G_ONLY_P2P) return {};
  return base::Fail(Code::kInvalidArgument, "policy {:#x} is not valid; use 0 to {} with the flags {:#x}", bits,
                    static_cast<int>(ACL_MEM_MALLOC_HUGE1G_ONLY_P2P), kFlags);
}

aclError AllocateDevice(const char* call, void** devPtr, size_t size, const aclrtMemMallocPolicy& policy,
                        const aclrtMallocConfig* cfg, const char* purpose) {
  return CallAcl(call, [&]() -> Status {
    SOFTHCCL_REQUIRE(devPtr);
    SOFTHCCL_RETURN_IF_ERROR(CheckPolicy(policy));
    SOFTHCCL_RETURN_IF_ERROR(CheckConfig(cfg));
    return Allocate(Space::kDevice, devPtr, size, purpose);
  });
}

// Everything that was queued on the streams of a device is done afterwards. Their errors stay where they are.
Status WaitForDevice(engine::Device& device) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  if (exec::Stream* stream = device.default_stream())
    SOFTHCCL_RETURN_IF_ERROR(scheduler.Drain(*stream, base::kForever));
  for (exec::Stream* stream : device.Streams()) SOFTHCCL_RETURN_IF_ERROR(scheduler.Drain(*stream, base::kForever));
  return {};
}

Status FreeAfterWork(const char* call, Space space, void* address) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
  const auto allocation = Memory::Process().Resolve(address);
  if (allocation && allocation->base == address && allocation->space == space) {
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(allocation->device));
    SOFTHCCL_RETURN_IF_ERROR(WaitForDevice(*device));
  }
  return Memory::Process().Free(space, address);
}

aclrtPtrAttributes Describe(const void* address) {
  aclrtPtrAttributes attributes{};
  if (const auto allocation = Memory::Process().Resolve(address)) {
    const bool on_device = allocation->space == Space::kDevice;
    attributes.location.type = on_device ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
    attributes.location.id = on_device ? static_cast<std::uint32_t>(allocation->device) : 0;
    attributes.pageSize = kPageSize;
  } else if (Registrations::Process().Holds(address)) {
    attributes.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    attributes.pageSize = kPageSize;
  } else {
    attributes.location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  }
  return attributes;
}

bool IsDeviceMemory(const void* address) {
  const auto allocation = Memory::Process().Resolve(address);
  return allocation && allocation->space == Space::kDevice;
}

}  // namespace

extern "C" aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return AllocateDevice("aclrtMalloc", devPtr, size, policy, nullptr, "an aclrtMalloc allocation");
}

extern "C" aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return AllocateDevice("aclrtMallocAlign32", devPtr, size, policy, nullptr, "an aclrtMallocAlign32 allocation");
}

extern "C" aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return AllocateDevice("aclrtMallocCached", devPtr, size, policy, nullptr, "an aclrtMallocCached allocation");
}

extern "C" aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                       aclrtMallocConfig* cfg) {
  return AllocateDevice("aclrtMallocWithCfg", devPtr, size, policy, cfg, "an aclrtMallocWithCfg allocation");
}

extern "C" aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig* cfg) {
  return AllocateDevice("aclrtMallocForTaskScheduler", devPtr, size, policy, cfg,
                        "an aclrtMallocForTaskScheduler allocation");
}

extern "C" aclError aclrtFree(void* devPtr) {
  return CallAcl("aclrtFree", [&]() -> Status {
    SOFTHCCL_REQUIRE(devPtr);
    return Memory::Process().Free(Space::kDevice, devPtr);
  });
}

extern "C" aclError aclrtFreeWithDevSync(void* devPtr) {
  return CallAcl("aclrtFreeWithDevSync", [&]() -> Status {
    SOFTHCCL_REQUIRE(devPtr);
    return FreeAfterWork("aclrtFreeWithDevSync", Space::kDevice, devPtr);
  });
}

extern "C" aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return CallAcl("aclrtMallocHost", [&]() -> Status {
    SOFTHCCL_REQUIRE(hostPtr);
    return Allocate(Space::kHost, hostPtr, size, "an aclrtMallocHost allocation");
  });
}

extern "C" aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  return CallAcl("aclrtMallocHostWithCfg", [&]() -> Status {
    SOFTHCCL_REQUIRE(ptr);
    SOFTHCCL_RETURN_IF_ERROR(CheckConfig(cfg));
    return Allocate(Space::kHost, ptr, size, "an aclrtMallocHostWithCfg allocation");
  });
}

extern "C" aclError aclrtFreeHost(void* hostPtr) {
  return CallAcl("aclrtFreeHost", [&]() -> Status {
    SOFTHCCL_REQUIRE(hostPtr);
    return Memory::Process().Free(Space::kHost, hostPtr);
  });
}

extern "C" aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  return CallAcl("aclrtFreeHostWithDevSync", [&]() -> Status {
    SOFTHCCL_REQUIRE(hostPtr);
    return FreeAfterWork("aclrtFreeHostWithDevSync", Space::kHost, hostPtr);
  });
}

// --- What there is and what an address is ------------------------------------------------------------------------

extern "C" aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return CallAcl("aclrtGetMemInfo", [&]() -> Status {
    SOFTHCCL_REQUIRE(free);
    SOFTHCCL_REQUIRE(total);
    const int kind = RawValue(attr);
    if (kind < ACL_DDR_MEM || kind > ACL_MEM_P2P_HUGE1G) {
      return base::Fail(Code::kInvalidArgument, "attr {} is not valid; use 0 to {}", kind,
                        static_cast<int>(ACL_MEM_P2P_HUGE1G));
    }
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_ASSIGN(system, memory::ReadSystemMemory());
    *free = system.free;
    *total = system.total;
    return {};
  });
}

extern "C" aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return CallAcl("aclrtPointerGetAttributes", [&]() -> Status {
    SOFTHCCL_REQUIRE(ptr);
    SOFTHCCL_REQUIRE(attributes);
    *attributes = Describe(ptr);
    return {};
  });
}

extern "C" aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  return CallAcl("aclrtMemGetAddressRange", [&]() -> Status {
    SOFTHCCL_REQUIRE(ptr);
    SOFTHCCL_REQUIRE(pbase);
    SOFTHCCL_REQUIRE(psize);
    const auto allocation = Memory::Process().Resolve(ptr);
    if (!allocation || allocation->space != Space::kDevice) {
      return base::Fail(Code::kInvalidParam, "ptr {} does not lie in a live allocation of device memory",
                        fmt::ptr(ptr));
    }
    *pbase = allocation->base;
    *psize = allocation->size;
    return {};
  });
}

extern "C" aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult,
                                      uint32_t reserve) {
  return CallAcl("aclrtCheckMemType", [&]() -> Status {
    SOFTHCCL_REQUIRE(addrList);
    SOFTHCCL_REQUIRE(checkResult);
    constexpr std::uint32_t kKnown = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD;
    if (size == 0) return base::Fail(Code::kInvalidArgument, "size 0; give at least one address");
    if (memType == 0 || (memType & ~kKnown) != 0) {
      return base::Fail(Code::kInvalidParam, "memType 0x{:x} is not valid; use bits of 0x{:x}", memType, kKnown);
    }
    if (reserve != 0) return base::Fail(Code::kInvalidParam, "reserve {} must be 0", reserve);
    bool all = (memType & ACL_RT_MEM_TYPE_DEV) != 0;  // there is no memory of the other types
    for (void* address : std::span(addrList, size)) all = all && IsDeviceMemory(address);
    *checkResult = all ? 1 : 0;
    return {};
  });
}
