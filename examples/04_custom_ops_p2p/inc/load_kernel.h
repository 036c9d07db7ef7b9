// Finds the installed description of the AICPU kernel and loads it.
#ifndef HCCL_CUSTOM_P2P_LOAD_KERNEL_H
#define HCCL_CUSTOM_P2P_LOAD_KERNEL_H

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

namespace hccl_custom_p2p {

// Sets *function to the kernel's handle. HCCL_E_OPEN_FILE_FAILURE when the description is not installed,
// HCCL_E_RUNTIME when the runtime refuses it.
HcclResult LoadAICPUKernel(aclrtFuncHandle* function);

}  // namespace hccl_custom_p2p

#endif  // HCCL_CUSTOM_P2P_LOAD_KERNEL_H
