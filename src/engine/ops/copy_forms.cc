// The copies of a stream that are not one range to one range known at the call: rows of two matrices, and a copy whose
// addresses lie in memory that earlier work of the stream may still write.
#include <atomic>

#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "memory/memory.h"

namespace softhccl::engine::ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

std::byte* At(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

// --- rows; arg: 0 to, 1 from, 2 width, 3 done in the row, 4 bytes from row to row of `to`, 5 of `from`, 6 rows, 7 row

exec::Footprint RowsFootprint(const Op& op) {
  exec::Footprint footprint;  // from the first byte to the last, gaps between the rows included
  footprint.read = {At(op.arg[1]), (op.arg[6] - 1) * op.arg[5] + op.arg[2]};
  footprint.written = {At(op.arg[0]), (op.arg[6] - 1) * op.arg[4] + op.arg[2]};
  return footprint;
}

OpOutcome RunCopyRows(OpContext& context, Op& op) {
  if (op.arg[7] == 0 && op.arg[3] == 0) {
    const exec::Footprint footprint = RowsFootprint(op);
    memory::Memory& memory = memory::Memory::Process();
    base::Status valid = memory.CheckRange(footprint.written.address, footprint.written.size, "dst");
    if (valid.ok()) valid = memory.CheckRange(footprint.read.address, footprint.read.size, "src");
    if (!valid.ok()) return context.Fail(std::move(valid));
  }
  // A short row is not worth a turn: as many as make up a quantum.
  constexpr std::uint64_t kBytes = 256 * 1024;
  for (std::uint64_t moved = 0; moved < kBytes && op.arg[7] < op.arg[6];) {
    const std::uint64_t before = op.arg[3];
    const OpOutcome row = transport::CopyQuantum(At(op.arg[0] + op.arg[7] * op.arg[4]),
                                                 At(op.arg[1] + op.arg[7] * op.arg[5]), op.arg[2], &op.arg[3]);
    moved += op.arg[3] - before;
    if (row == OpOutcome::kAgain) continue;
    op.arg[3] = 0;
    ++op.arg[7];
  }
  return op.arg[7] == op.arg[6] ? OpOutcome::kDone : OpOutcome::kAgain;
}

std::uint64_t RowsBytes(const Op& op) { return op.arg[2] * op.arg[6]; }

// --- indirect; arg: 0 to, 1 from, 2 size, 3 done, 4 address of the destination's address, 5 of the source's, 6 offset
// from the one, 7 from the other, 8 whether 0 and 1 are known

std::uint64_t LoadAddress(std::uint64_t place) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(place)).load();
}

base::Status ReadAddresses(Op& op) {
  memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(At(op.arg[4]), sizeof(void*), "dst"));
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(At(op.arg[5]), sizeof(void*), "src"));
  const std::uint64_t to = LoadAddress(op.arg[4]);
  const std::uint64_t from = LoadAddress(op.arg[5]);
  if (to == 0 || from == 0) {
    return base::Fail(base::Code::kInvalidParam, "the address that {} points to is null when the copy begins",
                      to == 0 ? "dst" : "src");
  }
  op.arg[0] = to + op.arg[6];
  op.arg[1] = from + op.arg[7];
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(At(op.arg[0]), op.arg[2], "*dst"));
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(At(op.arg[1]), op.arg[2], "*src"));
  op.arg[8] = 1;
  return {};
}

OpOutcome RunCopyIndirect(OpContext& context, Op& op) {
  if (op.arg[8] == 0) {
    base::Status read = ReadAddresses(op);
    if (!read.ok()) return context.Fail(std::move(read));
  }
  return transport::CopyQuantum(At(op.arg[0]), At(op.arg[1]), op.arg[2], &op.arg[3]);
}

exec::Footprint IndirectFootprint(const Op& op) {
  exec::Footprint footprint;
  if (op.arg[8] == 0) return footprint;  // nobody knows yet
  footprint.read = {At(op.arg[1]), op.arg[2]};
  footprint.written = {At(op.arg[0]), op.arg[2]};
  return footprint;
}

std::uint64_t IndirectBytes(const Op& op) { return op.arg[2]; }

}  // namespace

const exec::OpClass kCopyRows = {"copy of rows", RunCopyRows, nullptr, RowsFootprint, RowsBytes};
const exec::OpClass kCopyIndirect = {"indirect copy", RunCopyIndirect, nullptr, IndirectFootprint, IndirectBytes};

Op CopyRows(const Matrix& to, const Matrix& from, std::uint64_t width, std::uint64_t rows) {
  Op op;
  op.op_class = &kCopyRows;
  op.arg[0] = reinterpret_cast<std::uint64_t>(to.data);
  op.arg[1] = reinterpret_cast<std::uint64_t>(from.data);
  op.arg[2] = width;
  op.arg[4] = to.pitch;
  op.arg[5] = from.pitch;
  op.arg[6] = rows;
  return op;
}

Op CopyIndirect(const IndirectAddress& to, const IndirectAddress& from, std::uint64_t size) {
  Op op;
  op.op_class = &kCopyIndirect;
  op.arg[2] = size;
  op.arg[4] = reinterpret_cast<std::uint64_t>(to.place);
  op.arg[5] = reinterpret_cast<std::uint64_t>(from.place);
  op.arg[6] = to.offset;
  op.arg[7] = from.offset;
  return op;
}

}  // namespace softhccl::engine::ops
