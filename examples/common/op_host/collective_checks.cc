// Argument checks that all collective operators share.
#include <inttypes.h>

#include "collective_host.h"
#include "collective_log.h"

namespace hccl_custom {

uint32_t ElementBytes(HcclDataType dataType) {
  switch (static_cast<int>(dataType)) {
    case HCCL_DATA_TYPE_INT8:
    case HCCL_DATA_TYPE_UINT8:
    case HCCL_DATA_TYPE_HIF8:
    case HCCL_DATA_TYPE_FP8E4M3:
    case HCCL_DATA_TYPE_FP8E5M2:
    case HCCL_DATA_TYPE_FP8E8M0: return 1;
    case HCCL_DATA_TYPE_INT16:
    case HCCL_DATA_TYPE_UINT16:
    case HCCL_DATA_TYPE_FP16:
    case HCCL_DATA_TYPE_BFP16: return 2;
    case HCCL_DATA_TYPE_INT32:
    case HCCL_DATA_TYPE_UINT32:
    case HCCL_DATA_TYPE_FP32: return 4;
    case HCCL_DATA_TYPE_INT64:
    case HCCL_DATA_TYPE_UINT64:
    case HCCL_DATA_TYPE_FP64: return 8;
    case HCCL_DATA_TYPE_INT128: return 16;
    default: return 0;
  }
}

HcclResult CheckCall(const CollectiveOperator& op, HcclComm comm, const CollectiveCall& call) {
  if (comm == nullptr || call.stream == nullptr) {
    COLLECTIVE_ERROR("%s: %s is null", op.name, comm == nullptr ? "comm" : "stream");
    return HCCL_E_PTR;
  }
  const uint32_t elementBytes = ElementBytes(call.dataType);
  if (elementBytes == 0) {
    COLLECTIVE_ERROR("%s: dataType %d is not known", op.name, static_cast<int>(call.dataType));
    return HCCL_E_NOT_SUPPORT;
  }
  if (call.count > 0 && (call.sendBuf == nullptr || call.recvBuf == nullptr)) {
    COLLECTIVE_ERROR("%s: %s is null, but count is %" PRIu64, op.name, call.sendBuf == nullptr ? "sendBuf" : "recvBuf",
                     call.count);
    return HCCL_E_PTR;
  }
  const uint64_t limit = UINT64_MAX / MAX_RANKS / elementBytes;
  if (call.count > limit) {
    COLLECTIVE_ERROR("%s: count %" PRIu64 " is larger than %" PRIu64, op.name, call.count, limit);
    return HCCL_E_PARA;
  }
  return HCCL_SUCCESS;
}

HcclResult CheckReduction(const CollectiveOperator& op, const CollectiveCall& call) {
  const int reduceOp = static_cast<int>(call.reduceOp);
  if (reduceOp < HCCL_REDUCE_SUM || reduceOp > HCCL_REDUCE_MIN) {
    COLLECTIVE_ERROR("%s: op %d is not known; use HCCL_REDUCE_SUM %d to HCCL_REDUCE_MIN %d", op.name, reduceOp,
                     static_cast<int>(HCCL_REDUCE_SUM), static_cast<int>(HCCL_REDUCE_MIN));
    return HCCL_E_PARA;
  }
  return HCCL_SUCCESS;
}

}  // namespace hccl_custom
