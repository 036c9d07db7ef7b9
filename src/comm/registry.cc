// Handles and names of communicators. A slot's pointer is only read and written under the registry's lock.
#include "comm/registry.h"

#include "base/log.h"
#include "bootstrap/family.h"
#include "engine/runtime.h"

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
  return CreateAt({*group, rank, size, device}, std::move(options));
}

namespace {

// A rank lives on the device of its table. A table of several servers may be played by one process: then rank k may
// also be on device k.
Status CheckDevice(const bootstrap::RankTable& table, std::uint32_t rank, int device) {
  if (rank >= table.ranks.size()) {
    return base::Fail(Code::kInvalidParam, "EI0014 rank {} is not in the rank table {}; it lists {} ranks, 0 to {}",
                      rank, table.file, table.ranks.size(), table.ranks.size() - 1);
  }
  const auto current = static_cast<std::uint32_t>(device);
  if (table.ranks[rank].device == current || (rank == current && table.server_count() > 1)) return {};
  return base::Fail(Code::kInvalidParam,
                    "EI0014 rank {} is on {} in the rank table {}, but device {} is set on this thread", rank,
                    table.PlaceOf(rank), table.file, device);
}

}  // namespace

base::Result<std::uint64_t> Registry::CreateByTable(const std::shared_ptr<const bootstrap::RankTable>& table,
                                                    std::uint32_t rank, int device, Communicator::Options options) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckDevice(*table, rank, device));
  if (options.name.empty()) options.name = "hccl_world_group";
  options.waits_for_all = false;
  options.table = table;
  {
    std::lock_guard lock(mutex_);
    if (!table_devices_.insert(device).second) {
      return base::FailResult(Code::kUnavailable,
                              "device {} has a communicator made from a rank table already; a device has one at most",
                              device);
    }
  }
  const bool is_one_server = table->server_count() == 1;
  for (const bootstrap::RankEntry& entry : table->ranks) {
    options.devices.push_back(static_cast<int>(is_one_server ? entry.device : entry.rank));
  }
  const auto family = bootstrap::FamilyOfTable(table->fingerprint, options.name, table->Places());
  const auto size = static_cast<std::uint32_t>(table->ranks.size());
  auto made = CreateAt({family->GroupFor(rank), rank, size, device}, std::move(options));
  if (made) return made;
  std::lock_guard lock(mutex_);
  table_devices_.erase(device);
  return made;
}

namespace {

Status CheckMembers(const Communicator& parent, const Registry::SubRequest& request) {
  if (!parent.options().parent_ranks.empty()) {
    return base::Fail(Code::kInvalidParam, "comm {} is a sub-communicator itself; make it of ranks of its parent",
                      parent.name());
  }
  std::map<std::uint32_t, std::size_t> seen;
  for (std::size_t i = 0; i < request.members.size(); ++i) {
    const std::uint32_t member = request.members[i];
    if (member >= parent.size()) {
      return base::Fail(Code::kInvalidParam, "rankIds[{}] {} is out of range, comm {} has {} ranks; use 0 to {}", i,
                        member, parent.name(), parent.size(), parent.size() - 1);
    }
    const auto [other, is_new] = seen.emplace(member, i);
    if (!is_new) {
      return base::Fail(Code::kInvalidParam, "rankIds[{}] and rankIds[{}] are both {}; every rank is a member once",
                        other->second, i, member);
    }
  }
  if (request.members[request.rank] == parent.rank()) return {};
  return base::Fail(
      Code::kInvalidParam,
      "subCommRankId {}: rankIds[{}] is {}, but this is rank {} of comm {}; use the place of the own rank",
      request.rank, request.rank, request.members[request.rank], parent.rank(), parent.name());
}

}  // namespace

base::Result<std::uint64_t> Registry::CreateSub(const Communicator& parent, const SubRequest& request,
                                                Communicator::Options options) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckMembers(parent, request));
  const auto name = [&](const std::string& of) { return fmt::format("{}_sub_{}", of, request.id); };
  if (options.name.empty()) options.name = name(parent.name());
  options.waits_for_all = false;
  options.table = parent.options().table;
  options.parent_ranks = request.members;
  const std::vector<int> devices =
      parent.options().devices.empty() ? parent.group().Devices() : parent.options().devices;
  for (const std::uint32_t member : request.members) options.devices.push_back(devices[member]);
  auto family = parent.group().sub_families().Get(request.id, name(parent.group().id()), request.members);
  if (!family) return tl::unexpected(family.error());
  const auto size = static_cast<std::uint32_t>(request.members.size());
  return CreateAt({(*family)->GroupFor(request.rank), request.rank, size, parent.device()}, std::move(options));
}

base::Result<std::uint64_t> Registry::CreateAt(const Place& place, Communicator::Options options) {
  const Name key{options.name.empty() ? place.group->id() : options.name, place.device};
  constexpr std::size_t kLongestName = 127;
  if (key.first.size() > kLongestName) {
    return base::FailResult(Code::kInvalidParam, "the name {} has {} characters; use at most {}", key.first,
                            key.first.size(), kLongestName);
  }
  {
    std::lock_guard lock(mutex_);
    if (!by_name_.emplace(key, 0).second) {
      return base::FailResult(Code::kInvalidParam,
                              "a communicator named {} exists already on device {}; one rank per device, and "
                              "names must differ",
                              key.first, place.device);
    }
  }
  auto made = CreateOrForget(place, std::move(options), key);
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
base::Result<std::shared_ptr<Communicator>> Registry::CreateOrForget(const Place& place, Communicator::Options options,
                                                                     const Name& name) {
  base::Result<std::shared_ptr<Communicator>> made;
  const auto forget = [&] {
    std::lock_guard lock(mutex_);
    by_name_.erase(name);
  };
  try {
    made = Communicator::Create(place.group, place.rank, place.size, place.device, std::move(options));
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

base::Result<std::shared_ptr<Communicator>> Registry::FindOn(std::uint64_t handle, int device) const {
  auto found = Find(handle);
  if (found && (*found)->device() != device) {
    return base::FailResult(Code::kInvalidParam, "comm {} belongs to device {}, but device {} is set on this thread",
                            (*found)->name(), (*found)->device(), device);
  }
  return found;
}

base::Result<std::shared_ptr<Communicator>> Registry::FindByName(const std::string& name, int device) const {
  auto handle = HandleByName(name, device);
  if (!handle) return tl::unexpected(handle.error());
  return Find(*handle);
}

base::Result<std::uint64_t> Registry::HandleByName(const std::string& name, int device) const {
  std::lock_guard lock(mutex_);
  const auto found = by_name_.find({name, device});
  if (found == by_name_.end() || found->second == 0) {
    return base::FailResult(Code::kNotFound, "no communicator named \"{}\" on device {}", name, device);
  }
  return found->second;
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
    if (communicator->options().table != nullptr && communicator->options().parent_ranks.empty()) {
      table_devices_.erase(device);
    }
  }
  communicator->Shutdown();
  return communicator->options().releases_device ? engine::Runtime::Get().devices().Reset(device) : Status();
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
