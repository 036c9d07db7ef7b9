// The algorithm. These calls queue and return at once; the thread runs them in this order.
#include "exec_op.h"

#include "hccl/hcomm_primitives.h"
#include "log.h"

namespace hccl_custom_sample_op {

int ExecOp(const OpParam& param) {
  if (param.rankNum == 1) {
    if (param.bytes > 0) {
      CHECK_HCOMM(param.tag, HcommLocalCopyOnThread(param.thread, param.recvBuf, param.sendBuf, param.bytes));
    }
    return 0;
  }
  // Lay the data out for the next rank, and say so.
  if (param.bytes > 0) {
    CHECK_HCOMM(param.tag, HcommLocalCopyOnThread(param.thread, param.ownBuffer, param.sendBuf, param.bytes));
  }
  CHECK_HCOMM(param.tag, HcommChannelNotifyRecordOnThread(param.thread, param.toNext, NOTIFY_READY));
  // Fetch what the rank before has laid out, and say that it is read.
  CHECK_HCOMM(param.tag, HcommChannelNotifyWaitOnThread(param.thread, param.toPrevious, NOTIFY_READY, WAIT_SECONDS));
  if (param.bytes > 0) {
    CHECK_HCOMM(param.tag,
                HcommReadOnThread(param.thread, param.toPrevious, param.recvBuf, param.previousBuffer, param.bytes));
  }
  CHECK_HCOMM(param.tag, HcommChannelNotifyRecordOnThread(param.thread, param.toPrevious, NOTIFY_DONE));
  // The own buffer is free again when the next rank has read it.
  CHECK_HCOMM(param.tag, HcommChannelNotifyWaitOnThread(param.thread, param.toNext, NOTIFY_DONE, WAIT_SECONDS));
  return 0;
}

}  // namespace hccl_custom_sample_op
