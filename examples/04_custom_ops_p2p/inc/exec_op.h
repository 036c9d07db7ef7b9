// The data plane of one operation, as tasks on a thread.
#ifndef HCCL_CUSTOM_P2P_EXEC_OP_H
#define HCCL_CUSTOM_P2P_EXEC_OP_H

#include "common.h"

namespace hccl_custom_p2p {

// Queues the tasks of `param` on `thread`; returns 0 or the code of the first call that failed.
int ExecOp(const OpParam& param, ThreadHandle thread);

}  // namespace hccl_custom_p2p

#endif  // HCCL_CUSTOM_P2P_EXEC_OP_H
