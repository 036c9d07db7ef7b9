// Time limits, stalls and deadlocks.
#include "exec/watch.h"

#include <sys/prctl.h>

#include <algorithm>
#include <system_error>

#include "base/log.h"
#include "exec/notify.h"
#include "exec/thread_census.h"
#include "exec/wait_report.h"

namespace softhccl::exec {

using base::Nanos;

Watch::Watch(Scheduler& scheduler, WatchOptions options) : scheduler_(scheduler), options_(std::move(options)) {
  if (!options_.is_closed) options_.is_closed = [] { return ProcessIsClosed(nullptr); };
  if (!options_.own_thread) return;
  try {
    thread_ = std::thread([this] { Loop(); });
  } catch (const std::system_error& error) {
    base::Log(base::LogLevel::kError,
              fmt::format("the watch thread could not be started ({}): time limits and deadlocks go unnoticed",
                          error.what()));
  }
}

Watch::~Watch() {
  stopping_.store(true);
  scheduler_.watch_word().store(0);
  base::FutexWake(scheduler_.watch_word(), 1);
  if (thread_.joinable()) thread_.join();
}

void Watch::AddTicker(std::function<bool(Nanos)> ticker) {
  std::lock_guard lock(tickers_mutex_);
  tickers_.push_back(std::move(ticker));
}

void Watch::Loop() {
  ::prctl(PR_SET_NAME, "shccl-watch");
  const ScopedOwnThread own;
  std::atomic<std::uint32_t>& word = scheduler_.watch_word();
  while (!stopping_.load()) {
    if (Tick()) {
      Pause();
      continue;
    }
    // Sleep until something pokes; look once more after saying so, or what happened in between is missed.
    word.store(1);
    if (Tick() || stopping_.load()) {
      word.store(0);
      continue;
    }
    base::FutexWait(word, 1, base::kForever);
  }
}

void Watch::Pause() {
  WordWatch& words = scheduler_.awaited_words();
  const base::SteadyClock clock;
  const Nanos until = clock.Now() + options_.period;
  for (Nanos now = clock.Now(); now < until && !stopping_.load(); now = clock.Now()) {
    const std::uint32_t rung = words.bell().load();
    const Nanos rest = until - now;
    base::FutexWait(words.bell(), rung, words.empty() ? rest : std::min(rest, options_.word_period));
    if (!words.empty()) words.Look();
  }
}

bool Watch::Tick() {
  if (!scheduler_.awaited_words().empty()) scheduler_.awaited_words().Look();
  bool busy = false;
  {
    std::lock_guard lock(tickers_mutex_);
    for (const auto& ticker : tickers_) busy = ticker(scheduler_.Now()) || busy;
  }
  const auto held = scheduler_.HoldObjects();
  const WaitGraph graph = WaitGraph::Collect(scheduler_);
  ExpireWaits(graph);
  InspectStall(graph);
  const bool runs_inline = scheduler_.Rescue();
  const Scheduler::Activity activity = scheduler_.Observe();
  return busy || runs_inline || !graph.empty() || activity.foreign > 0 || activity.ready > 0;
}

void Watch::ExpireWaits(const WaitGraph& graph) {
  const Nanos now = scheduler_.Now();
  std::vector<const WaitEntry*> expired;
  for (const WaitEntry& entry : graph.entries()) {
    if (entry.is_host()) continue;
    if (entry.notify->IsSet()) {
      // The recorder set the word but never rang, or has not yet: the word is the truth.
      scheduler_.Resume(entry.ticket, ResumeCode::kSignalled);
    } else if (entry.deadline != base::kForever && now >= entry.deadline) {
      expired.push_back(&entry);
    }
  }
  if (expired.empty()) return;
  EndWaits(graph, expired,
           fmt::format("EI0002 wait timeout: {} wait{} reached the limit; softhccl explain SH-W001", expired.size(),
                       expired.size() == 1 ? "" : "s"),
           ResumeCode::kTimeout);
}

void Watch::InspectStall(const WaitGraph& graph) {
  const Scheduler::Activity activity = scheduler_.Observe();
  const Nanos now = scheduler_.Now();
  const std::uint64_t host_changes = HostWaitChanges();
  const bool moving = activity.turns != last_turns_ || host_changes != last_host_changes_ || activity.ready > 0 ||
                      activity.running > 0 || activity.foreign > 0;
  last_turns_ = activity.turns;
  last_host_changes_ = host_changes;
  if (moving || graph.empty()) {
    stalled_since_ = 0;
    sampled_at_ = 0;
    closed_since_ = 0;
    warned_ = false;
    return;
  }
  if (stalled_since_ == 0) stalled_since_ = now;
  if (options_.detect_deadlock && EndDeadlock(graph, now)) return;
  if (!warned_ && options_.stall_warning > 0 && now - stalled_since_ >= options_.stall_warning) {
    warned_ = true;
    stalls_reported_.fetch_add(1);
    std::vector<const WaitEntry*> all;
    for (const WaitEntry& entry : graph.entries()) all.push_back(&entry);
    base::Log(base::LogLevel::kWarning,
              graph.Report(fmt::format("no progress for {:.0f} s: nothing is ended, the program may still act; "
                                       "softhccl explain SH-W003",
                                       static_cast<double>(now - stalled_since_) / 1e9),
                           all));
  }
}

bool Watch::EndDeadlock(const WaitGraph& graph, Nanos now) {
  if (graph.entries().empty()) return false;  // only calls that nobody can end from outside
  // A blocked host call returns at its limit and may then act; only a circle of them is beyond help.
  std::vector<const WaitEntry*> knot = graph.HostKnots();
  const bool of_host_calls = !knot.empty();
  if (!of_host_calls && graph.has_host_waits()) return false;
  if (!IsProvenDeadlock(graph, now)) return false;
  if (!of_host_calls) {
    for (const WaitEntry& entry : graph.entries()) knot.push_back(&entry);
  }
  deadlocks_reported_.fetch_add(1);
  EndWaits(
      graph, knot,
      of_host_calls
          ? "deadlock: calls wait for each other and nothing is left that could end them; softhccl explain SH-W006"
          : "deadlock: every thread waits and nothing is left that could end these waits; softhccl explain SH-W002",
      ResumeCode::kDeadlock);
  return true;
}

bool Watch::IsProvenDeadlock(const WaitGraph& graph, Nanos now) {
  // Looking at every thread costs more than the rest of a tick, so it is done once per confirmation time.
  if (sampled_at_ != 0 && now - sampled_at_ < options_.deadlock_confirmation) return false;
  sampled_at_ = now;
  if (!options_.is_closed()) {
    closed_since_ = 0;
    return false;
  }
  std::map<const HostWait*, std::uint64_t> looks;
  bool all_looked = true;
  for (const WaitEntry& entry : graph.entries()) {
    if (!entry.is_host()) continue;
    looks[entry.host.get()] = entry.host->looks.load();
    // Two looks: one of them began after the first sample and still found nobody.
    const auto before = looks_.find(entry.host.get());
    all_looked = all_looked && before != looks_.end() && looks[entry.host.get()] >= before->second + 2;
  }
  if (closed_since_ == 0 || !all_looked) {
    if (closed_since_ == 0) looks_ = std::move(looks);
    if (closed_since_ == 0) closed_since_ = now;
    return false;
  }
  sampled_at_ = 0;
  closed_since_ = 0;
  return true;
}

void Watch::EndWaits(const WaitGraph& graph, const std::vector<const WaitEntry*>& entries, const std::string& headline,
                     ResumeCode code) {
  base::Log(base::LogLevel::kError, graph.Report(headline, entries));
  // Streams that only follow get the failure through the records they wait for, with the root's text and after its
  // communicator was aborted. One that is still there at the next tick is ended then.
  const bool only_followers =
      std::all_of(entries.begin(), entries.end(), [](const WaitEntry* entry) { return WaitGraph::IsFollower(*entry); });
  std::vector<const WaitEntry*> ended;
  for (const WaitEntry* entry : entries) {
    if (only_followers || !WaitGraph::IsFollower(*entry)) ended.push_back(entry);
  }
  // Texts first: ending one wait aborts its communicator, and the others must still say why they ended.
  for (const WaitEntry* entry : ended) {
    std::string text = fmt::format("{}: {}; {}", code == ResumeCode::kDeadlock ? "deadlock" : "wait timeout",
                                   graph.Describe(*entry), graph.DescribePeer(*entry));
    const std::string cycle = graph.Cycle(*entry);
    if (!cycle.empty()) text += fmt::format("; cycle {}", cycle);
    if (code == ResumeCode::kDeadlock) text += entry->is_host() ? " (SH-W006)" : " (SH-W002)";
    if (entry->is_host()) {
      const std::lock_guard lock(entry->host->mutex);
      entry->host->ended = base::Status(base::Code::kTimeout, std::move(text));
    } else {
      entry->stream->SetEndedWait(entry->ticket, std::move(text));
    }
  }
  for (const WaitEntry* entry : ended) {
    if (entry->is_host()) continue;
    if (!entry->notify->Cancel(entry->ticket, code)) scheduler_.Resume(entry->ticket, ResumeCode::kSignalled);
  }
}

}  // namespace softhccl::exec
