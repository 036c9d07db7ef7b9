// Moving and combining bytes within this rank.
#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "engine/ops/ranges.h"
#include "transport/accumulate.h"

namespace softhccl::engine::ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

OpOutcome RunLocalCopy(OpContext& context, Op& op) {
  base::Status valid = CheckRanges(op);
  if (!valid.ok()) return context.Fail(std::move(valid));
  return transport::CopyQuantum(To(op), From(op), Size(op), &op.arg[kDone]);
}

OpOutcome RunLocalReduce(OpContext& context, Op& op) {
  base::Status valid = CheckRanges(op);
  if (!valid.ok()) return context.Fail(std::move(valid));
  return transport::AccumulateQuantum(To(op), From(op), Size(op), *ReductionOf(op), &op.arg[kDone]);
}

}  // namespace

const exec::OpClass kLocalCopy = {"local copy", RunLocalCopy, nullptr, RangesFootprint, Size};
const exec::OpClass kLocalReduce = {"local reduce", RunLocalReduce, nullptr, RangesFootprint, Size};

Op LocalCopy(void* to, const void* from, std::uint64_t size) { return MakeRangesOp(&kLocalCopy, to, from, size); }

Op LocalReduce(void* to, const void* from, std::uint64_t size, const transport::Reduction* reduction) {
  Op op = MakeRangesOp(&kLocalReduce, to, from, size);
  op.arg[kReduction] = reinterpret_cast<std::uint64_t>(reduction);
  return op;
}

}  // namespace softhccl::engine::ops
