// Collecting parked streams and wording what they wait for.
#include "exec/wait_report.h"

#include <algorithm>
#include <set>

#include "event/labels.h"
#include "exec/notify.h"

namespace softhccl::exec {

using event::GetLabel;
using event::LabelKind;

WaitGraph WaitGraph::Collect(Scheduler& scheduler) {
  WaitGraph graph(scheduler.Now());
  scheduler.streams().ForEach([&](std::uint64_t, Stream& stream) {
    const std::uint64_t before = stream.state_.load();
    const StateWord word{before};
    if (word.state() != StreamState::kParked) return;
    WaitEntry entry;
    entry.stream = &stream;
    entry.notify = scheduler.notifies().Lookup(stream.park_.notify.load());
    entry.ticket = Ticket::Make(stream.id, word.sequence());
    entry.since = stream.park_.since.load();
    entry.deadline = stream.park_.deadline.load();
    entry.origin = stream.current_origin_.load();
    entry.number = stream.current_number_.load();
    // Parked on a kernel, or moved on while it was read.
    if (entry.notify == nullptr || stream.state_.load() != before) return;
    graph.entries_.push_back(entry);
  });
  for (std::size_t i = 0; i < graph.entries_.size(); ++i) {
    const WaitEntry& entry = graph.entries_[i];
    if (!IsFollower(entry)) graph.waits_of_[ActorOf(entry.stream->party)].push_back(i);
  }
  return graph;
}

std::string WaitGraph::Describe(const WaitEntry& entry) const {
  const Party& party = entry.stream->party;
  const Party& recorder = entry.notify->recorder;
  const double seconds = static_cast<double>(now_ - entry.since) / 1e9;
  std::string who = GetLabel(LabelKind::kStream, entry.stream->id);
  if (party.domain != nullptr) who = fmt::format("rank {} ({})", party.rank, who);
  std::string text = fmt::format("{} has waited {:.1f} s", who, seconds);
  if (entry.origin != 0) text += fmt::format(" in {}", GetLabel(LabelKind::kName, entry.origin));
  const std::string notify = GetLabel(LabelKind::kNotify, entry.notify->handle);
  if (recorder.domain != nullptr) {
    text += fmt::format(" for rank {} to record {}", recorder.rank, notify);
  } else {
    text += fmt::format(" for a record of {}", notify);
  }
  return text + fmt::format(" (op {})", entry.number);
}

bool WaitGraph::IsFollower(const WaitEntry& entry) { return entry.notify->recorder.domain == nullptr; }

WaitGraph::Actor WaitGraph::ActorOf(const Party& party) {
  if (party.domain == nullptr) return {};
  const int device = party.domain->DeviceOf(party.rank);
  return device >= 0 ? Actor{nullptr, static_cast<std::uint32_t>(device)} : Actor{party.domain.get(), party.rank};
}

bool WaitGraph::PeerWaits(const WaitEntry& entry) const {
  return !IsFollower(entry) && waits_of_.count(ActorOf(entry.notify->recorder)) != 0;
}

std::string WaitGraph::DescribePeer(const WaitEntry& entry) const {
  const Party& recorder = entry.notify->recorder;
  if (IsFollower(entry)) return "any stream may record it";
  const auto found = waits_of_.find(ActorOf(recorder));
  if (found == waits_of_.end()) {
    return fmt::format("rank {} is not waiting for anybody; {}", recorder.rank,
                       recorder.domain->LastOperation(recorder.rank));
  }
  const WaitEntry& theirs = entries_[found->second.front()];
  std::string text = fmt::format("rank {} waits itself for rank {}", recorder.rank, theirs.notify->recorder.rank);
  if (theirs.notify->recorder.domain != recorder.domain) {
    text += fmt::format(" of communicator {}", theirs.notify->recorder.domain->name());
  }
  if (theirs.origin != 0) text += fmt::format(" in {}", GetLabel(LabelKind::kName, theirs.origin));
  return text + fmt::format(" ({})", GetLabel(LabelKind::kNotify, theirs.notify->handle));
}

std::string WaitGraph::Cycle(const WaitEntry& entry) const { return CycleText(CyclePath(entry)); }

std::string WaitGraph::CycleText(const std::vector<const WaitEntry*>& path) {
  if (path.empty()) return {};
  const AbortDomain* first = path.front()->stream->party.domain.get();
  const bool one_communicator = std::all_of(
      path.begin(), path.end(), [&](const WaitEntry* wait) { return wait->stream->party.domain.get() == first; });
  std::string text;
  for (const WaitEntry* wait : path) {
    text += fmt::format("rank {} -> ", wait->stream->party.rank);
    if (one_communicator) continue;
    text +=
        fmt::format("rank {} of communicator {}, ", wait->notify->recorder.rank, wait->stream->party.domain->name());
  }
  if (!one_communicator) return text + "and round again";
  return text + fmt::format("rank {} (communicator {})", path.front()->stream->party.rank, first->name());
}

std::vector<const WaitEntry*> WaitGraph::CyclePath(const WaitEntry& entry) const {
  if (IsFollower(entry) || entry.stream->party.domain == nullptr) return {};
  // Depth-first search from the entry's actor along "waits for" back to it.
  const Actor start = ActorOf(entry.stream->party);
  std::vector<const WaitEntry*> path;
  std::set<Actor> visited;
  const auto search = [&](const auto& self, const Actor& actor) -> bool {
    const auto found = waits_of_.find(actor);
    if (found == waits_of_.end()) return false;
    for (const std::size_t index : found->second) {
      const Actor next = ActorOf(entries_[index].notify->recorder);
      path.push_back(&entries_[index]);
      if (next == start || (visited.insert(next).second && self(self, next))) return true;
      path.pop_back();
    }
    return false;
  };
  if (!search(search, start)) return {};
  return path;
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
    if (!PeerWaits(*entry)) {
      const Party& recorder = entry->notify->recorder;
      missing.insert(fmt::format("missing: rank {} of communicator {}; {}", recorder.rank, recorder.domain->name(),
                                 recorder.domain->LastOperation(recorder.rank)));
      roots.push_back(entry);
      continue;
    }
    std::vector<const WaitEntry*> path = CyclePath(*entry);
    (path.empty() ? consequences : roots).push_back(entry);
    const bool known =
        std::any_of(path.begin(), path.end(), [&](const WaitEntry* wait) { return in_cycle.count(wait) != 0; });
    if (path.empty() || known) continue;
    const auto lowest = std::min_element(path.begin(), path.end(), [](const WaitEntry* left, const WaitEntry* right) {
      return left->stream->party.rank < right->stream->party.rank;
    });
    std::rotate(path.begin(), lowest, path.end());
    in_cycle.insert(path.begin(), path.end());
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
