// Events of streams (aclrtEvent): a mark in a stream that many may wait for. Each record makes a capture of its own; a
// wait keeps the capture that was current when it was queued, so recording again does not disturb earlier waits.
//
// What graphs do with events (the word capture means two things here; a graph's own is called a recording below): a
// record and its waits that were recorded into a graph get a capture of their own at each replay. An external record or
// wait belongs to the event instead: a replay counts as a record of the event, or waits for its newest one. A latch (an
// event of ACL_EVENT_EXTERNAL) is decided when the ops run: a wait, queued before or after, is over once a record has
// run, until a reset runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
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
  // The graph that the record was recorded into, 0: it is an ordinary one. It never runs; it counts as failed when the
  // recording is over.
  std::atomic<std::uint64_t> recorded_in{0};

  const std::string& label() const { return label_; }
  // The record ran at `now`, or failed: it was skipped. Only a latch is finished more than once.
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
  static constexpr std::uint32_t kNoId = UINT32_MAX;
  std::uint64_t handle = 0;  // the first of its handles; it, id and label are given by EventTable::Add
  std::uint32_t id = kNoId;
  int device = -1;
  std::string label;
  bool is_latch = false;  // `current` is always set then

  std::shared_ptr<EventCapture> Current() {
    const std::lock_guard lock(mutex);
    return current;
  }
  void SetCurrent(std::shared_ptr<EventCapture> capture) {
    const std::lock_guard lock(mutex);
    current = std::move(capture);
  }
  std::shared_ptr<EventCapture> MakeCapture(exec::Scheduler& scheduler) const {
    return std::make_shared<EventCapture>(scheduler, device, label);
  }

  std::mutex mutex;
  std::shared_ptr<EventCapture> current;     // guarded by mutex; null: not recorded, or reset
  bool was_recorded = false;                 // guarded by mutex: by an ordinary record
  std::atomic<std::uint32_t> open_waits{0};  // queued waits that have not ended
};

// The events of the process by handle; several handles may stand for one event. Any thread.
class EventTable {
 public:
  // An event without id gets one. Errors: kUnavailable.
  base::Result<std::uint64_t> Add(std::shared_ptr<StreamEvent> event);
  // Errors: kInvalidHandle.
  base::Result<std::shared_ptr<StreamEvent>> Find(std::uint64_t handle) const;
  base::Status Remove(std::uint64_t handle);  // what is queued keeps its capture
  std::uint32_t live() const { return events_.live(); }

 private:
  // Shared: a slot is read; exclusive: its event comes or goes. The events themselves are shared pointers, so that
  // nobody loses one that another thread destroys.
  mutable std::shared_mutex mutex_;
  base::Slab<std::shared_ptr<StreamEvent>, base::HandleKind::kEvent> events_;
};

// How an op refers to its event.
enum class EventUse : std::uint8_t { kOrdinary, kExternal, kLatch };

namespace ops {

// What the ops of one event need. `capture` is that of the record or of the newest one; null for a latch, and for an
// external one, which gets it at the replay.
struct EventTask {
  std::shared_ptr<StreamEvent> event;
  std::shared_ptr<EventCapture> capture;
  EventUse use = EventUse::kOrdinary;
};

// Finishes the capture.
exec::Op EventRecord(EventTask task);
// Waits for the capture; `limit` ns from the moment the op begins to wait, kForever for none. The event's open waits
// are counted down when it has ended.
exec::Op EventWait(EventTask task, base::Nanos limit);
// Opens a latch again; without effect for other events, which their calls have reset.
exec::Op EventReset(EventTask task);

// Of event ops only.
const EventTask& EventTaskOf(const exec::Op& op);

// The captures of one replay: the record and the waits of one recorded capture share a new one.
class EventCopies {
 public:
  // `is_recorded`: the replay is recorded into another graph, where external ops stay external.
  explicit EventCopies(bool is_recorded) : is_recorded_(is_recorded) {}
  bool is_recorded() const { return is_recorded_; }
  std::shared_ptr<EventCapture> Of(exec::Scheduler& scheduler, const EventTask& task);

 private:
  const bool is_recorded_;
  std::map<const EventCapture*, std::shared_ptr<EventCapture>> made_;
};

}  // namespace ops
}  // namespace softhccl::engine
