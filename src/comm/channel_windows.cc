// What ops on a communicator's channels may name beside the peer's buffer and registered memory: symmetric windows,
// windows of teams, and their memory to synchronise in. Channels learn of it when it is made, later ones when they are.
#include <algorithm>

#include "comm/communicator.h"

namespace softhccl::comm {

using base::Status;

void Communicator::AddWindows(std::uint32_t peer, transport::Link* link) const {
  std::vector<transport::Window> pieces = windows_.PiecesOf(peer);
  for (transport::Window& piece : teams_.PiecesOf(peer)) pieces.push_back(std::move(piece));
  for (transport::Window& piece : pieces) {
    const auto& known = link->windows();
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const transport::Window& one) { return one.IsSame(piece); });
    if (!is_known) link->AddWindow(std::move(piece));
  }
}

void Communicator::TellChannels(const std::function<void(std::uint32_t peer, transport::Link& link)>& news) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, channel] : channels_) {
    Channel* end = Channels().Lookup(channel);
    if (end->link != nullptr) news(end->remote_rank, *end->link);
  }
}

void Communicator::AddWindowsToChannels() const {
  TellChannels([this](std::uint32_t peer, transport::Link& link) { AddWindows(peer, &link); });
}

base::Result<std::uint64_t> Communicator::RegisterWindow(std::byte* data, std::size_t size) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  auto handle = windows_.Register(data, size);
  if (handle) AddWindowsToChannels();
  return handle;
}

Status Communicator::DeregisterWindow(std::uint64_t handle) {
  auto window = FindWindow(handle);
  if (!window) return window.error();
  const Status closed = windows_.Deregister(handle);
  TellChannels([&](std::uint32_t peer, transport::Link& link) { link.RemoveWindow((*window)->pieces[peer]); });
  return closed;
}

// --- Teams -------------------------------------------------------------------------------------------------------

base::Result<std::shared_ptr<Team>> Communicator::CreateTeam(const Teams::Request& request) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  auto team = teams_.Create(request);
  if (team) AddWindowsToChannels();
  return team;
}

base::Result<std::shared_ptr<TeamWindow>> Communicator::RegisterTeamWindow(const std::shared_ptr<const Team>& team,
                                                                           memory::Space space, std::byte* data,
                                                                           std::size_t size, std::size_t entity_bytes) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  auto window = teams_.Register(team, space, data, size, entity_bytes);
  if (window) AddWindowsToChannels();
  return window;
}

Status Communicator::DestroyTeam(const std::shared_ptr<Team>& team) {
  const std::vector<transport::Window> pieces = Teams::PiecesOf(*team);
  Status destroyed = teams_.Destroy(team);
  if (destroyed.code() == base::Code::kAgain) return destroyed;  // it lives on
  RemoveFromChannels(team->ranks, pieces);
  return destroyed;
}

Status Communicator::DeregisterTeamWindow(const std::shared_ptr<TeamWindow>& window) {
  const std::vector<transport::Window> pieces = Teams::PiecesOf(*window);
  const Status closed = teams_.Deregister(window);
  RemoveFromChannels(window->team->ranks, pieces);
  return closed;
}

// Two windows may be of the same memory, and what is still in use was not given up: that is added again.
void Communicator::RemoveFromChannels(const std::vector<std::uint32_t>& ranks,
                                      const std::vector<transport::Window>& pieces) const {
  TellChannels([&](std::uint32_t peer, transport::Link& link) {
    for (std::size_t member = 0; member < pieces.size(); ++member) {
      if (ranks[member] == peer) link.RemoveWindow(pieces[member]);
    }
    AddWindows(peer, &link);
  });
}

}  // namespace softhccl::comm
