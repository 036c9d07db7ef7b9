// The watch looks at the scheduler every few tens of milliseconds: it ends waits whose limit has passed, warns once
// when nothing moves, and ends the waits of a proven deadlock. It runs no ops and sleeps while nothing is parked.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "exec/scheduler.h"

namespace softhccl::exec {

class WaitGraph;
struct WaitEntry;
struct HostWait;

struct WatchOptions {
  bool detect_deadlock = true;
  base::Nanos stall_warning = base::FromSeconds(5);           // 0: never
  base::Nanos deadlock_confirmation = base::FromMillis(250);  // at least 200 ms between the two samples
  base::Nanos period = base::FromMillis(40);
  base::Nanos word_period = base::FromMillis(1);  // between two looks at the words of memory that streams wait for
  bool own_thread = true;                         // false: tests call Tick themselves
  // Can nothing outside the scheduler act? Null: ProcessIsClosed of thread_census.h.
  std::function<bool()> is_closed;
};

class Watch {
 public:
  Watch(Scheduler& scheduler, WatchOptions options);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Called at every tick with the current time; returns true while it needs ticks. Register before the first tick
  // matters; never removed.
  void AddTicker(std::function<bool(base::Nanos)> ticker);

  // One inspection. Returns true while something is parked, running elsewhere, or a ticker needs more.
  bool Tick();

  std::uint64_t deadlocks_reported() const { return deadlocks_reported_.load(); }
  std::uint64_t stalls_reported() const { return stalls_reported_.load(); }

 private:
  void Loop();
  // Sleeps for one period, but looks at the words that streams wait for as long as there are any.
  void Pause();
  void ExpireWaits(const WaitGraph& graph);
  void InspectStall(const WaitGraph& graph);
  // Ends the waits of a deadlock; false when there is none, or not yet for sure.
  bool EndDeadlock(const WaitGraph& graph, base::Nanos now);
  // Looks at the threads of a stalled process; true when they were all closed now and at the look before, and every
  // blocked host call has looked in between.
  bool IsProvenDeadlock(const WaitGraph& graph, base::Nanos now);
  void EndWaits(const WaitGraph& graph, const std::vector<const WaitEntry*>& entries, const std::string& headline,
                ResumeCode code);

  Scheduler& scheduler_;
  WatchOptions options_;
  std::mutex tickers_mutex_;
  std::vector<std::function<bool(base::Nanos)>> tickers_;  // guarded by tickers_mutex_

  // Of the watch's thread (or the test that ticks).
  std::uint64_t last_turns_ = 0;
  std::uint64_t last_host_changes_ = 0;
  std::map<const HostWait*, std::uint64_t> looks_;  // of the first closed sample
  base::Nanos stalled_since_ = 0;                   // 0: not stalled
  base::Nanos sampled_at_ = 0;                      // 0: threads not looked at in this stall
  base::Nanos closed_since_ = 0;                    // 0: not seen closed in this stall
  bool warned_ = false;

  std::atomic<std::uint64_t> deadlocks_reported_{0};
  std::atomic<std::uint64_t> stalls_reported_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace softhccl::exec
