// Entry point of HcclBarrierCustom: arguments, then the common road.
#include "hccl_custom_barrier.h"

#include "collective_host.h"

using namespace hccl_custom;

namespace {

const CollectiveOperator OPERATOR = {"HcclBarrierCustom", "HcclLaunchBarrierKernel", "libbarrier_aicpu_kernel.json"};

}  // namespace

extern "C" __attribute__((visibility("default"))) HcclResult HcclBarrierCustom(HcclComm comm, aclrtStream stream) {
  CollectiveCall call = {};
  call.blocksInBuffer = 1;
  call.dataType = HCCL_DATA_TYPE_INT8;
  call.stream = stream;
  const HcclResult result = CheckCall(OPERATOR, comm, call);
  return result == HCCL_SUCCESS ? RunCollective(OPERATOR, comm, call) : result;
}
