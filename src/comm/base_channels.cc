// Pairing of ends, and what they reach.
#include "comm/base_channels.h"

#include <algorithm>

#include "base/log.h"
#include "comm/offer.h"
#include "comm/retired_links.h"
#include "engine/runtime.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;

namespace {

// One listens and one connects; whoever did not say goes with everybody.
bool RolesFit(int one, int other) { return one < 0 || other < 0 || one != other; }

}  // namespace

BaseChannels& BaseChannels::Get() {
  static auto* channels = new BaseChannels;
  return *channels;
}

// Identities are bytes of any value: lengths keep the parts apart.
std::string BaseChannels::KeyOf(const std::string& from, const std::string& to, const BaseChannelRequest& request) {
  return fmt::format("{}:{}{}:{}port {} name {}", from.size(), from, to.size(), to, request.port, request.name);
}

base::Result<std::vector<std::uint64_t>> BaseChannels::Create(const std::shared_ptr<Endpoint>& endpoint, int engine,
                                                              const std::vector<BaseChannelRequest>& requests,
                                                              base::Nanos limit) {
  const base::Nanos deadline = Runtime::Get().scheduler().Now() + limit;
  std::vector<std::uint64_t> handles;
  const std::lock_guard lock(mutex_);
  for (const BaseChannelRequest& request : requests) {
    auto handle = CreateLocked(endpoint, engine, request, deadline);
    if (!handle) {
      for (const std::uint64_t made : handles) DestroyLocked(made);
      return tl::unexpected(handle.error());
    }
    handles.push_back(*handle);
  }
  for (const std::uint64_t handle : handles) {
    waiting_.push_back(handle);
    PairLocked(handle);
  }
  return handles;
}

base::Result<std::uint64_t> BaseChannels::CreateLocked(const std::shared_ptr<Endpoint>& endpoint, int engine,
                                                       const BaseChannelRequest& request, base::Nanos deadline) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  transport::EndpointOffer offer;
  offer.region_id = endpoint->no_buffer().id();
  std::vector<exec::Notify*> notifies;
  std::unique_ptr<transport::Link> no_link;
  ChannelOffer whole;
  Status failure = ReadRegionIds(request.memories, &whole.regions);
  for (std::uint32_t index = 0; index < request.notify_count && failure.ok(); ++index) {
    auto notify = scheduler.CreateNotify(endpoint->device(), index, {},
                                         fmt::format("notify {} of a channel without communicator", index));
    if (!notify) {
      failure = notify.error();
      continue;
    }
    notifies.push_back(*notify);
    offer.notifies.push_back((*notify)->handle);
  }
  base::Result<Channel*> channel = nullptr;
  if (failure.ok()) channel = PublishChannel(exec::kNoRank, endpoint->device(), engine, {}, &notifies, &no_link, {});
  if (failure.ok() && !channel) failure = channel.error();
  if (!failure.ok()) {
    for (exec::Notify* notify : notifies) scheduler.DestroyNotify(notify);
    return tl::unexpected(failure);
  }
  (*channel)->lent = request.memories;
  whole.link = transport::DescribeForAll(offer);
  End& end = ends_[(*channel)->handle];
  end.endpoint = endpoint;
  end.own = KeyOf(endpoint->identity(), request.remote, request);
  end.wanted = KeyOf(request.remote, endpoint->identity(), request);
  end.role = request.role;
  end.offer = EncodeOffer(whole);
  end.remote = request.remote;
  end.deadline = deadline;
  return (*channel)->handle;
}

