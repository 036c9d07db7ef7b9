// Recording: which streams belong to a capture, and whether it can be replayed. Replaying is in graph_replay.cc.
#include "engine/graph.h"

#include <algorithm>

#include "engine/ops/clone.h"
#include "engine/task_group.h"
#include "event/labels.h"
#include "transport/link.h"

namespace softhccl::engine {

using base::Code;
using base::Fail;
using base::Status;

Graph::Graph(exec::Scheduler& scheduler, std::uint64_t handle)
    : scheduler_(scheduler), handle_(handle), name_(fmt::format("graph {}", base::HandleBits{handle}.index())) {}

Graph::~Graph() {
  for (Task& task : tasks_) ops::Drop(task.op);
  for (auto& [task, change] : staged_) {
    if (change.op) ops::Drop(*change.op);
  }
  for (const Track& track : tracks_) {
    static_cast<void>(scheduler_.Drain(*track.own, base::kForever));  // without deadline it cannot fail
    scheduler_.DestroyStream(track.own);
  }
  for (transport::Link* link : links_) link->Release();
}

Status Graph::Start(exec::Stream& origin) {
  const std::lock_guard lock(mutex_);
  const auto track = TrackOf(origin);
  return track ? Status() : track.error();
}

Status Graph::StartBuild(int device) {
  const std::lock_guard lock(mutex_);
  is_built_ = true;
  const auto track = AddTrack(0, name_, device, {});
  return track ? Status() : track.error();
}

Status Graph::Add(exec::Stream& member) {
  const std::lock_guard lock(mutex_);
  if (is_ended_) return Fail(Code::kGraphCaptured, "{} takes no streams any more: its capture has been ended", name_);
  const auto track = TrackOf(member);
  if (!track) return track.error();
  tracks_[*track].is_member = *track != 0;
  return {};
}

std::string Graph::name() const {
  const std::lock_guard lock(mutex_);
  return name_;
}

void Graph::SetName(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
}

Graph::State Graph::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool Graph::Captures(const exec::Stream& stream) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(tracks_.begin(), tracks_.end(), [&](const Track& track) { return track.stream == stream.handle; });
}

bool Graph::BeganOn(const exec::Stream& stream) const {
  const std::lock_guard lock(mutex_);
  return !tracks_.empty() && tracks_.front().stream == stream.handle;
}

std::string Graph::origin() const {
  const std::lock_guard lock(mutex_);
  return tracks_.empty() ? "" : tracks_.front().label;
}

bool Graph::IsWaitedFor(std::span<const exec::Op> ops) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(ops.begin(), ops.end(), [&](const exec::Op& op) { return IsRecorded(ops::WaitedMark(op)); });
}

bool Graph::IsRecorded(std::uint64_t mark) const {
  const auto order = orders_.find(mark);
  return order != orders_.end() && !order->second.records.empty();
}

Graph::Track* Graph::FindTrack(const exec::Stream& stream) {
  const auto found =
      std::find_if(tracks_.begin(), tracks_.end(), [&](const Track& one) { return one.stream == stream.handle; });
  return found == tracks_.end() ? nullptr : &*found;
}

base::Result<std::uint32_t> Graph::AddTrack(std::uint64_t stream, std::string label, int device, exec::Party party) {
  Track track;
  track.stream = stream;
  auto own = scheduler_.CreateStream(device, std::move(party), fmt::format("{} for {}", name_, label));
  if (!own) return tl::unexpected(own.error());
  track.own = *own;
  track.label = std::move(label);
  tracks_.push_back(std::move(track));
  return static_cast<std::uint32_t>(tracks_.size() - 1);
}

base::Result<std::uint32_t> Graph::TrackOf(exec::Stream& stream) {
  if (const Track* known = FindTrack(stream)) return static_cast<std::uint32_t>(known - tracks_.data());
  return AddTrack(stream.handle, event::GetLabel(event::LabelKind::kStream, stream.id), stream.device, stream.party);
}

Status Graph::Check(const Track* track, const exec::Op& op) const {
  if (!ops::CanBeRecorded(op)) {
    return Fail(Code::kNotSupported, "a graph cannot hold a '{}'", op.op_class->name);
  }
  if (track != nullptr && track->is_closed) {
    return Fail(Code::kInvalidParam, "aclmdlRIEndTask has ended its tasks, so that it takes no '{}'",
                op.op_class->name);
  }
  if (track != nullptr && track->open_group != nullptr && !ops::CanBeGrouped(op)) {
    return Fail(Code::kTaskNotSupported,
                "a group of tasks cannot hold a '{}', only kernel launches, copies, fills and local reductions",
                op.op_class->name);
  }
  const ops::EventTask* wait = ops::EventWaitOf(op);
  if (wait == nullptr || IsRecorded(ops::WaitedMark(op))) return {};
  if (wait->capture->recorded_in.load() != 0) {
    return Fail(Code::kCaptureConflict, "it would wait for {}, which was recorded in another capture",
                wait->capture->label());
  }
  return Fail(Code::kCaptureDependency,
              "it would wait for {}, which was recorded outside of the capture, so that no replay would wait for it; "
              "use an event made with ACL_EVENT_EXTERNAL, or wait before the capture",
              wait->capture->label());
}

