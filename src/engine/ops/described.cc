// Ops whose arguments lie in device memory as a description that the program made there: earlier work of the stream may
// still change it, so it is read when the op begins. And hints to the cache, of which only the check is left: the
// processor's caches are coherent, so that no hint changes a result.
#include <cstring>

#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "memory/memory.h"
#include "transport/accumulate.h"

namespace softhccl::engine::ops {
namespace {

using base::Code;
using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

std::byte* At(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

template <typename Description>
base::Result<Description> ReadDescription(std::uint64_t place, const char* argument, const char* maker) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(memory::Memory::Process().CheckRange(At(place), sizeof(Description), argument));
  Description description;
  std::memcpy(&description, At(place), sizeof description);
  if (description.magic == Description::kMagic) return description;
  return base::FailResult(Code::kInvalidParam, "{} 0x{:x} holds no description when the task begins; make it with {}",
                          argument, place, maker);
}

// --- copy; arg: 0 address of the description, 1 to, 2 from, 3 size, 4 done, 5 whether 1 to 3 are known

base::Status ReadCopy(Op& op) {
  auto copy = ReadDescription<CopyDescription>(op.arg[0], "desc", "aclrtSetMemcpyDesc");
  if (!copy) return std::move(copy).error();
  const memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(At(copy->to), copy->size, "dstAddr"));
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(At(copy->from), copy->size, "srcAddr"));
  op.arg[1] = copy->to;
  op.arg[2] = copy->from;
  op.arg[3] = copy->size;
  op.arg[5] = 1;
  return {};
}

OpOutcome RunCopy(OpContext& context, Op& op) {
  if (op.arg[5] == 0) {
    base::Status read = ReadCopy(op);
    if (!read.ok()) return context.Fail(std::move(read));
  }
  return transport::CopyQuantum(At(op.arg[1]), At(op.arg[2]), op.arg[3], &op.arg[4]);
}

exec::Footprint CopyFootprint(const Op& op) {
  exec::Footprint footprint;
  if (op.arg[5] == 0) return footprint;  // nobody knows yet
  footprint.read = {At(op.arg[2]), op.arg[3]};
  footprint.written = {At(op.arg[1]), op.arg[3]};
  return footprint;
}

std::uint64_t CopyBytes(const Op& op) { return op.arg[3]; }

// --- hint; arg: 0 address, 1 size, 2 address of the description instead, 0: none

OpOutcome RunHint(OpContext& context, Op& op) {
  if (op.arg[2] != 0) {
    auto range = ReadDescription<RangeDescription>(op.arg[2], "cmoDesc", "aclrtCmoSetDesc");
    if (!range) return context.Fail(std::move(range).error());
    op.arg[0] = range->address;
    op.arg[1] = range->size;
  }
  base::Status valid = memory::Memory::Process().CheckRange(At(op.arg[0]), op.arg[1], "src");
  return valid.ok() ? OpOutcome::kDone : context.Fail(std::move(valid));
}

exec::Footprint NoFootprint(const Op&) { return {}; }  // a hint reads and writes nothing

}  // namespace

const exec::OpClass kCopyDescribed = {"described copy", RunCopy, nullptr, CopyFootprint, CopyBytes};
const exec::OpClass kCacheHint = {"cache hint", RunHint, nullptr, NoFootprint, nullptr};

Op CopyDescribed(const void* description) {
  Op op;
  op.op_class = &kCopyDescribed;
  op.arg[0] = reinterpret_cast<std::uint64_t>(description);
  return op;
}

Op CacheHint(const void* address, std::uint64_t size) {
  Op op;
  op.op_class = &kCacheHint;
  op.arg[0] = reinterpret_cast<std::uint64_t>(address);
  op.arg[1] = size;
  return op;
}

Op CacheHintDescribed(const void* description) {
  Op op;
  op.op_class = &kCacheHint;
  op.arg[2] = reinterpret_cast<std::uint64_t>(description);
  return op;
}

}  // namespace softhccl::engine::ops
