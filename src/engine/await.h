// Waiting for a queue on behalf of a data-plane call. A host thread helps, as one that synchronises does; a kernel's
// thread may not run ops and sleeps, and meanwhile counts as parked, so that a deadlock is still seen.
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "engine/invocation.h"
#include "exec/scheduler.h"
#include "exec/thread_census.h"

namespace softhccl::engine {

// `limit` after `now`; kForever stays kForever.
base::Nanos DeadlineAfter(base::Nanos now, base::Nanos limit);

// While it lives, the calling thread blocks in a data-plane call: the permit of an inline kernel goes to somebody else,
// and its launch does not count as running.
class ScopedBlocked {
 public:
  ScopedBlocked(exec::Scheduler& scheduler, base::Nanos limit);
  ~ScopedBlocked();
  ScopedBlocked(const ScopedBlocked&) = delete;
  ScopedBlocked& operator=(const ScopedBlocked&) = delete;

 private:
  exec::Scheduler& scheduler_;
  const exec::Scheduler::BlockingRegion permit_;
  const exec::ScopedBlockedCall blocked_;
  Invocation* const invocation_;
  const bool was_counted_;
};

// Returns when everything queued on `stream` before the call is done or skipped; the stream's error says which.
// Submits the caller's batch first. Errors: kSyncTimeout after `limit` ns, kRemote when the stream is destroyed, kAgain
// when it is full, kStreamCaptured when host code waits for what is only recorded.
base::Status AwaitStream(const char* call, exec::Scheduler& scheduler, exec::Stream& stream, base::Nanos limit);

// The same without limit for all that the caller has posted; the first error of a queue. Forgets the posts.
base::Status AwaitPosts(const char* call, exec::Scheduler& scheduler);

}  // namespace softhccl::engine
