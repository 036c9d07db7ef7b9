// One-sided transfers through a link: reads and writes, plain or combining, and writes that record a notify of the peer
// when their data is there. A skipped write with notify still reaches the waiter, as a failure.
#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "engine/ops/ranges.h"
#include "engine/runtime.h"

namespace softhccl::engine::ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

// arg: those of ranges.h; kLink for all, kNotify the peer's index for writes with notify
transport::Link* LinkOf(const Op& op) { return reinterpret_cast<transport::Link*>(op.arg[kLink]); }
std::uint32_t NotifyOf(const Op& op) { return static_cast<std::uint32_t>(op.arg[kNotify]); }

OpOutcome RunRead(OpContext& context, Op& op) {
  base::Status valid = CheckRanges(op);
  if (!valid.ok()) return context.Fail(std::move(valid));
  return LinkOf(op)->Read(context, To(op), From(op), Size(op), ReductionOf(op), &op.arg[kDone]);
}

OpOutcome RunWrite(OpContext& context, Op& op) {
  base::Status valid = CheckRanges(op);
  if (!valid.ok()) return context.Fail(std::move(valid));
  return LinkOf(op)->Write(context, To(op), From(op), Size(op), ReductionOf(op), &op.arg[kDone]);
}

OpOutcome RunWriteWithNotify(OpContext& context, Op& op) {
  const OpOutcome written = RunWrite(context, op);
  return written == OpOutcome::kDone ? LinkOf(op)->Record(context, op, NotifyOf(op)) : written;
}

void SkipWriteWithNotify(Op& op, const base::Status& cause) {
  LinkOf(op)->RecordFailure(Runtime::Get().scheduler(), NotifyOf(op), cause);
}

exec::Footprint WriteWithNotifyFootprint(const Op& op) {
  exec::Footprint footprint = RangesFootprint(op);
  footprint.notify_recorded = LinkOf(op)->peer_notify(NotifyOf(op));
  return footprint;
}

// --- order

OpOutcome RunFence(OpContext&, Op&) { return OpOutcome::kDone; }  // the queue has done what was before

OpOutcome RunChannelFence(OpContext& context, Op& op) { return LinkOf(op)->Complete(context); }

exec::Footprint NoFootprint(const Op&) { return {}; }

Op MakeTransfer(const exec::OpClass* op_class, transport::Link* link, void* to, const void* from, std::uint64_t size,
                const transport::Reduction* reduction) {
  Op op = MakeRangesOp(op_class, to, from, size);
  op.arg[kLink] = reinterpret_cast<std::uint64_t>(link);
  op.arg[kReduction] = reinterpret_cast<std::uint64_t>(reduction);
  return op;
}

}  // namespace

const exec::OpClass kRead = {"read", RunRead, nullptr, RangesFootprint, Size};
const exec::OpClass kReadReduce = {"read reduce", RunRead, nullptr, RangesFootprint, Size};
const exec::OpClass kWrite = {"write", RunWrite, nullptr, RangesFootprint, Size};
const exec::OpClass kWriteReduce = {"write reduce", RunWrite, nullptr, RangesFootprint, Size};
const exec::OpClass kWriteWithNotify = {"write with notify", RunWriteWithNotify, SkipWriteWithNotify,
                                        WriteWithNotifyFootprint, Size};
const exec::OpClass kWriteReduceWithNotify = {"write reduce with notify", RunWriteWithNotify, SkipWriteWithNotify,
                                              WriteWithNotifyFootprint, Size};
const exec::OpClass kFence = {"fence", RunFence, nullptr, NoFootprint, nullptr};
const exec::OpClass kChannelFence = {"channel fence", RunChannelFence, nullptr, NoFootprint, nullptr};
const exec::OpClass kChannelDrain = {"channel drain", RunChannelFence, nullptr, NoFootprint, nullptr};

Op Read(transport::Link* link, void* to, const void* from, std::uint64_t size, const transport::Reduction* reduction) {
  return MakeTransfer(reduction == nullptr ? &kRead : &kReadReduce, link, to, from, size, reduction);
}

Op Write(transport::Link* link, void* to, const void* from, std::uint64_t size, const transport::Reduction* reduction) {
  return MakeTransfer(reduction == nullptr ? &kWrite : &kWriteReduce, link, to, from, size, reduction);
}

Op WriteWithNotify(transport::Link* link, void* to, const void* from, std::uint64_t size,
                   const transport::Reduction* reduction, std::uint32_t notify) {
  Op op =
      MakeTransfer(reduction == nullptr ? &kWriteWithNotify : &kWriteReduceWithNotify, link, to, from, size, reduction);
  op.arg[kNotify] = notify;
  return op;
}

Op Fence() {
  Op op;
  op.op_class = &kFence;
  return op;
}

Op ChannelFence(transport::Link* link) { return MakeTransfer(&kChannelFence, link, nullptr, nullptr, 0, nullptr); }

Op ChannelDrain(transport::Link* link) { return MakeTransfer(&kChannelDrain, link, nullptr, nullptr, 0, nullptr); }

}  // namespace softhccl::engine::ops
