// The operator as programs call it: arguments, resources, and one launch per piece that fits the HcclBuffer.
#include "hccl_custom_sample_op.h"

#include <stdio.h>

#include <algorithm>

#include "hccl/hccl_comm.h"
#include "launch_kernel.h"
#include "log.h"
#include "resources.h"

namespace hccl_custom_sample_op {
namespace {

// 0 for a type that is not known.
uint64_t ElementBytes(HcclDataType dataType) {
  switch (static_cast<int>(dataType)) {
    case HCCL_DATA_TYPE_INT8:
    case HCCL_DATA_TYPE_UINT8: return 1;
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
    default: return 0;
  }
}

HcclResult CheckArguments(const void* sendBuf, const void* recvBuf, uint64_t count, HcclDataType dataType,
                          HcclComm comm, aclrtStream stream) {
  const char* const missing = comm == nullptr      ? "comm"
                              : stream == nullptr  ? "stream"
                              : sendBuf == nullptr ? "sendBuf"
                              : recvBuf == nullptr ? "recvBuf"
                                                   : nullptr;
  if (missing != nullptr) {
    OP_ERROR("HcclSampleOpCustom: %s is null", missing);
    return HCCL_E_PTR;
  }
  const uint64_t elementBytes = ElementBytes(dataType);
  if (elementBytes == 0) {
    OP_ERROR("HcclSampleOpCustom: dataType %d is not known", static_cast<int>(dataType));
    return HCCL_E_NOT_SUPPORT;
  }
  if (count > UINT64_MAX / elementBytes) {
    OP_ERROR("HcclSampleOpCustom: count %llu times %llu bytes does not fit 64 bits",
             static_cast<unsigned long long>(count), static_cast<unsigned long long>(elementBytes));
    return HCCL_E_PARA;
  }
  return HCCL_SUCCESS;
}

HcclResult FillParam(HcclComm comm, const Resources& resources, OpParam* param) {
  CHECK_HCCL(HcclGetCommName(comm, param->commName));
  param->rankNum = resources.rankNum;
  param->thread = resources.thread;
  param->toNext = resources.toNext;
  param->toPrevious = resources.toPrevious;
  param->ownBuffer = resources.ownBuffer;
  param->previousBuffer = resources.previousBuffer;
  param->startNotifyId = resources.startNotifyId;
  param->endNotifyId = resources.endNotifyId;
  return HCCL_SUCCESS;
}

HcclResult Run(char* sendBuf, char* recvBuf, uint64_t bytes, HcclComm comm, aclrtStream stream) {
  Resources* resources = nullptr;
  CHECK_HCCL(GetResources(comm, &resources));
  if (resources->lastStream != nullptr && resources->lastStream != stream) {
    // Two streams must not use the notifies at the same time. The other one may be gone: then its work is done.
    (void)aclrtSynchronizeStream(resources->lastStream);
  }
  resources->lastStream = stream;
  OpParam param = {};
  CHECK_HCCL(FillParam(comm, *resources, &param));
  // Whole cache lines, so that no element is cut in two.
  const uint64_t pieceBytes = std::max<uint64_t>(resources->bufferBytes / 64 * 64, 64);
  uint64_t done = 0;
  do {  // nothing to send is an operation, too: the ranks meet
    param.bytes = std::min(bytes - done, pieceBytes);
    param.sendBuf = sendBuf + done;
    param.recvBuf = recvBuf + done;
    (void)snprintf(param.tag, sizeof(param.tag), "HcclSampleOpCustom#%llu",
                   static_cast<unsigned long long>(resources->calls++));
    CHECK_HCCL(LaunchKernel(*resources, param, stream));
    done += param.bytes;
  } while (done < bytes);
  return HCCL_SUCCESS;
}

}  // namespace
}  // namespace hccl_custom_sample_op

extern "C" __attribute__((visibility("default"))) HcclResult HcclSampleOpCustom(void* sendBuf, void* recvBuf,
                                                                                uint64_t count, HcclDataType dataType,
                                                                                HcclComm comm, aclrtStream stream) {
  using namespace hccl_custom_sample_op;
  const HcclResult result = CheckArguments(sendBuf, recvBuf, count, dataType, comm, stream);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  return Run(static_cast<char*>(sendBuf), static_cast<char*>(recvBuf), count * ElementBytes(dataType), comm, stream);
}
