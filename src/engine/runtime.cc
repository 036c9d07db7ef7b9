// Assembly of the runtime, and the one place where the time-limit variables are applied.
#include "engine/runtime.h"

#include <algorithm>

namespace softhccl::engine {
namespace {

exec::SchedulerOptions SchedulerOptionsFrom(const base::Config& config) {
  exec::SchedulerOptions options;
  options.workers = config.workers;
  if (config.workers > 0) options.permits = config.workers;
  options.seed = config.seed;
  return options;
}

exec::WatchOptions WatchOptionsFrom(const base::Config& config) {
  exec::WatchOptions options;
  options.detect_deadlock = config.detect_deadlock;
  options.stall_warning = config.stall_warning;
  return options;
}

}  // namespace

Runtime& Runtime::Get() {
  static auto* runtime = new Runtime(base::ProcessConfig());
  return *runtime;
}

Runtime::Runtime(const base::Config& config)
    : config_(config),
      scheduler_(SchedulerOptionsFrom(config)),
      watch_(scheduler_, WatchOptionsFrom(config)),
      aicpu_pool_(scheduler_),
      devices_(scheduler_, config),
      foreign_threads_(scheduler_),
      failure_reports_(scheduler_, foreign_threads_) {
  scheduler_.SetFailureObserver([this](exec::Stream& stream, const exec::Op& op, const base::Status& failure) {
    failure_reports_.Observe(stream, op, failure);
  });
  watch_.AddTicker([this](base::Nanos now) { return aicpu_pool_.CheckLimits(now); });
}

base::Nanos Runtime::WaitLimit(std::uint32_t seconds) const {
  if (seconds == 0 || seconds == UINT32_MAX) return base::kForever;
  return KernelLimit(seconds);
}

base::Nanos Runtime::KernelLimit(double seconds) const {
  if (seconds <= 0) return base::kForever;
  const base::Nanos limit = base::FromSeconds(seconds);
  return config_.wait_limit > 0 ? std::min(limit, config_.wait_limit) : limit;
}

base::Nanos Runtime::ConnectLimit(const base::HcclConfig& hccl) const {
  const base::Nanos limit = base::FromSeconds(static_cast<double>(hccl.connect_timeout_s));
  return config_.connect_limit > 0 ? std::min(limit, config_.connect_limit) : limit;
}

}  // namespace softhccl::engine
