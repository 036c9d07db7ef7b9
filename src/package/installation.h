// What an installer leaves beside the files of a vendor while it is at work.
#pragma once

#include <string>

#include "base/status.h"

namespace softhccl::package {

// Refuses an operator whose files are being exchanged, or were when the installer died: they may be of two versions.
// `descriptor` is the path of its description. Errors: kKernelFailed (SH-K006).
base::Status CheckInstalled(const std::string& descriptor);

}  // namespace softhccl::package
