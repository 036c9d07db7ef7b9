// Who wants to hear of tasks that failed, and what stands behind the pointer that they get. Programs see the name of
// its type only; it is valid inside the callback.
#pragma once

#include <string>

#include "acl/acl_rt_structs.h"
#include "base/status.h"
#include "engine/failure_report.h"

struct rtExceptionInfo {
  const softhccl::engine::FailureReport* report;
};

namespace softhccl::api {

// The one callback that each call replaces; null for none.
void SetExceptionCallback(aclrtExceptionInfoCallback callback);
// Adding one again changes nothing. False when it was not there.
void AddExceptionCallback(aclrtExceptionInfoCallback callback);
bool RemoveExceptionCallback(aclrtExceptionInfoCallback callback);
// One per name; null removes it.
void SetModuleCallback(const std::string& module, aclrtExceptionInfoCallback callback);
// Called with failures of kernels of that binary.
void SetBinaryCallback(std::uint64_t binary, aclrtOpExceptionCallback callback, void* argument);

// Null for anything but what a callback that is running got.
const engine::FailureReport* ReportOf(const aclrtExceptionInfo* info);

}  // namespace softhccl::api
