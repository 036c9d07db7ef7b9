// The objects behind the handles of the data plane: communication threads and channel ends. A data-plane call looks
// them up here and never goes through a communicator.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "comm/channel_queue.h"
#include "comm/thread_notifies.h"
#include "exec/abort_domain.h"
#include "exec/scheduler.h"
#include "transport/link.h"
#include "transport/region.h"

namespace softhccl::comm {

// A communication thread: an in-order queue with notifies. The vendor calls it a thread; it is a stream here, one of
// its own or a user's.
struct CommThread {
  std::uint64_t handle = 0;
  exec::Stream* stream = nullptr;
  std::uint64_t stream_handle = 0;
  bool owns_stream = true;  // false: a user's stream, which may be destroyed at any time
  int device = -1;
  int engine = -1;
  exec::Party party;                           // the rank that acquired it; empty: it belongs to no communicator
  std::optional<double> wait_seconds;          // see Channel
  std::atomic<std::uint32_t> notify_count{0};  // grows; notifies below it may be used
  ThreadNotifies notifies;

  // Its stream, or why there is none any more. Errors: kInvalidHandle.
  base::Result<exec::Stream*> UsableStream() const;
};

// One end of a connection to a peer.
struct Channel {
  std::uint64_t handle = 0;
  std::uint32_t remote_rank = exec::kNoRank;  // kNoRank: it belongs to no communicator
  std::unique_ptr<transport::Link> link;      // set while is_connected
  std::vector<exec::Notify*> notifies;        // this end's, by index; the peer records them
  int engine = -1;
  int protocol = -1;                                              // CommProtocol; -1: it belongs to no communicator
  std::vector<std::shared_ptr<transport::Region>> peer_memories;  // beside the peer's buffer
  std::vector<std::uint64_t> lent;                                // handles of this side's memory the peer may reach
  std::shared_ptr<void> listing;                                  // what the api made of peer_memories, for C programs
  exec::Party party;                      // whose end this is; only threads of the same rank may use it
  std::optional<double> wait_seconds;     // communicator's limit of waits that carry none; 0: for ever
  ChannelQueue queue;                     // for calls without a thread
  std::atomic<bool> is_connected{false};  // set last; link and notifies do not change afterwards
};

using CommThreadSlab = base::Slab<CommThread, base::HandleKind::kCommThread>;
using ChannelSlab = base::Slab<Channel, base::HandleKind::kChannel>;

// All threads and channels of the process.
CommThreadSlab& Threads();
ChannelSlab& Channels();

// Publishes a thread on `stream`. Errors: kUnavailable when no handle is left.
base::Result<CommThread*> PublishThread(exec::Stream* stream, bool owns_stream, int engine, exec::Party party,
                                        std::optional<double> wait_seconds);
// Takes the handle back and destroys the notifies, and the stream if it is the thread's own. `handle` must be live.
void WithdrawThread(std::uint64_t handle);

// Publishes one end, which is connected when it has a link. Errors: kUnavailable when no handle is left; the caller
// then still owns link and notifies.
base::Result<Channel*> PublishChannel(std::uint32_t remote_rank, int device, int engine, exec::Party party,
                                      std::vector<exec::Notify*>* notifies, std::unique_ptr<transport::Link>* link,
                                      std::optional<double> wait_seconds);
// Takes the handle back and destroys the notifies; returns the link, which queued ops may still be using.
std::unique_ptr<transport::Link> WithdrawChannel(std::uint64_t handle);

}  // namespace softhccl::comm
