// Running kernel code on some thread, and tidying up behind it.
#include "engine/invocation.h"

#include "base/log.h"
#include "engine/crash_report.h"
#include "event/ring.h"

namespace softhccl::engine {

using base::Code;

namespace {
thread_local Invocation* t_invocation = nullptr;
}  // namespace

void KernelInfo::NoteDuration(base::Nanos duration) {
  if (duration > kDemotion) {
    fast_returns.store(0);
  } else if (duration > kFast) {
    if (fast_returns.load() < kEarned) fast_returns.store(0);
  } else if (fast_returns.load() < kEarned) {
    fast_returns.fetch_add(1);
  }
}

Invocation* CurrentInvocation() { return t_invocation; }

LaunchContext& CurrentContext() {
  static thread_local LaunchContext host;
  return t_invocation != nullptr ? t_invocation->context : host;
}

namespace {

// An error path of a kernel often forgets End or Release: the next launch must not pay for it.
void CloseContext(Invocation& invocation) {
  LaunchContext& context = invocation.context;
  if (context.batch_open) {
    std::size_t dropped = 0;
    for (const auto& batch : context.batches) dropped += batch.ops.size();
    base::Log(
        base::LogLevel::kWarning,
        fmt::format("{} returned with batch \"{}\" open: its {} queued ops are not submitted; call HcommBatchModeEnd "
                    "on every path",
                    invocation.label, context.batch_tag, dropped));
    context.batch_open = false;
    context.batches.clear();
  }
  for (auto& held : context.held) {
    base::Log(base::LogLevel::kWarning,
              fmt::format("{} returned without HcommReleaseComm(\"{}\"): released now; release on every path",
                          invocation.label, held.name));
    held.release();
  }
  context.held.clear();
}

}  // namespace

void Execute(exec::Scheduler& scheduler, Invocation& invocation) {
  Invocation* outer = t_invocation;
  t_invocation = &invocation;
  const ScopedCrashLabel crash_label(invocation.label);
  event::Emit(event::Kind::kKernelStart, invocation.stream->id, invocation.info->name_id, invocation.number);
  const base::Nanos before = scheduler.Now();
  std::uint32_t result = 0;
  for (std::uint32_t block = 0; block < invocation.blocks && result == 0; ++block) {
    result = (*invocation.function)(invocation.arguments.data());
  }
  invocation.info->NoteDuration(scheduler.Now() - before);
  invocation.result = result;
  CloseContext(invocation);
  event::Emit(event::Kind::kKernelEnd, invocation.stream->id, invocation.info->name_id, invocation.number, result);
  t_invocation = outer;
}

base::Status Outcome(const Invocation& invocation) {
  if (!invocation.function) return invocation.function.error();
  if (!invocation.context.failure.ok()) {
    return base::Status(invocation.context.failure).While(fmt::format("running {}", invocation.label));
  }
  if (invocation.result == 0) return {};
  return base::Fail(Code::kKernelFailed, "kernel {} returned {} (0 means success)", invocation.label,
                    invocation.result);
}

}  // namespace softhccl::engine
