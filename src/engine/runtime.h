// The runtime of one process: scheduler, watch, AICPU cores, devices, and the handles of kernels. Created on first
// use from the process configuration, never destroyed, because streams may outlive main.
#pragma once

#include "base/config.h"
#include "engine/aicpu_pool.h"
#include "engine/device.h"
#include "engine/failure_report.h"
#include "engine/foreign_threads.h"
#include "engine/invocation.h"
#include "engine/kernel_handles.h"
#include "engine/stream_event.h"
#include "exec/count_notify.h"
#include "exec/scheduler.h"
#include "exec/watch.h"

namespace softhccl::engine {

// Any thread.
class Runtime {
 public:
  static Runtime& Get();

  explicit Runtime(const base::Config& config);

  const base::Config& config() const { return config_; }
  exec::Scheduler& scheduler() { return scheduler_; }
  exec::Watch& watch() { return watch_; }
  AicpuPool& aicpu_pool() { return aicpu_pool_; }
  DeviceTable& devices() { return devices_; }
  KernelHandles& kernels() { return kernels_; }
  EventTable& events() { return events_; }
  exec::CountNotifyTable& count_notifies() { return count_notifies_; }
  ForeignThreads& foreign_threads() { return foreign_threads_; }
  FailureReports& failure_reports() { return failure_reports_; }

  // The limit of a wait in ns for an API value in seconds: 0 and UINT32_MAX mean for ever; SOFTHCCL_WAIT_LIMIT caps
  // the others.
  base::Nanos WaitLimit(std::uint32_t seconds) const;
  // The limit of a kernel: seconds, 0 means none; capped likewise.
  base::Nanos KernelLimit(double seconds) const;
  // ns a rank waits for others at connection set-up: HCCL_CONNECT_TIMEOUT, capped by SOFTHCCL_CONNECT_LIMIT.
  base::Nanos ConnectLimit(const base::HcclConfig& hccl) const;

 private:
  const base::Config config_;
  exec::Scheduler scheduler_;
  exec::Watch watch_;
  AicpuPool aicpu_pool_;
  DeviceTable devices_;
  KernelHandles kernels_;
  EventTable events_;
  exec::CountNotifyTable count_notifies_;
  ForeignThreads foreign_threads_;
  FailureReports failure_reports_;
};

}  // namespace softhccl::engine
