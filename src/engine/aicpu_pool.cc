// Handing invocations to threads, and giving up on those that never return.
#include "engine/aicpu_pool.h"

#include <sys/prctl.h>

#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/log.h"
#include "engine/crash_report.h"
#include "event/ring.h"
#include "exec/thread_census.h"

namespace softhccl::engine {
namespace {

[[noreturn]] void EndProcess(const Invocation& invocation) {
  base::Log(
      base::LogLevel::kError,
      fmt::format("kernel {} did not return within its limit of {:.1f} s. It ran on the thread that synchronises, as "
                  "quick kernels do, and cannot be given up there: the process ends",
                  invocation.label, static_cast<double>(invocation.limit) / 1e9));
  std::abort();
}

}  // namespace

base::Status AicpuPool::Run(std::shared_ptr<Invocation> invocation, exec::Ticket ticket) {
  invocation->Count(scheduler_);
  scheduler_.PokeWatch();
  invocation->started = scheduler_.Now();
  invocation->stream_id = invocation->stream->id;
  std::lock_guard lock(mutex_);
  if (free_.empty()) {
    auto core = std::make_unique<Core>();
    try {
      std::thread([this, made = core.get()] { Loop(made); }).detach();  // lives as long as the process
    } catch (const std::system_error& error) {
      invocation->Uncount(scheduler_);
      return base::Fail(base::Code::kUnavailable,
                        "no thread can be made for kernel {}: {} ({} AICPU threads exist); raise "
                        "the limit on threads",
                        invocation->label, error.what(), cores_.size());
    }
    free_.push_back(core.get());
    cores_.push_back(std::move(core));
  }
  running_.push_back(Running{invocation, ticket});
  Core* core = free_.back();
  free_.pop_back();
  core->invocation = std::move(invocation);
  core->ticket = ticket;
  core->work.notify_one();
  return {};
}

void AicpuPool::RunInline(const std::shared_ptr<Invocation>& invocation) {
  invocation->runs_inline = true;
  invocation->started = scheduler_.Now();
  invocation->stream_id = invocation->stream->id;
  std::list<Running>::iterator place;
  {
    std::lock_guard lock(mutex_);
    place = running_.insert(running_.end(), Running{invocation, {}});
  }
  {
    const exec::Scheduler::InlineRegion region;
    Execute(scheduler_, *invocation);
  }
  invocation->phase.store(Invocation::Phase::kReturned);
  std::lock_guard lock(mutex_);
  running_.erase(place);
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
  invocation->Uncount(scheduler_);
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
      if (it->invocation->runs_inline) EndProcess(*it->invocation);
      expired.push_back(*it);
      it = running_.erase(it);
    }
  }
  for (const Running& running : expired) {
    auto phase = Invocation::Phase::kRunning;
    if (!running.invocation->phase.compare_exchange_strong(phase, Invocation::Phase::kAbandoned)) continue;
    scheduler_.Resume(running.ticket, exec::ResumeCode::kTimeout);
    running.invocation->Uncount(scheduler_);
  }
  return limited;
}

std::size_t AicpuPool::thread_count() const {
  std::lock_guard lock(mutex_);
  return cores_.size();
}

}  // namespace softhccl::engine
