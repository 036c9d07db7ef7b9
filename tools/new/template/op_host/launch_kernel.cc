#include "launch_kernel.h"

#include "log.h"

namespace hccl_custom_sample_op {

HcclResult LaunchKernel(const Resources& resources, const OpParam& param, aclrtStream stream) {
  OpParam copy = param;
  aclrtArgsHandle args = nullptr;
  aclrtParamHandle paramHandle = nullptr;
  CHECK_ACL(aclrtKernelArgsInit(resources.kernel, &args));
  CHECK_ACL(aclrtKernelArgsAppend(args, &copy, sizeof(copy), &paramHandle));
  CHECK_ACL(aclrtKernelArgsFinalize(args));

  aclrtLaunchKernelAttr attribute = {};
  attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attribute.value.timeout = static_cast<uint16_t>(WAIT_SECONDS);
  aclrtLaunchKernelCfg config = {};
  config.attrs = &attribute;
  config.numAttrs = 1;

  CHECK_ACL(aclrtRecordNotify(resources.start, stream));
  CHECK_ACL(aclrtLaunchKernelWithConfig(resources.kernel, 1, stream, &config, args, nullptr));
  CHECK_ACL(aclrtWaitAndResetNotify(resources.end, stream, WAIT_SECONDS));
  return HCCL_SUCCESS;
}

}  // namespace hccl_custom_sample_op
