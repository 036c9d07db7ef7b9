// Handles and names of communicators. A slot's pointer is only read and written under the registry's lock.
#include "comm/registry.h"

#include "base/log.h"

namespace softhccl::comm {

using base::Code;
using base::Status;

Registry& Registry::Get() {
  static auto* registry = new Registry;
  return *registry;
}

std::string Registry::OpenRoot(int device) { return bootstrap::OpenGroup(device)->id(); }

base::Result<std::uint64_t> Registry::Create(const std::string& root_id, std::uint32_t rank, std::uint32_t size,
                                             int device, Communicator::Options options) {
  auto group = bootstrap::FindGroup(root_id);
  if (!group) return tl::unexpected(group.error());
  const Name key{options.name.empty() ? root_id : options.name, device};
  {
    std::lock_guard lock(mutex_);
    if (!by_name_.emplace(key, 0).second) {
      return base::FailResult(Code::kInvalidParam,
                              "a communicator named {} exists already on device {}; one rank per device, and "
                              "names must differ",
                              key.first, device);
    }
  }
  auto made = CreateOrForget(*group, rank, size, device, std::move(options), key);
  if (!made) return tl::unexpected(made.error());
  std::lock_guard lock(mutex_);
  std::uint64_t handle = 0;
  Slot* slot = slots_.Allocate(&handle);
  if (slot == nullptr) {
    by_name_.erase(key);
    return base::FailResult(Code::kUnavailable, "no communicator handle left: {} are in use", slots_.live());
  }
  slot->communicator = std::move(*made);
  slots_.Publish(handle);
  by_name_[key] = handle;
  return handle;
}

// Gives the name back on every way out but success.
base::Result<std::shared_ptr<Communicator>> Registry::CreateOrForget(std::shared_ptr<bootstrap::Group> group,
                                                                     std::uint32_t rank, std::uint32_t size, int device,
                                                                     Communicator::Options options, const Name& name) {
  base::Result<std::shared_ptr<Communicator>> made;
  const auto forget = [&] {
    std::lock_guard lock(mutex_);
    by_name_.erase(name);
  };
  try {
    made = Communicator::Create(std::move(group), rank, size, device, std::move(options));
  } catch (...) {
    forget();
    throw;
  }
  if (!made) forget();
  return made;
}

base::Result<std::shared_ptr<Communicator>> Registry::Find(std::uint64_t handle) const {
  std::lock_guard lock(mutex_);
  auto slot = slots_.Get(handle, "comm");
  if (!slot) return tl::unexpected(slot.error());
  return (*slot)->communicator;
}

base::Result<std::shared_ptr<Communicator>> Registry::FindByName(const std::string& name, int device) const {
  std::lock_guard lock(mutex_);
  const auto found = by_name_.find({name, device});
  if (found == by_name_.end() || found->second == 0) {
    return base::FailResult(Code::kNotFound, "no communicator named \"{}\" on device {}", name, device);
  }
  return slots_.Lookup(found->second)->communicator;
}

Status Registry::Destroy(std::uint64_t handle, int device) {
  std::shared_ptr<Communicator> communicator;
  {
    std::lock_guard lock(mutex_);
    auto slot = slots_.Get(handle, "comm");
    if (!slot) return slot.error();
    communicator = (*slot)->communicator;
    if (communicator->device() != device) {
      return base::Fail(Code::kInvalidParam, "comm {} belongs to device {}, but device {} is set on this thread",
                        communicator->name(), communicator->device(), device);
    }
    if (!communicator->BeginShutdown()) {
      return base::Fail(Code::kAgain, "comm {} is in use by a kernel; synchronise its stream and try again",
                        communicator->name());
    }
    slots_.Retire(handle);
    by_name_.erase({communicator->name(), device});
    (*slot)->communicator.reset();
    slots_.Recycle(handle);
  }
  communicator->Shutdown();
  return {};
}

std::vector<std::string> Registry::Names() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [key, handle] : by_name_) {
    if (handle != 0) names.push_back(fmt::format("{} (device {})", key.first, key.second));
  }
  return names;
}

}  // namespace softhccl::comm
