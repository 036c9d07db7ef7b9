// Threads for code of the program that is neither a kernel nor a caller of the library: callbacks. Such code may block,
// so it never runs on an executor; the pool grows whenever no thread is free.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

// Any thread. Its threads live as long as the process.
class ForeignThreads {
 public:
  explicit ForeignThreads(exec::Scheduler& scheduler) : scheduler_(scheduler) {}

  // Runs `work` soon. From now until it has returned the scheduler counts it as running elsewhere. Errors:
  // kUnavailable when no thread can be made.
  base::Status Run(std::function<void()> work);

 private:
  struct Worker {
    std::condition_variable wake;
    std::function<void()> work;  // null: free
  };
  void Loop(Worker* worker);

  exec::Scheduler& scheduler_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;  // guarded by mutex_
  std::vector<Worker*> free_;                     // guarded by mutex_; last in first out
};

// While it lives, the calling thread runs a callback of the program: it must not wait for streams.
class CallbackRegion {
 public:
  CallbackRegion();
  ~CallbackRegion();
  CallbackRegion(const CallbackRegion&) = delete;
  CallbackRegion& operator=(const CallbackRegion&) = delete;
};
bool IsInCallback();

}  // namespace softhccl::engine
