// A task of a group becomes the task that the group holds when its turn comes, in its place in the queue.
#include "engine/ops/classes.h"
#include "engine/ops/clone.h"
#include "engine/task_group.h"

namespace softhccl::engine {

TaskCell::~TaskCell() { ops::Drop(op_); }

exec::Op TaskCell::Copy(exec::Stream& stream) const {
  ops::EventCopies events(false);  // a group holds no events
  const std::lock_guard lock(mutex_);
  return ops::Clone(op_, stream, events);
}

void TaskCell::Replace(const exec::Op& op) {
  const std::lock_guard lock(mutex_);
  ops::Drop(op_);
  op_ = op;
}

void TaskCell::Look(const std::function<void(const exec::Op&)>& look) const {
  const std::lock_guard lock(mutex_);
  look(op_);
}

namespace ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

// --- a task; arg: 0 Owner*, owned by the op until it has become the task

using Owner = std::shared_ptr<TaskCell>;

Owner* OwnerOf(const Op& op) { return reinterpret_cast<Owner*>(op.arg[0]); }

OpOutcome RunGroupTask(OpContext& context, Op& op) {
  const std::unique_ptr<Owner> owner(OwnerOf(op));
  Op task = (*owner)->Copy(context.stream());
  task.number = op.number;
  task.call_site = op.call_site;
  task.origin = op.origin;
  op = task;
  return op.op_class->run(context, op);
}

void SkipGroupTask(Op& op, const base::Status&) {
  delete OwnerOf(op);
  op.arg[0] = 0;
}

exec::Footprint GroupTaskFootprint(const Op& op) {
  exec::Footprint footprint;
  (*OwnerOf(op))->Look([&](const Op& task) { footprint = task.op_class->footprint(task); });
  return footprint;
}

// --- an update; arg: 0 Replacements*, owned by the op

Replacements* ReplacementsOf(const Op& op) { return reinterpret_cast<Replacements*>(op.arg[0]); }

OpOutcome RunUpdate(OpContext&, Op& op) {
  const std::unique_ptr<Replacements> replacements(ReplacementsOf(op));
  op.arg[0] = 0;
  for (auto& [cell, task] : *replacements) cell->Replace(task);
  return OpOutcome::kDone;
}

void SkipUpdate(Op& op, const base::Status&) {
  const std::unique_ptr<Replacements> replacements(ReplacementsOf(op));
  op.arg[0] = 0;
  for (auto& [cell, task] : *replacements) Drop(task);
}

exec::Footprint NoFootprint(const Op&) { return {}; }

}  // namespace

const exec::OpClass kGroupTask = {"task of a group", RunGroupTask, SkipGroupTask, GroupTaskFootprint, nullptr};
const exec::OpClass kUpdateTasks = {"task update", RunUpdate, SkipUpdate, NoFootprint, nullptr};

bool CanBeGrouped(const Op& op) {
  return op.op_class == &kKernelLaunch || op.op_class == &kLocalCopy || op.op_class == &kCopyRows ||
         op.op_class == &kCopyIndirect || op.op_class == &kFill || op.op_class == &kLocalReduce;
}

Op GroupTask(std::shared_ptr<TaskCell> cell) {
  Op op;
  op.op_class = &kGroupTask;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new Owner(std::move(cell)));
  return op;
}

std::shared_ptr<TaskCell> CellOf(const Op& op) { return op.op_class == &kGroupTask ? *OwnerOf(op) : nullptr; }

Op CloneGroupTask(const Op& op) {
  Op copy = GroupTask(*OwnerOf(op));
  copy.call_site = op.call_site;
  copy.origin = op.origin;
  return copy;
}

void DropGroupTask(Op& op) { SkipGroupTask(op, {}); }

Op UpdateTasks(Replacements replacements) {
  Op op;
  op.op_class = &kUpdateTasks;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new Replacements(std::move(replacements)));
  return op;
}

}  // namespace ops
}  // namespace softhccl::engine
