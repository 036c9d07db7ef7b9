// A context: the streams that belong together on a device. Each device has one of its own, which aclrtSetDevice opens;
// a program can make more. Which one is current is a property of the calling thread (device.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/status.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

// Owned by shared_ptr, except that of a device. Any thread.
class Context : public std::enable_shared_from_this<Context> {
 public:
  static constexpr std::uint32_t kMaxStreams = 1984;  // per device, over all its contexts

  // `streams_of_device` counts the streams of all contexts of the device, without default ones; it outlives the
  // context.
  Context(exec::Scheduler& scheduler, int device, std::atomic<std::uint32_t>& streams_of_device)
      : scheduler_(scheduler), device_(device), streams_of_device_(streams_of_device) {}

  int device() const { return device_; }
  // 0 while it is closed.
  std::uint64_t handle() const { return handle_.load(); }
  bool is_open() const { return handle() != 0; }

  // Makes the default stream; no effect on an open context.
  base::Status Open();
  // Waits for the work of its streams and destroys them; its handle is stale from then on. No effect when closed.
  void Close() { Destroy(Shut()); }
  // The two halves of Close: the first is quick, and the context may be opened again after it.
  std::set<exec::Stream*> Shut();
  void Destroy(const std::set<exec::Stream*>& streams);

  base::Result<exec::Stream*> CreateStream();
  // Waits for the stream's work first, unless `by_force`. Errors: kInvalidParam for the default stream.
  base::Status DestroyStream(exec::Stream* stream, bool by_force);
  exec::Stream* default_stream() const;
  // Without the default stream.
  std::vector<exec::Stream*> Streams() const;

  // Values that the program stored for this context. Errors: kNotFound.
  void SetOption(int option, std::int64_t value);
  base::Result<std::int64_t> Option(int option) const;

 private:
  exec::Scheduler& scheduler_;
  const int device_;
  std::atomic<std::uint32_t>& streams_of_device_;
  std::atomic<std::uint64_t> handle_{0};
  mutable std::mutex mutex_;
  exec::Stream* default_stream_ = nullptr;  // guarded by mutex_
  std::set<exec::Stream*> streams_;         // guarded by mutex_
  std::map<int, std::int64_t> options_;     // guarded by mutex_
};

// The open contexts of the process by handle. Any thread.
base::Result<std::shared_ptr<Context>> FindContext(std::uint64_t handle);
// Makes a handle for `context`, which the table then shares until Forget. Errors: kUnavailable.
base::Result<std::uint64_t> Remember(std::shared_ptr<Context> context);
void Forget(std::uint64_t handle);

}  // namespace softhccl::engine
