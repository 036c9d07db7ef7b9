// Recording and replaying.
#include "engine/graph.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/ops/classes.h"
#include "engine/ops/clone.h"
#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

Graph::Graph(exec::Scheduler& scheduler, std::uint64_t handle)
    : scheduler_(scheduler), handle_(handle), name_(fmt::format("graph {}", base::HandleBits{handle}.index())) {}

Graph::~Graph() {
  for (Task& task : tasks_) ops::Drop(task.op);
  for (const Track& track : tracks_) {
    if (track.own == nullptr) continue;
    static_cast<void>(scheduler_.Drain(*track.own, base::kForever));  // without deadline it cannot fail
    scheduler_.DestroyStream(track.own);
  }
}

Status Graph::Start(exec::Stream& origin) {
  const std::lock_guard lock(mutex_);
  const auto track = TrackOf(origin);
  return track ? Status() : track.error();
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

bool Graph::IsWaitedFor(std::span<const exec::Op> ops) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(ops.begin(), ops.end(),
                     [&](const exec::Op& op) { return marks_.count(ops::WaitedMark(op)) != 0; });
}

base::Result<std::uint32_t> Graph::TrackOf(exec::Stream& stream) {
  for (std::uint32_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].stream == stream.handle) return i;
  }
  const std::string label = event::GetLabel(event::LabelKind::kStream, stream.id);
  auto own = scheduler_.CreateStream(stream.device, stream.party, fmt::format("{} for {}", name_, label));
  if (!own) return tl::unexpected(own.error());
  tracks_.push_back({stream.handle, label, *own, 0, 0, true});
  return static_cast<std::uint32_t>(tracks_.size() - 1);
}

void Graph::NoteOrder(std::uint32_t track, const exec::Op& op) {
  const std::uint64_t waited = ops::WaitedMark(op);
  for (std::uint32_t i = 0; waited != 0 && i < tracks_.size(); ++i) {
    if (i != track && tracks_[i].last_mark == waited) tracks_[i].is_joined = true;
  }
  const std::uint64_t recorded = ops::RecordedMark(op);
  tracks_[track].last_mark = recorded;
  tracks_[track].is_joined = track == 0;
  if (recorded != 0) marks_.insert(recorded);
}

bool Graph::Record(exec::Stream& stream, std::span<const exec::Op> ops, Status* answer) {
  const std::lock_guard lock(mutex_);
  if (is_ended_) return false;
  const auto track = TrackOf(stream);
  *answer = track ? Status() : track.error();
  if (!track) return true;
  for (const exec::Op& op : ops) {
    NoteOrder(*track, op);
    tasks_.push_back({0, *track, tracks_[*track].tasks++, op});
  }
  return true;
}

bool Graph::Invalidate(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (is_ended_) return false;
  if (state_ != State::kCapturing) return true;
  state_ = State::kInvalidated;
  reason_ = reason;
  return true;
}

Status Graph::Complete() {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  marks_.clear();
  if (state_ == State::kInvalidated) return Fail(Code::kInvalidParam, "the capture is invalid: {}", reason_);
  for (const Track& track : tracks_) {
    if (track.is_joined) continue;
    state_ = State::kInvalidated;
    reason_ = fmt::format("{} joined it and has work that no other captured stream waits for", track.label);
    return Fail(Code::kInvalidParam, "the capture is invalid: {}; record at its end and wait for that", reason_);
  }
  state_ = State::kComplete;
  return {};
}

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

Status Graph::Replay(exec::Stream& stream, bool is_captured) {
  if (state() != State::kComplete) {
    return Fail(Code::kInvalidParam, "{} cannot run: its capture has not been ended", name());
  }
  DrainFailed();  // before the lock: what runs meanwhile may replay this graph
  // Not under mutex_: a submission may come back here as part of another capture. Tracks and tasks are constant now.
  const std::lock_guard order(replay_mutex_);
  ForgetFailures();
  const auto target = [&](std::uint32_t track) -> exec::Stream& { return track == 0 ? stream : *tracks_[track].own; };
  std::vector<std::vector<exec::Op>> copies(tracks_.size());
  for (const Task& task : tasks_) copies[task.track].push_back(ops::Clone(task.op, target(task.track)));
  // The stream of the replay last: what waits for it is there when it begins. But a captured one first: the others join
  // its capture by waiting for what it has recorded.
  Status first;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const auto track = static_cast<std::uint32_t>(is_captured ? i : tracks_.size() - 1 - i);
    if (copies[track].empty()) continue;
    const Status submitted = scheduler_.Submit(target(track), copies[track]);
    if (submitted.ok()) continue;
    // Others wait for these: they must fail and not hang.
    for (exec::Op& op : copies[track]) {
      if (op.op_class->skip != nullptr) op.op_class->skip(op, submitted);
    }
    if (first.ok()) first = submitted;
  }
  return first;
}

std::vector<exec::Stream*> Graph::Streams() const {
  const std::lock_guard lock(mutex_);
  std::vector<exec::Stream*> streams;
  for (const Track& track : tracks_) streams.push_back(track.own);
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

namespace {

nlohmann::json DescribeTask(const Graph::Task& task, bool with_addresses) {
  nlohmann::json described = {{"sequence", task.number}, {"operation", task.op.op_class->name}};
  if (task.op.op_class->bytes != nullptr) described["bytes"] = task.op.op_class->bytes(task.op);
  if (task.op.op_class == &ops::kKernelLaunch) {
    const Invocation& launch = ops::LaunchOf(task.op);
    described["kernel"] = launch.info->entry.kernel_name;
    described["blocks"] = launch.blocks;
  }
  if (const std::uint64_t mark = ops::RecordedMark(task.op)) described["records"] = fmt::format("0x{:x}", mark);
  if (const std::uint64_t mark = ops::WaitedMark(task.op)) described["waits for"] = fmt::format("0x{:x}", mark);
  if (!with_addresses || task.op.op_class->footprint == nullptr) return described;
  const exec::Footprint footprint = task.op.op_class->footprint(task.op);
  if (footprint.read.address != nullptr) described["reads"] = fmt::format("{}", fmt::ptr(footprint.read.address));
  if (footprint.written.address != nullptr) {
    described["writes"] = fmt::format("{}", fmt::ptr(footprint.written.address));
  }
  return described;
}

}  // namespace

std::string Graph::Describe(bool with_addresses) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json streams = nlohmann::json::array();
  for (const Track& track : tracks_) {
    streams.push_back({{"stream", track.own != nullptr ? track.own->id : 0}, {"captured from", track.label}});
    streams.back()["tasks"] = nlohmann::json::array();
  }
  for (const Task& task : tasks_) streams[task.track]["tasks"].push_back(DescribeTask(task, with_addresses));
  const nlohmann::json graph = {{"id", id()}, {"name", name_}, {"streams", std::move(streams)}};
  return graph.dump(2);
}

}  // namespace softhccl::engine
