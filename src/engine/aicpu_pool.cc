// Handing invocations to threads, and giving up on those that never return.
#include "engine/aicpu_pool.h"

#include <sys/prctl.h>

#include <thread>

#include "base/log.h"
#include "engine/crash_report.h"
#include "event/ring.h"
#include "exec/thread_census.h"

namespace softhccl::engine {

void AicpuPool::Run(std::shared_ptr<Invocation> invocation, exec::Ticket ticket) {
  scheduler_.CountForeign(1);
  scheduler_.PokeWatch();
  invocation->started = scheduler_.Now();
  std::lock_guard lock(mutex_);
  running_.push_back(Running{invocation, ticket});
  Core* core = nullptr;
  if (!free_.empty()) {
    core = free_.back();
    free_.pop_back();
    core->invocation = std::move(invocation);
    core->ticket = ticket;
    core->work.notify_one();
    return;
  }
  cores_.push_back(std::make_unique<Core>());
  core = cores_.back().get();
  core->invocation = std::move(invocation);
  core->ticket = ticket;
  std::thread([this, core] { Loop(core); }).detach();  // lives as long as the process
}

void AicpuPool::Loop(Core* core) {
  ::prctl(PR_SET_NAME, "shccl-aicpu");
  PrepareThreadForCrashReport();
  std::unique_lock lock(mutex_);
  for (;;) {
    {
      const exec::ScopedOwnThread idle;
      core->work.wait(lock, [&] { return core->invocation != nullptr; });
    }
    auto invocation = core->invocation;
    const exec::Ticket ticket = core->ticket;
    lock.unlock();
    event::AttachThread("aicpu core");
    Serve(core, std::move(invocation), ticket);
    lock.lock();
  }
}

void AicpuPool::Serve(Core* core, std::shared_ptr<Invocation> invocation, exec::Ticket ticket) {
  Execute(scheduler_, *invocation);
  {
    std::lock_guard lock(mutex_);
    running_.remove_if([&](const Running& running) { return running.invocation == invocation; });
    // Free before the stream goes on: its next kernel finds this core.
    core->invocation = nullptr;
    free_.push_back(core);
  }
  auto running = Invocation::Phase::kRunning;
  if (!invocation->phase.compare_exchange_strong(running, Invocation::Phase::kReturned)) return;  // given up already
  scheduler_.Resume(ticket, exec::ResumeCode::kSignalled);
  scheduler_.CountForeign(-1);
}

bool AicpuPool::CheckLimits(base::Nanos now) {
  std::vector<Running> expired;
  bool limited = false;
  {
    std::lock_guard lock(mutex_);
    for (auto it = running_.begin(); it != running_.end();) {
      if (it->invocation->limit == base::kForever || now - it->invocation->started < it->invocation->limit) {
        limited = limited || it->invocation->limit != base::kForever;
        ++it;
        continue;
      }
      expired.push_back(*it);
      it = running_.erase(it);
    }
  }
  for (const Running& running : expired) {
    auto phase = Invocation::Phase::kRunning;
    if (!running.invocation->phase.compare_exchange_strong(phase, Invocation::Phase::kAbandoned)) continue;
    scheduler_.Resume(running.ticket, exec::ResumeCode::kTimeout);
    scheduler_.CountForeign(-1);
  }
  return limited;
}

std::size_t AicpuPool::thread_count() const {
  std::lock_guard lock(mutex_);
  return cores_.size();
}

}  // namespace softhccl::engine
