// Tells the communicator what the operation moves, so that a product that compares both sides can name a mistake.
#ifndef HCCL_CUSTOM_P2P_DESCRIBE_OP_H
#define HCCL_CUSTOM_P2P_DESCRIBE_OP_H

#include "common.h"

namespace hccl_custom_p2p {

// Before the tasks are queued. Where the product knows no descriptions it does nothing; that one is refused is no
// reason for the operation to fail.
void DescribeOp(const OpParam& param);

}  // namespace hccl_custom_p2p

#endif  // HCCL_CUSTOM_P2P_DESCRIBE_OP_H
