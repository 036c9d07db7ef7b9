// The table of teams and their windows.
#include "comm/team.h"

#include <algorithm>

#include "base/handle.h"

namespace softhccl::comm {

using base::Code;
using base::Status;

namespace {

// How many stale handles are recognised as such.
constexpr std::size_t kKeptRetired = 64;

}  // namespace

std::size_t TeamSyncCounts::BytesFor(std::size_t members) const {
  constexpr std::size_t kUnit = 64;
  const std::size_t words = std::size_t{signals} + counters + std::size_t{barriers} * members;
  return (words * sizeof(std::uint64_t) + kUnit - 1) / kUnit * kUnit;
}

TeamTable& TeamTable::Get() {
  static auto* table = new TeamTable;
  return *table;
}

void TeamTable::Add(std::shared_ptr<Team> team) {
  const std::lock_guard lock(mutex_);
  teams_[team->handle()] = std::move(team);
}

void TeamTable::Add(std::shared_ptr<TeamWindow> window) {
  const std::lock_guard lock(mutex_);
  windows_[window->handle()] = std::move(window);
}

std::string TeamTable::DescribeLocked(std::uint64_t handle, const char* wanted) const {
  if (teams_.count(handle) != 0) return fmt::format("is a team, expected {} (SH-H003)", wanted);
  if (windows_.count(handle) != 0) return fmt::format("is a window of a team, expected {} (SH-H003)", wanted);
  const bool is_retired = std::any_of(retired_.begin(), retired_.end(), [handle](const Retired& one) {
    return reinterpret_cast<std::uint64_t>(one.entity->data()) == handle;
  });
  if (is_retired) return "was destroyed; do not use a handle after its destroy (SH-H002)";
  const base::HandleKind kind = base::HandleBits{handle}.kind();
  const std::string_view name = base::HandleKindName(kind);
  if (!name.empty() && kind != base::HandleKind::kNone) {
    return fmt::format("is the handle of a {}, expected {} (SH-H003)", name, wanted);
  }
  return fmt::format("is not {} of this process; uninitialised or foreign value (SH-H001)", wanted);
}

base::Result<std::shared_ptr<Team>> TeamTable::FindTeam(std::uint64_t handle, const char* argument) const {
  const std::lock_guard lock(mutex_);
  const auto found = teams_.find(handle);
  if (found != teams_.end()) return found->second;
  return base::FailResult(Code::kInvalidHandle, "{} 0x{:x} {}", argument, handle, DescribeLocked(handle, "a team"));
}

base::Result<std::shared_ptr<TeamWindow>> TeamTable::FindWindow(std::uint64_t handle, const char* argument) const {
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(handle);
  if (found != windows_.end()) return found->second;
  return base::FailResult(Code::kInvalidHandle, "{} 0x{:x} {}", argument, handle,
                          DescribeLocked(handle, "a window of a team"));
}

void TeamTable::RetireLocked(Retired retired) {
  retired_.push_back(std::move(retired));
  if (retired_.size() > kKeptRetired) retired_.pop_front();
}

bool TeamTable::Remove(const Team& team) {
  const std::lock_guard lock(mutex_);
  if (teams_.erase(team.handle()) == 0) return false;
  RetireLocked({team.entity, team.owner});
  return true;
}

bool TeamTable::Remove(const TeamWindow& window) {
  const std::lock_guard lock(mutex_);
  if (windows_.erase(window.handle()) == 0) return false;
  RetireLocked({window.entity, window.team->owner});
  return true;
}

std::size_t TeamTable::UsersOf(const Team& team) const {
  const std::lock_guard lock(mutex_);
  const auto of_team =
      std::count_if(teams_.begin(), teams_.end(), [&](const auto& one) { return one.second->world.get() == &team; });
  const auto windows =
      std::count_if(windows_.begin(), windows_.end(), [&](const auto& one) { return one.second->team.get() == &team; });
  return static_cast<std::size_t>(of_team + windows);
}

std::vector<std::shared_ptr<Team>> TeamTable::TeamsOf(const void* owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Team>> teams;
  for (const auto& [handle, team] : teams_) {
    if (team->owner == owner) teams.push_back(team);
  }
  return teams;
}

std::vector<std::shared_ptr<TeamWindow>> TeamTable::WindowsOf(const void* owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<TeamWindow>> windows;
  for (const auto& [handle, window] : windows_) {
    if (window->team->owner == owner) windows.push_back(window);
  }
  return windows;
}

void TeamTable::RemoveAllOf(const void* owner) {
  const std::lock_guard lock(mutex_);
  std::erase_if(windows_, [owner](const auto& entry) { return entry.second->team->owner == owner; });
  std::erase_if(teams_, [owner](const auto& entry) { return entry.second->owner == owner; });
  std::erase_if(retired_, [owner](const Retired& one) { return one.owner == owner; });
}

Status TeamTable::CheckHasNoChannelsLocked(const Team& team) {
  if (team.channels == nullptr) return {};
  return base::Fail(Code::kInvalidParam, "team 0x{:x} has channels already; make another team for other channels",
                    team.handle());
}

Status TeamTable::CheckHasNoChannels(const Team& team) const {
  const std::lock_guard lock(mutex_);
  return CheckHasNoChannelsLocked(team);
}

Status TeamTable::SetChannels(Team& team, std::shared_ptr<transport::Region> channels) {
  const std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_IF_ERROR(CheckHasNoChannelsLocked(team));
  team.channels = std::move(channels);
  return {};
}

}  // namespace softhccl::comm
