// The threads of one communicator: pooled per engine, made of users' streams, and dedicated ones that the library keeps
// for launch order. Quotas are the communicator's.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "comm/objects.h"

namespace softhccl::comm {

// Any thread.
class CommThreads {
 public:
  static constexpr std::uint32_t kMaxThreads = 200;
  static constexpr std::uint32_t kMaxNotifies = 65536;  // of all threads together

  // `name` is the communicator's, for messages; `wait_seconds` its limit of waits that carry none.
  CommThreads(exec::Party party, int device, std::string name, double wait_seconds);

  // The first `count` threads of the engine's pool, made on demand, with at least `notifies` notifies each. Errors:
  // kInvalidParam above kMaxThreads in one request, kUnavailable when a quota is used up.
  base::Result<std::vector<std::uint64_t>> Acquire(int engine, std::uint32_t count, std::uint32_t notifies);

  // A user's stream as a thread: one per stream, whatever engine asks. Errors: kUnavailable as above.
  base::Result<std::uint64_t> AcquireWithStream(exec::Stream& stream, int engine, std::uint32_t notifies);

  // The thread kept for a purpose of the library (HcclDedicatedThreadType), beside the quota of threads.
  base::Result<std::uint64_t> AcquireDedicated(int purpose, int engine, std::uint32_t notifies);

  // A live thread of this communicator. Errors: kInvalidHandle, kInvalidParam when it is another's.
  base::Result<CommThread*> Find(std::uint64_t handle, const char* argument) const;

  // The streams that were made for threads, without users' streams.
  std::vector<exec::Stream*> OwnStreams() const;
  // Takes back all threads and ends the ops of their own streams. Users' streams go on: returns their handles. Later
  // requests are refused with `reason`.
  std::vector<std::uint64_t> Close(const base::Status& reason);

 private:
  // Ok when `made` new threads and `notifies` per thread for them and for `existing` are within the quotas.
  base::Status CheckQuotas(const std::vector<std::uint64_t>& existing, std::uint32_t made,
                           std::uint32_t notifies) const;
  base::Result<CommThread*> MakeLocked(exec::Stream* stream, bool owns_stream, int engine);
  base::Result<exec::Stream*> MakeStream(int engine, const std::string& which) const;
  void ForgetDeadStreamsLocked();

  const exec::Party party_;
  const int device_;
  const std::string name_;
  const double wait_seconds_;

  mutable std::mutex mutex_;
  base::Status closed_;                               // guarded by mutex_
  std::vector<std::uint64_t> handles_;                // guarded by mutex_: all of the below
  std::map<int, std::vector<std::uint64_t>> pools_;   // guarded by mutex_, by engine
  std::map<std::uint64_t, std::uint64_t> by_stream_;  // guarded by mutex_: stream handle → thread
  std::map<int, std::uint64_t> dedicated_;            // guarded by mutex_, by purpose
};

}  // namespace softhccl::comm
