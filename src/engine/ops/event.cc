// Recording an event, waiting for one and resetting one. A record that is skipped still reaches those who wait, as a
// failure, for the reason given in notify.cc.
#include "engine/ops/classes.h"
#include "engine/ops/clone.h"
#include "engine/runtime.h"
#include "engine/stream_event.h"
#include "event/ring.h"

namespace softhccl::engine::ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

// Of all event ops; arg: 0 Owned*, owned by the op
struct Owned {
  EventTask task;
  // Of waits.
  bool is_counted = false;  // among the open waits of the event
  base::Nanos limit = base::kForever;
  base::Nanos deadline = 0;  // 0: it has not begun to wait
};

Owned* OwnedOf(const Op& op) { return reinterpret_cast<Owned*>(op.arg[0]); }

std::unique_ptr<Owned> Take(Op& op) {
  std::unique_ptr<Owned> owned(OwnedOf(op));
  op.arg[0] = 0;
  return owned;
}

Op MakeOp(const exec::OpClass& op_class, Owned owned) {
  Op op;
  op.op_class = &op_class;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new Owned(std::move(owned)));
  return op;
}

void CountWait(Owned& wait) {
  if (wait.is_counted || wait.task.event == nullptr) return;
  wait.task.event->open_waits.fetch_add(1);
  wait.is_counted = true;
}

void UncountWait(Owned& wait) {
  if (wait.is_counted) wait.task.event->open_waits.fetch_sub(1);
  wait.is_counted = false;
}

// --- record

void Reach(Op& op, base::Nanos now, const base::Status& failure) {
  const auto owned = Take(op);
  const EventTask& task = owned->task;
  const auto capture = task.use == EventUse::kLatch ? task.event->Current() : task.capture;
  if (capture != nullptr) capture->Finish(now, failure);
}

OpOutcome RunEventRecord(OpContext& context, Op& op) {
  Reach(op, context.scheduler().Now(), {});
  return OpOutcome::kDone;
}

void SkipEventRecord(Op& op, const base::Status& cause) { Reach(op, Runtime::Get().scheduler().Now(), cause); }

// --- wait

void EndWait(Op& op) { UncountWait(*Take(op)); }

OpOutcome RunEventWait(OpContext& context, Op& op) {
  Owned& wait = *OwnedOf(op);
  if (wait.deadline == 0) {
    wait.deadline = wait.limit == base::kForever ? base::kForever : context.scheduler().Now() + wait.limit;
    if (wait.task.use == EventUse::kLatch) wait.task.capture = wait.task.event->Current();
  }
  // An external wait for an event that nobody has recorded yet.
  const OpOutcome outcome =
      wait.task.capture == nullptr ? OpOutcome::kDone : wait.task.capture->Wait(context, op, wait.deadline);
  if (outcome != OpOutcome::kSuspended) EndWait(op);
  return outcome;
}

void SkipEventWait(Op& op, const base::Status&) { EndWait(op); }

// --- reset

OpOutcome RunEventReset(OpContext& context, Op& op) {
  const auto owned = Take(op);
  StreamEvent& event = *owned->task.event;
  if (owned->task.use != EventUse::kLatch) return OpOutcome::kDone;
  const std::lock_guard lock(event.mutex);  // of two resets at once one must not undo a record between them
  if (event.current->done()) event.current = event.MakeCapture(context.scheduler());
  return OpOutcome::kDone;
}

void SkipEventReset(Op& op, const base::Status&) { Take(op).reset(); }

exec::Footprint NoFootprint(const Op&) { return {}; }

}  // namespace

const exec::OpClass kEventRecord = {"event record", RunEventRecord, SkipEventRecord, NoFootprint, nullptr};
const exec::OpClass kEventWait = {"event wait", RunEventWait, SkipEventWait, NoFootprint, nullptr};
const exec::OpClass kEventReset = {"event reset", RunEventReset, SkipEventReset, NoFootprint, nullptr};

Op EventRecord(EventTask task) { return MakeOp(kEventRecord, {std::move(task)}); }

Op EventWait(EventTask task, base::Nanos limit) {
  Op op = MakeOp(kEventWait, {std::move(task), false, limit});
  CountWait(*OwnedOf(op));
  return op;
}

Op EventReset(EventTask task) { return MakeOp(kEventReset, {std::move(task)}); }

const EventTask& EventTaskOf(const Op& op) { return OwnedOf(op)->task; }

std::shared_ptr<EventCapture> EventCopies::Of(exec::Scheduler& scheduler, const EventTask& task) {
  auto& copy = made_[task.capture.get()];
  if (copy == nullptr) copy = task.event->MakeCapture(scheduler);
  return copy;
}

Op CloneEventOp(const Op& op, exec::Stream& stream, EventCopies& copies) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  Owned copy = *OwnedOf(op);
  EventTask& task = copy.task;
  if (task.use == EventUse::kOrdinary && op.op_class != &kEventReset) {
    task.capture = copies.Of(scheduler, task);
  } else if (task.use == EventUse::kExternal && !copies.is_recorded()) {
    task.capture = op.op_class == &kEventRecord ? task.event->MakeCapture(scheduler) : task.event->Current();
  }
  if (op.op_class == &kEventRecord && task.capture != nullptr) {
    task.capture->stream = stream.handle;
    if (task.use == EventUse::kExternal) task.event->SetCurrent(task.capture);
  }
  Op made = op;
  made.arg[0] = reinterpret_cast<std::uint64_t>(new Owned(std::move(copy)));
  if (op.op_class == &kEventWait) CountWait(*OwnedOf(made));
  return made;
}

void DropEventOp(Op& op) { UncountWait(*Take(op)); }

void NoteRecordedEvent(const Op& op, std::uint64_t graph) {
  Owned& owned = *OwnedOf(op);
  if (op.op_class == &kEventWait) UncountWait(owned);  // each replay waits, not the recording
  if (op.op_class == &kEventRecord && owned.task.use == EventUse::kOrdinary) {
    owned.task.capture->recorded_in.store(graph);
  }
}

void EndRecordedEvent(const Op& op) {
  const EventTask& task = EventTaskOf(op);
  if (op.op_class != &kEventRecord || task.use != EventUse::kOrdinary || task.capture->done()) return;
  task.capture->Finish(
      Runtime::Get().scheduler().Now(),
      base::Fail(base::Code::kEventCaptured,
                 "{} was last recorded in a capture, which has ended: only replays reach it; record it again",
                 task.capture->label()));
}

}  // namespace softhccl::engine::ops
