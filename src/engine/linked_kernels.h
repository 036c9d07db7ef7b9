// Kernels that are part of the program: compiled into a library of the host instead of a package, and launched by their
// address. One object per kernel, so that what is learned about its duration belongs to all its launches.
#pragma once

#include <memory>
#include <string>

#include "engine/invocation.h"

namespace softhccl::engine {

// Any thread. Known for as long as the process lives.
std::shared_ptr<KernelInfo> LinkedKernel(const std::string& name, KernelFunction function);

}  // namespace softhccl::engine
