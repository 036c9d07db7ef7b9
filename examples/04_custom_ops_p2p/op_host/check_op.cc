// Argument checks of HcclSendCustom and HcclRecvCustom.
#include "check_op.h"

#include <inttypes.h>

#include <limits>

#include "log.h"

namespace hccl_custom_p2p {
namespace {

// Bytes of one element, 0 for a type that is not known.
uint64_t ElementBytes(HcclDataType dataType) {
  switch (dataType) {
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

}  // namespace

HcclResult CheckBuffer(const char* opName, const void* buffer, const char* bufferName, HcclComm comm, uint64_t count,
                       HcclDataType dataType, uint64_t* bytes) {
  if (comm == nullptr) {
    P2P_ERROR("%s: comm is null", opName);
    return HCCL_E_PTR;
  }
  if (buffer == nullptr) {
    P2P_ERROR("%s: %s is null; pass device memory, also for count 0", opName, bufferName);
    return HCCL_E_PTR;
  }
  const uint64_t elementBytes = ElementBytes(dataType);
  if (elementBytes == 0) {
    P2P_ERROR("%s: data type %d is not known; pass a value of HcclDataType", opName, static_cast<int>(dataType));
    return HCCL_E_PARA;
  }
  if (count > std::numeric_limits<uint64_t>::max() / elementBytes) {
    P2P_ERROR("%s: count %" PRIu64 " times %" PRIu64 " bytes does not fit 64 bits", opName, count, elementBytes);
    return HCCL_E_PARA;
  }
  *bytes = count * elementBytes;
  return HCCL_SUCCESS;
}

HcclResult CheckPeer(const char* opName, const char* rankName, uint32_t peer, uint32_t ownRank, uint32_t rankSize) {
  if (peer >= rankSize) {
    P2P_ERROR("%s: %s %u is out of range, the communicator has %u ranks", opName, rankName, peer, rankSize);
    return HCCL_E_PARA;
  }
  if (peer == ownRank) {
    P2P_ERROR("%s: remoteRank equals own rank (%s is %u); a rank cannot exchange data with itself", opName, rankName,
              peer);
    return HCCL_E_PARA;
  }
  return HCCL_SUCCESS;
}

}  // namespace hccl_custom_p2p
