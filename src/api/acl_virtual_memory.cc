// Virtual memory: physical memory, reserved addresses, mappings, and sharing of physical memory.
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/pid_list.h"
#include "api/report.h"
#include "memory/virtual_memory.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;
using memory::PhysicalProperties;
using memory::Space;
using memory::VirtualMemory;

namespace {

constexpr std::size_t kLargeGranularity = std::size_t{1} << 30;
constexpr std::size_t kMostAccessors = 4096;  // more than there can be; a greater number was never initialised

// -1: the host. Errors: kInvalidParam naming the argument.
base::Result<int> ReadLocation(const aclrtMemLocation& location, const char* argument) {
  const int type = RawValue(location.type);
  if (type == ACL_MEM_LOCATION_TYPE_HOST) return -1;
  if (type != ACL_MEM_LOCATION_TYPE_DEVICE) {
    return base::FailResult(Code::kInvalidParam, "{}.type {} is not valid; use 0 (host) or 1 (device)", argument, type);
  }
  auto device = Runtime::Get().devices().Get(static_cast<int>(location.id));
  if (!device) {
    return base::FailResult(Code::kInvalidParam, "{}.id {} is no device: {}", argument, location.id,
                            device.error().message());
  }
  return (*device)->id();
}

bool IsGigabytePage(int attribute) {
  return attribute == ACL_HBM_MEM_HUGE1G || attribute == ACL_HBM_MEM_P2P_HUGE1G || attribute == ACL_MEM_HUGE1G ||
         attribute == ACL_MEM_P2P_HUGE1G;
}

base::Result<PhysicalProperties> ReadProperties(const aclrtPhysicalMemProp& prop) {
  const int handle_type = RawValue(prop.handleType);
  if (handle_type != ACL_MEM_HANDLE_TYPE_NONE) {
    return base::FailResult(Code::kInvalidParam, "prop->handleType {} is not valid; use ACL_MEM_HANDLE_TYPE_NONE 0",
                            handle_type);
  }
  const int allocation_type = RawValue(prop.allocationType);
  if (allocation_type != ACL_MEM_ALLOCATION_TYPE_PINNED) {
    return base::FailResult(Code::kInvalidParam,
                            "prop->allocationType {} is not valid; use ACL_MEM_ALLOCATION_TYPE_PINNED 0",
                            allocation_type);
  }
  PhysicalProperties properties;
  properties.attribute = RawValue(prop.memAttr);
  if (properties.attribute < ACL_DDR_MEM || properties.attribute > ACL_MEM_P2P_HUGE1G) {
    return base::FailResult(Code::kInvalidParam, "prop->memAttr {} is not valid; use 0 to {}", properties.attribute,
                            static_cast<int>(ACL_MEM_P2P_HUGE1G));
  }
  auto device = ReadLocation(prop.location, "prop->location");
  if (!device) return tl::unexpected(std::move(device).error());
  properties.device = *device;
  properties.space = *device < 0 ? Space::kHost : Space::kDevice;
  properties.granularity = IsGigabytePage(properties.attribute) ? kLargeGranularity : VirtualMemory::kGranularity;
  return properties;
}

Status RequireZero(std::uint64_t flags) {
  if (flags == 0) return {};
  return base::Fail(Code::kInvalidParam, "flags {} is reserved and must be 0", flags);
}

Status RequireDevice() {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  return {};
}

}  // namespace

// --- Physical memory ---------------------------------------------------------------------------------------------

extern "C" aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option,
                                                     size_t* granularity) {
  return CallAcl("aclrtMemGetAllocationGranularity", [&]() -> Status {
    SOFTHCCL_REQUIRE(prop);
    SOFTHCCL_REQUIRE(granularity);
    const int kind = RawValue(option);
    if (kind != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && kind != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
      return base::Fail(Code::kInvalidParam, "option {} is not valid; use 0 (minimum) or 1 (recommended)", kind);
    }
    SOFTHCCL_RETURN_IF_ERROR(RequireDevice());
    SOFTHCCL_ASSIGN(properties, ReadProperties(*prop));
    *granularity = properties.granularity;
    return {};
  });
}

extern "C" aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop,
                                        uint64_t flags) {
  return CallAcl("aclrtMallocPhysical", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_REQUIRE(prop);
    SOFTHCCL_RETURN_IF_ERROR(RequireZero(flags));
    SOFTHCCL_RETURN_IF_ERROR(RequireDevice());
    SOFTHCCL_ASSIGN(properties, ReadProperties(*prop));
    SOFTHCCL_ASSIGN(made, VirtualMemory::Process().Allocate(size, properties));
    *handle = Handle(made);
    return {};
  });
}

extern "C" aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return CallAcl("aclrtFreePhysical", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    return VirtualMemory::Process().Free(Bits(handle));
  });
}

