// Writing a word of memory and waiting for one. The record of both is complete in itself until a wait has to wait, so
// that they can be recorded and made again.
#include <atomic>

#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "exec/scheduler.h"
#include "exec/word_wait.h"
#include "memory/memory.h"

namespace softhccl::engine::ops {
namespace {

using exec::AwaitedWord;
using exec::Op;
using exec::OpContext;
using exec::OpOutcome;
using exec::WordWait;

// --- write; arg: 0 address, 1 value

std::uint64_t* WordOf(const Op& op) { return reinterpret_cast<std::uint64_t*>(op.arg[0]); }

OpOutcome RunWrite(OpContext& context, Op& op) {
  base::Status valid = memory::Memory::Process().CheckRange(WordOf(op), sizeof(std::uint64_t), "devAddr");
  if (!valid.ok()) return context.Fail(std::move(valid));
  std::atomic_ref<std::uint64_t>(*WordOf(op)).store(op.arg[1]);
  return OpOutcome::kDone;
}

exec::Footprint WriteFootprint(const Op& op) {
  exec::Footprint footprint;
  footprint.written = {WordOf(op), sizeof(std::uint64_t)};
  return footprint;
}

// --- wait; arg: 0 address, 1 value, 2 test, 3 WordWait* once it waits, owned by the op

WordWait* WaitOf(const Op& op) { return reinterpret_cast<WordWait*>(op.arg[3]); }

OpOutcome RunWait(OpContext& context, Op& op) {
  if (WaitOf(op) == nullptr) {
    auto begun = WordWait::Begin(context, {WordOf(op), op.arg[1], static_cast<exec::WordTest>(op.arg[2])});
    if (!begun) return context.Fail(std::move(begun).error());
    if (*begun == nullptr) return OpOutcome::kDone;
    op.arg[3] = reinterpret_cast<std::uint64_t>(begun->release());
  }
  const OpOutcome outcome = WaitOf(op)->Run(context, op);
  if (outcome == OpOutcome::kSuspended) return outcome;
  delete WaitOf(op);
  op.arg[3] = 0;
  return outcome;
}

void SkipWait(Op& op, const base::Status&) {
  delete WaitOf(op);
  op.arg[3] = 0;
}

exec::Footprint WaitFootprint(const Op& op) {
  exec::Footprint footprint;
  footprint.read = {WordOf(op), sizeof(std::uint64_t)};
  return footprint;
}

}  // namespace

const exec::OpClass kValueWrite = {"value write", RunWrite, nullptr, WriteFootprint, nullptr};
const exec::OpClass kValueWait = {"value wait", RunWait, SkipWait, WaitFootprint, nullptr};

Op ValueWrite(void* address, std::uint64_t value) {
  Op op;
  op.op_class = &kValueWrite;
  op.arg[0] = reinterpret_cast<std::uint64_t>(address);
  op.arg[1] = value;
  return op;
}

Op ValueWait(const AwaitedWord& word) {
  Op op;
  op.op_class = &kValueWait;
  op.arg[0] = reinterpret_cast<std::uint64_t>(word.address);
  op.arg[1] = word.value;
  op.arg[2] = static_cast<std::uint64_t>(word.test);
  return op;
}

}  // namespace softhccl::engine::ops
