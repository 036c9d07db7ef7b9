// Most ops are plain records; those that own something are named here.
#include "engine/ops/clone.h"

#include <algorithm>
#include <array>

#include "engine/ops/classes.h"

namespace softhccl::engine::ops {

exec::Op Clone(const exec::Op& op, exec::Stream& stream) {
  if (op.op_class == &kKernelLaunch) return CloneKernelLaunch(op, stream);
  return op;
}

void Drop(exec::Op& op) {
  if (op.op_class == &kKernelLaunch) DropKernelLaunch(op);
}

bool CanBeRecorded(const exec::Op& op) {
  static const std::array kRecordable = {&kLocalCopy,     &kLocalReduce, &kCopyRows,     &kCopyIndirect,
                                         &kCopyDescribed, &kFill,        &kNotifyRecord, &kNotifyWait,
                                         &kValueWrite,    &kValueWait,   &kCacheHint,    &kKernelLaunch};
  return std::find(kRecordable.begin(), kRecordable.end(), op.op_class) != kRecordable.end();
}

std::uint64_t RecordedMark(const exec::Op& op) {
  return op.op_class == &kNotifyRecord ? op.op_class->footprint(op).notify_recorded : 0;
}

std::uint64_t WaitedMark(const exec::Op& op) {
  return op.op_class == &kNotifyWait ? op.op_class->footprint(op).notify_taken : 0;
}

}  // namespace softhccl::engine::ops
