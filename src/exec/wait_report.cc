// Collecting parked streams and wording what they wait for.
#include "exec/wait_report.h"

#include <algorithm>
#include <set>

#include "event/labels.h"
#include "exec/notify.h"

namespace softhccl::exec {

using event::GetLabel;
using event::LabelKind;

namespace {

// "rank 3", "ranks 1, 3 and 5 more".
std::string RankList(const std::vector<Party>& parties) {
  constexpr std::size_t kListed = 8;
  std::string text = parties.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(parties.size(), kListed); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", parties[i].rank);
  }
  if (parties.size() > kListed) text += fmt::format(" and {} more", parties.size() - kListed);
  return text;
}

// "in HcclRecvCustom#1 0->1", "in HcclChannelAcquire"; empty when it is not known.
std::string Activity(const WaitEntry& entry) {
  if (entry.is_host()) return " in " + entry.host->call;
  return entry.origin == 0 ? "" : fmt::format(" in {}", GetLabel(LabelKind::kName, entry.origin));
}

}  // namespace

WaitGraph WaitGraph::Collect(Scheduler& scheduler) {
  WaitGraph graph(scheduler.Now());
  scheduler.streams().ForEach([&](std::uint64_t, Stream& stream) {
    const std::uint64_t before = stream.state_.load();
    const StateWord word{before};
    if (stream.halted() && stream.completed() != stream.submitted()) {
      graph.blocked_.push_back(fmt::format("{} was stopped and holds back {} ops",
                                           GetLabel(LabelKind::kStream, stream.id),
                                           stream.submitted() - stream.completed()));
      return;
    }
    if (word.state() != StreamState::kParked) return;
    WaitEntry entry;
    entry.stream = &stream;
    entry.notify = scheduler.notifies().Lookup(stream.park_.notify.load());
    entry.ticket = Ticket::Make(stream.id, word.sequence());
    entry.since = stream.park_.since.load();
    entry.deadline = stream.park_.deadline.load();
    entry.origin = stream.current_origin_.load();
    entry.number = stream.current_number_.load();
    const bool waits_for_host = stream.park_.notify.load() == 0;  // for a kernel or a callback
    const OpClass* op_class = stream.current_class_.load();
    if (stream.state_.load() != before) return;  // moved on while it was read
    if (waits_for_host && op_class != nullptr) {
      graph.blocked_.push_back(
          fmt::format("{} has waited {:.1f} s for its {} to return (op {})", GetLabel(LabelKind::kStream, stream.id),
                      static_cast<double>(graph.now_ - entry.since) / 1e9, op_class->name, entry.number));
    }
    if (entry.notify == nullptr) return;
    if (entry.notify->recorder.domain != nullptr) entry.targets.push_back(entry.notify->recorder);
    graph.entries_.push_back(entry);
  });
  graph.AddHostWaits();
  for (std::size_t i = 0; i < graph.entries_.size(); ++i) {
    const WaitEntry& entry = graph.entries_[i];
    if (!IsFollower(entry)) graph.waits_of_[ActorOf(entry.waiter())].push_back(i);
  }
  return graph;
}

void WaitGraph::AddHostWaits() {
  for (const std::shared_ptr<HostWait>& host : HostWaits()) {
    WaitEntry entry;
    entry.host = host;
    entry.since = host->since;
    entry.deadline = base::kForever;  // its own thread looks at its limit
    const std::lock_guard lock(host->mutex);
    for (const std::uint32_t rank : host->targets) entry.targets.push_back(Party{host->who.domain, rank});
    if (entry.targets.empty() && host->looks.load() == 0 && !host->detail.empty()) {
      blocked_.push_back(fmt::format("rank {} of communicator {} has waited {:.1f} s in {} {}", host->who.rank,
                                     host->who.domain->name(), static_cast<double>(now_ - host->since) / 1e9,
                                     host->call, host->detail));
    }
    // Given up already and about to leave.
    if (!entry.targets.empty() && host->ended.ok()) entries_.push_back(std::move(entry));
  }
}

bool WaitGraph::has_host_waits() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const WaitEntry& entry) { return entry.is_host(); });
}

