// Events of streams (aclrtEvent): a mark in a stream that many may wait for. Each record makes a capture of its own; a
// wait keeps the capture that was current when it was queued, so recording again does not disturb earlier waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/handle.h"
#include "base/status.h"
#include "exec/op.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

// One record of an event: pending until its op has run or was skipped. Shared by the event, the record and the waits.
// Any thread.
class EventCapture {
 public:
  EventCapture(exec::Scheduler& scheduler, int device, std::string label)
      : scheduler_(scheduler), device_(device), label_(std::move(label)) {}
  ~EventCapture();
  EventCapture(const EventCapture&) = delete;
  EventCapture& operator=(const EventCapture&) = delete;

  // Where the record was queued; set by whoever queues it, before anybody else sees the capture.
  std::uint64_t stream = 0;  // handle
  std::uint64_t number = 0;

  // The record ran at `now`, or failed: it was skipped.
  void Finish(base::Nanos now, const base::Status& failure);
  bool done() const { return done_.load(); }
  // When the record ran; valid when done and not failed.
  base::Nanos time() const { return time_.load(); }
  // Ok while pending.
  base::Status failure() const;

  // One step of an op that waits; run it again after a suspension. kDone: the record ran.
  exec::OpOutcome Wait(exec::OpContext& context, const exec::Op& op, base::Nanos deadline);

  // Blocks until done, helping to run what is queued before it. Errors: kSyncTimeout.
  base::Status Synchronise(base::Nanos deadline);

 private:
  // The notify that waiting streams park on, made for the first of them; null when done.
  base::Result<exec::Notify*> WaitPoint();

  exec::Scheduler& scheduler_;
  const int device_;
  const std::string label_;
  std::atomic<bool> done_{false};
  std::atomic<base::Nanos> time_{0};
  mutable std::mutex mutex_;
  std::condition_variable finished_;
  base::Status failure_;            // guarded by mutex_
  exec::Notify* notify_ = nullptr;  // guarded by mutex_; its bit stays set once the record ran
};

// What an aclrtEvent handle stands for. Any thread; the slab keeps the object when the handle is gone.
struct StreamEvent {
  enum class Kind { kPlain, kWithFlag, kEx };
  // Constant while the handle lives.
  Kind kind = Kind::kPlain;
  std::uint32_t flags = 0;
  std::uint32_t id = 0;
  int device = -1;

  std::mutex mutex;
  std::shared_ptr<EventCapture> current;                   // guarded by mutex; null: not recorded, or reset
  std::shared_ptr<std::atomic<std::uint32_t>> open_waits;  // queued waits that have not ended; set at creation
};

using EventSlab = base::Slab<std::shared_ptr<StreamEvent>, base::HandleKind::kEvent>;

namespace ops {

// Finishes the capture.
exec::Op EventRecord(std::shared_ptr<EventCapture> capture);
// Waits for the capture; `limit` ns from the moment the op begins to wait, kForever for none. `open_waits` is counted
// down when it has ended.
exec::Op EventWait(std::shared_ptr<EventCapture> capture, base::Nanos limit,
                   std::shared_ptr<std::atomic<std::uint32_t>> open_waits);

}  // namespace ops
}  // namespace softhccl::engine
