// Host calls that block until other ranks call, too: acquiring a channel, creating a communicator. They hold no stream,
// so the scheduler does not see them; here they say who waits for whom, so that the watch can find and end a circle of
// such calls long before their limits, and can tell what a rank that others wait for is doing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "exec/abort_domain.h"
#include "exec/scheduler.h"
#include "exec/thread_census.h"

namespace softhccl::exec {

// What is known of a blocked host call. Any thread.
struct HostWait {
  Party who;
  std::string call;    // "HcclChannelAcquire"
  std::string detail;  // what would end it: "to acquire its end with engine AICPU"; may be empty
  base::Nanos since = 0;

  mutable std::mutex mutex;
  std::vector<std::uint32_t> targets;  // guarded by mutex: ranks of who.domain that have to come, all of them
  base::Status ended;                  // guarded by mutex: why the watch ended it
  std::atomic<std::uint64_t> looks{0};
};

// The calling thread blocks on behalf of a rank while this lives. When it waits for other ranks it looks at least every
// kHostWaitLook; a call that never looks waits for something else, which its detail says, and is only shown in reports.
class ScopedHostWait {
 public:
  ScopedHostWait(Scheduler& scheduler, Party who, std::string call, std::string detail);
  ~ScopedHostWait();
  ScopedHostWait(const ScopedHostWait&) = delete;
  ScopedHostWait& operator=(const ScopedHostWait&) = delete;

  // Called at every look with the ranks that have not come. Ok, or the watch's reason to give up (kTimeout).
  base::Status Look(const std::vector<std::uint32_t>& missing);

 private:
  const ScopedBlockedCall blocked_;  // the thread itself cannot act
  Scheduler& scheduler_;
  std::shared_ptr<HostWait> wait_;
};

inline constexpr base::Nanos kHostWaitLook = base::FromMillis(20);

// The blocked calls of the process. Any thread.
std::vector<std::shared_ptr<HostWait>> HostWaits();
// Changes whenever one begins, ends, or waits for other ranks than before.
std::uint64_t HostWaitChanges();

}  // namespace softhccl::exec
