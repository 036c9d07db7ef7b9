// Making the queues of a channel when they are first needed.
#include "comm/channel_queue.h"

#include <algorithm>

#include "engine/runtime.h"

namespace softhccl::comm {

using engine::Runtime;

void ChannelQueue::Open(int device, exec::Party party, std::uint32_t remote_rank) {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
  device_ = device;
  party_ = std::move(party);
  remote_rank_ = remote_rank;
}

void ChannelQueue::Close() {
  std::vector<exec::Stream*> doomed;
  {
    const std::lock_guard lock(mutex_);
    doomed.swap(all_waiters_);
    idle_.clear();
    if (posts_ != nullptr) doomed.push_back(posts_);
    posts_ = nullptr;
    is_open_ = false;
    party_ = exec::Party();
  }
  for (exec::Stream* stream : doomed) Runtime::Get().scheduler().DestroyStream(stream);
}

base::Result<exec::Stream*> ChannelQueue::MakeLocked(const char* purpose) {
  if (!is_open_) return base::FailResult(base::Code::kRemote, "the channel was destroyed while it was used");
  const std::string label = party_.domain == nullptr ? fmt::format("{} of a channel", purpose)
                                                     : fmt::format("rank {}/{} of the channel to rank {}", party_.rank,
                                                                   purpose, remote_rank_);
  return Runtime::Get().scheduler().CreateStream(device_, party_, label);
}

base::Result<exec::Stream*> ChannelQueue::Posts() {
  const std::lock_guard lock(mutex_);
  if (posts_ != nullptr) return posts_;
  auto made = MakeLocked("posts");
  if (made) posts_ = *made;
  return made;
}

base::Result<exec::Stream*> ChannelQueue::BorrowWaiter() {
  const std::lock_guard lock(mutex_);
  if (!idle_.empty()) {
    exec::Stream* waiter = idle_.back();
    idle_.pop_back();
    return waiter;
  }
  auto made = MakeLocked("host waits");
  if (made) all_waiters_.push_back(*made);
  return made;
}

void ChannelQueue::ReturnWaiter(exec::Stream* waiter) {
  const std::lock_guard lock(mutex_);
  // Not when the channel was closed meanwhile.
  if (std::find(all_waiters_.begin(), all_waiters_.end(), waiter) != all_waiters_.end()) idle_.push_back(waiter);
}

std::vector<exec::Stream*> ChannelQueue::Streams() const {
  const std::lock_guard lock(mutex_);
  std::vector<exec::Stream*> streams = all_waiters_;
  if (posts_ != nullptr) streams.push_back(posts_);
  return streams;
}

}  // namespace softhccl::comm
