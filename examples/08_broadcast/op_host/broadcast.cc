// Entry point of HcclBroadcastCustom: arguments, then the common road.
#include "hccl_custom_broadcast.h"

#include "collective_host.h"
#include "collective_log.h"

using namespace hccl_custom;

namespace {

const CollectiveOperator OPERATOR = {"HcclBroadcastCustom", "HcclLaunchBroadcastKernel",
                                     "libbroadcast_aicpu_kernel.json"};

}  // namespace

extern "C" __attribute__((visibility("default"))) HcclResult HcclBroadcastCustom(void* buf, uint64_t count,
                                                                                 HcclDataType dataType, uint32_t root,
                                                                                 HcclComm comm, aclrtStream stream) {
  CollectiveCall call = {};
  call.sendBuf = buf;
  call.recvBuf = buf;
  call.count = count;
  call.blocksInBuffer = 1;
  call.dataType = dataType;
  call.root = root;
  call.stream = stream;
  uint32_t rank = 0;
  uint32_t rankNum = 0;
  HcclResult result = CheckCall(OPERATOR, comm, call);
  if (result == HCCL_SUCCESS) {
    result = GetPlace(comm, &rank, &rankNum);
  }
  if (result != HCCL_SUCCESS) {
    return result;
  }
  if (root >= rankNum) {
    COLLECTIVE_ERROR("%s: root %u is out of range, the communicator has %u ranks", OPERATOR.name, root, rankNum);
    return HCCL_E_PARA;
  }
  return RunCollective(OPERATOR, comm, call);
}
