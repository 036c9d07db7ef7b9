// Entry point of HcclAllReduceCustom: arguments, then the common road.
#include "hccl_custom_allreduce.h"

#include "all_reduce_variants.h"
#include "collective_host.h"

using namespace hccl_custom;

namespace {

const CollectiveOperator OPERATOR = {"HcclAllReduceCustom", "HcclLaunchAllReduceKernel",
                                     "liballreduce_aicpu_kernel.json"};

}  // namespace

constexpr uint64_t ONE_SHOT_BYTES = 512 * 1024;         // of all blocks together
constexpr uint32_t RING_RANKS = 1 + DATA_NOTIFIES / 2;  // every step has a notify of its own

extern "C" __attribute__((visibility("default"))) HcclResult HcclAllReduceCustom(void* sendBuf, void* recvBuf,
                                                                                 uint64_t count, HcclDataType dataType,
                                                                                 HcclReduceOp op, HcclComm comm,
                                                                                 aclrtStream stream) {
  CollectiveCall call = {};
  call.sendBuf = sendBuf;
  call.recvBuf = recvBuf;
  call.count = count;
  call.dataType = dataType;
  call.reduceOp = op;
  call.stream = stream;
  uint32_t rank = 0;
  uint32_t rankNum = 0;
  HcclResult result = CheckCall(OPERATOR, comm, call);
  if (result == HCCL_SUCCESS) {
    result = CheckReduction(OPERATOR, call);
  }
  if (result == HCCL_SUCCESS) {
    result = GetPlace(comm, &rank, &rankNum);
  }
  if (result != HCCL_SUCCESS) {
    return result;
  }
  const bool isRing = count * ElementBytes(dataType) > ONE_SHOT_BYTES / rankNum && rankNum <= RING_RANKS;
  call.variant = isRing ? ALL_REDUCE_RING : ALL_REDUCE_ONE_SHOT;
  call.blocksInBuffer = isRing ? 1 : rankNum;
  return RunCollective(OPERATOR, comm, call);
}
