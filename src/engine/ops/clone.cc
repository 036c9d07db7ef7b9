// Most ops are plain records; those that own something are named here.
#include "engine/ops/clone.h"

#include "engine/ops/classes.h"

namespace softhccl::engine::ops {

exec::Op Clone(const exec::Op& op, exec::Stream& stream) {
  if (op.op_class == &kKernelLaunch) return CloneKernelLaunch(op, stream);
  return op;
}

void Drop(exec::Op& op) {
  if (op.op_class == &kKernelLaunch) DropKernelLaunch(op);
}

std::uint64_t RecordedMark(const exec::Op& op) {
  return op.op_class->footprint != nullptr ? op.op_class->footprint(op).notify_recorded : 0;
}

std::uint64_t WaitedMark(const exec::Op& op) {
  return op.op_class->footprint != nullptr ? op.op_class->footprint(op).notify_taken : 0;
}

}  // namespace softhccl::engine::ops
