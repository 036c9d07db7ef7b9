// Publishing and withdrawing threads and channel ends.
#include "comm/objects.h"

#include "engine/runtime.h"
#include "event/labels.h"

namespace softhccl::comm {

using base::Code;
using engine::Runtime;

CommThreadSlab& Threads() {
  static auto* threads = new CommThreadSlab;  // handles may be looked up during static destruction
  return *threads;
}

ChannelSlab& Channels() {
  static auto* channels = new ChannelSlab;  // see Threads()
  return *channels;
}

base::Result<exec::Stream*> CommThread::UsableStream() const {
  if (owns_stream || Runtime::Get().scheduler().streams().Lookup(stream_handle) == stream) return stream;
  return base::FailResult(Code::kInvalidHandle,
                          "thread 0x{:x} runs on a stream that was destroyed; call HcclThreadAcquireWithStream for the "
                          "new stream",
                          handle);
}

base::Result<CommThread*> PublishThread(exec::Stream* stream, bool owns_stream, int engine, exec::Party party,
                                        std::optional<double> wait_seconds) {
  std::uint64_t handle = 0;
  CommThread* thread = Threads().Allocate(&handle);
  if (thread == nullptr) {
    return base::FailResult(Code::kUnavailable, "no thread handle left: {} are in use", Threads().live());
  }
  thread->handle = handle;
  thread->stream = stream;
  thread->stream_handle = stream->handle;
  thread->owns_stream = owns_stream;
  thread->device = stream->device;
  thread->engine = engine;
  thread->party = std::move(party);
  thread->wait_seconds = wait_seconds;
  thread->notify_count.store(0);
  Threads().Publish(handle);
  return thread;
}

void WithdrawThread(std::uint64_t handle) {
  CommThread* thread = Threads().Lookup(handle);
  Threads().Retire(handle);
  if (thread->owns_stream) Runtime::Get().scheduler().DestroyStream(thread->stream);
  thread->notifies.Clear();
  thread->party = exec::Party();
  Threads().Recycle(handle);
}

base::Result<Channel*> PublishChannel(std::uint32_t remote_rank, int device, int engine, exec::Party party,
                                      std::vector<exec::Notify*>* notifies, std::unique_ptr<transport::Link>* link,
                                      std::optional<double> wait_seconds) {
  std::uint64_t handle = 0;
  Channel* channel = Channels().Allocate(&handle);
  if (channel == nullptr) {
    return base::FailResult(Code::kUnavailable, "no channel handle left: {} are in use", Channels().live());
  }
  channel->handle = handle;
  channel->remote_rank = remote_rank;
  channel->engine = engine;
  channel->protocol = -1;
  channel->queue.Open(device, party, remote_rank);
  channel->party = std::move(party);
  channel->wait_seconds = wait_seconds;
  channel->notifies = std::move(*notifies);
  channel->link = std::move(*link);
  channel->is_connected.store(channel->link != nullptr);
  notifies->clear();
  Channels().Publish(handle);
  return channel;
}

std::unique_ptr<transport::Link> WithdrawChannel(std::uint64_t handle) {
  Channel* channel = Channels().Lookup(handle);
  Channels().Retire(handle);
  channel->is_connected.store(false);
  channel->queue.Close();
  for (exec::Notify* notify : channel->notifies) Runtime::Get().scheduler().DestroyNotify(notify);
  channel->notifies.clear();
  channel->peer_memories.clear();
  channel->lent.clear();
  channel->listing.reset();
  channel->party = exec::Party();
  std::unique_ptr<transport::Link> link = std::move(channel->link);
  if (link != nullptr) link->Retire();
  Channels().Recycle(handle);
  return link;
}

}  // namespace softhccl::comm
