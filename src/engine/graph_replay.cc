// Replaying: a copy of every op, each on the stream of its track. Members of the graph are forked off the stream of the
// replay before its first op and joined behind its last; streams that joined by waiting do both by what they recorded.
#include <algorithm>

#include "engine/graph.h"
#include "engine/invocation.h"
#include "engine/ops/clone.h"
#include "transport/link.h"

namespace softhccl::engine {

using base::Code;
using base::Fail;
using base::Status;

// A failed stream only skips what it has, so this is quick. Not for kernels, which must not drain.
void Graph::DrainFailed() {
  if (CurrentInvocation() != nullptr) return;
  for (const Track& track : tracks_) {
    if (!track.own->failed()) continue;
    static_cast<void>(scheduler_.Drain(*track.own, base::kForever));  // without deadline it cannot fail
  }
}

// Nobody else takes the errors of the graph's own streams: the stream of the replay has told what failed.
void Graph::ForgetFailures() {
  for (const Track& track : tracks_) {
    if (track.own->failed() && track.own->completed() == track.own->submitted()) {
      static_cast<void>(track.own->TakeError());
    }
  }
}

exec::Stream& Graph::TargetOf(std::uint32_t track, exec::Stream& stream) const {
  return track == 0 ? stream : *tracks_[track].own;
}

std::vector<Graph::Step> Graph::Plan(exec::Stream& stream, bool is_captured) {
  std::vector<Step> steps;
  ops::EventCopies events(is_captured);
  const auto make_event = [&](const char* what, int device) {
    auto event = std::make_shared<StreamEvent>();
    event->device = device;
    event->label = fmt::format("the {} of {}", what, name());
    return ops::EventTask{event, event->MakeCapture(scheduler_)};
  };
  ops::EventTask fork;
  for (std::uint32_t i = 1; i < tracks_.size(); ++i) {
    if (!tracks_[i].is_member) continue;
    if (fork.capture == nullptr) {
      fork = make_event("fork", stream.device);
      steps.emplace_back(0, ops::EventRecord(fork));
    }
    steps.emplace_back(i, ops::EventWait(fork, base::kForever));
  }
  for (const Task& task : tasks_) {
    // A disabled record still orders those who wait for it.
    if (task.is_disabled && ops::RecordedEventOf(task.op) == nullptr) continue;
    steps.emplace_back(task.track, ops::Clone(task.op, TargetOf(task.track, stream), events));
  }
  for (std::uint32_t i = 1; i < tracks_.size(); ++i) {
    if (!tracks_[i].is_member) continue;
    const ops::EventTask join = make_event("join", tracks_[i].own->device);
    steps.emplace_back(i, ops::EventRecord(join));
    steps.emplace_back(0, ops::EventWait(join, base::kForever));
  }
  return steps;
}

Status Graph::SubmitOrSkip(exec::Stream& target, std::span<exec::Op> ops) {
  if (ops.empty()) return {};
  Status submitted = scheduler_.Submit(target, ops);
  if (submitted.ok()) return submitted;
  // Others wait for these: they must fail and not hang.
  for (exec::Op& op : ops) {
    if (op.op_class->skip != nullptr) op.op_class->skip(op, submitted);
  }
  return submitted;
}

Status Graph::CheckReplay() const {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kComplete) {
    return Fail(Code::kGraphCaptured, "{} cannot run: its capture has not been ended", name_);
  }
  const bool is_gone =
      std::any_of(links_.begin(), links_.end(), [](const transport::Link* link) { return link->is_retired(); });
  if (!is_gone) return {};
  return Fail(Code::kInvalidHandle,
              "{} cannot run any more: a channel that it uses was destroyed; keep the communicator until the graph is "
              "destroyed, or capture again",
              name_);
}

Status Graph::Replay(exec::Stream& stream, bool is_captured) {
  SOFTHCCL_RETURN_IF_ERROR(CheckReplay());
  DrainFailed();  // before the lock: what runs meanwhile may replay this graph
  // Not under mutex_: a submission may come back here as part of another capture. Tracks and tasks are constant now.
  const std::lock_guard order(replay_mutex_);
  ForgetFailures();
  std::vector<Step> steps = Plan(stream, is_captured);
  Status first;
  const auto note = [&](Status submitted) {
    if (first.ok()) first = std::move(submitted);
  };
  if (is_captured) {
    // In the order of the capture: the other streams join by waiting for what is recorded already.
    for (auto& [track, op] : steps) note(SubmitOrSkip(TargetOf(track, stream), {&op, 1}));
    return first;
  }
  std::vector<std::vector<exec::Op>> by_track(tracks_.size());
  for (const auto& [track, op] : steps) by_track[track].push_back(op);
  std::erase_if(running_, IsOver);
  // The stream of the replay last: what waits for it is there when it begins.
  for (std::uint32_t track = static_cast<std::uint32_t>(by_track.size()); track-- > 0;) {
    note(SubmitOrSkip(TargetOf(track, stream), by_track[track]));
  }
  running_.push_back({stream.handle, stream.submitted()});
  return first;
}

}  // namespace softhccl::engine
