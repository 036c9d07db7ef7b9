// Channels: both ranks offer their end under a key of the pair and wait for the other's offer. All new channels of a
// call are offered before the first is waited for, so the order of requests need not match between ranks.
#include "comm/communicator.h"

#include <algorithm>

#include "base/log.h"
#include "engine/engines.h"
#include "exec/thread_census.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;

ChannelSlab& Channels() {
  static auto* channels = new ChannelSlab;  // see Threads()
  return *channels;
}

struct Communicator::PendingChannel {
  ChannelId id;
  std::string own_key;
  std::string peer_key;
  std::uint32_t remote_rank = 0;
  std::vector<exec::Notify*> notifies;
  std::unique_ptr<transport::Link> link;
};

std::string Communicator::ChannelKey(int engine, const ChannelRequest& request, std::uint32_t occurrence,
                                     std::uint32_t from) const {
  const std::uint32_t to = from == rank_ ? request.remote_rank : rank_;
  return fmt::format("channel/{}->{}/engine {}/protocol {}/#{}", from, to, engine, request.protocol, occurrence);
}

base::Result<Communicator::PendingChannel> Communicator::OfferChannel(int engine, const ChannelRequest& request,
                                                                      std::uint32_t occurrence) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  PendingChannel pending;
  pending.id = ChannelId{engine, request.remote_rank, request.protocol, occurrence};
  pending.own_key = ChannelKey(engine, request, occurrence, rank_);
  pending.peer_key = ChannelKey(engine, request, occurrence, request.remote_rank);
  pending.remote_rank = request.remote_rank;
  transport::EndpointOffer offer;
  offer.region_id = buffer_->id();
  for (std::uint32_t index = 0; index < request.notify_count; ++index) {
    auto notify = scheduler.CreateNotify(
        device_, index, exec::Party{group_->domain(), request.remote_rank},
        fmt::format("notify {} of the channel from rank {} to rank {}", index, request.remote_rank, rank_));
    if (!notify) {
      WithdrawChannel(&pending);
      return tl::unexpected(notify.error());
    }
    pending.notifies.push_back(*notify);
    offer.notifies.push_back((*notify)->handle);
  }
  group_->store().Set(pending.own_key, transport::DescribeForAll(offer));
  return pending;
}

void Communicator::WithdrawChannel(PendingChannel* pending) {
  group_->store().Remove(pending->own_key);
  for (exec::Notify* notify : pending->notifies) Runtime::Get().scheduler().DestroyNotify(notify);
  pending->notifies.clear();
}

Status Communicator::ConnectChannel(PendingChannel* pending, base::Nanos deadline) {
  constexpr base::Nanos kLook = base::FromMillis(20);  // between two looks at what else could end the wait
  const exec::Scheduler& scheduler = Runtime::Get().scheduler();
  for (;;) {
    auto blob = group_->store().Get(pending->peer_key, std::min(deadline, scheduler.Now() + kLook));
    if (blob) {
      auto link = transport::ConnectByFirst(*blob);
      if (!link) return link.error();
      pending->link = std::move(*link);
      return {};
    }
    if (blob.error().code() != Code::kTimeout) return blob.error();
    SOFTHCCL_RETURN_IF_ERROR(CheckUsable());
    if (group_->HasLeft(pending->remote_rank)) {
      return base::Fail(Code::kRemote, "rank {} has destroyed its communicator; no channel can lead there",
                        pending->remote_rank);
    }
    if (scheduler.Now() >= deadline) {
      return base::Fail(
          Code::kTimeout,
          "EI0006 channel between rank {} and rank {}: rank {} has not acquired its end (waited {:.1f} s for "
          "\"{}\"); both ranks must call HcclChannelAcquire with the same engine and protocol",
          rank_, pending->remote_rank, pending->remote_rank, static_cast<double>(connect_limit_) / 1e9,
          pending->peer_key);
    }
  }
}

