// aclInit, aclFinalize, versions, names and messages.

#include <nlohmann/json.hpp>

#include "acl/acl.h"
#include "api/life_callbacks.h"
#include "api/lifecycle.h"
#include "api/objects.h"
#include "api/report.h"
#include "package/file.h"

namespace softhccl::api {
namespace {

// The configuration is only checked: no key of it has an effect here. Callbacks get its text.
base::Status CheckConfig(const char* path, std::string* config, aclError* error) {
  constexpr std::size_t kLimit = 16 * 1024 * 1024;
  *error = ACL_ERROR_INVALID_FILE;
  const auto text = package::ReadRegularFile(path, kLimit);
  if (!text) {
    return base::Fail(base::Code::kFileError, "configPath {} cannot be read ({}); pass null to use the defaults", path,
                      text.error().message());
  }
  if (text->empty() || nlohmann::json::accept(*text)) {
    *config = *text;
    return {};
  }
  *error = ACL_ERROR_PARSE_FILE;
  return base::Fail(base::Code::kFileError, "configPath {} is not valid JSON; an empty object {{}} means the defaults",
                    path);
}

}  // namespace
}  // namespace softhccl::api

using namespace softhccl;
using namespace softhccl::api;

namespace {

aclError EndRuntime(const char* call) {
  const aclError told = LifeCallbacks::Get().TellFinalize();
  const aclError ended = CallAcl(call, []() -> base::Status {
    ReportLeaks();
    FinishObservation();
    return {};
  });
  return ended == ACL_SUCCESS ? told : ended;
}

base::Status CheckType(int type) {
  if ((type >= 0 && type <= ACL_REG_TYPE_ACL_RETR) || type == ACL_REG_TYPE_OTHER) return {};
  return base::Fail(base::Code::kInvalidArgument, "type {} is not known; use 0 to {} or {}", type,
                    static_cast<int>(ACL_REG_TYPE_ACL_RETR), static_cast<int>(ACL_REG_TYPE_OTHER));
}

template <typename Add, typename Function>
aclError RegisterLifeCallback(const char* call, Add add, int type, Function cbFunc, void* userData) {
  aclError answered = ACL_SUCCESS;
  const aclError error = CallAcl(call, [&]() -> base::Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckType(type));
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(reinterpret_cast<const void*>(cbFunc), "cbFunc"));
    answered = (LifeCallbacks::Get().*add)(type, cbFunc, userData);
    return {};
  });
  return error == ACL_SUCCESS ? answered : error;
}

template <typename Remove, typename Function>
aclError UnregisterLifeCallback(const char* call, Remove remove, int type, Function cbFunc) {
  return CallAcl(call, [&]() -> base::Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckType(type));
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(reinterpret_cast<const void*>(cbFunc), "cbFunc"));
    if ((LifeCallbacks::Get().*remove)(type, cbFunc)) return {};
    return base::Fail(base::Code::kInvalidArgument, "cbFunc is not registered for type {}", type);
  });
}

}  // namespace

extern "C" aclError aclInit(const char* configPath) {
  aclError error = ACL_ERROR_INVALID_FILE;
  std::string config;
  const base::Status status = Guard([&]() -> base::Status {
    StartObservation();
    return configPath == nullptr ? base::Status() : CheckConfig(configPath, &config, &error);
  });
  if (!status.ok()) return ReportAclAs("aclInit", status, error);
  if (Initialise() == 0) return LifeCallbacks::Get().TellInit(config);
  return ReportAclAs("aclInit", base::Fail(base::Code::kRepeated, "already initialised; this may be ignored"),
                     ACL_ERROR_REPEAT_INITIALIZE, Loudness::kProbe);
}

extern "C" aclError aclFinalize() {
  if (!Finalise()) {
    return ReportAclAs("aclFinalize", base::Fail(base::Code::kRepeated, "already finalised; call aclInit first"),
                       ACL_ERROR_REPEAT_FINALIZE);
  }
  return EndRuntime("aclFinalize");
}

extern "C" aclError aclFinalizeReference(uint64_t* refCount) {
  if (refCount == nullptr) return ReportAcl("aclFinalizeReference", RequirePointer(refCount, "refCount"));
  const int left = ReleaseReference();
  if (left < 0) {
    return ReportAclAs("aclFinalizeReference", base::Fail(base::Code::kRepeated, "not initialised; call aclInit first"),
                       ACL_ERROR_REPEAT_FINALIZE);
  }
  *refCount = static_cast<uint64_t>(left);
  return left > 0 ? ACL_SUCCESS : EndRuntime("aclFinalizeReference");
}

extern "C" aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData) {
  return RegisterLifeCallback("aclInitCallbackRegister", &LifeCallbacks::AddInit, RawValue(type), cbFunc, userData);
}

extern "C" aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  return UnregisterLifeCallback("aclInitCallbackUnRegister", &LifeCallbacks::RemoveInit, RawValue(type), cbFunc);
}

extern "C" aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                                void* userData) {
  return RegisterLifeCallback("aclFinalizeCallbackRegister", &LifeCallbacks::AddFinalize, RawValue(type), cbFunc,
                              userData);
}

extern "C" aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc) {
  return UnregisterLifeCallback("aclFinalizeCallbackUnRegister", &LifeCallbacks::RemoveFinalize, RawValue(type),
                                cbFunc);
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
