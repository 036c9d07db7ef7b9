// A mark in a queue that wakes a thread that sleeps until the queue has come there, whatever became of the ops before.
#include <memory>

#include "base/os.h"
#include "engine/ops/classes.h"
#include "engine/ops/ops.h"

namespace softhccl::engine::ops {
namespace {

using Owner = std::shared_ptr<std::atomic<std::uint32_t>>;

// arg: 0 Owner*, owned by the op
void Reach(exec::Op& op) {
  const std::unique_ptr<Owner> owner(reinterpret_cast<Owner*>(op.arg[0]));
  op.arg[0] = 0;
  (*owner)->store(1);
  base::FutexWake(**owner, 1);
}

exec::OpOutcome RunSignal(exec::OpContext&, exec::Op& op) {
  Reach(op);
  return exec::OpOutcome::kDone;
}

void SkipSignal(exec::Op& op, const base::Status&) { Reach(op); }

exec::Footprint NoFootprint(const exec::Op&) { return {}; }

}  // namespace

const exec::OpClass kSignal = {"signal", RunSignal, SkipSignal, NoFootprint, nullptr};

exec::Op Signal(std::shared_ptr<std::atomic<std::uint32_t>> word) {
  exec::Op op;
  op.op_class = &kSignal;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new Owner(std::move(word)));
  return op;
}

}  // namespace softhccl::engine::ops
