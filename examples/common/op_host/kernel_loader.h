// Finds and loads the operator's kernel, once per device.
#ifndef HCCL_CUSTOM_KERNEL_LOADER_H
#define HCCL_CUSTOM_KERNEL_LOADER_H

#include "collective_host.h"

namespace hccl_custom {

// Errors: HCCL_E_OPEN_FILE_FAILURE naming both places where the description was looked for; HCCL_E_RUNTIME.
HcclResult LoadKernel(const CollectiveOperator& op, int32_t device, aclrtFuncHandle* function);

}  // namespace hccl_custom

#endif  // HCCL_CUSTOM_KERNEL_LOADER_H
