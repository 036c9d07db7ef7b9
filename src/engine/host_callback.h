// Host callbacks as tasks of a stream. They run on a thread that the program lends to the stream, in a call that waits
// for them, or on a thread of the library; never on an executor. While a blocking one has not returned, its stream
// waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "base/clock.h"
#include "base/status.h"
#include "exec/op.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

struct HostCallback {
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  bool is_blocking = true;
  bool on_own_thread = false;    // of the library
  std::uint64_t subscriber = 0;  // handle of the stream whose thread runs it, unless on_own_thread
  std::uint64_t stream = 0;      // handle
  exec::Ticket ticket;           // of the stream that waits, when it is blocking
};

// Which thread runs the callbacks of which stream, and what waits for it. Any thread.
class HostCallbacks {
 public:
  static HostCallbacks& Get();

  // Thread ids are those of pthread_self. Errors: kRepeated when the stream has a thread already.
  base::Status Subscribe(std::uint64_t thread, const exec::Stream& stream);
  // Callbacks that were not run yet fail their stream. Errors: kNotFound when this is not its thread.
  base::Status Unsubscribe(std::uint64_t thread, std::uint64_t stream);
  bool IsSubscribed(std::uint64_t stream) const;
  // The stream is gone.
  void ForgetStream(std::uint64_t stream);

  // Waits for one callback of the calling thread's streams and runs it. Errors: kSyncTimeout, kNotFound when the thread
  // has no stream (told after the limit, because it may get one meanwhile; at once without limit).
  base::Status Process(base::Nanos limit);

  // Drops what waits for a thread and lets the stream go on with a failure.
  void Cancel(std::uint64_t stream);

  // Called by the op. False when nobody can run it.
  bool Post(HostCallback callback);

 private:
  // The callbacks that one thread of the program is to run.
  struct Queue {
    std::condition_variable changed;
    std::deque<HostCallback> waiting;
    std::set<std::uint64_t> streams;
  };
  static void RunOne(const HostCallback& callback);
  // Takes the callbacks whose subscriber or waiting stream is `stream` out of all queues.
  std::deque<HostCallback> TakeLocked(std::uint64_t HostCallback::* whose, std::uint64_t stream);
  static void Abort(const std::deque<HostCallback>& callbacks);

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Queue>> queues_;  // guarded by mutex_, contents too; by thread
  std::map<std::uint64_t, std::uint64_t> threads_;          // guarded by mutex_; by stream
};

namespace ops {

// Runs the callback; `callback.stream` and `.ticket` are filled in.
exec::Op RunHostCallback(const HostCallback& callback);

}  // namespace ops
}  // namespace softhccl::engine
