// Channels that exist: finding them again, what they reach, and destroying an end. How they come to be is in
// channels.cc.
#include <algorithm>
#include <charconv>

#include "base/log.h"
#include "comm/communicator.h"
#include "comm/offer.h"
#include "engine/runtime.h"

namespace softhccl::comm {

using base::Code;
using base::Status;

std::vector<Communicator::ChannelId> Communicator::Identify(int engine, const std::vector<ChannelRequest>& requests) {
  std::map<ChannelId, std::uint32_t> seen;
  std::vector<ChannelId> ids;
  for (const ChannelRequest& request : requests) {
    const std::uint32_t occurrence = seen[ChannelId{engine, request.remote_rank, request.protocol, 0}]++;
    ids.emplace_back(engine, request.remote_rank, request.protocol, occurrence);
  }
  return ids;
}

std::uint64_t Communicator::FindExisting(const ChannelId& id, const ChannelRequest& request) const {
  const std::lock_guard lock(mutex_);
  const auto existing = channels_.find(id);
  if (existing == channels_.end()) return 0;
  const Channel& channel = *Channels().Lookup(existing->second);
  if (request.notify_count > channel.notifies.size()) {
    base::Log(base::LogLevel::kWarning,
              fmt::format("the channel to rank {} exists already with notifyNum {}; asking for {} does "
                          "not change it",
                          request.remote_rank, channel.notifies.size(), request.notify_count));
  }
  const auto is_lent = [&](std::uint64_t memory) {
    return std::find(channel.lent.begin(), channel.lent.end(), memory) != channel.lent.end();
  };
  if (!std::all_of(request.memories.begin(), request.memories.end(), is_lent)) {
    base::Log(base::LogLevel::kWarning,
              fmt::format("the channel to rank {} exists already with {} memory handles; other handles do not change "
                          "it: register all memory before the first acquire",
                          request.remote_rank, channel.lent.size()));
  }
  return existing->second;
}

std::vector<std::uint64_t> Communicator::QueryChannels(int engine, const std::vector<ChannelRequest>& requests) const {
  std::vector<std::uint64_t> handles;
  const std::lock_guard lock(mutex_);
  for (const ChannelId& id : Identify(engine, requests)) {
    const auto found = channels_.find(id);
    handles.push_back(found == channels_.end() ? 0 : found->second);
  }
  return handles;
}

base::Result<Channel*> Communicator::FindChannel(std::uint64_t channel) const {
  auto found = Channels().Get(channel, "channel");
  if (!found) return found;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, handle] : channels_) {
    if (handle == channel) return found;
  }
  return base::FailResult(Code::kInvalidParam, "channel 0x{:x} belongs to another communicator, not to {}", channel,
                          name_);
}

base::Result<transport::Window> Communicator::PeerBuffer(std::uint64_t channel) const {
  auto found = FindChannel(channel);
  if (!found) return tl::unexpected(found.error());
  return (*found)->link->window();
}

Status Communicator::DestroyChannel(std::uint64_t channel) {
  const std::lock_guard acquiring(acquire_mutex_);
  auto found = FindChannel(channel);
  if (!found) return Status(Code::kNotFound, found.error().message());
  ChannelId id;
  {
    const std::lock_guard lock(mutex_);
    const auto entry =
        std::find_if(channels_.begin(), channels_.end(), [channel](const auto& one) { return one.second == channel; });
    id = entry->first;
  }
  // The peer may still be reading what this end offered. What an earlier end offered it has read, otherwise it had not
  // come to this one.
  const std::uint32_t generation = GenerationOf(id);
  if (generation > 0) {
    const std::string earlier = ChannelKey(id, rank_, generation - 1);
    group_->store().Remove(earlier);
    group_->store().Remove(earlier + kConnected);
  }
  const std::lock_guard lock(mutex_);
  ++destroyed_[id];
  channels_.erase(id);
  destroyed_links_.push_back(WithdrawChannel(channel));
  return {};
}

std::string Communicator::BufferKey(std::uint32_t rank) { return fmt::format("buffer/{}", rank); }

base::Result<transport::Window> Communicator::BufferOf(std::uint64_t rank) {
  if (rank >= size_) {
    return base::FailResult(Code::kInvalidParam, "remoteRank {} is out of range, the communicator has {} ranks", rank,
                            size_);
  }
  const auto peer = static_cast<std::uint32_t>(rank);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  auto text = group_->store().Get(BufferKey(peer), engine::Runtime::Get().scheduler().Now());
  if (!text) return tl::unexpected(text.error());
  std::uint64_t id = 0;
  std::from_chars(text->data(), text->data() + text->size(), id);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<transport::Region>& region = buffers_[peer];  // keeps it alive for those who use the address
  if (region == nullptr) region = transport::Region::Find(id);
  if (region == nullptr) {
    return base::FailResult(Code::kRemote, "rank {} has destroyed its communicator; its buffer is gone", peer);
  }
  transport::Window window;
  window.data = region->data();
  window.size = region->size();
  return window;
}

}  // namespace softhccl::comm
