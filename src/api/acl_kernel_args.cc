// Argument lists: the one of a thread, and those that a program keeps in its own memory.
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "acl/acl_rt.h"
#include "api/kernel_lists.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/kernel_arguments.h"
#include "engine/runtime.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::KernelArguments;

namespace {

// Bytes that a program reserves for a list of its own. Nothing is kept there: its address is the list's name.
constexpr size_t kHandleBytes = 64;
// What the data of placeholders may lose to alignment.
constexpr size_t kAlignmentBytes = 8 * KernelArguments::kMaxParams;

Status CheckFunction(aclrtFuncHandle funcHandle) {
  SOFTHCCL_REQUIRE(funcHandle);
  SOFTHCCL_ASSIGN(info, engine::Runtime::Get().kernels().FindFunction(Bits(funcHandle)));
  static_cast<void>(info);
  return {};
}

}  // namespace

extern "C" aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle) {
  return CallAcl("aclrtKernelArgsInit", [&]() -> Status {
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_RETURN_IF_ERROR(CheckFunction(funcHandle));
    *argsHandle = BeginThreadList();
    return {};
  });
}

extern "C" aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle,
                                                 void* userHostMem, size_t actualArgsSize) {
  return CallAcl("aclrtKernelArgsInitByUserMem", [&]() -> Status {
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_REQUIRE(userHostMem);
    if (actualArgsSize == 0) return base::Fail(Code::kInvalidArgument, "actualArgsSize 0; give at least one byte");
    SOFTHCCL_RETURN_IF_ERROR(CheckFunction(funcHandle));
    return BeginUserList(argsHandle, {static_cast<std::byte*>(userHostMem), actualArgsSize});
  });
}

extern "C" aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize) {
  return CallAcl("aclrtKernelArgsGetHandleMemSize", [&]() -> Status {
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_REQUIRE(memSize);
    SOFTHCCL_RETURN_IF_ERROR(CheckFunction(funcHandle));
    *memSize = kHandleBytes;
    return {};
  });
}

extern "C" aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t* actualArgsSize) {
  return CallAcl("aclrtKernelArgsGetMemSize", [&]() -> Status {
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_REQUIRE(actualArgsSize);
    SOFTHCCL_RETURN_IF_ERROR(CheckFunction(funcHandle));
    if (userArgsSize == 0 || userArgsSize > KernelArguments::kMaxBytes) {
      return base::Fail(Code::kInvalidParam, "userArgsSize {} is not valid; use 1 to {}", userArgsSize,
                        KernelArguments::kMaxBytes);
    }
    *actualArgsSize = userArgsSize + kAlignmentBytes;
    return {};
  });
}

extern "C" aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                                          aclrtParamHandle* paramHandle) {
  return CallAcl("aclrtKernelArgsAppend", [&]() -> Status {
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_REQUIRE(param);
    SOFTHCCL_REQUIRE(paramHandle);
    if (paramSize == 0) return base::Fail(Code::kInvalidArgument, "paramSize 0; append at least one byte");
    SOFTHCCL_ASSIGN(list, FindList(argsHandle));
    SOFTHCCL_ASSIGN(parameter, list->Append(param, paramSize));
    *paramHandle = Handle(parameter);
    return {};
  });
}

extern "C" aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle* paramHandle) {
  return CallAcl("aclrtKernelArgsAppendPlaceHolder", [&]() -> Status {
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_REQUIRE(paramHandle);
    SOFTHCCL_ASSIGN(list, FindList(argsHandle));
    SOFTHCCL_ASSIGN(parameter, list->AppendPlaceholder());
    *paramHandle = Handle(parameter);
    return {};
  });
}

extern "C" aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                                        size_t dataSize, void** bufferAddr) {
  return CallAcl("aclrtKernelArgsGetPlaceHolderBuffer", [&]() -> Status {
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_REQUIRE(paramHandle);
    SOFTHCCL_REQUIRE(bufferAddr);
    if (dataSize == 0) return base::Fail(Code::kInvalidArgument, "dataSize 0; ask for at least one byte");
    SOFTHCCL_ASSIGN(list, FindList(argsHandle));
    SOFTHCCL_ASSIGN(buffer, list->PlaceholderBuffer(Bits(paramHandle), dataSize));
    *bufferAddr = buffer;
    return {};
  });
}

extern "C" aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void* param,
                                              size_t paramSize) {
  return CallAcl("aclrtKernelArgsParaUpdate", [&]() -> Status {
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_REQUIRE(paramHandle);
    SOFTHCCL_REQUIRE(param);
    SOFTHCCL_ASSIGN(list, FindList(argsHandle));
    return list->Update(Bits(paramHandle), param, paramSize);
  });
}

extern "C" aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  return CallAcl("aclrtKernelArgsFinalize", [&]() -> Status {
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_ASSIGN(list, FindList(argsHandle));
    return list->Finalise();
  });
}
