// Making teams is a meeting of their members, to which each brings the transport's name of its memory.
#include "comm/teams.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "comm/memories.h"

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;
using transport::Region;

// Numbers with a blank between.
std::vector<std::uint64_t> ReadNumbers(const std::string& text) {
  std::vector<std::uint64_t> numbers;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  while (at < end) {
    std::uint64_t& number = numbers.emplace_back();
    at = std::from_chars(at, end, number).ptr + 1;  // our own text: nothing can be wrong with it
  }
  return numbers;
}

// Whose region it is; kRemote when the member has gone already.
base::Result<std::shared_ptr<Region>> FindMembers(std::uint64_t id, std::uint32_t rank) {
  auto region = Region::Find(id);
  if (region != nullptr) return region;
  return base::FailResult(Code::kRemote, "rank {} has given its part up at this moment", rank);
}

transport::Window PieceOf(const std::shared_ptr<Region>& region, std::string name) {
  transport::Window window;
  window.data = region->data();
  window.size = region->size();
  window.name = std::move(name);
  window.owner = region;
  return window;
}

}  // namespace

MeetingParty Teams::PartyOf(const std::vector<std::uint32_t>& ranks) const {
  MeetingParty party = owner_.party;
  party.members = ranks;
  return party;
}

std::string Teams::NextKey(const std::string& kind) { return fmt::format("{}#{}", kind, made_[kind]); }

base::Result<std::shared_ptr<Region>> Teams::Allocate(std::size_t bytes, const char* purpose) const {
  auto region = Region::Create(owner_.device, bytes, purpose);
  if (region) std::fill_n((*region)->data(), bytes, std::byte{0});
  return region;
}

Status Teams::CheckRanks(const Request& request) const {
  std::map<std::uint32_t, std::size_t> seen;
  for (std::size_t i = 0; i < request.ranks.size(); ++i) {
    const std::uint32_t rank = request.ranks[i];
    if (rank >= owner_.party.members.size()) {
      return base::Fail(Code::kInvalidParam, "desc->rankIds[{}] {} is out of range, the communicator has {} ranks", i,
                        rank, owner_.party.members.size());
    }
    const auto [other, is_new] = seen.emplace(rank, i);
    if (!is_new) {
      return base::Fail(Code::kInvalidParam, "desc->rankIds[{}] and desc->rankIds[{}] are both {}", other->second, i,
                        rank);
    }
    if (request.world == nullptr) continue;
    const std::vector<std::uint32_t>& world = request.world->ranks;
    if (std::find(world.begin(), world.end(), rank) == world.end()) {
      return base::Fail(Code::kInvalidParam, "desc->rankIds[{}] {} is not in the world team, which has the ranks {}", i,
                        rank, fmt::join(world, ", "));
    }
  }
  if (seen.count(owner_.party.rank) != 0) return {};
  return base::Fail(Code::kInvalidParam, "desc->rankIds does not hold the own rank {}; only members make a team",
                    owner_.party.rank);
}

base::Result<std::shared_ptr<Team>> Teams::Prepare(const Request& request) const {
  auto team = std::make_shared<Team>();
  team->owner = this;
  team->communicator = owner_.name;
  team->device = owner_.device;
  team->ranks = request.ranks;
  team->world = request.world;
  team->counts = request.counts;
  const std::vector<std::uint32_t>& world = team->world_team().ranks;
  for (std::uint32_t member = 0; member < request.ranks.size(); ++member) {
    const std::uint32_t rank = request.ranks[member];
    const auto place = std::find(world.begin(), world.end(), rank) - world.begin();
    team->world_ids.push_back(static_cast<std::uint32_t>(place));
    if (rank == owner_.party.rank) team->self = member;
  }
  auto entity = Allocate(request.entity_bytes, "a team");
  if (!entity) return tl::unexpected(entity.error());
  team->entity = std::move(*entity);
  const std::size_t bytes = request.counts.BytesFor(request.ranks.size());
  if (bytes == 0) return team;
  auto own = Allocate(bytes, "the synchronisation memory of a team");
  if (!own) return tl::unexpected(own.error());
  auto shadow = Allocate(bytes, "the shadow of a team's synchronisation memory");
  if (!shadow) return tl::unexpected(shadow.error());
  team->sync.resize(request.ranks.size());
  team->sync[team->self] = std::move(*own);
  team->shadow = std::move(*shadow);
  return team;
}

// From what the members have said.
Status Teams::Complete(const std::map<std::uint32_t, std::string>& parts, Team* team) const {
  const TeamSyncCounts& counts = team->counts;
  for (const auto& [rank, text] : parts) {
    const std::vector<std::uint64_t> theirs = ReadNumbers(text);
    if (theirs[0] == counts.signals && theirs[1] == counts.counters && theirs[2] == counts.barriers) continue;
    return base::Fail(Code::kInvalidParam,
                      "desc->requirement of rank {} has {} signals, {} counters, {} barriers, that of rank {} {}, {}, "
                      "{}; all members ask for the same",
                      owner_.party.rank, counts.signals, counts.counters, counts.barriers, rank, theirs[0], theirs[1],
                      theirs[2]);
  }
  for (std::size_t member = 0; member < team->sync.size(); ++member) {
    if (team->sync[member] != nullptr) continue;
    const std::uint32_t rank = team->ranks[member];
    auto region = FindMembers(ReadNumbers(parts.at(rank))[3], rank);
    if (!region) return region.error();
    team->sync[member] = std::move(*region);
  }
  return {};
}

