// Entry point of HcclAllGatherCustom: arguments, then the common road.
#include "hccl_custom_allgather.h"

#include "collective_host.h"

using namespace hccl_custom;

namespace {

const CollectiveOperator OPERATOR = {"HcclAllGatherCustom", "HcclLaunchAllGatherKernel",
                                     "liballgather_aicpu_kernel.json"};

}  // namespace

extern "C" __attribute__((visibility("default"))) HcclResult HcclAllGatherCustom(void* sendBuf, void* recvBuf,
                                                                                 uint64_t sendCount,
                                                                                 HcclDataType dataType, HcclComm comm,
                                                                                 aclrtStream stream) {
  CollectiveCall call = {};
  call.sendBuf = sendBuf;
  call.recvBuf = recvBuf;
  call.count = sendCount;
  call.dataType = dataType;
  call.stream = stream;
  uint32_t rank = 0;
  HcclResult result = CheckCall(OPERATOR, comm, call);
  if (result == HCCL_SUCCESS) {
    result = GetPlace(comm, &rank, &call.blocksInBuffer);
  }
  return result == HCCL_SUCCESS ? RunCollective(OPERATOR, comm, call) : result;
}
