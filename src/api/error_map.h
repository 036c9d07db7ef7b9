// The one table from reasons to the vendor's numbers.
#pragma once

#include <string_view>

#include "acl/acl_base_rt.h"
#include "base/status.h"
#include "hccl/hccl_types.h"

namespace softhccl::api {

aclError ToAclError(base::Code code);
HcclResult ToHcclResult(base::Code code);

// "ACL_ERROR_RT_TASK_TIMEOUT (107020)" and "HCCL_E_TIMEOUT (9)".
const char* AclErrorName(aclError error);
const char* HcclResultName(HcclResult result);

// Does the message name its entry of the error catalogue itself, as in "... (SH-H002)"?
bool CarriesId(std::string_view message);
// The entry of the catalogue that explains `status` when its message does not name one: by the vendor's code at the
// beginning of the message, else by its reason. Empty for ok.
const char* ExplainingId(const base::Status& status);

}  // namespace softhccl::api
