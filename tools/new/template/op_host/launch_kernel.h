#ifndef SAMPLE_OP_LAUNCH_KERNEL_H
#define SAMPLE_OP_LAUNCH_KERNEL_H

#include "resources.h"

namespace hccl_custom_sample_op {

// Queues the kernel on the stream, between two notifies: what the kernel queues on its thread begins after everything
// that is on the stream already, and the stream goes on when the thread is done.
HcclResult LaunchKernel(const Resources& resources, const OpParam& param, aclrtStream stream);

}  // namespace hccl_custom_sample_op

#endif  // SAMPLE_OP_LAUNCH_KERNEL_H
