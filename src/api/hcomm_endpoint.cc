// Endpoints and the memory that is registered with them.
#include <cstring>

#include "api/endpoint_arguments.h"
#include "api/memory_arguments.h"
#include "api/objects.h"
#include "api/report.h"
#include "comm/base_channels.h"
#include "comm/endpoint.h"
#include "comm/offer.h"
#include "hcomm/hcomm_res.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::Endpoints;
using memory::Memory;
using memory::Space;

namespace {

constexpr const char* kAllocated = "HcommMemAlloc";

base::Result<std::shared_ptr<comm::Endpoint>> FindEndpoint(EndpointHandle handle) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(handle, "endpointHandle"));
  return Endpoints::Get().Find(Bits(handle));
}

template <typename Body>
HcommResult CallHcomm(const char* call, Body&& body) {
  return static_cast<HcommResult>(CallHccl(call, std::forward<Body>(body)));
}

Status CreateEndpoint(const EndpointDesc* endpoint, EndpointHandle* endpointHandle) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_REQUIRE(endpoint);
  SOFTHCCL_REQUIRE(endpointHandle);
  SOFTHCCL_ASSIGN(identity, ReadEndpoint(*endpoint, "endpoint"));
  SOFTHCCL_ASSIGN(handle, Endpoints::Get().Create(device->id(), std::move(identity)));
  *endpointHandle = Handle(handle);
  return {};
}

// The one endpoint that a device has of its own.
EndpointDesc DescribeDevice(int device) {
  EndpointDesc desc;
  static_cast<void>(EndpointDescInit(&desc, 1));
  desc.protocol = COMM_PROTOCOL_UB_CTP;
  desc.commAddr.type = COMM_ADDR_TYPE_ID;
  desc.commAddr.id = static_cast<uint32_t>(device);
  desc.loc.locType = ENDPOINT_LOC_TYPE_DEVICE;
  desc.loc.device.devPhyId = static_cast<uint32_t>(device);
  desc.loc.device.superDevId = static_cast<uint32_t>(device);
  desc.loc.device.serverIdx = 0;
  desc.loc.device.superPodIdx = 0;
  return desc;
}

Status GetDescs(int32_t deviceLogicId, uint32_t* descNum, EndpointDesc* endpointDescs) {
  SOFTHCCL_ASSIGN(device, engine::Runtime::Get().devices().Get(deviceLogicId));
  SOFTHCCL_REQUIRE(descNum);
  SOFTHCCL_REQUIRE(endpointDescs);
  if (*descNum == 0) return base::Fail(Code::kInvalidParam, "descNum 0: there is room for none of the 1 endpoints");
  endpointDescs[0] = DescribeDevice(device->id());
  *descNum = 1;
  return {};
}

Status RegisterMemory(EndpointHandle endpointHandle, const char* memTag, const CommMem* mem,
                      HcommMemHandle* memHandle) {
  SOFTHCCL_ASSIGN(endpoint, FindEndpoint(endpointHandle));
  SOFTHCCL_REQUIRE(memTag);
  SOFTHCCL_ASSIGN(tag, ReadMemoryTag(memTag));
  SOFTHCCL_REQUIRE(memHandle);
  SOFTHCCL_ASSIGN(range, ReadMemory(mem, "mem"));
  SOFTHCCL_ASSIGN(handle, endpoint->memories().Register(tag, range.space, range.data, range.size));
  *memHandle = Handle(handle);
  return {};
}

Status Import(EndpointHandle endpointHandle, const void* memDesc, uint32_t descLen, CommMem* outMem) {
  SOFTHCCL_ASSIGN(endpoint, FindEndpoint(endpointHandle));
  SOFTHCCL_REQUIRE(memDesc);
  SOFTHCCL_REQUIRE(outMem);
  SOFTHCCL_RETURN_IF_ERROR(Memory::Process().CheckRange(memDesc, descLen, "memDesc"));
  SOFTHCCL_ASSIGN(imported, endpoint->Import(std::string(static_cast<const char*>(memDesc), descLen)));
  if (imported.is_first) {
    comm::BaseChannels::Get().AddWindow(*endpoint, imported.exporter, comm::WindowOf(imported.region));
  }
  outMem->type = imported.region->space() == Space::kHost ? COMM_MEM_TYPE_HOST : COMM_MEM_TYPE_DEVICE;
  outMem->addr = imported.region->data();
  outMem->size = imported.region->size();
  return {};
}

Status Unimport(EndpointHandle endpointHandle, const void* memDesc, uint32_t descLen) {
  SOFTHCCL_ASSIGN(endpoint, FindEndpoint(endpointHandle));
  SOFTHCCL_REQUIRE(memDesc);
  SOFTHCCL_RETURN_IF_ERROR(Memory::Process().CheckRange(memDesc, descLen, "memDesc"));
  SOFTHCCL_ASSIGN(gone, endpoint->Unimport(std::string(static_cast<const char*>(memDesc), descLen)));
  if (gone.is_last) comm::BaseChannels::Get().RemoveWindow(*endpoint, gone.exporter, comm::WindowOf(gone.region));
  return {};
}

Status FreeMemory(void* ptr) {
  SOFTHCCL_REQUIRE(ptr);
  const auto allocation = Memory::Process().Resolve(ptr);
  if (allocation && allocation->base == ptr && std::strcmp(allocation->purpose, kAllocated) != 0) {
    return base::Fail(Code::kInvalidParam, "ptr {} is {}, not memory of HcommMemAlloc", fmt::ptr(ptr),
                      allocation->purpose);
  }
  return Memory::Process().Free(Space::kDevice, ptr);
}

}  // namespace

