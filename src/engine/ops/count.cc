// Counting notifies on streams. A record that is skipped still reaches those who wait, as a failure, for the reason
// given in notify.cc.
#include <memory>

#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "engine/runtime.h"

namespace softhccl::engine::ops {
namespace {

using exec::CountGoal;
using exec::CountNotify;
using exec::CountWait;
using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

// arg 0 of all: handle
base::Result<std::shared_ptr<CountNotify>> Find(const Op& op) {
  return Runtime::Get().count_notifies().Find(op.arg[0]);
}

exec::Footprint NoFootprint(const Op&) { return {}; }

// --- record; arg: 1 change, 2 value

OpOutcome RunRecord(OpContext& context, Op& op) {
  auto notify = Find(op);
  if (!notify) return context.Fail(std::move(notify).error().While("recording a counting notify"));
  (*notify)->Record(static_cast<CountNotify::Change>(op.arg[1]), static_cast<std::uint32_t>(op.arg[2]));
  return OpOutcome::kDone;
}

void SkipRecord(Op& op, const base::Status& cause) {
  if (const auto notify = Find(op)) (*notify)->RecordFailure(cause);
}

// --- reset

OpOutcome RunReset(OpContext& context, Op& op) {
  auto notify = Find(op);
  if (!notify) return context.Fail(std::move(notify).error().While("resetting a counting notify"));
  (*notify)->Reset();
  return OpOutcome::kDone;
}

// --- wait; arg: 1 until, 2 value, 3 whether it clears, 4 limit in ns (kForever: none), 5 deadline once it waits, 6
// CountWait* once it waits, owned by the op

CountWait* WaitOf(const Op& op) { return reinterpret_cast<CountWait*>(op.arg[6]); }

OpOutcome BeginWait(OpContext& context, Op& op) {
  auto notify = Find(op);
  if (!notify) return context.Fail(std::move(notify).error().While("waiting for a counting notify"));
  const CountGoal goal{static_cast<CountGoal::Until>(op.arg[1]), static_cast<std::uint32_t>(op.arg[2]), op.arg[3] != 0};
  std::unique_ptr<CountWait> wait;
  const OpOutcome outcome = CountWait::Begin(context, std::move(*notify), goal, &wait);
  if (outcome != OpOutcome::kSuspended) return outcome;
  const auto limit = static_cast<base::Nanos>(op.arg[4]);
  op.arg[5] = static_cast<std::uint64_t>(limit == base::kForever ? limit : context.scheduler().Now() + limit);
  op.arg[6] = reinterpret_cast<std::uint64_t>(wait.release());
  return outcome;
}

void EndWait(Op& op) {
  delete WaitOf(op);
  op.arg[6] = 0;
}

OpOutcome RunWait(OpContext& context, Op& op) {
  OpOutcome outcome = WaitOf(op) == nullptr ? BeginWait(context, op) : OpOutcome::kSuspended;
  if (outcome != OpOutcome::kSuspended) return outcome;
  outcome = WaitOf(op)->Run(context, op, static_cast<base::Nanos>(op.arg[5]));
  if (outcome != OpOutcome::kSuspended) EndWait(op);
  return outcome;
}

void SkipWait(Op& op, const base::Status&) { EndWait(op); }

Op OnNotify(const exec::OpClass* op_class, std::uint64_t notify) {
  Op op;
  op.op_class = op_class;
  op.arg[0] = notify;
  return op;
}

}  // namespace

const exec::OpClass kCountRecord = {"counting notify record", RunRecord, SkipRecord, NoFootprint, nullptr};
const exec::OpClass kCountReset = {"counting notify reset", RunReset, nullptr, NoFootprint, nullptr};
const exec::OpClass kCountWait = {"counting notify wait", RunWait, SkipWait, NoFootprint, nullptr};

Op CountRecord(std::uint64_t notify, CountNotify::Change change, std::uint32_t value) {
  Op op = OnNotify(&kCountRecord, notify);
  op.arg[1] = static_cast<std::uint64_t>(change);
  op.arg[2] = value;
  return op;
}

Op CountReset(std::uint64_t notify) { return OnNotify(&kCountReset, notify); }

Op CountWaitFor(std::uint64_t notify, const CountGoal& goal, base::Nanos limit) {
  Op op = OnNotify(&kCountWait, notify);
  op.arg[1] = static_cast<std::uint64_t>(goal.until);
  op.arg[2] = goal.value;
  op.arg[3] = goal.clears ? 1 : 0;
  op.arg[4] = static_cast<std::uint64_t>(limit);
  return op;
}

}  // namespace softhccl::engine::ops