base::Result<std::shared_ptr<Team>> Teams::Create(const Request& request) {
  const std::lock_guard collective(collective_mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRanks(request));
  auto prepared = Prepare(request);
  if (!prepared) return prepared;
  Team& team = **prepared;
  const bool is_world = team.world == nullptr;
  const std::string kind =
      fmt::format("{}/team {}", is_world ? "world" : team.world->key, fmt::join(request.ranks, ","));
  team.key = NextKey(kind);
  const std::string part = fmt::format("{} {} {} {}", team.counts.signals, team.counts.counters, team.counts.barriers,
                                       team.sync.empty() ? 0 : team.sync[team.self]->id());
  const MeetingCall call{team.key, is_world ? "HcclWorldTeamCreate" : "HcclSubTeamCreate", "to create the team, too"};
  auto parts = Meet(PartyOf(team.ranks), call, part);
  if (!parts) return tl::unexpected(parts.error());
  ++made_[kind];
  Status completed = Complete(*parts, &team);
  if (!completed.ok()) {
    CloseAlone(owner_.party, team.key);
    return tl::unexpected(std::move(completed));
  }
  TeamTable::Get().Add(*prepared);
  return prepared;
}

Status Teams::Destroy(const std::shared_ptr<Team>& team) {
  const std::lock_guard collective(collective_mutex_);
  const std::size_t users = TeamTable::Get().UsersOf(*team);
  if (users > 0) {
    return base::Fail(Code::kAgain, "team 0x{:x} still has {} windows and sub-teams; give them up first",
                      team->handle(), users);
  }
  if (!TeamTable::Get().Remove(*team)) {
    return base::Fail(Code::kInvalidHandle, "team 0x{:x} was destroyed at this moment", team->handle());
  }
  return CloseTogether(PartyOf(team->ranks), {team->key, "HcclTeamDestroy", "to destroy the team, too"});
}

base::Result<std::shared_ptr<TeamWindow>> Teams::Register(const std::shared_ptr<const Team>& team, memory::Space space,
                                                          std::byte* data, std::size_t size, std::size_t entity_bytes) {
  const std::lock_guard collective(collective_mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLentMemory(space, data, size, "localMem"));
  auto window = std::make_shared<TeamWindow>();
  window->team = team;
  const std::string kind = team->key + "/window";
  window->key = NextKey(kind);
  const auto own = Region::Lend(data, size, space, window->key);
  auto entity = Allocate(entity_bytes, "a window of a team");
  if (!entity) return tl::unexpected(entity.error());
  window->entity = std::move(*entity);
  auto parts = Meet(PartyOf(team->ranks), {window->key, "HcclTeamWindowRegister", "to register its part of the window"},
                    std::to_string(own->id()));
  if (!parts) return tl::unexpected(parts.error());
  ++made_[kind];
  for (const std::uint32_t rank : team->ranks) {
    auto region = rank == owner_.party.rank ? own : FindMembers(ReadNumbers(parts->at(rank))[0], rank);
    if (!region) {
      CloseAlone(owner_.party, window->key);
      return tl::unexpected(region.error());
    }
    window->pieces.push_back(std::move(*region));
  }
  TeamTable::Get().Add(window);
  return window;
}

Status Teams::Deregister(const std::shared_ptr<TeamWindow>& window) {
  const std::lock_guard collective(collective_mutex_);
  if (!TeamTable::Get().Remove(*window)) {
    return base::Fail(Code::kInvalidHandle, "window 0x{:x} was deregistered at this moment", window->handle());
  }
  return CloseTogether(PartyOf(window->team->ranks),
                       {window->key, "HcclTeamWindowDeregister", "to deregister its part of the window"});
}

std::vector<transport::Window> Teams::PiecesOf(const Team& team) {
  std::vector<transport::Window> pieces;
  for (const auto& region : team.sync) pieces.push_back(PieceOf(region, "the team's memory"));
  return pieces;
}

std::vector<transport::Window> Teams::PiecesOf(const TeamWindow& window) {
  std::vector<transport::Window> pieces;
  for (const auto& region : window.pieces) pieces.push_back(PieceOf(region, "the team's window"));
  return pieces;
}

std::vector<transport::Window> Teams::PiecesOf(std::uint32_t rank) const {
  std::vector<transport::Window> pieces;
  const auto add = [&](const std::vector<std::uint32_t>& ranks, const std::vector<transport::Window>& by_member) {
    for (std::size_t member = 0; member < by_member.size(); ++member) {
      if (ranks[member] == rank) pieces.push_back(by_member[member]);
    }
  };
  for (const auto& team : TeamTable::Get().TeamsOf(this)) add(team->ranks, PiecesOf(*team));
  for (const auto& window : TeamTable::Get().WindowsOf(this)) add(window->team->ranks, PiecesOf(*window));
  return pieces;
}

void Teams::Close() { TeamTable::Get().RemoveAllOf(this); }

}  // namespace softhccl::comm
