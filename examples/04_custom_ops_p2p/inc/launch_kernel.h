// Puts one operation on the user's stream: the handshake with the thread around the launch of the kernel.
#ifndef HCCL_CUSTOM_P2P_LAUNCH_KERNEL_H
#define HCCL_CUSTOM_P2P_LAUNCH_KERNEL_H

#include "acl/acl_rt.h"
#include "common.h"
#include "hccl/hccl_types.h"

namespace hccl_custom_p2p {

// The notifies around one operation. `previous` is taken first and `done` recorded last, both on the user's stream.
struct LaunchNotifies {
  aclrtNotify previous;
  aclrtNotify start;
  aclrtNotify end;
  aclrtNotify done;
};

// Copies `param` into an argument list of the calling thread, ready to launch. Queues nothing.
HcclResult PrepareArgs(aclrtFuncHandle function, const OpParam& param, aclrtArgsHandle* args);

// Queues the operation. After a failure some of its tasks may be on the stream.
HcclResult LaunchKernel(aclrtFuncHandle function, aclrtArgsHandle args, const LaunchNotifies& notifies,
                        aclrtStream stream);

}  // namespace hccl_custom_p2p

#endif  // HCCL_CUSTOM_P2P_LAUNCH_KERNEL_H
