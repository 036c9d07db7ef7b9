// One stream waits for another: what a kernel has queued on a thread is only known when it has returned, so the mark to
// wait for is put there when the wait begins.
#include <memory>

#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "engine/stream_event.h"
#include "event/labels.h"

namespace softhccl::engine::ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

// arg: 0 Awaited*, owned by the op
struct Awaited {
  std::uint64_t stream = 0;               // handle
  std::shared_ptr<EventCapture> reached;  // null: it has not begun to wait
};

Awaited* AwaitedOf(const Op& op) { return reinterpret_cast<Awaited*>(op.arg[0]); }

void End(Op& op) {
  delete AwaitedOf(op);
  op.arg[0] = 0;
}

base::Status PutMark(OpContext& context, Awaited* awaited) {
  exec::Scheduler& scheduler = context.scheduler();
  auto found = scheduler.streams().Get(awaited->stream, "the queue of a thread");
  if (!found) return found.error();
  exec::Stream& stream = **found;
  awaited->reached = std::make_shared<EventCapture>(
      scheduler, stream.device,
      fmt::format("the end of what is queued on {}", event::GetLabel(event::LabelKind::kStream, stream.id)));
  Op mark = EventRecord({nullptr, awaited->reached});
  base::Status queued = scheduler.Submit(stream, {&mark, 1});
  if (!queued.ok()) mark.op_class->skip(mark, queued);
  return queued;
}

OpOutcome RunAwaitQueue(OpContext& context, Op& op) {
  Awaited* const awaited = AwaitedOf(op);
  if (awaited->reached == nullptr) {
    base::Status put = PutMark(context, awaited);
    if (!put.ok()) {
      End(op);
      return context.Fail(std::move(put));
    }
  }
  const OpOutcome outcome = awaited->reached->Wait(context, op, base::kForever);
  if (outcome != OpOutcome::kSuspended) End(op);
  return outcome;
}

void SkipAwaitQueue(Op& op, const base::Status&) { End(op); }

exec::Footprint NoFootprint(const Op&) { return {}; }

}  // namespace

const exec::OpClass kAwaitQueue = {"wait for a thread", RunAwaitQueue, SkipAwaitQueue, NoFootprint, nullptr};

Op AwaitQueue(std::uint64_t stream) {
  Op op;
  op.op_class = &kAwaitQueue;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new Awaited{stream, nullptr});
  return op;
}

}  // namespace softhccl::engine::ops
