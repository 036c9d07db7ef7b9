// Channels: both ranks offer their end under a key of the pair and wait for the other's offer. All new channels of a
// call are offered before the first is waited for, so the order of requests need not match between ranks.
#include "comm/communicator.h"

#include <algorithm>

#include "comm/offer.h"
#include "engine/engines.h"
#include "engine/faithful.h"
#include "engine/runtime.h"
#include "exec/host_wait.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;

namespace {
// Between two looks at what else could end a wait for a peer.
constexpr base::Nanos kLook = exec::kHostWaitLook;
}  // namespace

struct Communicator::PendingChannel {
  ChannelId id;
  std::string own_key;
  std::string peer_key;
  std::uint32_t remote_rank = 0;
  std::vector<exec::Notify*> notifies;
  std::vector<std::uint64_t> lent;  // handles of registered memory
  std::vector<std::shared_ptr<transport::Region>> peer_memories;
  std::unique_ptr<transport::Link> link;
};

std::string Communicator::ChannelKey(const ChannelId& id, std::uint32_t from, std::uint32_t generation) const {
  const auto& [engine, peer, protocol, occurrence] = id;
  const std::uint32_t to = from == rank_ ? peer : rank_;
  std::string key = fmt::format("channel/{}->{}/engine {}/protocol {}/#{}", from, to, engine, protocol, occurrence);
  return generation == 0 ? key : key + fmt::format("/after {} destroys", generation);
}

std::uint32_t Communicator::GenerationOf(const ChannelId& id) const {
  const std::lock_guard lock(mutex_);
  const auto destroyed = destroyed_.find(id);
  return destroyed == destroyed_.end() ? 0 : destroyed->second;
}

base::Result<Communicator::PendingChannel> Communicator::OfferChannel(const ChannelId& id,
                                                                      const ChannelRequest& request) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  PendingChannel pending;
  pending.id = id;
  const std::uint32_t generation = GenerationOf(id);
  pending.own_key = ChannelKey(id, rank_, generation);
  pending.peer_key = ChannelKey(id, request.remote_rank, generation);
  pending.remote_rank = request.remote_rank;
  pending.lent = request.memories;
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
    (*notify)->ends = {group_->domain().get(), rank_, request.remote_rank};
    pending.notifies.push_back(*notify);
    offer.notifies.push_back((*notify)->handle);
  }
  ChannelOffer whole;
  whole.link = transport::DescribeForAll(offer);
  whole.info = exchange_info_.Outgoing();
  Status lent = ReadRegionIds(request.memories, &whole.regions);
  if (!lent.ok()) {
    WithdrawOffer(&pending);
    return tl::unexpected(std::move(lent));
  }
  group_->store().Set(pending.own_key, EncodeOffer(whole));
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
  auto offer = DecodeOffer(*blob);
  if (!offer) return offer.error();
  auto link = transport::ConnectByFirst(offer->link);
  if (!link) return link.error();
  pending->link = std::move(*link);
  pending->link->set_peer_name(fmt::format("rank {}", pending->remote_rank));
  pending->link->set_ends({group_->domain().get(), rank_, pending->remote_rank});
  pending->peer_memories = FindRegions(offer->regions);
  for (const auto& region : pending->peer_memories) pending->link->AddWindow(WindowOf(region));
  if (offer->info) exchange_info_.Received(pending->remote_rank, std::move(*offer->info));
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
  AddWindows(pending->remote_rank, pending->link.get());
  auto channel = PublishChannel(pending->remote_rank, device_, std::get<0>(pending->id), party(), &pending->notifies,
                                &pending->link, options_.exec_timeout_s);
  if (!channel) {
    WithdrawOffer(pending);
    return tl::unexpected(channel.error());
  }
  (*channel)->protocol = std::get<2>(pending->id);
  (*channel)->peer_memories = std::move(pending->peer_memories);
  (*channel)->lent = std::move(pending->lent);
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
  Status failure;
  const std::vector<ChannelId> ids = Identify(engine, requests);
  for (std::size_t i = 0; i < requests.size() && failure.ok(); ++i) {
    failure = engine::CheckOccurrence(std::get<3>(ids[i]), requests[i].remote_rank, engine::FaithfulProduct());
    if (!failure.ok()) break;
    handles[i] = FindExisting(ids[i], requests[i]);
    if (handles[i] != 0) continue;
    auto offered = OfferChannel(ids[i], requests[i]);
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
  exchange_info_.ForgetOutgoing();
  return handles;
}

}  // namespace softhccl::comm
