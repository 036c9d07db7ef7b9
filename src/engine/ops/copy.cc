// Moving bytes: within this rank, and from a peer's window.
#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "memory/memory.h"

namespace softhccl::engine::ops {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

// arg: 0 to, 1 from, 2 size, 3 done, 4 link (reads)
std::byte* To(const Op& op) { return reinterpret_cast<std::byte*>(op.arg[0]); }
const std::byte* From(const Op& op) { return reinterpret_cast<const std::byte*>(op.arg[1]); }

exec::Footprint CopyFootprint(const Op& op) {
  exec::Footprint footprint;
  footprint.read = {From(op), op.arg[2]};
  footprint.written = {To(op), op.arg[2]};
  return footprint;
}

std::uint64_t CopyBytes(const Op& op) { return op.arg[2]; }

// Memory may have been freed between the call and now; asking again costs nanoseconds, a fault would cost the process.
base::Status CheckBoth(const Op& op) {
  if (op.arg[3] != 0) return {};
  memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(To(op), op.arg[2], "dst"));
  return memory.CheckRange(From(op), op.arg[2], "src");
}

OpOutcome RunLocalCopy(OpContext& context, Op& op) {
  base::Status valid = CheckBoth(op);
  if (!valid.ok()) return context.Fail(std::move(valid));
  return transport::CopyQuantum(To(op), From(op), op.arg[2], &op.arg[3]);
}

OpOutcome RunRead(OpContext& context, Op& op) {
  base::Status valid = CheckBoth(op);
  if (!valid.ok()) return context.Fail(std::move(valid));
  auto* link = reinterpret_cast<transport::Link*>(op.arg[4]);
  return link->Read(context, To(op), From(op), op.arg[2], nullptr, &op.arg[3]);
}

Op MakeCopy(const exec::OpClass* op_class, void* to, const void* from, std::uint64_t size) {
  Op op;
  op.op_class = op_class;
  op.arg[0] = reinterpret_cast<std::uint64_t>(to);
  op.arg[1] = reinterpret_cast<std::uint64_t>(from);
  op.arg[2] = size;
  return op;
}

}  // namespace

const exec::OpClass kLocalCopy = {"local copy", RunLocalCopy, nullptr, CopyFootprint, CopyBytes};
const exec::OpClass kRead = {"read", RunRead, nullptr, CopyFootprint, CopyBytes};

Op LocalCopy(void* to, const void* from, std::uint64_t size) { return MakeCopy(&kLocalCopy, to, from, size); }

Op Read(transport::Link* link, void* to, const void* from, std::uint64_t size) {
  Op op = MakeCopy(&kRead, to, from, size);
  op.arg[4] = reinterpret_cast<std::uint64_t>(link);
  return op;
}

}  // namespace softhccl::engine::ops
