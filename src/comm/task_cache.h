// The task cache: sequences of data-plane tasks that were recorded under a tag, to be queued again with other buffers
// and without the kernel computing them again. What is kept refers to threads, channels and notifies by handle, so that
// a sequence whose objects are gone is recognised: a lookup misses it, a replay is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engine/invocation.h"
#include "engine/ops/shape.h"
#include "engine/task_recording.h"

namespace softhccl::comm {

// One recorded sequence; constant once it is stored.
struct CachedTasks {
  struct Task {
    exec::Op op;
    const engine::ops::Shape* shape = nullptr;
    int to_buffer = -1;  // the buffer that the address lies in, -1: none, it stays as it is
    int from_buffer = -1;
    std::uint64_t channel = 0;  // handle, 0: none
  };
  struct Queue {
    std::uint64_t stream = 0;  // handle
    std::vector<Task> tasks;
  };
  std::vector<engine::TaskBuffer> buffers;
  std::vector<Queue> queues;               // in order of first use
  std::vector<std::uint64_t> channels;     // all that are used, handles
  std::vector<std::uint64_t> notifies;     // of this process
  std::vector<std::pair<int, int>> twins;  // buffers that share an address of some task: they must move together
  std::size_t bytes = 0;                   // what it counts for the capacity
};

// All sequences of the process, by device and tag. Any thread.
class TaskCache {
 public:
  static constexpr std::size_t kCapacity = 10 * 1024 * 1024;  // bytes per device
  static constexpr std::uint64_t kMaxBuffers = 4096;

  static TaskCache& Process();

  // Whether a replay is possible; forgets a sequence whose objects are gone.
  bool Has(int device, const std::string& tag);

  // Begins to record what `context` issues. Errors: kRepeated when the tag is known, kInvalidParam when the context
  // records already.
  base::Status Start(engine::LaunchContext& context, int device, std::string tag,
                     std::vector<engine::TaskBuffer> buffers);
  // Ends it and keeps the sequence, unless it was spoilt or the device's capacity is used up. Errors: kNotFound when
  // nothing is being recorded, kInvalidParam for another tag; the recording goes on.
  base::Status End(engine::LaunchContext& context, const std::string& tag);

  // Issues the sequence with `buffers` in place of the recorded ones, after all of it was checked. A failure fails the
  // threads it would have used, as that of a data-plane call does; kAgain (a thread is full) does not. Errors:
  // kNotFound, kInvalidParam when the buffers do not fit, kInvalidHandle when an object is gone, and those of
  // data-plane calls.
  base::Status Execute(int device, const std::string& tag, const std::vector<engine::TaskBuffer>& buffers);

  // Forgets the sequence, if there is one.
  void Clear(int device, const std::string& tag);

 private:
  using Key = std::pair<int, std::string>;

  std::shared_ptr<const CachedTasks> Find(const Key& key) const;
  // Forgets `key` if it still stands for `tasks`.
  void Forget(const Key& key, const CachedTasks* tasks);
  // Bytes of the device after what is stale was forgotten.
  std::size_t UsedLocked(int device);

  mutable std::mutex mutex_;
  std::map<Key, std::shared_ptr<const CachedTasks>> kept_;  // guarded by mutex_
};

}  // namespace softhccl::comm
