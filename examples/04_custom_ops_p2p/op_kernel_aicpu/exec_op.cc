// The protocol: the sender stages its data in its own HcclBuffer and says so (ACK); the receiver reads it from there
// straight into the user's memory and says so (SIGNAL); the sender goes on only then, so staging may always begin at
// offset 0.
#include "exec_op.h"

#include "hccl/hcomm_primitives.h"
#include "log.h"

namespace hccl_custom_p2p {
namespace {

int ExecSend(const OpParam& param, ThreadHandle thread) {
  if (param.bytes > 0) {
    P2P_CHECK_HCOMM(param.tag, HcommLocalCopyOnThread(thread, param.commBuf, param.userBuf, param.bytes));
  }
  P2P_CHECK_HCOMM(param.tag, HcommChannelNotifyRecordOnThread(thread, param.channel, NOTIFY_IDX_ACK));
  P2P_CHECK_HCOMM(param.tag,
                  HcommChannelNotifyWaitOnThread(thread, param.channel, NOTIFY_IDX_DATA_SIGNAL, CUSTOM_TIMEOUT));
  return 0;
}

int ExecRecv(const OpParam& param, ThreadHandle thread) {
  P2P_CHECK_HCOMM(param.tag, HcommChannelNotifyWaitOnThread(thread, param.channel, NOTIFY_IDX_ACK, CUSTOM_TIMEOUT));
  if (param.bytes > 0) {
    P2P_CHECK_HCOMM(param.tag, HcommReadOnThread(thread, param.channel, param.userBuf, param.commBuf, param.bytes));
  }
  P2P_CHECK_HCOMM(param.tag, HcommChannelNotifyRecordOnThread(thread, param.channel, NOTIFY_IDX_DATA_SIGNAL));
  return 0;
}

}  // namespace

int ExecOp(const OpParam& param, ThreadHandle thread) {
  switch (param.opType) {
    case HCCL_CMD_SEND: return ExecSend(param, thread);
    case HCCL_CMD_RECEIVE: return ExecRecv(param, thread);
    default:
      P2P_ERROR("%s: operation type %u is not known; host library and kernel are of different versions", param.tag,
                param.opType);
      return HCCL_E_PARA;
  }
}

}  // namespace hccl_custom_p2p
