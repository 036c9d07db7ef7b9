// The AICPU cores: OS threads that run kernel code, which may block. The pool grows whenever a kernel finds no free
// thread, so that a kernel never waits for one that is busy with another kernel, and threads are re-used.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/invocation.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

// Any thread. Its threads live as long as the process.
class AicpuPool {
 public:
  explicit AicpuPool(exec::Scheduler& scheduler) : scheduler_(scheduler) {}

  // Runs the kernel on a free core and resumes `ticket` when it has returned or outlived its limit. Errors:
  // kUnavailable when no thread can be made; the ticket is then not used.
  base::Status Run(std::shared_ptr<Invocation> invocation, exec::Ticket ticket);
  // Runs the kernel on the calling thread, an executor with a turn. A kernel that outlives its limit there cannot be
  // given up: the watch says so and ends the process.
  void RunInline(const std::shared_ptr<Invocation>& invocation);

  // Ends invocations that have outlived their limit; true while any with a limit is running. Called by the watch.
  bool CheckLimits(base::Nanos now);

  std::size_t thread_count() const;

 private:
  struct Core {
    std::condition_variable work;
    std::shared_ptr<Invocation> invocation;  // null: free
    exec::Ticket ticket;
  };
  void Loop(Core* core);
  void Serve(Core* core, std::shared_ptr<Invocation> invocation, exec::Ticket ticket);

  exec::Scheduler& scheduler_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Core>> cores_;  // guarded by mutex_
  std::vector<Core*> free_;                   // guarded by mutex_; last in first out
  struct Running {
    std::shared_ptr<Invocation> invocation;
    exec::Ticket ticket;
  };
  std::list<Running> running_;  // guarded by mutex_
};

}  // namespace softhccl::engine
