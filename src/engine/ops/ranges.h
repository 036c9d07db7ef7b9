// What all ops that move bytes have in common: where their arguments are, what they touch, and the last look at the
// memory before it is used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/op.h"
#include "exec/scheduler.h"
#include "memory/memory.h"
#include "transport/reduce.h"

namespace softhccl::engine::ops {

// Places in Op::arg. A target that is combined with the source rather than overwritten has a reduction.
enum RangesArgument : std::size_t { kTo = 0, kFrom, kSize, kDone, kLink, kReduction, kNotify };

inline std::byte* To(const exec::Op& op) { return reinterpret_cast<std::byte*>(op.arg[kTo]); }
inline const std::byte* From(const exec::Op& op) { return reinterpret_cast<const std::byte*>(op.arg[kFrom]); }
inline std::uint64_t Size(const exec::Op& op) { return op.arg[kSize]; }
inline const transport::Reduction* ReductionOf(const exec::Op& op) {
  return reinterpret_cast<const transport::Reduction*>(op.arg[kReduction]);
}

// A target that is combined counts as written: nobody may read or write it meanwhile.
inline exec::Footprint RangesFootprint(const exec::Op& op) {
  exec::Footprint footprint;
  footprint.read = {From(op), Size(op)};
  footprint.written = {To(op), Size(op)};
  return footprint;
}

// Memory may have been freed between the call and now; asking again costs nanoseconds, a fault would cost the process.
inline base::Status CheckRanges(const exec::Op& op) {
  if (op.arg[kDone] != 0) return {};
  const memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(To(op), Size(op), "dst"));
  return memory.CheckRange(From(op), Size(op), "src");
}

inline exec::Op MakeRangesOp(const exec::OpClass* op_class, void* to, const void* from, std::uint64_t size) {
  exec::Op op;
  op.op_class = op_class;
  op.arg[kTo] = reinterpret_cast<std::uint64_t>(to);
  op.arg[kFrom] = reinterpret_cast<std::uint64_t>(from);
  op.arg[kSize] = size;
  return op;
}

}  // namespace softhccl::engine::ops
