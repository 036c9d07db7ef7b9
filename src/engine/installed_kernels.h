// Kernels by the name of their library and function, as a communicator launches them: which installed operator or
// listed package they come from is found out here. One object per kernel, so that what is learned about its duration
// belongs to all its launches.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "engine/invocation.h"

namespace softhccl::engine {

// The function `symbol` of `library` ("libp2p_aicpu_kernel.so"), opened on `device`: from the package beside the
// description in <sdk_root>/opp/vendors/*/aicpu/config that names the library, or else from a package that the SDK
// lists. Any thread. Errors: kKernelFailed: two operators describe the library, no package holds it, it lacks the
// function.
base::Result<std::shared_ptr<KernelInfo>> InstalledKernel(const std::string& library, const std::string& symbol,
                                                          int device, const std::string& sdk_root);

}  // namespace softhccl::engine
