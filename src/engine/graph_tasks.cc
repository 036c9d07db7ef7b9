// What can be done to the tasks of a graph one by one: grouping them while they are captured, replacing and disabling
// them afterwards. And what its owner hears of its end.
#include <algorithm>

#include "engine/graph.h"
#include "engine/ops/clone.h"
#include "engine/runtime.h"

namespace softhccl::engine {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

Status Graph::CloseStream(const exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  Track* track = FindTrack(stream);
  if (track == nullptr) return Fail(Code::kInvalidParam, "stream: it is not bound to {}; bind it first", name_);
  track->is_closed = true;
  return {};
}

Status Graph::BeginGroup(exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  Track* track = FindTrack(stream);
  if (track == nullptr || is_ended_) return Fail(Code::kTaskGroup, "the capture has been ended meanwhile");
  if (track->open_group != nullptr) {
    return Fail(Code::kTaskGroup, "{} has a group of tasks that is open; groups do not nest, end it first",
                track->label);
  }
  track->open_group = std::make_shared<TaskGroup>();
  track->open_group->graph = handle_;
  return {};
}

base::Result<std::shared_ptr<TaskGroup>> Graph::EndGroup(exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  Track* track = FindTrack(stream);
  if (track == nullptr || track->open_group == nullptr) {
    return FailResult(Code::kTaskGroup,
                      "no group of tasks is open on the stream; call aclmdlRICaptureTaskGrpBegin first");
  }
  std::shared_ptr<TaskGroup> group;
  group.swap(track->open_group);
  return group;
}

void Graph::LookAt(const Task& task, const std::function<void(const exec::Op&)>& look) const {
  const std::lock_guard lock(mutex_);
  ops::LookAt(task.op, look);
}

void Graph::StageReplacement(const Task& task, const exec::Op& op) {
  const std::lock_guard lock(mutex_);
  Change& change = staged_[&task];
  if (change.op) ops::Drop(*change.op);
  change.op = op;
}

void Graph::StageDisabling(const Task& task) {
  const std::lock_guard lock(mutex_);
  staged_[&task].is_disabled = true;
}

void Graph::Update() {
  const std::lock_guard order(replay_mutex_);  // a replay that is being queued is made of the old ones
  const std::lock_guard lock(mutex_);
  for (Task& task : tasks_) {
    const auto staged = staged_.find(&task);
    if (staged == staged_.end()) continue;
    const Change& change = staged->second;
    task.is_disabled = task.is_disabled || change.is_disabled;
    if (!change.op) continue;
    if (const auto cell = ops::CellOf(task.op)) {
      cell->Replace(*change.op);
    } else {
      ops::Drop(task.op);
      task.op = *change.op;
    }
  }
  staged_.clear();
}

bool Graph::IsOver(const Running& replay) {
  const exec::Stream* stream = Runtime::Get().scheduler().streams().Lookup(replay.stream);
  return stream == nullptr || stream->completed() >= replay.last;
}

std::vector<std::uint64_t> Graph::BusyStreams() {
  const std::lock_guard order(replay_mutex_);
  std::vector<std::uint64_t> busy;
  for (const Running& replay : running_) {
    if (!IsOver(replay) && std::count(busy.begin(), busy.end(), replay.stream) == 0) busy.push_back(replay.stream);
  }
  for (const Track& track : tracks_) {
    if (track.own->completed() != track.own->submitted()) busy.push_back(track.own->handle);
  }
  return busy;
}

void Graph::AddDestroyCallback(Callback callback) {
  const std::lock_guard lock(mutex_);
  on_destroy_.push_back(callback);
}

Status Graph::RemoveDestroyCallback(void (*function)(void*)) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const Callback& callback) { return callback.first == function; };
  if (std::erase_if(on_destroy_, is_it) > 0) return {};
  return Fail(Code::kInvalidParam, "func: it is not registered with {}", name_);
}

std::vector<Graph::Callback> Graph::TakeDestroyCallbacks() {
  const std::lock_guard lock(mutex_);
  std::vector<Callback> callbacks;
  callbacks.swap(on_destroy_);
  return callbacks;
}

}  // namespace softhccl::engine
