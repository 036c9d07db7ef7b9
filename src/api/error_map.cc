// Reasons, aclError and HcclResult, one row each.
#include "api/error_map.h"

#include <cstddef>

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
  const char* id;  // the entry of tools/explain/catalogue that explains the reason when nothing more is known
};

#define ROW(code, acl, hccl, id) {Code::code, acl, #acl, hccl, #hccl, id}
constexpr Row kRows[] = {
    ROW(kOk, ACL_SUCCESS, HCCL_SUCCESS, ""),
    ROW(kNullPointer, ACL_ERROR_INVALID_PARAM, HCCL_E_PTR, "SH-A001"),
    ROW(kInvalidArgument, ACL_ERROR_INVALID_PARAM, HCCL_E_PARA, "SH-A002"),
    ROW(kInvalidParam, ACL_ERROR_RT_PARAM_INVALID, HCCL_E_PARA, "SH-A003"),
    ROW(kInvalidDevice, ACL_ERROR_RT_INVALID_DEVICEID, HCCL_E_PARA, "SH-D001"),
    ROW(kNoContext, ACL_ERROR_RT_CONTEXT_NULL, HCCL_E_RUNTIME, "SH-D002"),
    ROW(kWrongContext, ACL_ERROR_RT_STREAM_CONTEXT, HCCL_E_PARA, "SH-D003"),
    ROW(kInvalidHandle, ACL_ERROR_RT_INVALID_HANDLE, HCCL_E_PARA, "SH-H001"),
    ROW(kNotFound, ACL_ERROR_RT_PARAM_INVALID, HCCL_E_NOT_FOUND, "SH-N002"),
    ROW(kNotSupported, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, HCCL_E_NOT_SUPPORT, "SH-N001"),
    ROW(kUnavailable, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, HCCL_E_UNAVAIL, "SH-R002"),
    ROW(kOutOfMemory, ACL_ERROR_RT_MEMORY_ALLOCATION, HCCL_E_OOM, "SH-R001"),
    ROW(kFileError, ACL_ERROR_RT_PARAM_INVALID, HCCL_E_OPEN_FILE_FAILURE, "SH-C005"),
    ROW(kSyncTimeout, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, HCCL_E_TIMEOUT, "SH-W005"),
    ROW(kTimeout, ACL_ERROR_RT_TASK_TIMEOUT, HCCL_E_TIMEOUT, "SH-W001"),
    ROW(kKernelFailed, ACL_ERROR_RT_AICPU_EXCEPTION, HCCL_E_RUNTIME, "SH-K001"),
    ROW(kKernelTimeout, ACL_ERROR_RT_AICPU_TIMEOUT, HCCL_E_TIMEOUT, "SH-K002"),
    ROW(kRemote, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, HCCL_E_REMOTE, "SH-G004"),
    ROW(kAgain, ACL_ERROR_RT_STREAM_TASK_FULL, HCCL_E_AGAIN, "SH-R003"),
    ROW(kSuspended, ACL_ERROR_RT_DEVICE_TASK_ABORT, HCCL_E_SUSPENDING, "SH-G009"),
    ROW(kRepeated, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, HCCL_E_PARA, "SH-D004"),
    ROW(kStreamAborted, ACL_ERROR_RT_STREAM_ABORT, HCCL_E_SUSPENDING, "SH-D006"),
    ROW(kDeviceAborted, ACL_ERROR_RT_DEVICE_TASK_ABORT, HCCL_E_SUSPENDING, "SH-D006"),
    ROW(kStreamCaptured, ACL_ERROR_RT_STREAM_CAPTURED, HCCL_E_PARA, "SH-S001"),
    ROW(kStreamNotCaptured, ACL_ERROR_RT_STREAM_NOT_CAPTURED, HCCL_E_PARA, "SH-S002"),
    ROW(kEventCaptured, ACL_ERROR_RT_EVENT_CAPTURED, HCCL_E_PARA, "SH-S001"),
    ROW(kCaptureForbids, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, HCCL_E_PARA, "SH-S001"),
    ROW(kCaptureBlocksAsync, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, HCCL_E_PARA, "SH-S001"),
    ROW(kCaptureUnjoined, ACL_ERROR_RT_STREAM_UNJOINED, HCCL_E_PARA, "SH-S002"),
    ROW(kCaptureDependency, ACL_ERROR_RT_CAPTURE_DEPENDENCY, HCCL_E_PARA, "SH-S002"),
    ROW(kCaptureConflict, ACL_ERROR_STREAM_CAPTURE_CONFLICT, HCCL_E_PARA, "SH-S002"),
    ROW(kCaptureUnmatched, ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, HCCL_E_PARA, "SH-S002"),
    ROW(kCaptureWrongThread, ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, HCCL_E_PARA, "SH-S002"),
    ROW(kCaptureInvalid, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, HCCL_E_PARA, "SH-S003"),
    ROW(kGraphAborted, ACL_ERROR_RT_MODEL_ABORT_NORMAL, HCCL_E_SUSPENDING, "SH-D006"),
    ROW(kGraphCaptured, ACL_ERROR_RT_MODEL_CAPTURED, HCCL_E_PARA, "SH-S001"),
    ROW(kTaskGroup, ACL_ERROR_STREAM_TASK_GROUP_STATUS, HCCL_E_PARA, "SH-S004"),
    ROW(kTaskNotSupported, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, HCCL_E_PARA, "SH-S004"),
    ROW(kArrayTooSmall, ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, HCCL_E_PARA, "SH-A003"),
    ROW(kInternal, ACL_ERROR_RT_INTERNAL_ERROR, HCCL_E_INTERNAL, "SH-I001"),
};
#undef ROW

