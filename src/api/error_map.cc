// Reasons, aclError and HcclResult, one row each.
#include "api/error_map.h"

#include "acl/error_codes/rt_error_codes.h"

namespace softhccl::api {
namespace {

using base::Code;

struct Row {
  Code code;
  aclError acl;
  const char* acl_name;
  HcclResult hccl;
  const char* hccl_name;
};

#define ROW(code, acl, hccl) {Code::code, acl, #acl, hccl, #hccl}
constexpr Row kRows[] = {
    ROW(kOk, ACL_SUCCESS, HCCL_SUCCESS),
    ROW(kNullPointer, ACL_ERROR_INVALID_PARAM, HCCL_E_PTR),
    ROW(kInvalidArgument, ACL_ERROR_INVALID_PARAM, HCCL_E_PARA),
    ROW(kInvalidParam, ACL_ERROR_RT_PARAM_INVALID, HCCL_E_PARA),
    ROW(kInvalidDevice, ACL_ERROR_RT_INVALID_DEVICEID, HCCL_E_PARA),
    ROW(kNoContext, ACL_ERROR_RT_CONTEXT_NULL, HCCL_E_RUNTIME),
    ROW(kWrongContext, ACL_ERROR_RT_STREAM_CONTEXT, HCCL_E_PARA),
    ROW(kInvalidHandle, ACL_ERROR_RT_INVALID_HANDLE, HCCL_E_PARA),
    ROW(kNotFound, ACL_ERROR_RT_PARAM_INVALID, HCCL_E_NOT_FOUND),
    ROW(kNotSupported, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, HCCL_E_NOT_SUPPORT),
    ROW(kUnavailable, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, HCCL_E_UNAVAIL),
    ROW(kOutOfMemory, ACL_ERROR_RT_MEMORY_ALLOCATION, HCCL_E_OOM),
    ROW(kFileError, ACL_ERROR_RT_PARAM_INVALID, HCCL_E_OPEN_FILE_FAILURE),
    ROW(kSyncTimeout, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, HCCL_E_TIMEOUT),
    ROW(kTimeout, ACL_ERROR_RT_TASK_TIMEOUT, HCCL_E_TIMEOUT),
    ROW(kKernelFailed, ACL_ERROR_RT_AICPU_EXCEPTION, HCCL_E_RUNTIME),
    ROW(kKernelTimeout, ACL_ERROR_RT_AICPU_TIMEOUT, HCCL_E_TIMEOUT),
    ROW(kRemote, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, HCCL_E_REMOTE),
    ROW(kAgain, ACL_ERROR_RT_STREAM_TASK_FULL, HCCL_E_AGAIN),
    ROW(kRepeated, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, HCCL_E_PARA),
    ROW(kInternal, ACL_ERROR_RT_INTERNAL_ERROR, HCCL_E_INTERNAL),
};
#undef ROW

// Numbers that no reason stands for; given by the call itself.
struct Name {
  aclError error;
  const char* name;
};
#define NAME(error) {error, #error}
constexpr Name kMoreNames[] = {NAME(ACL_ERROR_REPEAT_INITIALIZE),    NAME(ACL_ERROR_REPEAT_FINALIZE),
                               NAME(ACL_ERROR_INVALID_FILE),         NAME(ACL_ERROR_PARSE_FILE),
                               NAME(ACL_ERROR_RT_NO_DEVICE),         NAME(ACL_ERROR_RT_NO_STREAM_RESOURCE),
                               NAME(ACL_ERROR_RT_NO_NOTIFY_RESOURCE)};
#undef NAME

const Row& Find(Code code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row;
  }
  return kRows[sizeof kRows / sizeof kRows[0] - 1];
}

}  // namespace

aclError ToAclError(Code code) { return Find(code).acl; }
HcclResult ToHcclResult(Code code) { return Find(code).hccl; }

const char* AclErrorName(aclError error) {
  for (const Row& row : kRows) {
    if (row.acl == error) return row.acl_name;
  }
  for (const Name& more : kMoreNames) {
    if (more.error == error) return more.name;
  }
  return "aclError";
}

const char* HcclResultName(HcclResult result) {
  for (const Row& row : kRows) {
    if (row.hccl == result) return row.hccl_name;
  }
  return "HcclResult";
}

}  // namespace softhccl::api
