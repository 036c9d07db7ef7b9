// The configuration object of aclrtCreateStreamV2. Its layout is public, so the pointer that a program holds is a real
// one; a table of the live ones keeps a stale or invented pointer from being followed.
#pragma once

#include "acl/acl_rt_structs.h"
#include "base/status.h"

namespace softhccl::api {

aclrtStreamConfigHandle* MakeStreamConfig();
// Errors of all: kInvalidHandle.
base::Status FreeStreamConfig(const aclrtStreamConfigHandle* handle);
base::Result<aclrtStreamConfigHandle> ReadStreamConfig(const aclrtStreamConfigHandle* handle);
base::Status WriteStreamConfig(const aclrtStreamConfigHandle* handle, const aclrtStreamConfigHandle& value);

}  // namespace softhccl::api
