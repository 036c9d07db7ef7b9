// Most ops are plain records; those that own something are named here.
#include "engine/ops/clone.h"

#include "engine/ops/classes.h"
#include "engine/ops/shape.h"
#include "engine/task_group.h"

namespace softhccl::engine::ops {
namespace {

bool IsEventOp(const exec::Op& op) {
  return op.op_class == &kEventRecord || op.op_class == &kEventWait || op.op_class == &kEventReset;
}

// The capture that an ordinary event op is about, as a mark; handles, the other marks, have their kind in the top byte.
std::uint64_t EventMark(const exec::Op& op) {
  const EventTask& task = EventTaskOf(op);
  return task.use == EventUse::kOrdinary ? reinterpret_cast<std::uint64_t>(task.capture.get()) : 0;
}

}  // namespace

// Not counting notifies: which record belongs to which wait is not known of them.
bool CanBeRecorded(const exec::Op& op) {
  return op.op_class != &kSignal && op.op_class != &kUpdateTasks && op.op_class != &kCountRecord &&
         op.op_class != &kCountReset && op.op_class != &kCountWait;
}

void NoteRecorded(const exec::Op& op, std::uint64_t graph) {
  if (IsEventOp(op)) NoteRecordedEvent(op, graph);
}

void EndRecorded(const exec::Op& op) {
  if (IsEventOp(op)) EndRecordedEvent(op);
}

exec::Op Clone(const exec::Op& op, exec::Stream& stream, EventCopies& events) {
  if (op.op_class == &kKernelLaunch) return CloneKernelLaunch(op, stream);
  if (op.op_class == &kHostCallback) return CloneHostCallback(op);
  if (op.op_class == &kGroupTask) return CloneGroupTask(op);
  return IsEventOp(op) ? CloneEventOp(op, stream, events) : op;
}

void Drop(exec::Op& op) {
  if (op.op_class == &kKernelLaunch) return DropKernelLaunch(op);
  if (op.op_class == &kHostCallback) return DropHostCallback(op);
  if (op.op_class == &kGroupTask) return DropGroupTask(op);
  if (IsEventOp(op)) DropEventOp(op);
}

std::uint64_t RecordedMark(const exec::Op& op) {
  if (op.op_class == &kNotifyRecord) return op.op_class->footprint(op).notify_recorded;
  return op.op_class == &kEventRecord ? EventMark(op) : 0;
}

std::uint64_t WaitedMark(const exec::Op& op) {
  if (op.op_class == &kNotifyWait) return op.op_class->footprint(op).notify_taken;
  return op.op_class == &kEventWait ? EventMark(op) : 0;
}

bool HasEffect(const exec::Op& op) {
  if (op.op_class == &kEventReset) return EventTaskOf(op).use == EventUse::kLatch;
  return op.op_class != &kEventRecord || EventTaskOf(op).use != EventUse::kOrdinary;
}

transport::Link* LinkOf(const exec::Op& op) {
  const Shape* shape = ShapeOf(op);
  if (shape == nullptr || shape->link < 0) return nullptr;
  return reinterpret_cast<transport::Link*>(op.arg[static_cast<std::size_t>(shape->link)]);
}

const EventTask* EventWaitOf(const exec::Op& op) {
  if (op.op_class != &kEventWait || EventTaskOf(op).use != EventUse::kOrdinary) return nullptr;
  return &EventTaskOf(op);
}

const EventTask* RecordedEventOf(const exec::Op& op) {
  if (op.op_class != &kEventRecord || EventTaskOf(op).use != EventUse::kOrdinary) return nullptr;
  return &EventTaskOf(op);
}

void LookAt(const exec::Op& op, const std::function<void(const exec::Op&)>& look) {
  if (const auto cell = CellOf(op)) return cell->Look(look);
  look(op);
}

}  // namespace softhccl::engine::ops
