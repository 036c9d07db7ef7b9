// What a program is told about a task that failed: callbacks, and what they can ask of the information they get.
#include <memory>

#include "acl/acl_rt.h"
#include "api/error_map.h"
#include "api/exception_listeners.h"
#include "api/objects.h"
#include "api/report.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::FailureReport;
using engine::Runtime;

namespace {

constexpr std::uint32_t kNothing = UINT32_MAX;  // what a question without an answer answers

// kNullPointer, kInvalidHandle, or kNotFound when the task that failed was no kernel.
base::Result<std::shared_ptr<engine::Invocation>> KernelOf(const aclrtExceptionInfo* info) {
  if (info == nullptr) return base::FailResult(Code::kNullPointer, "info is null; pass what the callback got");
  const FailureReport* report = ReportOf(info);
  if (report == nullptr) {
    return base::FailResult(Code::kInvalidHandle, "info {} is valid inside the callback that got it only",
                            fmt::ptr(info));
  }
  if (report->kernel == nullptr) {
    return base::FailResult(Code::kNotFound, "the task that failed ({} of stream {}) is no kernel", report->task,
                            report->stream);
  }
  return report->kernel;
}

Status RequireCallback(const void* callback) { return RequirePointer(callback, "callback"); }

}  // namespace

extern "C" aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  return CallAcl("aclrtSetExceptionInfoCallback", [&]() -> Status {
    SetExceptionCallback(callback);
    return {};
  });
}

extern "C" aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
  return CallAcl("aclrtExceptionInfoCallbackRegister", [&]() -> Status {
    if (callback == nullptr) return base::Fail(Code::kInvalidParam, "callback is null; pass a function");
    AddExceptionCallback(callback);
    return {};
  });
}

extern "C" aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
  return CallAcl("aclrtExceptionInfoCallbackUnregister", [&]() -> Status {
    if (callback == nullptr) return base::Fail(Code::kInvalidParam, "callback is null; pass a registered function");
    if (!RemoveExceptionCallback(callback)) return base::Fail(Code::kInvalidParam, "callback is not registered");
    return {};
  });
}

extern "C" aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback,
                                                    void* userData) {
  return CallAcl("aclrtBinarySetExceptionCallback", [&]() -> Status {
    SOFTHCCL_REQUIRE(binHandle);
    SOFTHCCL_RETURN_IF_ERROR(RequireCallback(reinterpret_cast<const void*>(callback)));
    const auto known = Runtime::Get().kernels().FindBinary(Bits(binHandle));
    if (!known) return known.error();
    SetBinaryCallback(Bits(binHandle), callback, userData);
    return {};
  });
}

extern "C" uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  const FailureReport* report = ReportOf(info);
  return report == nullptr ? kNothing : static_cast<uint32_t>(report->task);
}

extern "C" uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  const FailureReport* report = ReportOf(info);
  return report == nullptr ? kNothing : report->stream;
}

extern "C" uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  const FailureReport* report = ReportOf(info);
  return report == nullptr ? kNothing : static_cast<uint32_t>(report->thread);
}

extern "C" uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  const FailureReport* report = ReportOf(info);
  return report == nullptr ? kNothing : static_cast<uint32_t>(report->device);
}

extern "C" uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  const FailureReport* report = ReportOf(info);
  return report == nullptr ? kNothing : static_cast<uint32_t>(ToAclError(report->failure.code()));
}

extern "C" aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr,
                                                  uint32_t* devArgsLen) {
  return CallAcl("aclrtGetArgsFromExceptionInfo", [&]() -> Status {
    SOFTHCCL_REQUIRE(devArgsPtr);
    SOFTHCCL_REQUIRE(devArgsLen);
    SOFTHCCL_ASSIGN(kernel, KernelOf(info));
    const auto in_place = kernel->arguments_in_place;
    *devArgsPtr = kernel->ArgumentAddress();
    *devArgsLen = static_cast<uint32_t>(in_place.empty() ? kernel->arguments.size() : in_place.size());
    return {};
  });
}

extern "C" aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info, aclrtFuncHandle* func) {
  return CallAcl("aclrtGetFuncHandleFromExceptionInfo", [&]() -> Status {
    SOFTHCCL_REQUIRE(func);
    SOFTHCCL_ASSIGN(kernel, KernelOf(info));
    SOFTHCCL_ASSIGN(handle, Runtime::Get().kernels().FunctionOf(kernel->info->binary_handle, kernel->info->entry));
    *func = Handle(handle);
    return {};
  });
}
