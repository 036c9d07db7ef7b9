// Filling memory with a value, a byte or a 32-bit word at a time, one quantum per turn.
#include <algorithm>
#include <cstring>

#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "memory/memory.h"

namespace softhccl::engine::ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

constexpr std::uint64_t kQuantum = 256 * 1024;  // bytes; a multiple of every unit

// arg: 0 to, 1 value, 2 size in bytes, 3 done, 4 bytes per value (1 or 4)
std::byte* To(const Op& op) { return reinterpret_cast<std::byte*>(op.arg[0]); }

OpOutcome RunFill(OpContext& context, Op& op) {
  if (op.arg[3] == 0) {
    base::Status valid = memory::Memory::Process().CheckRange(To(op), op.arg[2], "dst");
    if (!valid.ok()) return context.Fail(std::move(valid));
  }
  const std::uint64_t now = std::min(op.arg[2] - op.arg[3], kQuantum);
  FillNow(To(op) + op.arg[3], static_cast<std::uint32_t>(op.arg[1]), now, op.arg[4]);
  op.arg[3] += now;
  return op.arg[3] == op.arg[2] ? OpOutcome::kDone : OpOutcome::kAgain;
}

exec::Footprint FillFootprint(const Op& op) {
  exec::Footprint footprint;
  footprint.written = {To(op), op.arg[2]};
  return footprint;
}

std::uint64_t FillBytes(const Op& op) { return op.arg[2]; }

}  // namespace

void FillNow(std::byte* to, std::uint32_t value, std::uint64_t size, std::uint64_t unit) {
  if (unit == 1) {
    std::memset(to, static_cast<int>(value & 0xFF), size);
  } else {
    std::fill_n(reinterpret_cast<std::uint32_t*>(to), size / sizeof value, value);
  }
}

const exec::OpClass kFill = {"fill", RunFill, nullptr, FillFootprint, FillBytes};

Op Fill(void* to, std::uint32_t value, std::uint64_t size, std::uint64_t unit) {
  Op op;
  op.op_class = &kFill;
  op.arg[0] = reinterpret_cast<std::uint64_t>(to);
  op.arg[1] = value;
  op.arg[2] = size;
  op.arg[4] = unit;
  return op;
}

}  // namespace softhccl::engine::ops