// The first failure; a timeout also names the other ranks that did not come. Ends whose peer is there are connected
// in any case, because the peer may have connected them already.
Status Communicator::ConnectAll(std::vector<PendingChannel>* pending) {
  const exec::ScopedBlockedCall blocked(exec::BlockedCall::kTimed);
  const base::Nanos deadline = Runtime::Get().scheduler().Now() + connect_limit_;
  Status failure;
  std::string others;
  for (PendingChannel& channel : *pending) {
    Status connected = ConnectChannel(&channel, failure.ok() ? deadline : 0);
    if (connected.ok()) continue;
    if (failure.ok()) {
      failure = std::move(connected);
    } else if (connected.code() == Code::kTimeout) {
      others += fmt::format("{} {}", others.empty() ? "" : ",", channel.remote_rank);
    }
  }
  if (failure.code() != Code::kTimeout || others.empty()) return failure;
  return base::Fail(Code::kTimeout, "{}; missing as well: rank{}", failure.message(), others);
}

std::uint64_t Communicator::PublishChannel(PendingChannel pending) {
  std::uint64_t handle = 0;
  Channel* channel = Channels().Allocate(&handle);
  channel->handle = handle;
  channel->remote_rank = pending.remote_rank;
  channel->engine = std::get<0>(pending.id);
  channel->link = std::move(pending.link);
  channel->notifies = std::move(pending.notifies);
  channel->party = party();
  Channels().Publish(handle);
  channels_[pending.id] = handle;
  return handle;
}

base::Result<std::vector<std::uint64_t>> Communicator::AcquireChannels(int engine,
                                                                       const std::vector<ChannelRequest>& requests) {
  const std::lock_guard acquiring(acquire_mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  buffer_->Populate(kStagingWindow);
  std::vector<std::uint64_t> handles(requests.size(), 0);
  std::vector<PendingChannel> pending;
  std::vector<std::size_t> places;  // of the pending ones among the requests
  std::map<ChannelId, std::uint32_t> seen;
  Status failure;
  for (std::size_t i = 0; i < requests.size() && failure.ok(); ++i) {
    const ChannelRequest& request = requests[i];
    const std::uint32_t occurrence = seen[ChannelId{engine, request.remote_rank, request.protocol, 0}]++;
    const ChannelId id{engine, request.remote_rank, request.protocol, occurrence};
    {
      const std::lock_guard lock(mutex_);
      const auto existing = channels_.find(id);
      if (existing != channels_.end()) handles[i] = existing->second;
    }
    if (handles[i] != 0) {
      const std::size_t has = Channels().Lookup(handles[i])->notifies.size();
      if (request.notify_count > has) {
        base::Log(base::LogLevel::kWarning,
                  fmt::format("the channel to rank {} exists already with notifyNum {}; asking for {} does "
                              "not change it",
                              request.remote_rank, has, request.notify_count));
      }
      continue;
    }
    auto offered = OfferChannel(engine, request, occurrence);
    if (offered) {
      pending.push_back(std::move(*offered));
      places.push_back(i);
    } else {
      failure = offered.error();
    }
  }
  if (failure.ok()) failure = ConnectAll(&pending);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (pending[i].link == nullptr) {
      WithdrawChannel(&pending[i]);
    } else {
      handles[places[i]] = PublishChannel(std::move(pending[i]));
    }
  }
  if (!failure.ok()) return tl::unexpected(failure);
  return handles;
}

base::Result<transport::Window> Communicator::PeerBuffer(std::uint64_t channel) const {
  auto found = Channels().Get(channel, "channel");
  if (!found) return tl::unexpected(found.error());
  const std::lock_guard lock(mutex_);
  for (const auto& [id, handle] : channels_) {
    if (handle == channel) return (*found)->link->window();
  }
  return base::FailResult(Code::kInvalidParam, "channel 0x{:x} belongs to another communicator, not to {}", channel,
                          name_);
}

}  // namespace softhccl::comm
