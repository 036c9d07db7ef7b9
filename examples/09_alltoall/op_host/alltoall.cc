// Entry point of HcclAlltoAllCustom: arguments, then the common road.
#include "hccl_custom_alltoall.h"

#include "collective_host.h"

using namespace hccl_custom;

namespace {

const CollectiveOperator OPERATOR = {"HcclAlltoAllCustom", "HcclLaunchAlltoAllKernel", "liballtoall_aicpu_kernel.json"};

}  // namespace

extern "C" __attribute__((visibility("default"))) HcclResult HcclAlltoAllCustom(void* sendBuf, void* recvBuf,
                                                                                uint64_t count, HcclDataType dataType,
                                                                                HcclComm comm, aclrtStream stream) {
  CollectiveCall call = {};
  call.sendBuf = sendBuf;
  call.recvBuf = recvBuf;
  call.count = count;
  call.dataType = dataType;
  call.stream = stream;
  uint32_t rank = 0;
  HcclResult result = CheckCall(OPERATOR, comm, call);
  if (result == HCCL_SUCCESS) {
    result = GetPlace(comm, &rank, &call.blocksInBuffer);
  }
  return result == HCCL_SUCCESS ? RunCollective(OPERATOR, comm, call) : result;
}
