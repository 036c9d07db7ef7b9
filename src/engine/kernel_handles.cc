// The handles of kernel binaries and functions.
#include "engine/kernel_handles.h"

#include <mutex>

#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::FailResult;

base::Result<std::uint64_t> KernelHandles::Add(std::shared_ptr<KernelBinary> binary) {
  const std::unique_lock lock(mutex_);
  std::uint64_t handle = 0;
  std::shared_ptr<KernelBinary>* slot = binaries_.Allocate(&handle);
  if (slot == nullptr) {
    return FailResult(Code::kUnavailable, "no binary handle left: {} are in use", binaries_.live());
  }
  *slot = std::move(binary);
  binaries_.Publish(handle);
  return handle;
}

base::Status KernelHandles::Remove(std::uint64_t binary) {
  std::shared_ptr<KernelBinary> last;  // its library is closed after the lock
  const std::unique_lock lock(mutex_);
  auto found = binaries_.Get(binary, "binHandle");
  if (!found) return found.error();
  last = std::move(**found);
  binaries_.Retire(binary);
  binaries_.Recycle(binary);
  for (auto known = known_.lower_bound({binary, ""}); known != known_.end() && known->first.first == binary;) {
    if (std::shared_ptr<KernelInfo>* function = functions_.Lookup(known->second)) {
      function->reset();
      functions_.Retire(known->second);
      functions_.Recycle(known->second);
    }
    known = known_.erase(known);
  }
  return {};
}

base::Result<std::shared_ptr<KernelBinary>> KernelHandles::FindBinary(std::uint64_t binary) const {
  const std::shared_lock lock(mutex_);
  auto found = binaries_.Get(binary, "binHandle");
  if (!found) return tl::unexpected(found.error());
  return **found;
}

base::Result<std::uint64_t> KernelHandles::AddData(std::string bytes) {
  const std::unique_lock lock(mutex_);
  std::uint64_t handle = 0;
  std::shared_ptr<const std::string>* slot = data_.Allocate(&handle);
  if (slot == nullptr) return FailResult(Code::kUnavailable, "no handle left: {} are in use", data_.live());
  *slot = std::make_shared<const std::string>(std::move(bytes));
  data_.Publish(handle);
  return handle;
}

base::Result<std::shared_ptr<const std::string>> KernelHandles::FindData(std::uint64_t data) const {
  const std::shared_lock lock(mutex_);
  auto found = data_.Get(data, "binary");
  if (!found) return tl::unexpected(found.error());
  return **found;
}

base::Status KernelHandles::RemoveData(std::uint64_t data) {
  const std::unique_lock lock(mutex_);
  auto found = data_.Get(data, "binary");
  if (!found) return found.error();
  (*found)->reset();
  data_.Retire(data);
  data_.Recycle(data);
  return {};
}

base::Result<std::uint64_t> KernelHandles::FunctionOf(std::uint64_t binary, const KernelEntry& entry) {
  const std::unique_lock lock(mutex_);
  auto found = binaries_.Get(binary, "binHandle");
  if (!found) return tl::unexpected(found.error());
  if (const auto known = known_.find({binary, entry.kernel_name}); known != known_.end()) return known->second;
  auto info = std::make_shared<KernelInfo>();
  info->entry = entry;
  info->binary = **found;
  info->binary_handle = binary;
  info->name_id = event::NameId(entry.kernel_name);
  std::uint64_t handle = 0;
  std::shared_ptr<KernelInfo>* slot = functions_.Allocate(&handle);
  if (slot == nullptr) {
    return FailResult(Code::kUnavailable, "no function handle left: {} are in use", functions_.live());
  }
  info->handle = handle;
  *slot = std::move(info);
  functions_.Publish(handle);
  known_.emplace(std::pair(binary, entry.kernel_name), handle);
  return handle;
}

base::Result<std::shared_ptr<KernelInfo>> KernelHandles::FindFunction(std::uint64_t function) const {
  const std::shared_lock lock(mutex_);
  auto found = functions_.Get(function, "funcHandle");
  if (!found) return tl::unexpected(found.error());
  return **found;
}

}  // namespace softhccl::engine