extern "C" aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop) {
  return CallAcl("aclrtMemGetAllocationPropertiesFromHandle", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_REQUIRE(prop);
    SOFTHCCL_ASSIGN(properties, VirtualMemory::Process().PropertiesOf(Bits(handle)));
    *prop = {};
    prop->handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop->allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    std::memcpy(&prop->memAttr, &properties.attribute, sizeof prop->memAttr);
    const bool on_host = properties.space == Space::kHost;
    prop->location.type = on_host ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
    prop->location.id = on_host ? 0 : static_cast<std::uint32_t>(properties.device);
    return {};
  });
}

// --- Addresses ---------------------------------------------------------------------------------------------------

extern "C" aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                           uint64_t flags) {
  return CallAcl("aclrtReserveMemAddress", [&]() -> Status {
    SOFTHCCL_REQUIRE(virPtr);
    if (alignment != 0) return base::Fail(Code::kInvalidParam, "alignment {} is reserved and must be 0", alignment);
    if (Bits(expectPtr) % kLargeGranularity != 0) {
      return base::Fail(Code::kInvalidParam, "expectPtr {} is not aligned to 1 GiB; pass null for any address",
                        fmt::ptr(expectPtr));
    }
    if (flags > 1) {
      return base::Fail(Code::kInvalidParam, "flags {} is not valid; use 0 (normal pages) or 1 (huge pages)", flags);
    }
    SOFTHCCL_RETURN_IF_ERROR(RequireDevice());
    SOFTHCCL_ASSIGN(reserved, VirtualMemory::Process().Reserve(size, expectPtr));
    *virPtr = reserved;
    return {};
  });
}

extern "C" aclError aclrtReleaseMemAddress(void* virPtr) {
  return CallAcl("aclrtReleaseMemAddress", [&]() -> Status {
    SOFTHCCL_REQUIRE(virPtr);
    return VirtualMemory::Process().Release(virPtr);
  });
}

// --- Mappings ----------------------------------------------------------------------------------------------------

extern "C" aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
  return CallAcl("aclrtMapMem", [&]() -> Status {
    SOFTHCCL_REQUIRE(virPtr);
    SOFTHCCL_REQUIRE(handle);
    if (offset != 0) return base::Fail(Code::kInvalidParam, "offset {} must be 0", offset);
    SOFTHCCL_RETURN_IF_ERROR(RequireZero(flags));
    return VirtualMemory::Process().Map(virPtr, size, Bits(handle));
  });
}

extern "C" aclError aclrtUnmapMem(void* virPtr) {
  return CallAcl("aclrtUnmapMem", [&]() -> Status {
    SOFTHCCL_REQUIRE(virPtr);
    return VirtualMemory::Process().Unmap(virPtr);
  });
}

extern "C" aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle) {
  return CallAcl("aclrtMemRetainAllocationHandle", [&]() -> Status {
    SOFTHCCL_REQUIRE(virPtr);
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_ASSIGN(retained, VirtualMemory::Process().Retain(virPtr));
    *handle = Handle(retained);
    return {};
  });
}

extern "C" aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count) {
  return CallAcl("aclrtMemSetAccess", [&]() -> Status {
    SOFTHCCL_REQUIRE(virPtr);
    SOFTHCCL_REQUIRE(desc);
    if (count == 0 || count > kMostAccessors) {
      return base::Fail(Code::kInvalidParam, "count {} is out of range, use 1 to {}", count, kMostAccessors);
    }
    std::vector<memory::Accessor> accessors;
    for (const aclrtMemAccessDesc& one : std::span(desc, count)) {
      const int access = RawValue(one.flags);
      if (access != ACL_RT_MEM_ACCESS_FLAGS_READWRITE) {
        return base::Fail(Code::kInvalidParam,
                          "desc[{}].flags {} is not valid; use ACL_RT_MEM_ACCESS_FLAGS_READWRITE 3", accessors.size(),
                          access);
      }
      SOFTHCCL_ASSIGN(accessor, ReadLocation(one.location, "desc->location"));
      accessors.push_back(accessor);
    }
    return VirtualMemory::Process().Grant(virPtr, size, accessors);
  });
}

extern "C" aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag) {
  return CallAcl("aclrtMemGetAccess", [&]() -> Status {
    SOFTHCCL_REQUIRE(virPtr);
    SOFTHCCL_REQUIRE(location);
    SOFTHCCL_REQUIRE(flag);
    SOFTHCCL_ASSIGN(accessor, ReadLocation(*location, "location"));
    SOFTHCCL_ASSIGN(granted, VirtualMemory::Process().IsGranted(virPtr, accessor));
    *flag = granted ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE : ACL_RT_MEM_ACCESS_FLAGS_NONE;
    return {};
  });
}

