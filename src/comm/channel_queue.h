// How host code uses a channel without a thread: what it posts goes through a queue of the channel and is done in the
// order of posting; a call that waits for the peer gets a queue of its own, so that it holds up nobody else's posts.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "exec/scheduler.h"

namespace softhccl::comm {

// Any thread. Reused with the slot of its channel.
class ChannelQueue {
 public:
  // For whom the queues work. Before anybody uses the channel.
  void Open(int device, exec::Party party, std::uint32_t remote_rank);
  // Destroys the queues; waits that are left end.
  void Close();

  // The queue of posts, made on first use. Errors: kUnavailable.
  base::Result<exec::Stream*> Posts();
  // A queue for one call that waits; to be given back. Errors: kUnavailable.
  base::Result<exec::Stream*> BorrowWaiter();
  void ReturnWaiter(exec::Stream* waiter);
  // All queues made so far.
  std::vector<exec::Stream*> Streams() const;

 private:
  base::Result<exec::Stream*> MakeLocked(const char* purpose);

  mutable std::mutex mutex_;
  bool is_open_ = false;                    // guarded by mutex_
  int device_ = -1;                         // guarded by mutex_
  exec::Party party_;                       // guarded by mutex_
  std::uint32_t remote_rank_ = 0;           // guarded by mutex_
  exec::Stream* posts_ = nullptr;           // guarded by mutex_
  std::vector<exec::Stream*> idle_;         // guarded by mutex_: waiters nobody uses
  std::vector<exec::Stream*> all_waiters_;  // guarded by mutex_
};

}  // namespace softhccl::comm
