// Control plane: everything that is acquired once per communicator.
#include "resources.h"

#include <stdio.h>

#include <algorithm>

#include "hccl/hccl_comm.h"
#include "load_kernel.h"
#include "log.h"

namespace hccl_custom_sample_op {
namespace {

const char* const CONTEXT_TAG = "hccl_custom_sample_op";

HcclResult Connect(HcclComm comm, Resources* resources) {
  uint32_t rank = 0;
  CHECK_HCCL(HcclGetRankId(comm, &rank));
  const uint32_t rankNum = resources->rankNum;
  const uint32_t neighbours[] = {(rank + 1) % rankNum, (rank + rankNum - 1) % rankNum};
  const uint32_t channelNum = neighbours[0] == neighbours[1] ? 1 : 2;
  HcclChannelDesc descs[2];
  (void)HcclChannelDescInit(descs, 2);
  for (uint32_t i = 0; i < channelNum; ++i) {
    descs[i].remoteRank = neighbours[i];
    descs[i].channelProtocol = COMM_PROTOCOL_HCCS;
    descs[i].notifyNum = CHANNEL_NOTIFY_NUM;
  }
  ChannelHandle channels[2] = {};
  CHECK_HCCL(HcclChannelAcquire(comm, COMM_ENGINE_AICPU, descs, channelNum, channels));
  resources->toNext = channels[0];
  resources->toPrevious = channels[channelNum - 1];
  uint64_t bytes = 0;
  CHECK_HCCL(HcclChannelGetHcclBuffer(comm, resources->toPrevious, &resources->previousBuffer, &bytes));
  resources->bufferBytes = std::min(resources->bufferBytes, bytes);
  return HCCL_SUCCESS;
}

HcclResult Acquire(HcclComm comm, Resources* resources) {
  CHECK_HCCL(LoadKernel(&resources->kernel));
  CHECK_HCCL(HcclGetRankSize(comm, &resources->rankNum));
  CHECK_HCCL(HcclThreadAcquire(comm, COMM_ENGINE_AICPU, 1, 0, &resources->thread));
  CHECK_HCCL(HcclGetHcclBuffer(comm, &resources->ownBuffer, &resources->bufferBytes));
  if (resources->rankNum > 1) {
    CHECK_HCCL(Connect(comm, resources));
  }
  CHECK_ACL(aclrtCreateNotify(&resources->start, ACL_NOTIFY_DEFAULT));
  CHECK_ACL(aclrtCreateNotify(&resources->end, ACL_NOTIFY_DEFAULT));
  CHECK_ACL(aclrtGetNotifyId(resources->start, &resources->startNotifyId));
  CHECK_ACL(aclrtGetNotifyId(resources->end, &resources->endNotifyId));
  return HCCL_SUCCESS;
}

}  // namespace

HcclResult GetResources(HcclComm comm, Resources** resources) {
  // An engine context of the host: memory of the communicator with a name.
  void* context = nullptr;
  uint64_t bytes = 0;
  if (HcclEngineCtxGet(comm, CONTEXT_TAG, COMM_ENGINE_CPU, &context, &bytes) == HCCL_SUCCESS) {
    if (bytes != sizeof(Resources)) {
      OP_ERROR("the context %s has %llu bytes, this library needs %zu: another version of the operator made it",
               CONTEXT_TAG, static_cast<unsigned long long>(bytes), sizeof(Resources));
      return HCCL_E_INTERNAL;
    }
    *resources = static_cast<Resources*>(context);
    return HCCL_SUCCESS;
  }
  Resources acquired = {};
  CHECK_HCCL(Acquire(comm, &acquired));
  CHECK_HCCL(HcclEngineCtxCreate(comm, CONTEXT_TAG, COMM_ENGINE_CPU, sizeof(Resources), &context));
  *resources = static_cast<Resources*>(context);
  **resources = acquired;
  return HCCL_SUCCESS;
}

}  // namespace hccl_custom_sample_op
