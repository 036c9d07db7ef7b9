// The forms of a launch. They differ in where the arguments are: a list, host bytes with placeholders, device memory.
#include <cstdint>
#include <span>
#include <vector>

#include "acl/acl_rt.h"
#include "api/kernel_lists.h"
#include "api/launch.h"
#include "api/objects.h"
#include "api/process_settings.h"
#include "api/report.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

Status LaunchList(aclrtFuncHandle func, uint32_t blocks, aclrtStream stream, const LaunchConfig& config,
                  const void* handle) {
  SOFTHCCL_ASSIGN(list, FindList(handle));
  if (!list->finalised()) {
    return base::Fail(Code::kInvalidParam,
                      "argsHandle is not finalised; call aclrtKernelArgsFinalize before the launch");
  }
  const auto bytes = list->bytes();
  return Launch(func, blocks, stream, config, {bytes.data(), bytes.size(), true, list->placeholders()});
}

base::Result<std::vector<engine::Placeholder>> ReadPlaceholders(std::span<const aclrtPlaceHolderInfo> array,
                                                                size_t size) {
  std::vector<engine::Placeholder> placeholders;
  for (const aclrtPlaceHolderInfo& one : array) placeholders.push_back({one.addrOffset, one.dataOffset});
  SOFTHCCL_RETURN_RESULT_IF_ERROR(engine::CheckPlaceholders(placeholders, size));
  return placeholders;
}

}  // namespace

extern "C" aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                                aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve) {
  return CallAcl("aclrtLaunchKernelWithConfig", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckLaunch(funcHandle, numBlocks));
    SOFTHCCL_REQUIRE(argsHandle);
    if (reserve != nullptr) return base::Fail(Code::kInvalidArgument, "reserve {} must be null", fmt::ptr(reserve));
    SOFTHCCL_ASSIGN(config, ReadConfig(cfg));
    return LaunchList(funcHandle, numBlocks, stream, config, argsHandle);
  });
}

extern "C" aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData,
                                      size_t argsSize, aclrtStream stream) {
  return CallAcl("aclrtLaunchKernel", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckLaunch(funcHandle, numBlocks));
    SOFTHCCL_RETURN_IF_ERROR(CheckArgumentBytes(argsData, argsSize, "argsData"));
    return Launch(funcHandle, numBlocks, stream, {OpExecuteSeconds(), nullptr}, {argsData, argsSize});
  });
}

extern "C" aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData,
                                        size_t argsSize, aclrtLaunchKernelCfg* cfg, aclrtStream stream) {
  return CallAcl("aclrtLaunchKernelV2", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckLaunch(funcHandle, numBlocks));
    SOFTHCCL_RETURN_IF_ERROR(CheckArgumentBytes(argsData, argsSize, "argsData"));
    SOFTHCCL_ASSIGN(config, ReadConfig(cfg));
    return Launch(funcHandle, numBlocks, stream, config, {argsData, argsSize});
  });
}

extern "C" aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                                  aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
                                                  aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum) {
  return CallAcl("aclrtLaunchKernelWithHostArgs", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckLaunch(funcHandle, numBlocks));
    SOFTHCCL_RETURN_IF_ERROR(CheckArgumentBytes(hostArgs, argsSize, "hostArgs"));
    if (placeHolderNum > 0) SOFTHCCL_REQUIRE(placeHolderArray);
    if (placeHolderNum > argsSize / sizeof(void*)) {
      return base::Fail(Code::kInvalidParam, "placeHolderNum {}: argsSize {} has room for {} addresses", placeHolderNum,
                        argsSize, argsSize / sizeof(void*));
    }
    SOFTHCCL_ASSIGN(config, ReadConfig(cfg));
    SOFTHCCL_ASSIGN(placeholders, ReadPlaceholders({placeHolderArray, placeHolderNum}, argsSize));
    return Launch(funcHandle, numBlocks, stream, config, {hostArgs, argsSize, true, placeholders});
  });
}

extern "C" aclError aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks, aclrtStream, aclrtLaunchKernelCfg*,
                                                   void** args) {
  return CallAcl("aclrtLaunchKernelWithArgsArray", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckLaunch(func, numBlocks));
    SOFTHCCL_REQUIRE(args);
    SOFTHCCL_ASSIGN(info, engine::Runtime::Get().kernels().FindFunction(Bits(func)));
    return base::Fail(Code::kNotSupported,
                      "{} is an AICPU kernel, whose parameters have no known sizes; use aclrtLaunchKernelWithConfig or "
                      "aclrtLaunchKernelWithHostArgs",
                      info->entry.kernel_name);
  });
}
