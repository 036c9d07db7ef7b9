#ifndef SAMPLE_OP_EXEC_OP_H
#define SAMPLE_OP_EXEC_OP_H

#include "common.h"

namespace hccl_custom_sample_op {

// Queues the tasks of one operation on the thread: this is the algorithm. 0, or the code of the call that failed.
int ExecOp(const OpParam& param);

}  // namespace hccl_custom_sample_op

#endif  // SAMPLE_OP_EXEC_OP_H
