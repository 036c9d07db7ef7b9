// HcclBarrier.
#include "api/objects.h"
#include "api/report.h"
#include "engine/graph_capture.h"
#include "hccl/hccl_comm.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Status;

extern "C" HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  return CallHccl("HcclBarrier", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclBarrier"));
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
    SOFTHCCL_RETURN_IF_ERROR(engine::GraphCaptures::Get().RefuseCaptured(*target, "HcclBarrier"));
    return found->QueueBarrier(*target, site);
  });
}