std::string WaitGraph::Describe(const WaitEntry& entry) const {
  const Party& party = entry.waiter();
  const double seconds = static_cast<double>(now_ - entry.since) / 1e9;
  if (entry.is_host()) {
    return fmt::format("rank {} of communicator {} has waited {:.1f} s{} for {} {}", party.rank, party.domain->name(),
                       seconds, Activity(entry), RankList(entry.targets), entry.host->detail);
  }
  std::string who = GetLabel(LabelKind::kStream, entry.stream->id);
  if (party.domain != nullptr) who = fmt::format("rank {} ({})", party.rank, who);
  std::string text = fmt::format("{} has waited {:.1f} s{}", who, seconds, Activity(entry));
  const std::string notify = GetLabel(LabelKind::kNotify, entry.notify->handle);
  if (!IsFollower(entry)) {
    text += fmt::format(" for {} to record {}", RankList(entry.targets), notify);
  } else {
    text += fmt::format(" for a record of {}", notify);
  }
  return text + fmt::format(" (op {})", entry.number);
}

WaitGraph::Actor WaitGraph::ActorOf(const Party& party) {
  if (party.domain == nullptr) return {};
  const int device = party.domain->DeviceOf(party.rank);
  return device >= 0 ? Actor{nullptr, static_cast<std::uint32_t>(device)} : Actor{party.domain.get(), party.rank};
}

bool WaitGraph::PeerWaits(const WaitEntry& entry) const {
  return !entry.targets.empty() && std::all_of(entry.targets.begin(), entry.targets.end(), [&](const Party& target) {
    return waits_of_.count(ActorOf(target)) != 0;
  });
}

std::string WaitGraph::DescribePeer(const WaitEntry& entry) const {
  if (IsFollower(entry)) return "any stream may record it";
  // The first one that does not wait is the cause; otherwise they are all alike.
  const Party* chosen = &entry.targets.front();
  for (const Party& target : entry.targets) {
    if (waits_of_.count(ActorOf(target)) != 0) continue;
    chosen = &target;
    break;
  }
  return DescribeRank(*chosen);
}

std::string WaitGraph::DescribeRank(const Party& target) const {
  const auto found = waits_of_.find(ActorOf(target));
  if (found == waits_of_.end()) {
    return fmt::format("rank {} is not waiting for anybody; {}", target.rank,
                       target.domain->LastOperation(target.rank));
  }
  const WaitEntry& theirs = entries_[found->second.front()];
  std::string text = fmt::format("rank {} waits itself for {}", target.rank, RankList(theirs.targets));
  if (theirs.waiter().domain != target.domain) {
    text += fmt::format(" of communicator {}", theirs.waiter().domain->name());
  }
  text += Activity(theirs);
  if (theirs.is_host()) return text;
  return text + fmt::format(" ({})", GetLabel(LabelKind::kNotify, theirs.notify->handle));
}

std::string WaitGraph::Cycle(const WaitEntry& entry) const { return CycleText(CyclePath(entry)); }

std::string WaitGraph::CycleText(const std::vector<Step>& path) {
  if (path.empty()) return {};
  const auto is_host = [](const Step& step) { return step.wait->is_host(); };
  if (std::any_of(path.begin(), path.end(), is_host)) return HostCycleText(path);
  const AbortDomain* first = path.front().wait->waiter().domain.get();
  const bool one_communicator = std::all_of(
      path.begin(), path.end(), [&](const Step& step) { return step.wait->waiter().domain.get() == first; });
  std::string text;
  for (const Step& step : path) {
    text += fmt::format("rank {} -> ", step.wait->waiter().rank);
    if (one_communicator) continue;
    text += fmt::format("rank {} of communicator {}, ", step.target.rank, step.wait->waiter().domain->name());
  }
  if (!one_communicator) return text + "and round again";
  return text + fmt::format("rank {} (communicator {})", path.front().wait->waiter().rank, first->name());
}

// "rank 0 in HcclChannelAcquire -> rank 1 on X, rank 1 in HcclRecvCustom#0 -> rank 0 on Y".
std::string WaitGraph::HostCycleText(const std::vector<Step>& path) {
  std::string text;
  for (const Step& step : path) {
    text += fmt::format("{}rank {}{} -> rank {} on {}", text.empty() ? "" : ", ", step.wait->waiter().rank,
                        Activity(*step.wait), step.target.rank, step.target.domain->name());
  }
  return text;
}

