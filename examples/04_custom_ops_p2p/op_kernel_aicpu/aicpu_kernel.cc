// Entry point of the kernel. It only queues tasks on the thread and returns; the thread waits for the host's stream
// first and tells it last. Acquired things are released on every path, since a communicator that a kernel leaves
// locked stops all following kernels. The engine context belongs to the communicator, so it is touched only while the
// kernel holds that one: a launch that was queued when the communicator was destroyed finds nothing to write to.
#include <stdint.h>

#include "common.h"
#include "describe_op.h"
#include "exec_op.h"
#include "hccl/hcomm_primitives.h"
#include "log.h"

namespace hccl_custom_p2p {
namespace {

constexpr unsigned int KERNEL_OK = 0;
constexpr unsigned int KERNEL_FAILED = 1;

int QueueTasks(const OpParam& param) {
  DescribeOp(param);
  const ThreadHandle thread = param.resCtx->threads[param.slot];
  P2P_CHECK_HCOMM(param.tag, HcommAclrtNotifyWaitOnThread(thread, param.startNotifyId, CUSTOM_TIMEOUT));
  const int result = ExecOp(param, thread);
  if (result != 0) {
    return result;
  }
  P2P_CHECK_HCOMM(param.tag, HcommAclrtNotifyRecordOnThread(thread, param.endNotifyId));
  return 0;
}

int RunBatch(const OpParam& param) {
  P2P_CHECK_HCOMM(param.tag, HcommBatchModeStart(param.tag));
  const int result = QueueTasks(param);
  const int endResult = HcommBatchModeEnd(param.tag);
  if (endResult != 0) {
    P2P_ERROR("%s: HcommBatchModeEnd failed with %d", param.tag, endResult);
  }
  return result != 0 ? result : endResult;
}

int RunHoldingComm(const OpParam& param) {
  P2pDeviceContext* const context = param.resCtx;
  if (param.slot >= context->slotNum) {
    P2P_ERROR("%s: slot %u is out of range, the engine context has %u", param.tag, param.slot, context->slotNum);
    return HCCL_E_PARA;
  }
  // Kernels of one slot run one after the other; that this one runs tells the host that the earlier ones have ended.
  __atomic_store_n(&context->started[param.slot], param.slotIndex + 1, __ATOMIC_RELEASE);
  return RunBatch(param);
}

int RunOp(const OpParam& param) {
  P2P_CHECK_HCOMM(param.tag, HcommAcquireComm(param.commName));
  const int result = RunHoldingComm(param);
  const int releaseResult = HcommReleaseComm(param.commName);
  if (releaseResult != 0) {
    P2P_ERROR("%s: HcommReleaseComm(%s) failed with %d", param.tag, param.commName, releaseResult);
  }
  return result != 0 ? result : releaseResult;
}

}  // namespace
}  // namespace hccl_custom_p2p

extern "C" __attribute__((visibility("default"))) unsigned int HcclLaunchP2PAicpuKernel(
    hccl_custom_p2p::OpParam* param) {
  using namespace hccl_custom_p2p;
  if (param == nullptr || param->resCtx == nullptr) {
    P2P_ERROR("the kernel got no %s", param == nullptr ? "parameter block" : "engine context");
    return KERNEL_FAILED;
  }
  return RunOp(*param) == 0 ? KERNEL_OK : KERNEL_FAILED;
}
