// Launch of the AICPU kernel with the host-device handshake of the article, and the order between operations.
#include "launch_kernel.h"

#include "log.h"

namespace hccl_custom_p2p {

HcclResult PrepareArgs(aclrtFuncHandle function, const OpParam& param, aclrtArgsHandle* args) {
  OpParam copy = param;
  aclrtParamHandle paramHandle = nullptr;
  P2P_CHECK_ACL(aclrtKernelArgsInit(function, args));
  P2P_CHECK_ACL(aclrtKernelArgsAppend(*args, &copy, sizeof(copy), &paramHandle));
  P2P_CHECK_ACL(aclrtKernelArgsFinalize(*args));
  return HCCL_SUCCESS;
}

HcclResult LaunchKernel(aclrtFuncHandle function, aclrtArgsHandle args, const LaunchNotifies& notifies,
                        aclrtStream stream) {
  aclrtLaunchKernelAttr attribute = {};
  attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attribute.value.timeout = static_cast<uint16_t>(CUSTOM_TIMEOUT);
  aclrtLaunchKernelCfg config = {};
  config.attrs = &attribute;
  config.numAttrs = 1;

  // No limit here: the operations before this one have limits of their own, and there may be many of them.
  P2P_CHECK_ACL(aclrtWaitAndResetNotify(notifies.previous, stream, 0));
  P2P_CHECK_ACL(aclrtRecordNotify(notifies.start, stream));
  P2P_CHECK_ACL(aclrtLaunchKernelWithConfig(function, 1, stream, &config, args, nullptr));
  P2P_CHECK_ACL(aclrtWaitAndResetNotify(notifies.end, stream, CUSTOM_TIMEOUT));
  P2P_CHECK_ACL(aclrtRecordNotify(notifies.done, stream));
  return HCCL_SUCCESS;
}

}  // namespace hccl_custom_p2p
