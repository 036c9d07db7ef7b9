// Recording and waiting. A skipped record still reaches the waiter, as a failure: a stream that failed must not leave
// others waiting for what it will never send.
#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "engine/pair_check.h"
#include "engine/runtime.h"

namespace softhccl::engine::ops {
namespace {

using base::Code;
using exec::Notify;
using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

// --- record of a notify of this process; arg: 0 handle

OpOutcome RunRecord(OpContext& context, Op& op) {
  Notify* notify = context.scheduler().notifies().Lookup(op.arg[0]);
  if (notify == nullptr) {
    return context.Fail(
        base::Fail(Code::kInvalidHandle, "notify 0x{:x} was destroyed before it was recorded", op.arg[0]));
  }
  notify->Record(context, op);
  return OpOutcome::kDone;
}

void SkipRecord(Op& op, const base::Status& cause) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  if (Notify* notify = scheduler.notifies().Lookup(op.arg[0])) notify->RecordFailure(cause);
}

exec::Footprint RecordFootprint(const Op& op) {
  exec::Footprint footprint;
  footprint.notify_recorded = op.arg[0];
  return footprint;
}

// --- record of a peer's notify; arg: 0 link, 1 index

OpOutcome RunChannelRecord(OpContext& context, Op& op) {
  auto* link = reinterpret_cast<transport::Link*>(op.arg[0]);
  return link->Record(context, op, static_cast<std::uint32_t>(op.arg[1]));
}

void SkipChannelRecord(Op& op, const base::Status& cause) {
  auto* link = reinterpret_cast<transport::Link*>(op.arg[0]);
  link->RecordFailure(Runtime::Get().scheduler(), static_cast<std::uint32_t>(op.arg[1]), cause);
}

exec::Footprint ChannelRecordFootprint(const Op& op) {
  exec::Footprint footprint;
  footprint.notify_recorded =
      reinterpret_cast<transport::Link*>(op.arg[0])->peer_notify(static_cast<std::uint32_t>(op.arg[1]));
  return footprint;
}

// --- wait; arg: 0 handle, 1 limit in ns (kForever: none), 2 deadline once it began (0: not yet)

OpOutcome WaitFor(Notify& notify, OpContext& context, Op& op) {
  const auto limit = static_cast<base::Nanos>(op.arg[1]);
  if (limit == base::kForever) return notify.Wait(context, op, base::kForever);
  if (notify.IsSet() && op.arg[2] == 0) return notify.Wait(context, op, base::kForever);  // no clock read needed
  if (op.arg[2] == 0) op.arg[2] = static_cast<std::uint64_t>(context.scheduler().Now() + limit);
  return notify.Wait(context, op, static_cast<base::Nanos>(op.arg[2]));
}

OpOutcome RunWait(OpContext& context, Op& op) {
  Notify* notify = context.scheduler().notifies().Lookup(op.arg[0]);
  if (notify == nullptr) {
    return context.Fail(
        base::Fail(Code::kInvalidHandle, "notify 0x{:x} was destroyed while a stream waits for it", op.arg[0]));
  }
  const OpOutcome outcome = WaitFor(*notify, context, op);
  return outcome == OpOutcome::kDone && op.operation.is_known() ? CheckPair(context, op, *notify) : outcome;
}

exec::Footprint WaitFootprint(const Op& op) {
  exec::Footprint footprint;
  footprint.notify_taken = op.arg[0];
  return footprint;
}

}  // namespace

const exec::OpClass kNotifyRecord = {"notify record", RunRecord, SkipRecord, RecordFootprint, nullptr};
const exec::OpClass kChannelRecord = {"channel notify record", RunChannelRecord, SkipChannelRecord,
                                      ChannelRecordFootprint, nullptr};
const exec::OpClass kNotifyWait = {"notify wait", RunWait, nullptr, WaitFootprint, nullptr};

Op NotifyRecord(std::uint64_t notify) {
  Op op;
  op.op_class = &kNotifyRecord;
  op.arg[0] = notify;
  return op;
}

Op ChannelRecord(transport::Link* link, std::uint32_t index) {
  Op op;
  op.op_class = &kChannelRecord;
  op.arg[0] = reinterpret_cast<std::uint64_t>(link);
  op.arg[1] = index;
  return op;
}

Op NotifyWait(std::uint64_t notify, base::Nanos limit) {
  Op op;
  op.op_class = &kNotifyWait;
  op.arg[0] = notify;
  op.arg[1] = static_cast<std::uint64_t>(limit);
  return op;
}

}  // namespace softhccl::engine::ops
