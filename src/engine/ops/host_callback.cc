// A host callback on a stream: the op hands it to its thread, and suspends the stream until it has returned when it is
// a blocking one. Skipped ones are not run, like every other task behind a failure.
#include "engine/host_callback.h"

#include "engine/ops/classes.h"
#include "engine/ops/clone.h"

namespace softhccl::engine::ops {
namespace {

using base::Code;
using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

// arg: 0 HostCallback*, owned by the op until it was handed on
HostCallback TakeCallback(Op& op) {
  const std::unique_ptr<HostCallback> owner(reinterpret_cast<HostCallback*>(op.arg[0]));
  op.arg[0] = 0;
  return *owner;
}

OpOutcome RunCallback(OpContext& context, Op& op) {
  if (context.resume_code() == exec::ResumeCode::kSignalled) return OpOutcome::kDone;
  if (context.resume_code() != exec::ResumeCode::kNone) {
    return context.Fail(
        base::Fail(Code::kInvalidParam, "a host callback was given up before its thread ran it to its end"));
  }
  HostCallback callback = TakeCallback(op);
  callback.stream = context.stream().handle;
  if (callback.is_blocking) callback.ticket = context.Suspend(0, base::kForever);
  if (HostCallbacks::Get().Post(callback)) {
    // An abort may have looked for callbacks just before this one was there.
    if (context.stream().ending()) HostCallbacks::Get().Cancel(callback.stream);
    return callback.is_blocking ? OpOutcome::kSuspended : OpOutcome::kDone;
  }
  return context.Fail(
      base::Fail(Code::kInvalidParam, "a host callback has no thread to run on; keep one subscribed until it has run"));
}

// Also of an op that has handed its callback on and waits for it.
void SkipCallback(Op& op, const base::Status&) {
  delete reinterpret_cast<HostCallback*>(op.arg[0]);
  op.arg[0] = 0;
}

exec::Footprint NoFootprint(const Op&) { return {}; }

}  // namespace

const exec::OpClass kHostCallback = {"host callback", RunCallback, SkipCallback, NoFootprint, nullptr};

Op RunHostCallback(const HostCallback& callback) {
  Op op;
  op.op_class = &kHostCallback;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new HostCallback(callback));
  return op;
}

Op CloneHostCallback(const Op& op) {
  Op copy = op;
  copy.arg[0] = reinterpret_cast<std::uint64_t>(new HostCallback(*reinterpret_cast<HostCallback*>(op.arg[0])));
  return copy;
}

void DropHostCallback(Op& op) { SkipCallback(op, {}); }

}  // namespace softhccl::engine::ops