// Numbers that no reason stands for; given by the call itself.
struct Name {
  aclError error;
  const char* name;
};
#define NAME(error) {error, #error}
constexpr Name kMoreNames[] = {NAME(ACL_ERROR_REPEAT_INITIALIZE),
                               NAME(ACL_ERROR_REPEAT_FINALIZE),
                               NAME(ACL_ERROR_INVALID_FILE),
                               NAME(ACL_ERROR_PARSE_FILE),
                               NAME(ACL_ERROR_RT_NO_DEVICE),
                               NAME(ACL_ERROR_RT_NO_STREAM_RESOURCE),
                               NAME(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID),
                               NAME(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL),
                               NAME(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT),
                               NAME(ACL_ERROR_RT_NO_EVENT_RESOURCE),
                               NAME(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET),
                               NAME(ACL_ERROR_RT_STREAM_SUBSCRIBE),
                               NAME(ACL_ERROR_RT_THREAD_SUBSCRIBE),
                               NAME(ACL_ERROR_RT_STREAM_NO_CB_REG),
                               NAME(ACL_ERROR_RT_REPORT_TIMEOUT),
                               NAME(ACL_ERROR_RT_NO_NOTIFY_RESOURCE)};
#undef NAME

// The vendor's codes that stand at the beginning of a message say more than its reason.
struct VendorCode {
  std::string_view code;
  const char* id;
};
constexpr VendorCode kVendorCodes[] = {{"EI0001", "SH-C001"}, {"EI0002", "SH-W001"}, {"EI0003", "SH-C002"},
                                       {"EI0004", "SH-C003"}, {"EI0005", "SH-G003"}, {"EI0006", "SH-G002"},
                                       {"EI0014", "SH-C004"}, {"EI0015", "SH-G001"}, {"EI0017", "SH-C004"}};

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

bool CarriesId(std::string_view message) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = message.find("SH-"); at != message.npos; at = message.find("SH-", at + 1)) {
    const std::string_view rest = message.substr(at + 3, 4);
    if (rest.size() == 4 && rest[0] >= 'A' && rest[0] <= 'Z' && is_digit(rest[1]) && is_digit(rest[2]) &&
        is_digit(rest[3])) {
      return true;
    }
  }
  return false;
}

const char* ExplainingId(const base::Status& status) {
  for (const VendorCode& vendor : kVendorCodes) {
    if (status.message().rfind(vendor.code, 0) == 0) return vendor.id;
  }
  return Find(status.code()).id;
}

const char* HcclResultName(HcclResult result) {
  for (const Row& row : kRows) {
    if (row.hccl == result) return row.hccl_name;
  }
  return "HcclResult";
}

}  // namespace softhccl::api
