// A kernel on a stream: the op suspends its stream until the kernel function has returned. Small kernels that have
// shown it run on the very thread that synchronises, which saves two thread switches.
#include <sys/resource.h>

#include <pthread.h>

#include <atomic>

#include "engine/aicpu_pool.h"
#include "engine/ops/classes.h"
#include "engine/ops/clone.h"
#include "engine/ops/ops.h"
#include "engine/runtime.h"
#include "memory/memory.h"

namespace softhccl::engine::ops {
namespace {

using base::Code;
using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

using Owner = std::shared_ptr<Invocation>;

// arg: 0 Owner*, owned by the op
Owner* OwnerOf(const Op& op) { return reinterpret_cast<Owner*>(op.arg[0]); }

// A kernel gets at least this much stack when it runs on somebody else's thread.
bool EnoughStackLeft() {
  constexpr std::size_t kNeeded = 512 * 1024;
  static thread_local const char* lowest = [] {
    pthread_attr_t attributes;
    void* address = nullptr;
    std::size_t size = 0;
    if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
      ::pthread_attr_getstack(&attributes, &address, &size);
      ::pthread_attr_destroy(&attributes);
    }
    return static_cast<const char*>(address);
  }();
  const char here = 0;
  return lowest != nullptr && static_cast<std::size_t>(&here - lowest) > kNeeded;
}

OpOutcome Finish(OpContext& context, Op& op) {
  const Owner invocation = *OwnerOf(op);
  delete OwnerOf(op);
  op.arg[0] = 0;
  base::Status outcome;
  if (invocation->phase.load() == Invocation::Phase::kAbandoned) {
    outcome = base::Fail(Code::kKernelTimeout,
                         "kernel {} did not return within its limit of {:.1f} s; its thread is given up",
                         invocation->label, static_cast<double>(invocation->limit) / 1e9);
  } else {
    outcome = Outcome(*invocation);
  }
  if (outcome.ok()) return OpOutcome::kDone;
  for (const exec::Party& party : invocation->context.Parties()) context.scheduler().AbortParty(party, outcome);
  // A kernel that was given up will not release what it holds; others must not wait for that.
  static_cast<void>(invocation->context.ReleaseAllHeld());
  NoteFailedKernel(invocation);
  return context.Fail(std::move(outcome));
}

void SkipKernel(Op& op, const base::Status&) {
  delete OwnerOf(op);
  op.arg[0] = 0;
}

// A kernel whose caller wants to be rid of it soon runs where it can be given up.
constexpr base::Nanos kShortestInlineLimit = base::FromSeconds(60);

OpOutcome RunKernel(OpContext& context, Op& op) {
  if (context.resume_code() != exec::ResumeCode::kNone) return Finish(context, op);
  const Owner& invocation = *OwnerOf(op);
  if (!invocation->function) return Finish(context, op);
  // Arguments in device memory may have been freed between the call and now.
  const auto arguments = invocation->arguments_in_place;
  base::Status valid = memory::Memory::Process().CheckRange(arguments.data(), arguments.size(), "argsData");
  if (!valid.ok()) {
    SkipKernel(op, valid);
    return context.Fail(std::move(valid));
  }
  if (context.MayRunInline() && invocation->info->MayRunInline() && invocation->limit >= kShortestInlineLimit &&
      EnoughStackLeft()) {
    Runtime::Get().aicpu_pool().RunInline(invocation);
    return Finish(context, op);
  }
  const exec::Ticket ticket = context.Suspend(0, base::kForever);
  base::Status started = Runtime::Get().aicpu_pool().Run(invocation, ticket);
  if (started.ok()) return OpOutcome::kSuspended;
  NoteFailedKernel(invocation);
  SkipKernel(op, started);
  return context.Fail(std::move(started));
}

exec::Footprint KernelFootprint(const Op&) { return {}; }

}  // namespace

const exec::OpClass kKernelLaunch = {"kernel launch", RunKernel, SkipKernel, KernelFootprint, nullptr};

std::uint64_t NextLaunchNumber() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1) + 1;
}

const Invocation& LaunchOf(const Op& op) { return **OwnerOf(op); }

void SetLaunchStream(Op& op, exec::Stream& stream) { (*OwnerOf(op))->stream = &stream; }

void DropKernelLaunch(Op& op) { SkipKernel(op, {}); }

Op CloneKernelLaunch(const Op& op, exec::Stream& stream) {
  const Invocation& recorded = LaunchOf(op);
  // Addresses of data behind the arguments point into the recorded ones, so those live as long as the copy.
  const Owner invocation(new Invocation, [keep = *OwnerOf(op)](Invocation* own) { delete own; });
  invocation->info = recorded.info;
  invocation->function = recorded.function;
  invocation->arguments = recorded.arguments;
  invocation->arguments_in_place = recorded.arguments_in_place;
  invocation->blocks = recorded.blocks;
  invocation->device = recorded.device;
  invocation->number = NextLaunchNumber();
  invocation->stream = &stream;
  invocation->limit = recorded.limit;
  invocation->config = recorded.config;
  invocation->label =
      fmt::format("{}#{} on device {}", recorded.info->entry.kernel_name, invocation->number, recorded.device);
  Op copy = op;
  copy.arg[0] = reinterpret_cast<std::uint64_t>(new Owner(invocation));
  return copy;
}

Op KernelLaunch(std::shared_ptr<Invocation> invocation) {
  Op op;
  op.op_class = &kKernelLaunch;
  op.arg[0] = reinterpret_cast<std::uint64_t>(new Owner(std::move(invocation)));
  return op;
}

}  // namespace softhccl::engine::ops
