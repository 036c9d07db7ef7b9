// Running kernel code on some thread, and tidying up behind it.
#include "engine/invocation.h"

#include <algorithm>

#include "base/log.h"
#include "engine/crash_report.h"
#include "engine/open_work.h"
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

bool LaunchContext::HoldsAny() const {
  const std::lock_guard lock(mutex_);
  return !held_.empty();
}

void LaunchContext::Hold(Held held) {
  std::lock_guard lock(mutex_);
  held_.push_back(std::move(held));
}

void LaunchContext::ReleaseHeld(const std::string& name) {
  Held found;
  {
    std::lock_guard lock(mutex_);
    const auto place = std::find_if(held_.begin(), held_.end(), [&](const Held& held) { return held.name == name; });
    if (place == held_.end()) return;
    found = std::move(*place);
    held_.erase(place);
  }
  found.release();
}

std::vector<std::string> LaunchContext::ReleaseAllHeld() {
  std::vector<Held> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(held_);
  }
  std::vector<std::string> names;
  for (const Held& held : all) {
    held.release();
    names.push_back(held.name);
  }
  return names;
}

bool LaunchContext::NoteParty(const exec::Party& party) {
  std::lock_guard lock(mutex_);
  for (const exec::Party& known : parties_) {
    if (known.domain == party.domain && known.rank == party.rank) return false;
  }
  parties_.push_back(party);
  return true;
}

std::vector<exec::Party> LaunchContext::Parties() const {
  std::lock_guard lock(mutex_);
  return parties_;
}

Invocation* CurrentInvocation() { return t_invocation; }

LaunchContext& CurrentContext() {
  // A thread that ends with its batch open submits it no more.
  struct HostContext {
    LaunchContext context;
    ~HostContext() {
      if (context.batch_open) CountOpenWork(-1);
    }
  };
  static thread_local HostContext host;
  return t_invocation != nullptr ? t_invocation->context : host.context;
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
                    "on every path (SH-K004)",
                    invocation.label, context.batch_tag, dropped));
    context.batch_open = false;
    context.batches.clear();
    CountOpenWork(-1);
  }
  if (context.recording != nullptr) {
    base::Log(base::LogLevel::kWarning,
              fmt::format("{} returned while recording task cache \"{}\": its tasks run, but nothing is kept; call "
                          "HcommAicpuTsTaskCacheEnd on every path (SH-K004)",
                          invocation.label, context.recording->tag()));
    context.recording.reset();
  }
  for (const std::string& name : context.ReleaseAllHeld()) {
    base::Log(base::LogLevel::kWarning,
              fmt::format("{} returned without HcommReleaseComm(\"{}\"): released now; release on every path (SH-K004)",
                          invocation.label, name));
  }
}

}  // namespace

namespace {

// An exception must not unwind the runtime: it ends the process here, with the kernel's name (crash_report.h).
std::uint32_t CallKernel(KernelFunction function, void* arguments) noexcept { return function(arguments); }

}  // namespace

void Execute(exec::Scheduler& scheduler, Invocation& invocation) {
  Invocation* outer = t_invocation;
  t_invocation = &invocation;
  CountOpenWork(1);
  const ScopedCrashLabel crash_label(invocation.label);
  event::Emit(event::Kind::kKernelStart, invocation.stream_id, invocation.info->name_id, invocation.number);
  const base::Nanos before = scheduler.Now();
  std::uint32_t result = 0;
  for (std::uint32_t block = 0; block < invocation.blocks && result == 0; ++block) {
    result = CallKernel(*invocation.function, invocation.ArgumentAddress());
  }
  invocation.info->NoteDuration(scheduler.Now() - before);
  invocation.result = result;
  CloseContext(invocation);
  CountOpenWork(-1);
  event::Emit(event::Kind::kKernelEnd, invocation.stream_id, invocation.info->name_id, invocation.number, result);
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