std::vector<WaitGraph::Step> WaitGraph::CyclePath(const WaitEntry& entry) const {
  if (IsFollower(entry) || entry.waiter().domain == nullptr) return {};
  // Depth-first search from the entry's actor along "waits for" back to it.
  const Actor start = ActorOf(entry.waiter());
  std::vector<Step> path;
  std::set<Actor> visited;
  const auto search = [&](const auto& self, const Actor& actor) -> bool {
    const auto found = waits_of_.find(actor);
    if (found == waits_of_.end()) return false;
    for (const std::size_t index : found->second) {
      for (const Party& target : entries_[index].targets) {
        const Actor next = ActorOf(target);
        path.push_back(Step{&entries_[index], target});
        if (next == start || (visited.insert(next).second && self(self, next))) return true;
        path.pop_back();
      }
    }
    return false;
  };
  if (!search(search, start)) return {};
  return path;
}

std::vector<const WaitEntry*> WaitGraph::HostKnots() const {
  std::set<const WaitEntry*> on_cycle;
  for (const WaitEntry& entry : entries_) {
    if (!entry.is_host()) continue;
    for (const Step& step : CyclePath(entry)) on_cycle.insert(step.wait);
  }
  std::vector<const WaitEntry*> knots;
  for (const WaitEntry& entry : entries_) {
    if (on_cycle.count(&entry) != 0) knots.push_back(&entry);
  }
  return knots;
}

std::string WaitGraph::Report(const std::string& headline, const std::vector<const WaitEntry*>& entries) const {
  std::vector<const WaitEntry*> roots;
  std::vector<const WaitEntry*> consequences;
  std::size_t followers = 0;
  std::set<std::string> missing;
  std::vector<std::string> cycles;
  std::set<const WaitEntry*> in_cycle;  // each cycle is found once per member
  for (const WaitEntry* entry : entries) {
    if (IsFollower(*entry)) {
      ++followers;
      continue;
    }
    std::vector<Step> path = CyclePath(*entry);
    if (path.empty() && !PeerWaits(*entry)) {
      for (const Party& target : entry->targets) {
        if (waits_of_.count(ActorOf(target)) != 0) continue;
        missing.insert(fmt::format("missing: rank {} of communicator {}; {}", target.rank, target.domain->name(),
                                   target.domain->LastOperation(target.rank)));
      }
      roots.push_back(entry);
      continue;
    }
    (path.empty() ? consequences : roots).push_back(entry);
    const bool known =
        std::any_of(path.begin(), path.end(), [&](const Step& step) { return in_cycle.count(step.wait) != 0; });
    if (path.empty() || known) continue;
    const auto lowest = std::min_element(path.begin(), path.end(), [](const Step& left, const Step& right) {
      return left.wait->waiter().rank < right.wait->waiter().rank;
    });
    std::rotate(path.begin(), lowest, path.end());
    for (const Step& step : path) in_cycle.insert(step.wait);
    cycles.push_back(CycleText(path));
  }
  std::string text = headline;
  for (const std::string& cycle : cycles) text += fmt::format("\n  cycle: {}", cycle);
  for (const std::string& line : missing) text += fmt::format("\n  {}", line);
  for (const WaitEntry* entry : roots) text += fmt::format("\n  root: {}; {}", Describe(*entry), DescribePeer(*entry));
  for (const WaitEntry* entry : consequences) {
    text += fmt::format("\n  consequence: {}; {}", Describe(*entry), DescribePeer(*entry));
  }
  if (roots.empty() && consequences.empty()) {
    for (const WaitEntry* entry : entries) text += fmt::format("\n  {}; {}", Describe(*entry), DescribePeer(*entry));
  } else if (followers > 0) {
    text += fmt::format("\n  and {} wait{} of streams that follow from these", followers, followers == 1 ? "" : "s");
  }
  for (const std::string& line : blocked_) text += "\n  blocked: " + line;
  return text;
}

base::Status EndedWaitStatus(Stream& stream, ResumeCode code, const AbortDomain* domain) {
  // A wait that the watch chose keeps its own reason, even if an earlier one of the same episode aborted it first.
  std::string reason = stream.TakeEndedWait();
  if (!reason.empty()) return base::Status(base::Code::kTimeout, std::move(reason));
  if (code == ResumeCode::kAborted && domain != nullptr && domain->aborted()) return domain->AbortStatus();
  if (code == ResumeCode::kAborted) return base::Fail(base::Code::kRemote, "the wait was aborted");
  return base::Fail(base::Code::kTimeout, "{}",
                    code == ResumeCode::kDeadlock ? "the wait is part of a deadlock" : "the wait expired");
}

}  // namespace softhccl::exec
