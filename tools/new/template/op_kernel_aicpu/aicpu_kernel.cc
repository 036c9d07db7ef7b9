// The kernel: takes the communicator, opens a batch, queues, and gives both back on every path.
#include "common.h"
#include "exec_op.h"
#include "hccl/hcomm_primitives.h"
#include "log.h"

namespace hccl_custom_sample_op {
namespace {

int QueueTasks(const OpParam& param) {
  CHECK_HCOMM(param.tag, HcommAclrtNotifyWaitOnThread(param.thread, param.startNotifyId, WAIT_SECONDS));
  const int result = ExecOp(param);
  if (result != 0) {
    return result;
  }
  CHECK_HCOMM(param.tag, HcommAclrtNotifyRecordOnThread(param.thread, param.endNotifyId));
  return 0;
}

int RunBatch(const OpParam& param) {
  CHECK_HCOMM(param.tag, HcommBatchModeStart(param.tag));
  const int result = QueueTasks(param);
  const int ended = HcommBatchModeEnd(param.tag);
  return result != 0 ? result : ended;
}

int RunOp(const OpParam& param) {
  CHECK_HCOMM(param.tag, HcommAcquireComm(param.commName));
  const int result = RunBatch(param);
  const int released = HcommReleaseComm(param.commName);
  return result != 0 ? result : released;
}

}  // namespace
}  // namespace hccl_custom_sample_op

// The name is in libsample_op_aicpu_kernel.json. 0 is success; anything else fails the stream.
extern "C" __attribute__((visibility("default"))) unsigned int HcclLaunchSampleOpAicpuKernel(
    hccl_custom_sample_op::OpParam* param) {
  return hccl_custom_sample_op::RunOp(*param) == 0 ? 0 : 1;
}
