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
    if (entry.notify->recorder.domain == nullptr) continue;
    graph.waits_of_[{entry.stream->party.domain.get(), entry.stream->party.rank}].push_back(i);
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

bool WaitGraph::PeerWaits(const WaitEntry& entry) const {
  const Party& recorder = entry.notify->recorder;
  return recorder.domain != nullptr && waits_of_.count({recorder.domain.get(), recorder.rank}) != 0;
}

std::string WaitGraph::DescribePeer(const WaitEntry& entry) const {
  const Party& recorder = entry.notify->recorder;
  if (recorder.domain == nullptr) return "nothing that is queued will record it";
  const auto found = waits_of_.find({recorder.domain.get(), recorder.rank});
  if (found == waits_of_.end()) {
    return fmt::format("rank {} is not waiting for anybody; {}", recorder.rank,
                       recorder.domain->LastOperation(recorder.rank));
  }
  const WaitEntry& theirs = entries_[found->second.front()];
  std::string text = fmt::format("rank {} waits itself for rank {}", recorder.rank, theirs.notify->recorder.rank);
  if (theirs.origin != 0) text += fmt::format(" in {}", GetLabel(LabelKind::kName, theirs.origin));
  return text + fmt::format(" ({})", GetLabel(LabelKind::kNotify, theirs.notify->handle));
}

std::string WaitGraph::Cycle(const WaitEntry& entry) const { return CycleText(CyclePath(entry)); }

std::string WaitGraph::CycleText(const std::vector<Member>& path) {
  if (path.empty()) return {};
  std::string text;
  for (const Member& member : path) text += fmt::format("rank {} -> ", member.second);
  return text + fmt::format("rank {}", path.front().second);
}

std::vector<WaitGraph::Member> WaitGraph::CyclePath(const WaitEntry& entry) const {
  const AbortDomain* domain = entry.stream->party.domain.get();
  if (domain == nullptr || entry.notify->recorder.domain == nullptr) return {};
  // Depth-first search from the entry's rank along "waits for" back to it.
  const Member start{domain, entry.stream->party.rank};
  std::vector<Member> path{start};
  std::set<Member> visited;
  const auto search = [&](const auto& self, const Member& member) -> bool {
    const auto found = waits_of_.find(member);
    if (found == waits_of_.end()) return false;
    for (const std::size_t index : found->second) {
      const Party& recorder = entries_[index].notify->recorder;
      const Member next{recorder.domain.get(), recorder.rank};
      if (next == start) return true;
      if (!visited.insert(next).second) continue;
      path.push_back(next);
      if (self(self, next)) return true;
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
  std::set<Member> in_cycle;  // each cycle is found once per member
  for (const WaitEntry* entry : entries) {
    const bool between_ranks = entry->notify->recorder.domain != nullptr;
    if (between_ranks && !PeerWaits(*entry)) {
      const Party& recorder = entry->notify->recorder;
      missing.insert(fmt::format("missing: rank {} of communicator {}; {}", recorder.rank, recorder.domain->name(),
                                 recorder.domain->LastOperation(recorder.rank)));
      roots.push_back(entry);
    } else if (between_ranks) {
      std::vector<Member> path = CyclePath(*entry);
      (path.empty() ? consequences : roots).push_back(entry);
      const bool known =
          std::any_of(path.begin(), path.end(), [&](const Member& member) { return in_cycle.count(member) != 0; });
      if (path.empty() || known) continue;
      const auto lowest = std::min_element(
          path.begin(), path.end(), [](const Member& left, const Member& right) { return left.second < right.second; });
      std::rotate(path.begin(), lowest, path.end());
      in_cycle.insert(path.begin(), path.end());
      cycles.push_back(fmt::format("{} (communicator {})", CycleText(path), path.front().first->name()));
    } else {
      ++followers;
    }
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

base::Status EndedWaitStatus(Stream& stream, ResumeCode code) {
  // A wait that the watch chose keeps its own reason, even if an earlier one of the same episode aborted it first.
  std::string reason = stream.TakeEndedWait();
  if (!reason.empty()) return base::Status(base::Code::kTimeout, std::move(reason));
  if (code == ResumeCode::kAborted && stream.party.domain != nullptr && stream.party.domain->aborted()) {
    return stream.party.domain->AbortStatus();
  }
  if (code == ResumeCode::kAborted) return base::Fail(base::Code::kRemote, "the wait was aborted");
  return base::Fail(base::Code::kTimeout, "{}",
                    code == ResumeCode::kDeadlock ? "the wait is part of a deadlock" : "the wait expired");
}

}  // namespace softhccl::exec