extern "C" HcommResult HcommEndpointCreate(const EndpointDesc* endpoint, EndpointHandle* endpointHandle) {
  return CallHcomm("HcommEndpointCreate", [&] { return CreateEndpoint(endpoint, endpointHandle); });
}

extern "C" HcommResult HcommEndpointDestroy(EndpointHandle endpointHandle) {
  return CallHcomm("HcommEndpointDestroy", [&]() -> Status {
    SOFTHCCL_REQUIRE(endpointHandle);
    return Endpoints::Get().Destroy(Bits(endpointHandle));
  });
}

extern "C" HcommResult HcommEndpointGetDescNum(int32_t deviceLogicId, uint32_t* descNum) {
  return CallHcomm("HcommEndpointGetDescNum", [&]() -> Status {
    SOFTHCCL_ASSIGN(device, engine::Runtime::Get().devices().Get(deviceLogicId));
    static_cast<void>(device);
    SOFTHCCL_REQUIRE(descNum);
    *descNum = 1;
    return {};
  });
}

extern "C" HcommResult HcommEndpointGetDescs(int32_t deviceLogicId, uint32_t* descNum, EndpointDesc* endpointDescs) {
  return CallHcomm("HcommEndpointGetDescs", [&] { return GetDescs(deviceLogicId, descNum, endpointDescs); });
}

extern "C" HcommResult HcommEndpointGetListenPort(EndpointHandle endpointHandle, uint32_t* port) {
  return CallHcomm("HcommEndpointGetListenPort", [&]() -> Status {
    SOFTHCCL_ASSIGN(endpoint, FindEndpoint(endpointHandle));
    SOFTHCCL_REQUIRE(port);
    static_cast<void>(endpoint);
    *port = comm::kListenPort;
    return {};
  });
}

extern "C" HcommResult HcommEndpointCheckFeature(HcommEndpointFeatureType featureType, const EndpointDesc* endpointDesc,
                                                 bool* value) {
  return CallHcomm("HcommEndpointCheckFeature", [&]() -> Status {
    SOFTHCCL_REQUIRE(endpointDesc);
    SOFTHCCL_REQUIRE(value);
    if (RawValue(featureType) != HCOMM_ENDPOINT_FEATURE_NDA) {
      return base::Fail(Code::kInvalidParam, "featureType {} is not known; use HCOMM_ENDPOINT_FEATURE_NDA {}",
                        RawValue(featureType), static_cast<int>(HCOMM_ENDPOINT_FEATURE_NDA));
    }
    SOFTHCCL_ASSIGN(identity, ReadEndpoint(*endpointDesc, "endpointDesc"));
    static_cast<void>(identity);
    *value = false;
    return {};
  });
}

extern "C" HcommResult HcommMemReg(EndpointHandle endpointHandle, const char* memTag, const CommMem* mem,
                                   HcommMemHandle* memHandle) {
  return CallHcomm("HcommMemReg", [&] { return RegisterMemory(endpointHandle, memTag, mem, memHandle); });
}

extern "C" HcommResult HcommMemUnreg(EndpointHandle endpointHandle, HcommMemHandle memHandle) {
  return CallHcomm("HcommMemUnreg", [&]() -> Status {
    SOFTHCCL_ASSIGN(endpoint, FindEndpoint(endpointHandle));
    SOFTHCCL_REQUIRE(memHandle);
    return endpoint->memories().Unregister(Bits(memHandle));
  });
}

extern "C" HcommResult HcommMemExport(EndpointHandle endpointHandle, HcommMemHandle memHandle, void** memDesc,
                                      uint32_t* memDescLen) {
  return CallHcomm("HcommMemExport", [&]() -> Status {
    SOFTHCCL_ASSIGN(endpoint, FindEndpoint(endpointHandle));
    SOFTHCCL_REQUIRE(memHandle);
    SOFTHCCL_REQUIRE(memDesc);
    SOFTHCCL_REQUIRE(memDescLen);
    SOFTHCCL_ASSIGN(description, endpoint->Export(Bits(memHandle)));
    *memDesc = const_cast<char*>(description->data());
    *memDescLen = static_cast<uint32_t>(description->size());
    return {};
  });
}

extern "C" HcommResult HcommMemImport(EndpointHandle endpointHandle, const void* memDesc, uint32_t descLen,
                                      CommMem* outMem) {
  return CallHcomm("HcommMemImport", [&] { return Import(endpointHandle, memDesc, descLen, outMem); });
}

extern "C" HcommResult HcommMemUnimport(EndpointHandle endpointHandle, const void* memDesc, uint32_t descLen) {
  return CallHcomm("HcommMemUnimport", [&] { return Unimport(endpointHandle, memDesc, descLen); });
}

extern "C" HcommResult HcommMemAlloc(void** ptr, size_t size) {
  return CallHcomm("HcommMemAlloc", [&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_REQUIRE(ptr);
    SOFTHCCL_ASSIGN(memory, Memory::Process().Allocate(Space::kDevice, device->id(), size, kAllocated));
    *ptr = memory;
    return {};
  });
}

extern "C" HcommResult HcommMemFree(void* ptr) {
  return CallHcomm("HcommMemFree", [&] { return FreeMemory(ptr); });
}
