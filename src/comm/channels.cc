// Channels: both ranks offer their end under a key of the pair and wait for the other's offer. All new channels of a
// call are offered before the first is waited for, so the order of requests need not match between ranks.
#include "comm/communicator.h"

#include <algorithm>

#include "base/log.h"
#include "engine/engines.h"
#include "engine/faithful.h"
#include "exec/host_wait.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;

namespace {
// Appended to a channel's key when that end is connected.
constexpr const char* kConnected = "/connected";
// Between two looks at what else could end a wait for a peer.
constexpr base::Nanos kLook = exec::kHostWaitLook;
}  // namespace

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
      WithdrawOffer(&pending);
      return tl::unexpected(notify.error());
    }
    pending.notifies.push_back(*notify);
    offer.notifies.push_back((*notify)->handle);
  }
  group_->store().Set(pending.own_key, transport::DescribeForAll(offer));
  return pending;
}

void Communicator::WithdrawOffer(PendingChannel* pending) {
  group_->store().Remove(pending->own_key);
  group_->store().Remove(pending->own_key + kConnected);
  for (exec::Notify* notify : pending->notifies) Runtime::Get().scheduler().DestroyNotify(notify);
  pending->notifies.clear();
}

// Connects the end if the peer has offered its own until `deadline`; ok also when it has not (link stays null).
Status Communicator::ConnectChannel(PendingChannel* pending, base::Nanos deadline) {
  auto blob = group_->store().Get(pending->peer_key, deadline);
  if (!blob) return blob.error().code() == Code::kTimeout ? Status() : blob.error();
  auto link = transport::ConnectByFirst(*blob);
  if (!link) return link.error();
  pending->link = std::move(*link);
  pending->link->set_peer_name(fmt::format("rank {}", pending->remote_rank));
  group_->store().Set(pending->own_key + kConnected, "");
  return {};
}

Status Communicator::CheckPeer(std::uint32_t rank) const {
  SOFTHCCL_RETURN_IF_ERROR(CheckUsable());
  if (!group_->HasLeft(rank)) return {};
  return base::Fail(Code::kRemote, "rank {} has destroyed its communicator; no channel can lead there", rank);
}

Status Communicator::MissingEnds(const std::vector<PendingChannel>& pending) const {
  const PendingChannel* first = nullptr;
  std::string others;
  for (const PendingChannel& channel : pending) {
    if (channel.link != nullptr) continue;
    if (first == nullptr) {
      first = &channel;
    } else {
      others += fmt::format("{} {}", others.empty() ? "; missing as well: rank" : ",", channel.remote_rank);
    }
  }
  const double waited = static_cast<double>(connect_limit_) / 1e9;
  if (!group_->HasCome(first->remote_rank)) {
    return base::Fail(Code::kTimeout,
                      "EI0006 channel between rank {} and rank {}: {} has not created its communicator {} (waited "
                      "{:.1f} s){}",
                      rank_, first->remote_rank, group_->NameOf(first->remote_rank), name_, waited, others);
  }
  return base::Fail(Code::kTimeout,
                    "EI0006 channel between rank {} and rank {}: rank {} has not acquired its end (waited {:.1f} s for "
                    "\"{}\"); both ranks must call HcclChannelAcquire with the same engine and protocol{}",
                    rank_, first->remote_rank, first->remote_rank, waited, first->peer_key, others);
}

// Connects every end whose peer comes in time, in whatever order they come. Ends that were connected when another one
// failed stay, because their peers have connected them, too.
Status Communicator::ConnectAll(std::vector<PendingChannel>* pending, base::Nanos deadline,
                                exec::ScopedHostWait& wait) {
  const exec::Scheduler& scheduler = Runtime::Get().scheduler();
  for (;;) {
    PendingChannel* open = nullptr;
    std::vector<std::uint32_t> missing;
    for (PendingChannel& channel : *pending) {
      if (channel.link != nullptr) continue;
      SOFTHCCL_RETURN_IF_ERROR(ConnectChannel(&channel, 0));
      if (channel.link != nullptr) continue;
      SOFTHCCL_RETURN_IF_ERROR(CheckPeer(channel.remote_rank));
      if (open == nullptr) open = &channel;
      missing.push_back(channel.remote_rank);
    }
    if (open == nullptr) return {};
    SOFTHCCL_RETURN_IF_ERROR(wait.Look(missing));
    const base::Nanos now = scheduler.Now();
    if (now >= deadline) return MissingEnds(*pending);
    SOFTHCCL_RETURN_IF_ERROR(ConnectChannel(open, std::min(deadline, now + kLook)));
  }
}

// A channel is there when both ends are: a rank that goes away right after must not take the peer's end with it.
Status Communicator::AwaitConfirmations(const std::vector<PendingChannel>& pending, base::Nanos deadline,
                                        exec::ScopedHostWait& wait) const {
  const exec::Scheduler& scheduler = Runtime::Get().scheduler();
  for (const PendingChannel& channel : pending) {
    for (;;) {
      auto confirmed = group_->store().Get(channel.peer_key + kConnected, std::min(deadline, scheduler.Now() + kLook));
      if (confirmed) break;
      if (confirmed.error().code() != Code::kTimeout) return confirmed.error();
      SOFTHCCL_RETURN_IF_ERROR(CheckPeer(channel.remote_rank));
      SOFTHCCL_RETURN_IF_ERROR(wait.Look({channel.remote_rank}));
      if (scheduler.Now() < deadline) continue;
      return base::Fail(Code::kTimeout,
                        "EI0006 channel between rank {} and rank {}: rank {} offered its end but has not "
                        "connected it in time",
                        rank_, channel.remote_rank, channel.remote_rank);
    }
  }
  return {};
}

base::Result<std::uint64_t> Communicator::PublishEnd(PendingChannel* pending) {
  auto channel = PublishChannel(pending->remote_rank, device_, std::get<0>(pending->id), party(), &pending->notifies,
                                &pending->link);
  if (!channel) {
    WithdrawOffer(pending);
    return tl::unexpected(channel.error());
  }
  channels_[pending->id] = (*channel)->handle;
  return (*channel)->handle;
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
    failure = engine::CheckOccurrence(occurrence, request.remote_rank, engine::FaithfulProduct());
    if (!failure.ok()) break;
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
  if (failure.ok()) {
    exec::Scheduler& scheduler = Runtime::Get().scheduler();
    const auto info = engine::FindEngine(engine);
    exec::ScopedHostWait wait(scheduler, party(), "HcclChannelAcquire",
                              fmt::format("to acquire its end with engine {}", info ? (*info)->name : "?"));
    const base::Nanos deadline = scheduler.Now() + connect_limit_;
    failure = ConnectAll(&pending, deadline, wait);
    if (failure.ok()) failure = AwaitConfirmations(pending, deadline, wait);
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (pending[i].link == nullptr) {
      WithdrawOffer(&pending[i]);
      continue;
    }
    auto handle = PublishEnd(&pending[i]);
    if (handle) handles[places[i]] = *handle;
    if (!handle && failure.ok()) failure = handle.error();
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
