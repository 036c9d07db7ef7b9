// The JSON file that comes with a kernel package: it names kernels, the shared object that holds each, and the symbol.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"

namespace softhccl::package {

inline constexpr std::size_t kDescriptorLimit = std::size_t{16} << 20;  // bytes

// One entry of a descriptor.
struct KernelEntry {
  std::string kernel_name;   // the JSON key, what aclrtBinaryGetFunction looks up
  std::string library_name;  // kernelSo
  std::string symbol;        // functionName
  std::string kernel_lib;    // opKernelLib: AICPUKernel, CUSTAICPUKernel, KFCKernel, ...
};

// Parses the descriptor text. An entry without opInfo is skipped; an entry with fields of the wrong type is an
// error; an entry without kernelSo or functionName is kept with a warning and fails when it is resolved, as the
// vendor's does. Errors: kFileError naming `path` and, for bad JSON, line and column.
base::Result<std::vector<KernelEntry>> ParseDescriptor(const std::string& text, const std::string& path);

}  // namespace softhccl::package
