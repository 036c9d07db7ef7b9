// Symmetric windows as hosts make them.
#include "comm/window.h"

#include "api/objects.h"
#include "api/report.h"
#include "hccl/hccl_comm.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

extern "C" HcclResult HcclCommSymWinRegister(HcclComm comm, void* addr, uint64_t size, HcclCommSymWindow* winHandle,
                                             uint32_t flag) {
  return CallHccl("HcclCommSymWinRegister", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclCommSymWinRegister"));
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(addr);
    SOFTHCCL_REQUIRE(winHandle);
    if (flag != 1) return base::Fail(Code::kInvalidParam, "flag {} is not known; 1 is the only one there is", flag);
    SOFTHCCL_ASSIGN(handle, found->RegisterWindow(static_cast<std::byte*>(addr), size));
    *winHandle = Handle(handle);
    return {};
  });
}

extern "C" HcclResult HcclCommSymWinDeregister(HcclCommSymWindow winHandle) {
  return CallHccl("HcclCommSymWinDeregister", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclCommSymWinDeregister"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_REQUIRE(winHandle);
    SOFTHCCL_ASSIGN(window, comm::FindWindow(Bits(winHandle)));
    SOFTHCCL_ASSIGN(owner, comm::Registry::Get().FindByName(window->communicator, window->device));
    return owner->DeregisterWindow(Bits(winHandle));
  });
}

extern "C" HcclResult HcclCommSymWinGet(HcclComm comm, void* ptr, size_t size, HcclCommSymWindow* winHandle,
                                        size_t* offset) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(ptr);
    SOFTHCCL_REQUIRE(winHandle);
    SOFTHCCL_REQUIRE(offset);
    if (size == 0) return base::Fail(Code::kInvalidParam, "size 0; ask for at least one byte");
    SOFTHCCL_ASSIGN(place, found->windows().Find(static_cast<const std::byte*>(ptr), size));
    *winHandle = Handle(place.window);
    *offset = place.offset;
    return {};
  });
  // Operators ask this of every buffer: not finding a window is no error worth a line.
  return ReportHccl("HcclCommSymWinGet", status,
                    status.code() == Code::kNotFound ? Loudness::kProbe : Loudness::kError);
}
