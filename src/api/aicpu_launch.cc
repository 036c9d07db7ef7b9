// What kernel<<<blocks, nullptr, stream>>>(arguments, size) calls after the SDK's compiler driver has lowered it. No
// function of the vendor's: programs reach it through aicpu_launch.h of the SDK only, whose declaration this one
// repeats.
#include <cstdint>
#include <string>

#include "acl/acl_rt.h"
#include "api/launch.h"
#include "api/objects.h"
#include "api/process_settings.h"
#include "api/report.h"
#include "engine/linked_kernels.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

Status CheckLinkedLaunch(std::int64_t blocks, const void* reserved, const void* args, std::size_t size) {
  if (blocks != 1) {
    return base::Fail(Code::kInvalidParam, "{} blocks in <<<>>>: AICPU kernels are not split into blocks, use 1",
                      blocks);
  }
  if (reserved != nullptr) {
    return base::Fail(Code::kInvalidParam, "the second part of <<<>>> is {}, it must be nullptr", fmt::ptr(reserved));
  }
  if (size > 0) SOFTHCCL_REQUIRE(args);
  if (size <= engine::KernelArguments::kMaxBytes) return {};
  return base::Fail(Code::kInvalidParam, "size {} is larger than the limit of {} bytes for the arguments of a kernel",
                    size, engine::KernelArguments::kMaxBytes);
}

Status LaunchLinked(const char* name, engine::KernelFunction kernel, aclrtStream stream, const void* args,
                    std::size_t size) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  return LaunchOn(*target, engine::LinkedKernel(name, kernel), 1, {OpExecuteSeconds(), nullptr}, {args, size, true});
}

}  // namespace

extern "C" aclError softhcclLaunchAicpuKernel(const char* name, std::uint32_t (*kernel)(void*), std::int64_t blocks,
                                              const void* reserved, aclrtStream stream, const void* args,
                                              std::size_t size) {
  const std::string call = std::string(name == nullptr ? "kernel" : name) + "<<<>>>";
  return CallAcl(call.c_str(), [&]() -> Status {
    SOFTHCCL_REQUIRE(name);
    if (kernel == nullptr) return base::Fail(Code::kNullPointer, "the kernel before <<< is null");
    SOFTHCCL_RETURN_IF_ERROR(CheckLinkedLaunch(blocks, reserved, args, size));
    return LaunchLinked(name, kernel, stream, args, size);
  });
}
