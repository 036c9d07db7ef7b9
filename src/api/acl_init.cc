// aclInit, aclFinalize, versions, names and messages.

#include <nlohmann/json.hpp>

#include "acl/acl.h"
#include "api/lifecycle.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/kernel_package.h"

namespace softhccl::api {
namespace {

// The configuration is only checked: no key of it has an effect here.
base::Status CheckConfig(const char* path, aclError* error) {
  constexpr std::size_t kLimit = 16 * 1024 * 1024;
  *error = ACL_ERROR_INVALID_FILE;
  const auto text = engine::ReadRegularFile(path, kLimit);
  if (!text) {
    return base::Fail(base::Code::kFileError, "configPath {} cannot be read ({}); pass null to use the defaults", path,
                      text.error().message());
  }
  if (text->empty() || nlohmann::json::accept(*text)) return {};
  *error = ACL_ERROR_PARSE_FILE;
  return base::Fail(base::Code::kFileError, "configPath {} is not valid JSON; an empty object {{}} means the defaults",
                    path);
}

}  // namespace
}  // namespace softhccl::api

using namespace softhccl;
using namespace softhccl::api;

extern "C" aclError aclInit(const char* configPath) {
  aclError error = ACL_ERROR_INVALID_FILE;
  const base::Status status = Guard([&]() -> base::Status {
    StartObservation();
    return configPath == nullptr ? base::Status() : CheckConfig(configPath, &error);
  });
  if (!status.ok()) return ReportAclAs("aclInit", status, error);
  if (Initialise() == 0) return ACL_SUCCESS;
  return ReportAclAs("aclInit", base::Fail(base::Code::kRepeated, "already initialised; this may be ignored"),
                     ACL_ERROR_REPEAT_INITIALIZE, Loudness::kProbe);
}

extern "C" aclError aclFinalize() {
  if (!Finalise()) {
    return ReportAclAs("aclFinalize", base::Fail(base::Code::kRepeated, "already finalised; call aclInit first"),
                       ACL_ERROR_REPEAT_FINALIZE);
  }
  return CallAcl("aclFinalize", []() -> base::Status {
    ReportLeaks();
    FinishObservation();
    return {};
  });
}

namespace {

// Null when the text cannot be had because the host is out of memory.
template <typename Body>
const char* CallText(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

extern "C" const char* aclGetRecentErrMsg() {
  return CallText([] { return TakeRecentMessages(); });
}

extern "C" const char* aclrtGetSocName() {
  return CallText([] { return engine::Runtime::Get().config().soc_name.c_str(); });
}

extern "C" aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return CallAcl("aclsysGetVersionNum", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(pkgName);
    SOFTHCCL_REQUIRE(versionNum);
    if (*pkgName == '\0') return base::Fail(base::Code::kInvalidArgument, "pkgName is empty; pass for example hcomm");
    *versionNum = 90200000;  // 9.2.0, the interface this library answers to, for every package
    return {};
  });
}
