// Virtual devices: what aclrtSetDevice selects. A device owns streams and notifies; its memory is in the memory
// module. Which device is current is a property of the calling thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/config.h"
#include "base/status.h"
#include "engine/context.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

// One device. Any thread.
class Device {
 public:
  static constexpr std::uint32_t kMaxNotifies = 65535;  // per device, as the 950 generation
  static constexpr std::uint32_t kMaxStreams = Context::kMaxStreams;

  Device(exec::Scheduler& scheduler, int id) : scheduler_(scheduler), id_(id), context_(scheduler, id, stream_count_) {}

  ~Device();

  int id() const { return id_; }
  // Its own context, open while it is retained.
  Context& context() { return context_; }

  // The set/reset count. Retain makes the default stream on the first call; Release waits for the work of the
  // device's streams and destroys them on the last. Errors of Release: kInvalidParam when not set.
  base::Status Retain();
  base::Status Release();
  // Release as often as it was retained. Errors: kRepeated when it is not.
  base::Status ReleaseAll();
  int retained() const;
  // Changes whenever the last Release happened: a thread that had the device selected no longer has it.
  std::uint64_t epoch() const { return epoch_.load(); }

  // A context besides its own. It stays open until Context::Close, whatever happens to the device.
  base::Result<std::shared_ptr<Context>> CreateContext();

  // Of its own context.
  base::Result<exec::Stream*> CreateStream() { return context_.CreateStream(); }
  base::Status DestroyStream(exec::Stream* stream) { return context_.DestroyStream(stream, false); }
  exec::Stream* default_stream() const { return context_.default_stream(); }
  std::vector<exec::Stream*> Streams() const { return context_.Streams(); }
  // Streams of all its contexts, without default ones.
  std::uint32_t stream_count() const { return stream_count_.load(); }

  base::Result<exec::Notify*> CreateNotify();
  // Errors: kInvalidHandle when it was destroyed already, perhaps by another thread a moment ago.
  base::Status DestroyNotify(std::uint64_t handle);
  // The notify with that id, or null. Lock-free.
  exec::Notify* FindNotify(std::uint64_t id) const;
  std::size_t notify_count() const;

 private:
  static constexpr std::uint32_t kChunk = 256;
  using NotifyChunk = std::array<std::atomic<std::uint64_t>, kChunk>;  // handles by id; 0: free
  std::atomic<std::uint64_t>& NotifyEntry(std::uint32_t id);

  exec::Scheduler& scheduler_;
  const int id_;
  std::atomic<std::uint64_t> epoch_{1};
  std::atomic<std::uint32_t> stream_count_{0};
  Context context_;
  mutable std::mutex mutex_;
  int retained_ = 0;                         // guarded by mutex_
  std::set<std::uint32_t> free_notify_ids_;  // guarded by mutex_
  std::uint32_t next_notify_id_ = 0;         // guarded by mutex_
  std::array<std::atomic<NotifyChunk*>, kMaxNotifies / kChunk + 1> notify_chunks_{};
};

// All devices of the process. Any thread.
class DeviceTable {
 public:
  DeviceTable(exec::Scheduler& scheduler, const base::Config& config);

  // Devices this process sees. Errors: kUnavailable when ASCEND_RT_VISIBLE_DEVICES selects none.
  base::Result<std::uint32_t> Count() const;
  // Errors: kInvalidDevice naming id and count.
  base::Result<Device*> Get(int id) const;

  // Selects the device for the calling thread and retains it.
  base::Status Select(int id);
  base::Status Reset(int id);
  // The calling thread's device. Errors: kNoContext.
  base::Result<Device*> Current() const;
  // The calling thread's context: the device's own unless another was selected. Errors: kNoContext.
  base::Result<std::shared_ptr<Context>> CurrentContext() const;
  // Selects a context, and so its device, for the calling thread.
  void SelectContext(std::shared_ptr<Context> context);

  // Ids: the process counts the visible devices from 0 (user id), the machine all (logic id; the physical one is the
  // same). Errors: kInvalidDevice.
  base::Result<int> LogicId(int user_id) const;
  base::Result<int> UserId(int logic_id) const;
  base::Result<int> CheckLogicId(int logic_id) const;
  // Makes `device` the calling thread's without retaining it.
  static void Adopt(const Device* device);

 private:
  base::Status visible_error_;
  std::uint32_t machine_count_;
  std::vector<std::uint32_t> visible_;  // logic ids by user id
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace softhccl::engine
