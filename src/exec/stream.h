// A stream: an in-order queue of ops and the state that decides who may run it. The vendor's streams and its
// communication threads are both this object. The scheduler owns the transitions; nobody else writes the state.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/handle.h"
#include "base/spin_lock.h"
#include "exec/abort_domain.h"
#include "exec/op_queue.h"
#include "exec/ticket.h"

namespace softhccl::exec {

struct DrainWaiter;

// What the owner of a stream is doing. Idle → Ready (submit) → Running (an executor) → Parked (suspended) → Ready.
enum class StreamState : std::uint8_t {
  kIdle = 0,
  kReady,
  kRunning,
  kRunningResumed,  // resumed before the executor finished parking it
  kParked,
  kHalted,  // it would run, but is held back
};

// state:8 | resume code:8 | suspension sequence:48 in one word, so that one compare-exchange decides a race. The
// sequence grows with every suspension and again when the stream runs on, so that a used ticket fits nothing.
struct StateWord {
  std::uint64_t value = 0;
  static StateWord Make(StreamState state, ResumeCode code, std::uint64_t sequence) {
    return StateWord{(sequence << 16) | (static_cast<std::uint64_t>(code) << 8) | static_cast<std::uint64_t>(state)};
  }
  StreamState state() const { return static_cast<StreamState>(value & 0xFF); }
  ResumeCode code() const { return static_cast<ResumeCode>((value >> 8) & 0xFF); }
  std::uint64_t sequence() const { return value >> 16; }
};

// What a parked stream waits for; written before its ticket is published, read by the watch under a sequence check.
struct ParkRecord {
  std::atomic<std::uint64_t> notify{0};  // handle; 0: a kernel
  std::atomic<base::Nanos> since{0};
  std::atomic<base::Nanos> deadline{0};  // kForever: none
};

// What the owner of a stream noted about it. The scheduler keeps the notes for it and only clears them.
struct StreamNotes {
  std::atomic<std::uint64_t> context{0};  // handle of the context it was made in
  std::atomic<std::uint32_t> priority{0};
  std::atomic<std::uint32_t> flags{0};
  std::atomic<std::uint32_t> failure_mode{0};
  std::atomic<std::uint32_t> custom_tag{0};
  std::atomic<std::uint32_t> cache_op_info{0};
  std::atomic<std::uint32_t> overflow_switch{0};
  std::atomic<bool> stopped{false};  // its failure, or one of its context, is for good
  void Clear();
};

class Stream {
 public:
  // Identity; set at creation, constant while the handle lives.
  std::uint64_t handle = 0;
  std::uint32_t id = 0;  // small number shown to people
  int device = -1;
  Party party;  // whose communication thread this is; empty for a user's stream
  StreamNotes notes;

  // Kernel thread id of the thread that queued last; 0: nobody yet.
  std::int32_t submitter() const { return submitter_.load(std::memory_order_relaxed); }  // for reports

  std::uint64_t submitted() const { return submitted_.load(); }
  std::uint64_t completed() const { return completed_.load(); }

  // The first error since the last TakeError, and whether later ops are being skipped because of it.
  bool failed() const { return failed_.load(std::memory_order_acquire); }  // pairs with SetError
  base::Status error() const;
  base::Status TakeError();
  // Keeps the first error and makes later ops be skipped. False when there was one already.
  bool SetError(const base::Status& status);

  // Its current op waits for something.
  bool parked() const { return StateWord{state_.load()}.state() == StreamState::kParked; }

  // True while DestroyStream or AbortStream ends its waits: a wait must not park any more.
  bool ending() const { return ending_.load(); }

  // True from HaltStream until what it holds is dropped.
  bool halted() const { return halted_.load(); }

  // The sentence the watch leaves for the wait it ends; taken by the wait when it runs again.
  void SetEndedWait(Ticket ticket, std::string reason);
  // Empty unless it was left for the suspension that is ending now.
  std::string TakeEndedWait();

 private:
  friend class Scheduler;
  friend class OpContext;
  friend class WaitGraph;

  base::SpinLock submit_lock_;
  bool is_open_ = false;  // guarded by submit_lock_: from its creation to the beginning of its destruction
  OpQueue queue_;         // see OpQueue for who may do what
  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::int32_t> submitter_{0};
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::uint64_t> state_{0};  // StateWord
  ParkRecord park_;
  std::atomic<std::uint64_t> current_origin_{0};  // event name id of the op being run or parked
  std::atomic<const OpClass*> current_class_{nullptr};
  std::atomic<bool> ending_{false};  // DestroyStream or AbortStream wants its waits to end
  std::atomic<bool> halted_{false};
  std::atomic<std::uint64_t> current_number_{0};

  std::atomic<bool> failed_{false};
  mutable std::mutex error_mutex_;
  base::Status error_;      // guarded by error_mutex_
  std::string ended_wait_;  // guarded by error_mutex_: why the watch ended a wait
  Ticket ended_ticket_;     // guarded by error_mutex_: which one

  // Guarded by the scheduler's lock.
  Stream* next_ready_ = nullptr;
  Stream* previous_ready_ = nullptr;
  bool in_ready_ = false;
  bool abandoned_ = false;  // DestroyStream has given its work up: it gets no further turn
  int turns_running_ = 0;   // executors between taking the stream and reporting back
  DrainWaiter* waiters_ = nullptr;
};

}  // namespace softhccl::exec
