// Who waits for whom, in sentences. A wait graph is a picture of all parked streams and blocked host calls at one
// moment; from it come the text of a time-out, of a stall warning and of a deadlock report, root first.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "exec/host_wait.h"
#include "exec/scheduler.h"
#include "exec/ticket.h"

namespace softhccl::exec {

// One parked stream and what it waits for, or one blocked host call.
struct WaitEntry {
  Stream* stream = nullptr;  // null: a host call
  Notify* notify = nullptr;
  Ticket ticket;
  base::Nanos since = 0;
  base::Nanos deadline = 0;
  std::uint64_t origin = 0;
  std::uint64_t number = 0;
  std::shared_ptr<HostWait> host;  // null: a stream
  std::vector<Party> targets;      // who has to act; empty: nobody in particular

  bool is_host() const { return host != nullptr; }
  const Party& waiter() const { return is_host() ? host->who : stream->party; }
};

// The waits of one scheduler and of the process' host threads, collected by Collect(). Not thread-safe; the scheduler
// may go on meanwhile, a wait that ends is then described as it was.
class WaitGraph {
 public:
  // The caller keeps Scheduler::HoldObjects() for as long as it uses the graph.
  static WaitGraph Collect(Scheduler& scheduler);

  const std::vector<WaitEntry>& entries() const { return entries_; }
  bool has_host_waits() const;
  bool empty() const { return entries_.empty() && blocked_.empty(); }

  // "rank 1 (communicator C) has waited 3.0 s in HcclRecvCustom#1 0->1 for rank 0 to record notify 0 of ...".
  std::string Describe(const WaitEntry& entry) const;
  // What the rank that should act is doing: waiting itself, nothing, last operation.
  std::string DescribePeer(const WaitEntry& entry) const;
  // The entries given, roots first: waits for a rank that does not wait itself, then cycles, then the rest; one
  // line each, under `headline`. Waits of user streams that follow from them are counted, not listed.
  std::string Report(const std::string& headline, const std::vector<const WaitEntry*>& entries) const;
  // The cycle of ranks that contains the entry's rank ("rank 0 -> rank 1 -> rank 0 (communicator C)"), empty when there
  // is none.
  std::string Cycle(const WaitEntry& entry) const;
  // All waits that are on a cycle through a host call.
  std::vector<const WaitEntry*> HostKnots() const;
  // True for a wait that no rank in particular should end: it goes on or fails with the streams that it follows.
  static bool IsFollower(const WaitEntry& entry) { return entry.targets.empty(); }

 private:
  // Who waits and who is waited for: a device of this process, or else a rank of a communicator.
  struct Actor {
    const AbortDomain* domain = nullptr;
    std::uint32_t number = 0;
    auto operator<=>(const Actor&) const = default;
  };
  // One arrow of a cycle.
  struct Step {
    const WaitEntry* wait = nullptr;
    Party target;
  };

  explicit WaitGraph(base::Nanos now) : now_(now) {}
  void AddHostWaits();
  static Actor ActorOf(const Party& party);
  bool PeerWaits(const WaitEntry& entry) const;
  std::string DescribeRank(const Party& target) const;
  // The waits around the cycle, beginning with one of the entry's actor; empty when there is none.
  std::vector<Step> CyclePath(const WaitEntry& entry) const;
  static std::string CycleText(const std::vector<Step>& path);
  static std::string HostCycleText(const std::vector<Step>& path);

  base::Nanos now_;
  std::vector<WaitEntry> entries_;
  std::vector<std::string> blocked_;                    // who waits for something else than other ranks, in words
  std::map<Actor, std::vector<std::size_t>> waits_of_;  // entries by who waits, for another rank
};

// The status of a wait that was ended with `code`: the watch's sentence for time-outs and deadlocks, the
// communicator's for an abort.
base::Status EndedWaitStatus(Stream& stream, ResumeCode code, const AbortDomain* domain);

}  // namespace softhccl::exec
