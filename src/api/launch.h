// What all calls that launch a kernel share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "acl/acl_rt.h"
#include "base/status.h"
#include "engine/invocation.h"
#include "engine/kernel_arguments.h"
#include "exec/stream.h"

namespace softhccl::api {

// The arguments of a launch. Memory that devices know is used in place, other memory is copied now, with
// `always_copied` both are; placeholders are resolved in the copy.
struct LaunchArguments {
  const void* data = nullptr;
  std::size_t size = 0;
  bool always_copied = false;
  std::span<const engine::Placeholder> placeholders = {};
};

// The attributes of a launch, as a graph's task tells them again.
struct LaunchAttributes {
  std::vector<aclrtLaunchKernelAttr> list;
  aclrtLaunchKernelCfg cfg{};  // refers to the list
};

// Seconds that the kernel may run, 0 for no limit, and the attributes, null for none.
struct LaunchConfig {
  double limit_seconds = 0;
  std::shared_ptr<LaunchAttributes> attributes;
};

// kNullPointer, kInvalidArgument.
base::Status CheckLaunch(aclrtFuncHandle func, std::uint32_t blocks);
// Errors: kInvalidParam.
base::Result<LaunchConfig> ReadConfig(const aclrtLaunchKernelCfg* cfg);
// The attributes, null for none, as a graph's task keeps them.
std::shared_ptr<LaunchAttributes> KeepAttributes(const aclrtLaunchKernelCfg* cfg);
base::Status CheckArgumentBytes(const void* data, std::size_t size, const char* argument);
base::Status Launch(aclrtFuncHandle func, std::uint32_t blocks, aclrtStream stream, const LaunchConfig& config,
                    const LaunchArguments& arguments);
// The invocation of a function on a device, and the op that runs it. Errors: kInvalidParam for arguments that reach
// beyond their memory. A kernel that cannot be called fails the op.
base::Result<std::shared_ptr<engine::Invocation>> MakeInvocation(int device, std::shared_ptr<engine::KernelInfo> info,
                                                                 std::uint32_t blocks, const LaunchConfig& config,
                                                                 const LaunchArguments& arguments);
exec::Op LaunchOp(const std::shared_ptr<engine::Invocation>& invocation);
// A launch that is not queued yet, for a stream of this device.
base::Result<exec::Op> MakeLaunch(int device, std::shared_ptr<engine::KernelInfo> info, std::uint32_t blocks,
                                  const LaunchConfig& config, const LaunchArguments& arguments);
// Queues one. Errors: those of both.
base::Status LaunchOn(exec::Stream& stream, std::shared_ptr<engine::KernelInfo> info, std::uint32_t blocks,
                      const LaunchConfig& config, const LaunchArguments& arguments);

}  // namespace softhccl::api
