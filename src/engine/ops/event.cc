// Recording an event and waiting for one. A record that is skipped still reaches those who wait, as a failure, for the
// reason given in notify.cc.
#include "engine/ops/classes.h"
#include "engine/runtime.h"
#include "engine/stream_event.h"
#include "event/ring.h"

namespace softhccl::engine::ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

using Capture = std::shared_ptr<EventCapture>;

// --- record; arg: 0 Capture*, owned by the op

Capture TakeCapture(Op& op) {
  const std::unique_ptr<Capture> owner(reinterpret_cast<Capture*>(op.arg[0]));
  op.arg[0] = 0;
  return *owner;
}

OpOutcome RunEventRecord(OpContext& context, Op& op) {
  TakeCapture(op)->Finish(context.scheduler().Now(), {});
  return OpOutcome::kDone;
}

void SkipEventRecord(Op& op, const base::Status& cause) {
  TakeCapture(op)->Finish(Runtime::Get().scheduler().Now(), cause);
}

// --- wait; arg: 0 Waiting*, owned by the op

struct Waiting {
  Capture capture;
  std::shared_ptr<std::atomic<std::uint32_t>> open_waits;
  base::Nanos limit = base::kForever;
  base::Nanos deadline = 0;  // 0: it has not begun to wait
};

Waiting* WaitingOf(const Op& op) { return reinterpret_cast<Waiting*>(op.arg[0]); }

void EndWait(Op& op) {
  const std::unique_ptr<Waiting> waiting(WaitingOf(op));
  op.arg[0] = 0;
  waiting->open_waits->fetch_sub(1);
}

OpOutcome RunEventWait(OpContext& context, Op& op) {
  Waiting& waiting = *WaitingOf(op);
  if (waiting.deadline == 0) {
    waiting.deadline = waiting.limit == base::kForever ? base::kForever : context.scheduler().Now() + waiting.limit;
  }
  const OpOutcome outcome = waiting.capture->Wait(context, op, waiting.deadline);
  if (outcome != OpOutcome::kSuspended) EndWait(op);
  return outcome;
}

void SkipEventWait(Op& op, const base::Status&) { EndWait(op); }

exec::Footprint NoFootprint(const Op&) { return {}; }

}  // namespace

const exec::OpClass kEventRecord = {"event record", RunEventRecord, SkipEventRecord, NoFootprint, nullptr};
const exec::OpClass kEventWait = {"event wait", RunEventWait, SkipEventWait, NoFootprint, nullptr};

Op EventRecord(std::shared_ptr<EventCapture> capture) {
  Op op;
  op.op_class = &kEventRecord;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new Capture(std::move(capture)));
  return op;
}

Op EventWait(std::shared_ptr<EventCapture> capture, base::Nanos limit,
             std::shared_ptr<std::atomic<std::uint32_t>> open_waits) {
  open_waits->fetch_add(1);
  Op op;
  op.op_class = &kEventWait;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new Waiting{std::move(capture), std::move(open_waits), limit, 0});
  return op;
}

}  // namespace softhccl::engine::ops
