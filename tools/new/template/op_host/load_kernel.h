#ifndef SAMPLE_OP_LOAD_KERNEL_H
#define SAMPLE_OP_LOAD_KERNEL_H

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

namespace hccl_custom_sample_op {

// The kernel function for the current device; its package is opened once per device.
HcclResult LoadKernel(aclrtFuncHandle* function);

}  // namespace hccl_custom_sample_op

#endif  // SAMPLE_OP_LOAD_KERNEL_H
