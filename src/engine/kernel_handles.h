// What programs hold of kernels: handles of binaries and of their functions. A function keeps its binary, and with it
// the library, for as long as a launch uses it; unloading makes the handles stale at once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>

#include "base/handle.h"
#include "base/status.h"
#include "engine/invocation.h"
#include "engine/kernel_binary.h"

namespace softhccl::engine {

// Any thread.
class KernelHandles {
 public:
  // Errors: kUnavailable.
  base::Result<std::uint64_t> Add(std::shared_ptr<KernelBinary> binary);
  // Makes the binary's handle and those of its functions stale. Errors: kInvalidHandle.
  base::Status Remove(std::uint64_t binary);
  base::Result<std::shared_ptr<KernelBinary>> FindBinary(std::uint64_t binary) const;

  // Bytes that may become binaries. Errors: kUnavailable; kInvalidHandle naming "binary".
  base::Result<std::uint64_t> AddData(std::string bytes);
  base::Result<std::shared_ptr<const std::string>> FindData(std::uint64_t data) const;
  base::Status RemoveData(std::uint64_t data);

  // The handle of an entry of a binary. One per kernel: what is learned about a kernel's duration belongs to all its
  // launches. Errors: kInvalidHandle, kUnavailable.
  base::Result<std::uint64_t> FunctionOf(std::uint64_t binary, const KernelEntry& entry);
  base::Result<std::shared_ptr<KernelInfo>> FindFunction(std::uint64_t function) const;

 private:
  base::Slab<std::shared_ptr<KernelBinary>, base::HandleKind::kBinary> binaries_;
  base::Slab<std::shared_ptr<KernelInfo>, base::HandleKind::kFunction> functions_;
  base::Slab<std::shared_ptr<const std::string>, base::HandleKind::kBinaryData> data_;
  // Slabs find without a lock; the pointers in their slots are read and replaced under this one.
  mutable std::shared_mutex mutex_;
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> known_;  // guarded by mutex_: (binary, kernel)
};

}  // namespace softhccl::engine
