// The argument lists of programs by what they hold of them: the list of the calling thread, or the address of memory
// that the program set aside for a list of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/status.h"
#include "engine/kernel_arguments.h"

namespace softhccl::api {

// Begins the list of the calling thread anew; its handle.
void* BeginThreadList();
// Begins the list named by the address `handle`, with its bytes in `storage`. The 1024 lists that were begun last are
// known. Errors: kInvalidParam for the handle of a thread's list.
base::Status BeginUserList(const void* handle, std::span<std::byte> storage);
// Errors: kInvalidParam. A list is used by one thread at a time.
base::Result<std::shared_ptr<engine::KernelArguments>> FindList(const void* handle);

}  // namespace softhccl::api
