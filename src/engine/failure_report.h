// What a program is told about a task that failed: which one, where, why. Also the place where a failure stops the
// other streams of a context, when the program asked for that.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "engine/foreign_threads.h"
#include "engine/invocation.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

struct FailureReport {
  std::uint64_t task = 0;  // number on its stream
  std::uint32_t stream = 0;
  std::int32_t thread = 0;  // kernel thread id of the thread that queued last on that stream
  int device = -1;
  base::Status failure;
  std::shared_ptr<Invocation> kernel;  // null: the task is no kernel
};

// Any thread.
class FailureReports {
 public:
  FailureReports(exec::Scheduler& scheduler, ForeignThreads& threads) : scheduler_(scheduler), threads_(threads) {}

  // Called once per failure, on a thread that may block. Null: nobody wants to know.
  using Sink = std::function<void(const FailureReport&)>;
  void SetSink(Sink sink);

  // Called by the scheduler, on the thread that ran the op.
  void Observe(exec::Stream& stream, const exec::Op& op, const base::Status& failure);
  // Waits until the sink knows of every failure so far; no effect inside a callback.
  void Flush();

 private:
  void StopContext(const exec::Stream& stream, const base::Status& failure);

  exec::Scheduler& scheduler_;
  ForeignThreads& threads_;
  std::mutex mutex_;
  std::condition_variable told_;
  std::shared_ptr<const Sink> sink_;  // guarded by mutex_
  int open_ = 0;                      // guarded by mutex_: reports on their way
};

// The launch whose failure the calling thread is about to return from its op.
void NoteFailedKernel(std::shared_ptr<Invocation> invocation);

}  // namespace softhccl::engine
