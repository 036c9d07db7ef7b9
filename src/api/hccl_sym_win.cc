// Symmetric windows as kernels use them; host and kernel libraries have these functions.
#include "hccl/hccl_sym_win.h"

#include "api/objects.h"
#include "api/report.h"
#include "comm/window.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Status;

namespace {

Status GetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank, void** ptr) {
  SOFTHCCL_REQUIRE(winHandle);
  SOFTHCCL_REQUIRE(ptr);
  SOFTHCCL_ASSIGN(address, comm::PeerPointer(Bits(winHandle), offset, peerRank));
  *ptr = address;
  return {};
}

}  // namespace

extern "C" HcclResult HcclSymWinGetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank,
                                               void** ptr) {
  return CallHccl("HcclSymWinGetPeerPointer", [&] { return GetPeerPointer(winHandle, offset, peerRank, ptr); });
}

extern "C" HcclResult HcommSymWinGetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank,
                                                void** ptr) {
  return CallHccl("HcommSymWinGetPeerPointer", [&] { return GetPeerPointer(winHandle, offset, peerRank, ptr); });
}