void BaseChannels::PairLocked(std::uint64_t handle) {
  End& mine = ends_[handle];
  const auto other = std::find_if(waiting_.begin(), waiting_.end(), [&](std::uint64_t candidate) {
    const End& theirs = ends_[candidate];
    return candidate != handle && theirs.own == mine.wanted && RolesFit(theirs.role, mine.role);
  });
  if (other == waiting_.end()) return;
  const std::uint64_t other_handle = *other;
  End& theirs = ends_[other_handle];
  Status connected = Connect(handle, mine, theirs.offer);
  if (connected.ok()) connected = Connect(other_handle, theirs, mine.offer);
  mine.state = theirs.state = connected.ok() ? State::kReady : State::kFailed;
  if (!connected.ok()) base::Log(base::LogLevel::kError, connected.message());
  std::erase(waiting_, handle);
  std::erase(waiting_, other_handle);
}

Status BaseChannels::Connect(std::uint64_t handle, const End& end, const std::string& other_offer) {
  auto offer = DecodeOffer(other_offer);
  if (!offer) return offer.error();
  auto link = transport::ConnectByFirst(offer->link);
  if (!link) return link.error();
  (*link)->set_peer_name("the remote endpoint");
  Channel* channel = Channels().Lookup(handle);
  channel->peer_memories = FindRegions(offer->regions);
  for (const auto& region : channel->peer_memories) (*link)->AddWindow(WindowOf(region));
  for (const auto& region : end.endpoint->ImportedFrom(end.remote)) (*link)->AddWindow(WindowOf(region));
  channel->link = std::move(*link);
  channel->is_connected.store(true);
  return {};
}

base::Result<const BaseChannels::End*> BaseChannels::FindLocked(std::uint64_t handle,
                                                                const std::string& argument) const {
  auto channel = Channels().Get(handle, argument);
  if (!channel) return tl::unexpected(channel.error());
  const auto found = ends_.find(handle);
  if (found != ends_.end()) return &found->second;
  return base::FailResult(Code::kInvalidParam, "{} 0x{:x} belongs to a communicator; use the Hccl functions (SH-H004)",
                          argument, handle);
}

base::Result<BaseChannels::State> BaseChannels::StateOf(std::uint64_t handle, const std::string& argument) const {
  const std::lock_guard lock(mutex_);
  auto end = FindLocked(handle, argument);
  if (!end) return tl::unexpected(end.error());
  const bool is_late = (*end)->state == State::kWaiting && Runtime::Get().scheduler().Now() >= (*end)->deadline;
  return is_late ? State::kTimedOut : (*end)->state;
}

Status BaseChannels::Destroy(std::uint64_t handle, const std::string& argument) {
  const std::lock_guard lock(mutex_);
  auto end = FindLocked(handle, argument);
  if (!end) return end.error();
  DestroyLocked(handle);
  return {};
}

void BaseChannels::DestroyLocked(std::uint64_t handle) {
  std::vector<std::unique_ptr<transport::Link>> links;
  links.push_back(WithdrawChannel(handle));
  // Every thread of the process may have used the channel.
  if (links.front() != nullptr) RetireLinks(std::move(links), AllStreams());
  std::erase(waiting_, handle);
  ends_.erase(handle);
}

std::size_t BaseChannels::CountOf(const Endpoint* endpoint) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      ends_.begin(), ends_.end(), [endpoint](const auto& one) { return one.second.endpoint.get() == endpoint; }));
}

void BaseChannels::AddWindow(const Endpoint& endpoint, const std::string& exporter, const transport::Window& window) {
  const std::lock_guard lock(mutex_);
  for (const auto& [handle, end] : ends_) {
    Channel* channel = Channels().Lookup(handle);
    if (end.endpoint.get() == &endpoint && end.remote == exporter && channel->link != nullptr) {
      channel->link->AddWindow(window);
    }
  }
}

void BaseChannels::RemoveWindow(const Endpoint& endpoint, const std::string& exporter,
                                const transport::Window& window) {
  const std::lock_guard lock(mutex_);
  for (const auto& [handle, end] : ends_) {
    Channel* channel = Channels().Lookup(handle);
    if (end.endpoint.get() == &endpoint && end.remote == exporter && channel->link != nullptr) {
      channel->link->RemoveWindow(window);
    }
  }
}

}  // namespace softhccl::comm