Status Graph::Refuse(const exec::Stream& stream, Status reason) {
  if (state_ == State::kCapturing) {
    state_ = State::kInvalidated;
    reason_ = reason;
  }
  return Status(reason.code(),
                fmt::format("{} is captured into {}, and {}; the capture is invalid now",
                            event::GetLabel(event::LabelKind::kStream, stream.id), name_, reason.message()));
}

void Graph::NoteOrder(std::uint32_t track, const exec::Op& op) {
  Track& here = tracks_[track];
  ++here.tasks;
  if (ops::HasEffect(op)) here.work = here.tasks;
  if (const std::uint64_t waited = ops::WaitedMark(op)) orders_[waited].waiters.push_back(track);
  if (const std::uint64_t recorded = ops::RecordedMark(op)) orders_[recorded].records.emplace_back(track, here.tasks);
}

std::vector<bool> Graph::FindJoined() const {
  std::vector<std::vector<std::uint32_t>> followed(tracks_.size());  // by the tracks whose work a track waits for
  for (const auto& [mark, order] : orders_) {
    for (const auto& [track, tasks] : order.records) {
      if (tasks < tracks_[track].work) continue;
      for (const std::uint32_t waiter : order.waiters) followed[waiter].push_back(track);
    }
  }
  std::vector<bool> joined(tracks_.size());
  std::vector<std::uint32_t> open;
  const auto reach = [&](std::uint32_t track) {
    if (joined[track]) return;
    joined[track] = true;
    open.push_back(track);
  };
  for (std::uint32_t i = 0; i < tracks_.size(); ++i) {
    if (i == 0 || tracks_[i].is_member) reach(i);
  }
  while (!open.empty()) {
    const std::uint32_t track = open.back();
    open.pop_back();
    for (const std::uint32_t before : followed[track]) reach(before);
  }
  return joined;
}

void Graph::Keep(std::uint32_t track, exec::Op op) {
  NoteOrder(track, op);
  ops::NoteRecorded(op, handle_);
  const std::shared_ptr<TaskGroup>& group = tracks_[track].open_group;
  if (group != nullptr) {
    group->cells.push_back(std::make_shared<TaskCell>(op));
    exec::Op task = ops::GroupTask(group->cells.back());
    task.call_site = op.call_site;
    task.origin = op.origin;
    op = task;
  }
  if (transport::Link* link = ops::LinkOf(op); link != nullptr && std::count(links_.begin(), links_.end(), link) == 0) {
    link->Hold();
    links_.push_back(link);
  }
  tasks_.push_back({track, tracks_[track].tasks - 1, op, group});
  exec::Scheduler::NoteTaskOfThread({tracks_[track].own->id, tracks_[track].tasks});
}

bool Graph::Record(exec::Stream& stream, std::span<const exec::Op> ops, Status* answer) {
  const std::lock_guard lock(mutex_);
  if (is_ended_) return false;
  for (const exec::Op& op : ops) {
    Status refused = Check(FindTrack(stream), op);
    if (refused.ok()) continue;
    *answer = Refuse(stream, std::move(refused));
    return true;
  }
  const auto track = TrackOf(stream);
  *answer = track ? Status() : track.error();
  if (!track) return true;
  for (const exec::Op& op : ops) Keep(*track, op);
  return true;
}

bool Graph::Invalidate(Status reason) {
  const std::lock_guard lock(mutex_);
  if (is_ended_) return false;
  if (state_ != State::kCapturing) return true;
  state_ = State::kInvalidated;
  reason_ = std::move(reason);
  return true;
}

Status Graph::Complete() {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  const std::vector<bool> joined = FindJoined();
  orders_.clear();
  for (const Task& task : tasks_) ops::EndRecorded(task.op);
  if (state_ == State::kInvalidated) {
    return Fail(Code::kCaptureInvalid, "the capture is invalid: {}", reason_.message());
  }
  for (const Track& track : tracks_) {
    if (track.open_group == nullptr) continue;
    state_ = State::kInvalidated;
    reason_ = Fail(Code::kTaskGroup, "a group of tasks is still open on {}", track.label);
    return Fail(Code::kTaskGroup, "the capture is invalid: {}; end it with aclmdlRICaptureTaskGrpEnd first",
                reason_.message());
  }
  for (std::size_t i = 1; i < tracks_.size(); ++i) {
    const Track& track = tracks_[i];
    if (joined[i]) continue;
    state_ = State::kInvalidated;
    reason_ =
        Fail(Code::kCaptureUnjoined, "{} joined it and has work that no other captured stream waits for", track.label);
    return Fail(Code::kCaptureUnjoined, "the capture is invalid: {}; record at its end and wait for that",
                reason_.message());
  }
  state_ = State::kComplete;
  return {};
}

std::vector<exec::Stream*> Graph::Streams() const {
  const std::lock_guard lock(mutex_);
  std::vector<exec::Stream*> streams;
  for (const Track& track : tracks_) {
    if (track.stream != 0) streams.push_back(track.own);
  }
  return streams;
}

std::vector<const Graph::Task*> Graph::TasksOf(const exec::Stream* own) const {
  const std::lock_guard lock(mutex_);
  std::vector<const Task*> tasks;
  for (const Task& task : tasks_) {
    if (tracks_[task.track].own == own) tasks.push_back(&task);
  }
  return tasks;
}

}  // namespace softhccl::engine
