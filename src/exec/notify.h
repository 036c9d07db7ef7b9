// A notify: one bit that record sets and wait takes. The bit lives in the control arena (one word per 128 bytes:
// clear, set, or parked with the ticket of the stream that waits); this object is the owner's side of it. The
// protocol is modelled in tests/models/notify.pml; the names of the steps are the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "base/handle.h"
#include "base/status.h"
#include "exec/abort_domain.h"
#include "exec/op.h"
#include "exec/operation.h"
#include "exec/ticket.h"
#include "memory/control.h"

namespace softhccl::exec {

class OpContext;
class Scheduler;
class Stream;

inline constexpr std::uint64_t kNotifyClear = 0;
inline constexpr std::uint64_t kNotifySet = 1;

// Where a record came from, for the report about a lost one.
struct RecordSite {
  std::uint64_t origin = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t number = 0;
  const void* call_site = nullptr;
};

class Notify {
 public:
  // Identity; set at creation, constant while the handle lives.
  std::uint64_t handle = 0;
  std::uint32_t id = 0;  // per device, as aclrtGetNotifyId answers; for channels a process-wide number
  int device = -1;
  Party recorder;    // who is expected to record it; empty: any stream
  ChannelEnds ends;  // of the channel whose end it belongs to
  memory::ControlSlot* slot = nullptr;
  Scheduler* scheduler = nullptr;

  // Called by the op that records: one exchange. Resumes the parked waiter; a record that found the bit set is lost
  // and reported with both sites. Any thread that runs ops.
  void Record(OpContext& context, const Op& op);

  // Sets the bit and resumes the parked waiter, on behalf of no op: what was waited for has happened. Setting a set bit
  // loses nothing here and is not reported.
  void Signal();

  // Sets the bit and makes the wait that takes it fail with `cause`: the op that should have recorded was skipped.
  // `is_reported`: the user has been told the cause; otherwise the stream that fails tells it.
  void RecordFailure(const base::Status& cause, bool is_reported = true);

  // Called by the op that waits: takes the bit, or parks the stream until `deadline`. On return kDone the bit was
  // taken; kFailed when the limit passed, the communicator was aborted or the record was a failure.
  OpOutcome Wait(OpContext& context, const Op& op, base::Nanos deadline);

  // Ends the suspension `ticket` with `code` if it is still parked here; false when the bit was set meanwhile (the
  // wait then succeeds) or somebody else ended it. Timeout, abort, deadlock. Any thread.
  bool Cancel(Ticket ticket, ResumeCode code);

  // What the op that recorded last was part of, and its launch (event name id, 0 unknown). For who has just taken the
  // bit: while it is clear nobody writes them, unless records are being lost.
  Operation recorded_operation() const;
  std::uint64_t recorded_origin() const { return last_origin_.load(std::memory_order_relaxed); }  // see Record

  // True while the bit is set. A hint unless nothing runs.
  bool IsSet() const { return slot->word.load() == kNotifySet; }

  // Lets every waiter run again, whatever the bit says: the notify is being destroyed.
  void WakeAll();

  // Clears the bit and forgets failures and sites. Nobody may wait.
  void Reset();
  // Takes the bit, and the failure that came with it, as a wait would; those who wait go on waiting.
  void ClearBit();

 private:
  static constexpr int kSpinPolls = 40;  // one to two microseconds of pause

  // Takes the bit if it is set.
  bool TryTake();
  // Whose abort ends a wait of `stream`: its own domain, or for a user's stream the recorder's. May be null.
  std::shared_ptr<AbortDomain> DomainOfWait(const Stream& stream) const;
  // The first waiter is done; lets the next queued one look.
  void WakeNext();
  bool EnqueueBehind(Ticket ticket);
  base::Status TakeFailure(bool* is_reported);
  OpOutcome Taken(OpContext& context, const Op& op);
  void ReportLost(const RecordSite& first, const RecordSite& second) const;

  std::atomic<bool> has_failure_{false};
  std::atomic<int> queued_{0};
  std::mutex mutex_;
  std::deque<Ticket> queue_;  // guarded by mutex_: second and later waiters
  base::Status failure_;      // guarded by mutex_
  bool is_reported_ = true;   // guarded by mutex_: of failure_

  // Last record, for reports only; a torn read mixes two sites of the same notify, nothing else.
  std::atomic<std::uint64_t> last_origin_{0};
  std::atomic<std::uint64_t> last_stream_{0};
  std::atomic<std::uint64_t> last_number_{0};
  std::atomic<const void*> last_call_site_{nullptr};

  void NoteOperation(const Operation& operation);
  // Both 0: the last record told nothing. Written before the exchange that sets the bit, read after taking it.
  std::atomic<std::uint64_t> last_amount_{0};
  std::atomic<std::uint64_t> last_identity_{0};
};

}  // namespace softhccl::exec
