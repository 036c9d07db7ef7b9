// The one table from reasons to the vendor's numbers.
#pragma once

#include "acl/acl_base_rt.h"
#include "base/status.h"
#include "hccl/hccl_types.h"

namespace softhccl::api {

aclError ToAclError(base::Code code);
HcclResult ToHcclResult(base::Code code);

// "ACL_ERROR_RT_TASK_TIMEOUT (107020)" and "HCCL_E_TIMEOUT (9)".
const char* AclErrorName(aclError error);
const char* HcclResultName(HcclResult result);

}  // namespace softhccl::api
