// What all calls that launch a kernel share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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

// kNullPointer, kInvalidArgument.
base::Status CheckLaunch(aclrtFuncHandle func, std::uint32_t blocks);
// Seconds from the attributes, 0 for none. Errors: kInvalidParam.
base::Result<double> ReadLimit(const aclrtLaunchKernelCfg* cfg);
base::Status Launch(aclrtFuncHandle func, std::uint32_t blocks, aclrtStream stream, double limit_seconds,
                    const LaunchArguments& arguments);
// The same for a function and a stream that were found.
base::Status LaunchOn(exec::Stream& stream, std::shared_ptr<engine::KernelInfo> info, std::uint32_t blocks,
                      double limit_seconds, const LaunchArguments& arguments);

}  // namespace softhccl::api
