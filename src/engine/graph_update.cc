// Groups of tasks: made while they are captured, replaced by what is submitted to another stream later.
#include "engine/graph_capture.h"
#include "engine/ops/clone.h"
#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

namespace {

std::string LabelOf(const exec::Stream& stream) { return event::GetLabel(event::LabelKind::kStream, stream.id); }

Status NotCaptured(const exec::Stream& stream) {
  return Fail(Code::kStreamNotCaptured, "stream: {} is not captured; groups of tasks are made in a capture",
              LabelOf(stream));
}

const exec::OpClass* ClassOf(const TaskCell& cell) {
  const exec::OpClass* op_class = nullptr;
  cell.Look([&](const exec::Op& op) { op_class = op.op_class; });
  return op_class;
}

Status CheckUpdate(const TaskGroup& group, const std::vector<exec::Op>& ops) {
  if (ops.size() != group.cells.size()) {
    return Fail(Code::kInvalidParam, "the update has {} tasks, but the group has {}; give one for each", ops.size(),
                group.cells.size());
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const exec::OpClass* known = ClassOf(*group.cells[i]);
    if (ops[i].op_class == known) continue;
    return Fail(Code::kInvalidParam, "task {} of the update is a '{}', but that of the group is a '{}'", i,
                ops[i].op_class->name, known->name);
  }
  return {};
}

}  // namespace

Status GraphCaptures::BeginGroup(exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  const auto capture = FindCapture(stream);
  return capture == active_.end() ? NotCaptured(stream) : capture->graph->BeginGroup(stream);
}

base::Result<std::uint64_t> GraphCaptures::EndGroup(exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  const auto capture = FindCapture(stream);
  if (capture == active_.end()) return tl::unexpected(NotCaptured(stream));
  auto group = capture->graph->EndGroup(stream);
  if (!group) return tl::unexpected(group.error());
  std::uint64_t handle = 0;
  std::shared_ptr<TaskGroup>* slot = groups_.Allocate(&handle);
  if (slot == nullptr) return FailResult(Code::kUnavailable, "no task group left: {} are in use", groups_.live());
  (*group)->handle = handle;
  *slot = std::move(*group);
  groups_.Publish(handle);
  return handle;
}

Status GraphCaptures::BeginUpdate(exec::Stream& stream, std::uint64_t group) {
  const std::lock_guard lock(mutex_);
  auto found = groups_.Get(group, "handle");
  if (!found) return found.error();
  if (const auto capture = FindCapture(stream); capture != active_.end()) {
    return Fail(Code::kStreamCaptured, "stream: {} is captured into {}; update on another stream", LabelOf(stream),
                capture->graph->name());
  }
  const std::shared_ptr<Graph>* graph = graphs_.Lookup((**found)->graph);
  if (graph != nullptr && FindCapture(**graph) != active_.end()) {
    return Fail(Code::kGraphCaptured, "handle: its model, {}, is being captured; end the capture first",
                (*graph)->name());
  }
  if (updates_.count(stream.handle) != 0) {
    return Fail(Code::kTaskGroup, "stream: {} has an update that is open; updates do not nest, end it first",
                LabelOf(stream));
  }
  updates_[stream.handle] = {**found, {}};
  SetTap();
  return {};
}

Status GraphCaptures::Collect(const exec::Stream& stream, Update& update, std::span<const exec::Op> ops) {
  for (const exec::Op& op : ops) {
    if (ops::CanBeGrouped(op)) continue;
    return Fail(Code::kTaskNotSupported, "{} is updating tasks, and a group cannot hold a '{}'; end the update first",
                LabelOf(stream), op.op_class->name);
  }
  update.ops.insert(update.ops.end(), ops.begin(), ops.end());
  return {};
}

Status GraphCaptures::EndUpdate(exec::Scheduler& scheduler, exec::Stream& stream) {
  Update update;
  {
    const std::lock_guard lock(mutex_);
    const auto open = updates_.find(stream.handle);
    if (open == updates_.end()) {
      return Fail(Code::kTaskGroup, "stream: {} has no update that is open; call aclmdlRICaptureTaskUpdateBegin first",
                  LabelOf(stream));
    }
    update = std::move(open->second);
    updates_.erase(open);
    SetTap();
  }
  Status valid = CheckUpdate(*update.group, update.ops);
  if (!valid.ok()) {
    for (exec::Op& op : update.ops) ops::Drop(op);
    return valid;
  }
  ops::Replacements replacements;
  for (std::size_t i = 0; i < update.ops.size(); ++i) replacements.emplace_back(update.group->cells[i], update.ops[i]);
  exec::Op op = ops::UpdateTasks(std::move(replacements));
  Status queued = scheduler.Submit(stream, {&op, 1});
  if (!queued.ok()) op.op_class->skip(op, queued);
  return queued;
}

}  // namespace softhccl::engine
