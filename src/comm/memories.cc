// Registering memory of the user.
#include "comm/memories.h"

#include "memory/memory.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using memory::Space;

namespace {

// Held while a registration ends, and while the ends of all registries must not happen.
std::mutex& ForgetMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

}  // namespace

MemorySlab& Memories() {
  static auto* memories = new MemorySlab;  // handles may be looked up during static destruction
  return *memories;
}

namespace {

const char* SpaceName(Space space) { return space == Space::kDevice ? "device memory" : "host memory"; }

}  // namespace

Status CheckLentMemory(Space space, const std::byte* data, std::size_t size, const char* argument) {
  if (size == 0) return base::Fail(Code::kInvalidParam, "{}->size is 0; register at least one byte", argument);
  const memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(data, size, fmt::format("{}->addr", argument).c_str()));
  const auto allocation = memory.Resolve(data);
  const Space found = allocation ? allocation->space : Space::kHost;
  if (found == space) return {};
  return base::Fail(Code::kInvalidParam, "{0}->addr {1} is {2}, but {0}->type says {3}", argument, fmt::ptr(data),
                    SpaceName(found), SpaceName(space));
}

base::Result<std::uint64_t> MemoryRegistry::Register(const std::string& tag, Space space, std::byte* data,
                                                     std::size_t size) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLentMemory(space, data, size, "mem"));
  const std::lock_guard lock(mutex_);
  const auto known = by_tag_.find(tag);
  if (known != by_tag_.end()) {
    const transport::Region& region = *Memories().Lookup(known->second)->region;
    if (region.data() == data && region.size() == size && region.space() == space) return known->second;
    return base::FailResult(Code::kInvalidParam,
                            "memTag \"{}\" is taken in {} by {} bytes at {}; use another tag for {} bytes at {}", tag,
                            owner_, region.size(), fmt::ptr(region.data()), size, fmt::ptr(data));
  }
  std::uint64_t handle = 0;
  RegisteredMemory* memory = Memories().Allocate(&handle);
  if (memory == nullptr) {
    return base::FailResult(Code::kUnavailable, "no memory handle left: {} are in use", Memories().live());
  }
  memory->handle = handle;
  memory->region = transport::Region::Lend(data, size, space, tag);
  memory->owner = this;
  memory->description.clear();
  Memories().Publish(handle);
  by_tag_[tag] = handle;
  return handle;
}

base::Result<RegisteredMemory*> MemoryRegistry::Find(std::uint64_t handle, const std::string& argument) const {
  auto found = Memories().Get(handle, argument);
  if (!found || (*found)->owner == this) return found;
  return base::FailResult(Code::kInvalidParam, "{} 0x{:x} was not registered with {} (SH-H004)", argument, handle,
                          owner_);
}

Status MemoryRegistry::Unregister(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  auto found = Find(handle, "memHandle");
  if (!found) return found.error();
  by_tag_.erase((*found)->region->tag());
  Forget(handle);
  return {};
}

std::vector<std::uint64_t> MemoryRegistry::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> handles;
  for (const auto& [tag, handle] : by_tag_) handles.push_back(handle);
  return handles;
}

Status ReadRegionIds(const std::vector<std::uint64_t>& handles, std::vector<std::uint64_t>* ids) {
  const std::lock_guard lock(ForgetMutex());
  for (const std::uint64_t handle : handles) {
    const RegisteredMemory* memory = Memories().Lookup(handle);
    if (memory == nullptr) {
      return base::Fail(Code::kInvalidHandle,
                        "memory 0x{:x} was unregistered while a channel that lends it was acquired; unregister it "
                        "afterwards (SH-H002)",
                        handle);
    }
    ids->push_back(memory->region->id());
  }
  return {};
}

void MemoryRegistry::Forget(std::uint64_t handle) {
  const std::lock_guard lock(ForgetMutex());
  RegisteredMemory* memory = Memories().Lookup(handle);
  Memories().Retire(handle);
  memory->region.reset();
  memory->owner = nullptr;
  Memories().Recycle(handle);
}

void MemoryRegistry::Close() {
  const std::lock_guard lock(mutex_);
  for (const auto& [tag, handle] : by_tag_) Forget(handle);
  by_tag_.clear();
}

}  // namespace softhccl::comm
