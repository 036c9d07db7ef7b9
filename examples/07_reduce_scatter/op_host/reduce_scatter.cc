// Entry point of HcclReduceScatterCustom: arguments, then the common road.
#include "hccl_custom_reduce_scatter.h"

#include "collective_host.h"

using namespace hccl_custom;

namespace {

const CollectiveOperator OPERATOR = {"HcclReduceScatterCustom", "HcclLaunchReduceScatterKernel",
                                     "libreduce_scatter_aicpu_kernel.json"};

}  // namespace

extern "C" __attribute__((visibility("default"))) HcclResult HcclReduceScatterCustom(void* sendBuf, void* recvBuf,
                                                                                     uint64_t recvCount,
                                                                                     HcclDataType dataType,
                                                                                     HcclReduceOp op, HcclComm comm,
                                                                                     aclrtStream stream) {
  CollectiveCall call = {};
  call.sendBuf = sendBuf;
  call.recvBuf = recvBuf;
  call.count = recvCount;
  call.dataType = dataType;
  call.reduceOp = op;
  call.stream = stream;
  uint32_t rank = 0;
  HcclResult result = CheckCall(OPERATOR, comm, call);
  if (result == HCCL_SUCCESS) {
    result = CheckReduction(OPERATOR, call);
  }
  if (result == HCCL_SUCCESS) {
    result = GetPlace(comm, &rank, &call.blocksInBuffer);
  }
  return result == HCCL_SUCCESS ? RunCollective(OPERATOR, comm, call) : result;
}
