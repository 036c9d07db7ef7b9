// What the device that loads a kernel package asks of it.
#pragma once

#include "base/status.h"
#include "package/package.h"

namespace softhccl::engine {

// For a device as this process counts them, by what npu-smi set last; read anew at every call, as a running program
// sees it at its next load. Errors: kFileError: the settings cannot be read.
base::Result<package::Policy> PackagePolicy(int device);

}  // namespace softhccl::engine