// --- Sharing -----------------------------------------------------------------------------------------------------

namespace {

// What a handle for other servers holds here: the number that serves within one machine.
struct FabricHandle {
  static constexpr std::uint64_t kMagic = 0x5348464142524943;
  std::uint64_t magic = kMagic;
  std::uint64_t shared = 0;
};
static_assert(sizeof(FabricHandle) <= sizeof(aclrtMemFabricHandle));

base::Result<std::uint64_t> Export(aclrtDrvMemHandle handle, std::uint64_t flags) {
  if (flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
    return base::FailResult(Code::kInvalidParam,
                            "flags {} is not valid; use 0 or ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 1", flags);
  }
  return VirtualMemory::Process().Export(Bits(handle), flags == ACL_RT_VMM_EXPORT_FLAG_DEFAULT);
}

Status CheckShareType(int type) {
  if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT || type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) return {};
  return base::Fail(Code::kInvalidParam, "shareType {} is not valid; use 1 (default) or 2 (fabric)", type);
}

// The number behind a handle that the V2 functions are given by address.
base::Result<std::uint64_t> ReadShared(const void* shareableHandle, int type) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(shareableHandle, "shareableHandle"));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckShareType(type));
  if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT) {
    std::uint64_t shared = 0;
    std::memcpy(&shared, shareableHandle, sizeof shared);
    return shared;
  }
  FabricHandle fabric;
  std::memcpy(&fabric, shareableHandle, sizeof fabric);
  if (fabric.magic == FabricHandle::kMagic) return fabric.shared;
  return base::FailResult(Code::kInvalidParam, "shareableHandle holds none of aclrtMemExportToShareableHandleV2");
}

}  // namespace

extern "C" aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                                    uint64_t flags, uint64_t* shareableHandle) {
  return CallAcl("aclrtMemExportToShareableHandle", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_REQUIRE(shareableHandle);
    const int type = RawValue(handleType);
    if (type != ACL_MEM_HANDLE_TYPE_NONE) {
      return base::Fail(Code::kInvalidParam, "handleType {} is not valid; use ACL_MEM_HANDLE_TYPE_NONE 0", type);
    }
    SOFTHCCL_ASSIGN(shared, Export(handle, flags));
    *shareableHandle = shared;
    return {};
  });
}

extern "C" aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
                                                      aclrtMemSharedHandleType shareType, void* shareableHandle) {
  return CallAcl("aclrtMemExportToShareableHandleV2", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_REQUIRE(shareableHandle);
    const int type = RawValue(shareType);
    SOFTHCCL_RETURN_IF_ERROR(CheckShareType(type));
    SOFTHCCL_ASSIGN(shared, Export(handle, flags));
    if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT) {
      std::memcpy(shareableHandle, &shared, sizeof shared);
      return {};
    }
    const FabricHandle fabric{FabricHandle::kMagic, shared};
    std::memset(shareableHandle, 0, sizeof(aclrtMemFabricHandle));
    std::memcpy(shareableHandle, &fabric, sizeof fabric);
    return {};
  });
}

extern "C" aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
  return CallAcl("aclrtMemSetPidToShareableHandle", [&]() -> Status {
    SOFTHCCL_ASSIGN(pids, ReadPids(pid, pidNum, "pidNum"));
    return VirtualMemory::Process().Allow(shareableHandle, pids);
  });
}

extern "C" aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType,
                                                      int32_t* pid, size_t pidNum) {
  return CallAcl("aclrtMemSetPidToShareableHandleV2", [&]() -> Status {
    SOFTHCCL_ASSIGN(shared, ReadShared(shareableHandle, RawValue(shareType)));
    SOFTHCCL_ASSIGN(pids, ReadPids(pid, pidNum, "pidNum"));
    return VirtualMemory::Process().Allow(shared, pids);
  });
}

extern "C" aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                                      aclrtDrvMemHandle* handle) {
  return CallAcl("aclrtMemImportFromShareableHandle", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    static_cast<void>(device);
    SOFTHCCL_ASSIGN(imported, VirtualMemory::Process().Import(shareableHandle));
    *handle = Handle(imported);
    return {};
  });
}

extern "C" aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType,
                                                        uint64_t flags, aclrtDrvMemHandle* handle) {
  return CallAcl("aclrtMemImportFromShareableHandleV2", [&]() -> Status {
    SOFTHCCL_ASSIGN(shared, ReadShared(shareableHandle, RawValue(shareType)));
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_RETURN_IF_ERROR(RequireZero(flags));
    SOFTHCCL_ASSIGN(imported, VirtualMemory::Process().Import(shared));
    *handle = Handle(imported);
    return {};
  });
}
