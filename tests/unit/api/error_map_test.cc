// The numbers that C programs compare with. The table is asserted against literal values, not against the constants it
// is made of, so that a slip in either place is seen.
#include "api/error_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softhccl::api {
namespace {

using base::Code;

struct Expected {
  Code code;
  aclError acl;
  const char* acl_name;
  int hccl;
  const char* hccl_name;
};

constexpr Expected kExpected[] = {
    {Code::kOk, 0, "ACL_SUCCESS", 0, "HCCL_SUCCESS"},
    {Code::kNullPointer, 100000, "ACL_ERROR_INVALID_PARAM", 2, "HCCL_E_PTR"},
    {Code::kInvalidArgument, 100000, "ACL_ERROR_INVALID_PARAM", 1, "HCCL_E_PARA"},
    {Code::kInvalidParam, 107000, "ACL_ERROR_RT_PARAM_INVALID", 1, "HCCL_E_PARA"},
    {Code::kInvalidDevice, 107001, "ACL_ERROR_RT_INVALID_DEVICEID", 1, "HCCL_E_PARA"},
    {Code::kNoContext, 107002, "ACL_ERROR_RT_CONTEXT_NULL", 15, "HCCL_E_RUNTIME"},
    {Code::kWrongContext, 107003, "ACL_ERROR_RT_STREAM_CONTEXT", 1, "HCCL_E_PARA"},
    {Code::kInvalidHandle, 107017, "ACL_ERROR_RT_INVALID_HANDLE", 1, "HCCL_E_PARA"},
    {Code::kNotFound, 107000, "ACL_ERROR_RT_PARAM_INVALID", 6, "HCCL_E_NOT_FOUND"},
    {Code::kNotSupported, 207000, "ACL_ERROR_RT_FEATURE_NOT_SUPPORT", 5, "HCCL_E_NOT_SUPPORT"},
    {Code::kUnavailable, 207005, "ACL_ERROR_RT_RESOURCE_ALLOC_FAIL", 7, "HCCL_E_UNAVAIL"},
    {Code::kOutOfMemory, 207001, "ACL_ERROR_RT_MEMORY_ALLOCATION", 24, "HCCL_E_OOM"},
    {Code::kFileError, 107000, "ACL_ERROR_RT_PARAM_INVALID", 10, "HCCL_E_OPEN_FILE_FAILURE"},
    {Code::kSyncTimeout, 507046, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT", 9, "HCCL_E_TIMEOUT"},
    {Code::kTimeout, 107020, "ACL_ERROR_RT_TASK_TIMEOUT", 9, "HCCL_E_TIMEOUT"},
    {Code::kKernelFailed, 507018, "ACL_ERROR_RT_AICPU_EXCEPTION", 15, "HCCL_E_RUNTIME"},
    {Code::kKernelTimeout, 507017, "ACL_ERROR_RT_AICPU_TIMEOUT", 9, "HCCL_E_TIMEOUT"},
    {Code::kRemote, 507057, "ACL_ERROR_RT_SUSPECT_REMOTE_ERROR", 21, "HCCL_E_REMOTE"},
    {Code::kAgain, 507002, "ACL_ERROR_RT_STREAM_TASK_FULL", 20, "HCCL_E_AGAIN"},
    {Code::kSuspended, 107022, "ACL_ERROR_RT_DEVICE_TASK_ABORT", 22, "HCCL_E_SUSPENDING"},
    {Code::kRepeated, 507007, "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR", 1, "HCCL_E_PARA"},
    {Code::kStreamAborted, 107023, "ACL_ERROR_RT_STREAM_ABORT", 22, "HCCL_E_SUSPENDING"},
    {Code::kDeviceAborted, 107022, "ACL_ERROR_RT_DEVICE_TASK_ABORT", 22, "HCCL_E_SUSPENDING"},
    {Code::kStreamCaptured, 107027, "ACL_ERROR_RT_STREAM_CAPTURED", 1, "HCCL_E_PARA"},
    {Code::kStreamNotCaptured, 107029, "ACL_ERROR_RT_STREAM_NOT_CAPTURED", 1, "HCCL_E_PARA"},
    {Code::kEventCaptured, 107028, "ACL_ERROR_RT_EVENT_CAPTURED", 1, "HCCL_E_PARA"},
    {Code::kCaptureForbids, 107030, "ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT", 1, "HCCL_E_PARA"},
    {Code::kCaptureBlocksAsync, 107041, "ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC", 1, "HCCL_E_PARA"},
    {Code::kCaptureUnjoined, 107025, "ACL_ERROR_RT_STREAM_UNJOINED", 1, "HCCL_E_PARA"},
    {Code::kCaptureDependency, 107024, "ACL_ERROR_RT_CAPTURE_DEPENDENCY", 1, "HCCL_E_PARA"},
    {Code::kCaptureConflict, 107032, "ACL_ERROR_STREAM_CAPTURE_CONFLICT", 1, "HCCL_E_PARA"},
    {Code::kCaptureUnmatched, 107036, "ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED", 1, "HCCL_E_PARA"},
    {Code::kCaptureWrongThread, 107038, "ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD", 1, "HCCL_E_PARA"},
    {Code::kCaptureInvalid, 507903, "ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED", 1, "HCCL_E_PARA"},
    {Code::kGraphAborted, 507023, "ACL_ERROR_RT_MODEL_ABORT_NORMAL", 22, "HCCL_E_SUSPENDING"},
    {Code::kGraphCaptured, 107026, "ACL_ERROR_RT_MODEL_CAPTURED", 1, "HCCL_E_PARA"},
    {Code::kTaskGroup, 107033, "ACL_ERROR_STREAM_TASK_GROUP_STATUS", 1, "HCCL_E_PARA"},
    {Code::kTaskNotSupported, 507009, "ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT", 1, "HCCL_E_PARA"},
    {Code::kArrayTooSmall, 107039, "ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY", 1, "HCCL_E_PARA"},
    {Code::kInternal, 507000, "ACL_ERROR_RT_INTERNAL_ERROR", 4, "HCCL_E_INTERNAL"},
};

TEST(ErrorMapTest, EveryCode_HasItsNumbers) {
  ASSERT_EQ(std::size(kExpected), static_cast<std::size_t>(Code::kInternal) + 1) << "a code without a row";
  for (std::size_t i = 0; i < std::size(kExpected); ++i) {
    const Expected& row = kExpected[i];
    ASSERT_EQ(row.code, static_cast<Code>(i));
    EXPECT_EQ(ToAclError(row.code), row.acl) << base::CodeName(row.code);
    EXPECT_EQ(static_cast<int>(ToHcclResult(row.code)), row.hccl) << base::CodeName(row.code);
    EXPECT_STREQ(AclErrorName(row.acl), row.acl_name);
    EXPECT_STREQ(HcclResultName(static_cast<HcclResult>(row.hccl)), row.hccl_name);
  }
}

TEST(ErrorMapTest, EveryReason_HasAnEntryOfTheCatalogue) {
  EXPECT_STREQ(ExplainingId(base::Status()), "");
  for (int code = 1; code <= static_cast<int>(Code::kInternal); ++code) {
    EXPECT_TRUE(CarriesId(ExplainingId(base::Fail(static_cast<Code>(code), "x")))) << code;
  }
  EXPECT_STREQ(ExplainingId(base::Fail(Code::kTimeout, "EI0006 channel")), "SH-G002");
  EXPECT_STREQ(ExplainingId(base::Fail(Code::kTimeout, "about EI0006")), "SH-W001") << "only at the beginning";
}

TEST(ErrorMapTest, UnknownCode_IsInternal) {
  EXPECT_EQ(ToAclError(static_cast<Code>(250)), 507000);
  EXPECT_EQ(ToHcclResult(static_cast<Code>(250)), HCCL_E_INTERNAL);
}

TEST(ErrorMapTest, NumbersWithoutACode_HaveNames) {
  EXPECT_STREQ(AclErrorName(100002), "ACL_ERROR_REPEAT_INITIALIZE");
  EXPECT_STREQ(AclErrorName(100037), "ACL_ERROR_REPEAT_FINALIZE");
  EXPECT_STREQ(AclErrorName(100003), "ACL_ERROR_INVALID_FILE");
  EXPECT_STREQ(AclErrorName(100006), "ACL_ERROR_PARSE_FILE");
  EXPECT_STREQ(AclErrorName(207004), "ACL_ERROR_RT_NO_DEVICE");
  EXPECT_STREQ(AclErrorName(207008), "ACL_ERROR_RT_NO_STREAM_RESOURCE");
  EXPECT_STREQ(AclErrorName(207009), "ACL_ERROR_RT_NO_NOTIFY_RESOURCE");
  EXPECT_STREQ(AclErrorName(12345), "aclError");
  EXPECT_STREQ(HcclResultName(HCCL_E_TCP_CONNECT), "HcclResult");
}

}  // namespace
}  // namespace softhccl::api
