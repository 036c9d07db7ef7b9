// Contexts that programs make, the current one of a thread, and the options stored in contexts and in the process.
#include <map>
#include <mutex>

#include "acl/acl_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "api/objects.h"
#include "api/report.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

extern "C" aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return CallAcl("aclrtCreateContext", [&]() -> Status {
    SOFTHCCL_REQUIRE(context);
    engine::DeviceTable& devices = Runtime::Get().devices();
    SOFTHCCL_ASSIGN(device, devices.Get(deviceId));
    SOFTHCCL_ASSIGN(made, device->CreateContext());
    *context = Handle(made->handle());
    devices.SelectContext(made);
    return {};
  });
}

extern "C" aclError aclrtDestroyContext(aclrtContext context) {
  return CallAcl("aclrtDestroyContext", [&]() -> Status {
    SOFTHCCL_REQUIRE(context);
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclrtDestroyContext"));
    SOFTHCCL_ASSIGN(found, engine::FindContext(Bits(context)));
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(found->device()));
    if (found.get() == &device->context()) {
      return base::Fail(Code::kNoContext, "context 0x{:x} is that of device {}; end it with aclrtResetDevice",
                        Bits(context), device->id());
    }
    found->Close();
    return {};
  });
}

extern "C" aclError aclrtSetCurrentContext(aclrtContext context) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(context);
    SOFTHCCL_ASSIGN(found, engine::FindContext(Bits(context)));
    Runtime::Get().devices().SelectContext(found);
    return {};
  });
  if (status.code() == Code::kInvalidHandle) {
    return ReportAclAs("aclrtSetCurrentContext", status, ACL_ERROR_RT_CONTEXT_NULL);
  }
  return ReportAcl("aclrtSetCurrentContext", status);
}

extern "C" aclError aclrtGetCurrentContext(aclrtContext* context) {
  return CallAcl("aclrtGetCurrentContext", [&]() -> Status {
    SOFTHCCL_REQUIRE(context);
    SOFTHCCL_ASSIGN(current, CurrentContext());
    *context = Handle(current->handle());
    return {};
  });
}

extern "C" aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return CallAcl("aclrtCtxGetCurrentDefaultStream", [&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindStream(nullptr, *device));
    *stream = Handle(found->handle);
    return {};
  });
}

extern "C" aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return CallAcl("aclrtGetPrimaryCtxState", [&]() -> Status {
    SOFTHCCL_REQUIRE(active);
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    if (flags != nullptr) *flags = 0;
    *active = device->context().is_open() ? 1 : 0;
    return {};
  });
}

namespace {

Status CheckOption(int option) {
  if (option >= ACL_OPT_DETERMINISTIC && option <= ACL_OPT_ENABLE_KERNEL_EARLY_START) return {};
  return base::Fail(Code::kInvalidArgument, "opt {} is not known; use 0 to {}", option,
                    static_cast<int>(ACL_OPT_ENABLE_KERNEL_EARLY_START));
}

aclError ReportOption(const char* call, const Status& status) {
  if (status.code() == Code::kNotFound) return ReportAclAs(call, status, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  return ReportAcl(call, status);
}

struct ProcessOptions {
  std::mutex mutex;
  std::map<int, std::int64_t> values;  // guarded by mutex
};

ProcessOptions& TheOptions() {
  static auto* options = new ProcessOptions;
  return *options;
}

}  // namespace

extern "C" aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return CallAcl("aclrtCtxSetSysParamOpt", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckOption(RawValue(opt)));
    SOFTHCCL_ASSIGN(current, CurrentContext());
    current->SetOption(RawValue(opt), value);
    return {};
  });
}

extern "C" aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return ReportOption("aclrtCtxGetSysParamOpt", Guard([&]() -> Status {
                        SOFTHCCL_REQUIRE(value);
                        SOFTHCCL_RETURN_IF_ERROR(CheckOption(RawValue(opt)));
                        SOFTHCCL_ASSIGN(current, CurrentContext());
                        SOFTHCCL_ASSIGN(stored, current->Option(RawValue(opt)));
                        *value = stored;
                        return {};
                      }));
}

extern "C" aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return CallAcl("aclrtSetSysParamOpt", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckOption(RawValue(opt)));
    const std::lock_guard lock(TheOptions().mutex);
    TheOptions().values[RawValue(opt)] = value;
    return {};
  });
}

extern "C" aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return ReportOption("aclrtGetSysParamOpt", Guard([&]() -> Status {
                        SOFTHCCL_REQUIRE(value);
                        SOFTHCCL_RETURN_IF_ERROR(CheckOption(RawValue(opt)));
                        const std::lock_guard lock(TheOptions().mutex);
                        const auto found = TheOptions().values.find(RawValue(opt));
                        if (found == TheOptions().values.end()) {
                          return base::Fail(Code::kNotFound, "option {} was not set", RawValue(opt));
                        }
                        *value = found->second;
                        return {};
                      }));
}
