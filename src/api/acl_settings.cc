// Versions, time limits of the process, and the last error of a thread.
#include <cstring>
#include <limits>
#include <string_view>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/process_settings.h"
#include "api/report.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

// The interface this library answers to, for every package.
constexpr std::string_view kVersion = "9.2.0";
constexpr int32_t kVersionNumber = 90200000;

Status CheckPackage(const char* pkgName) {
  SOFTHCCL_REQUIRE(pkgName);
  if (*pkgName == '\0') return base::Fail(Code::kInvalidArgument, "pkgName is empty; pass for example hcomm");
  return {};
}

}  // namespace

extern "C" aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return CallAcl("aclsysGetVersionNum", [&]() -> Status {
    SOFTHCCL_REQUIRE(pkgName);
    SOFTHCCL_REQUIRE(versionNum);
    SOFTHCCL_RETURN_IF_ERROR(CheckPackage(pkgName));
    *versionNum = kVersionNumber;
    return {};
  });
}

extern "C" aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return CallAcl("aclsysGetVersionStr", [&]() -> Status {
    SOFTHCCL_REQUIRE(pkgName);
    SOFTHCCL_REQUIRE(versionStr);
    SOFTHCCL_RETURN_IF_ERROR(CheckPackage(pkgName));
    std::memcpy(versionStr, kVersion.data(), kVersion.size());
    versionStr[kVersion.size()] = '\0';
    return {};
  });
}

extern "C" aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return CallAcl("aclsysGetCANNVersion", [&]() -> Status {
    SOFTHCCL_REQUIRE(version);
    if (RawValue(name) < ACL_PKG_NAME_CANN || RawValue(name) > ACL_PKG_NAME_DRIVER) {
      return base::Fail(Code::kInvalidArgument, "name {} is not known; use 0 to {}", RawValue(name),
                        static_cast<int>(ACL_PKG_NAME_DRIVER));
    }
    *version = {};
    std::memcpy(version->version, kVersion.data(), kVersion.size());
    version->majorVersion[0] = kVersion[0];
    version->minorVersion[0] = kVersion[2];
    version->releaseVersion[0] = kVersion[4];
    return {};
  });
}

extern "C" aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return CallAcl("aclrtGetVersion", [&]() -> Status {
    SOFTHCCL_REQUIRE(majorVersion);
    SOFTHCCL_REQUIRE(minorVersion);
    SOFTHCCL_REQUIRE(patchVersion);
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return {};
  });
}

extern "C" aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  SetOpExecuteSeconds(timeout);
  return ACL_SUCCESS;
}

extern "C" aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  SetOpExecuteSeconds(timeout / 1e3);
  return ACL_SUCCESS;
}

extern "C" aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  return CallAcl("aclrtSetOpExecuteTimeOutV2", [&]() -> Status {
    SOFTHCCL_REQUIRE(actualTimeout);
    if (timeout > std::numeric_limits<uint64_t>::max() - kLimitInterval) {
      return base::Fail(Code::kInvalidParam, "timeout {} is too large; use 0 for no limit", timeout);
    }
    const uint64_t actual = (timeout + kLimitInterval - 1) / kLimitInterval * kLimitInterval;
    SetOpExecuteSeconds(static_cast<double>(actual) / 1e6);
    *actualTimeout = actual;
    return {};
  });
}

extern "C" aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs) {
  return CallAcl("aclrtGetOpExecuteTimeout", [&]() -> Status {
    SOFTHCCL_REQUIRE(timeoutMs);
    const double millis = OpExecuteSeconds() * 1e3;
    *timeoutMs = millis < std::numeric_limits<uint32_t>::max() ? static_cast<uint32_t>(millis)
                                                               : std::numeric_limits<uint32_t>::max();
    return {};
  });
}

extern "C" aclError aclrtGetOpTimeOutInterval(uint64_t* interval) {
  return CallAcl("aclrtGetOpTimeOutInterval", [&]() -> Status {
    SOFTHCCL_REQUIRE(interval);
    *interval = kLimitInterval;
    return {};
  });
}

extern "C" aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  SetOpWaitSeconds(timeout);
  return ACL_SUCCESS;
}

namespace {

aclError ReadLastError(const char* call, int level, bool clear) {
  if (level != ACL_RT_THREAD_LEVEL) {
    return ReportAcl(call,
                     base::Fail(Code::kInvalidArgument, "level {} is not known; use ACL_RT_THREAD_LEVEL 0", level));
  }
  const aclError last = LastRuntimeError();
  if (clear) ClearLastRuntimeError();
  return last;
}

}  // namespace

extern "C" aclError aclrtGetLastError(aclrtLastErrLevel level) {
  return ReadLastError("aclrtGetLastError", RawValue(level), true);
}

extern "C" aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  return ReadLastError("aclrtPeekAtLastError", RawValue(level), false);
}
