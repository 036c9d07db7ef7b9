// Finds the installed description of the AICPU kernel and loads it.
#ifndef HCCL_CUSTOM_P2P_LOAD_KERNEL_H
#define HCCL_CUSTOM_P2P_LOAD_KERNEL_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

namespace hccl_custom_p2p {

// Sets *function to the kernel's handle on `device`, the current one. Loaded once per device and kept: the interface
// has no way to unload, so a handle per communicator would pile up. HCCL_E_OPEN_FILE_FAILURE when the description is
// not installed, HCCL_E_RUNTIME when the runtime refuses it. May be called from any thread.
HcclResult LoadAICPUKernel(int32_t device, aclrtFuncHandle* function);

}  // namespace hccl_custom_p2p

#endif  // HCCL_CUSTOM_P2P_LOAD_KERNEL_H
