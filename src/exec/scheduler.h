// The scheduler decides when ops run. Streams with work wait in one ready queue; executors take them one turn at a
// time. Workers are executors, and so is every thread that synchronises: it helps instead of sleeping. Only
// executors with a permit run ops, and there are as many permits as cores. Ops never block; a waiting op suspends
// its stream, and whoever completes what it waits for resumes it with the ticket.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/os.h"
#include "base/spin_lock.h"
#include "base/status.h"
#include "exec/notify.h"
#include "exec/op.h"
#include "exec/stream.h"
#include "exec/ticket.h"
#include "exec/word_wait.h"

namespace softhccl::exec {

class Scheduler;
class WakeList;

using StreamSlab = base::Slab<Stream, base::HandleKind::kStream>;
using NotifySlab = base::Slab<Notify, base::HandleKind::kNotify>;

// A thread that may run ops: a worker, or a thread inside Drain.
struct Executor {
  Stream* preferred = nullptr;           // the stream a helper waits for
  bool untimed_drain = false;            // kernels of `preferred` may run inline
  bool has_permit = false;               // guarded by the scheduler's lock
  base::Nanos inline_since = 0;          // when its inline kernel began, 0: none; guarded by the scheduler's lock
  bool is_lent = false;                  // its permit was taken back meanwhile; guarded by the scheduler's lock
  Executor* next_inline = nullptr;       // guarded by the scheduler's lock
  bool idle = false;                     // in the idle list; guarded by the scheduler's lock
  Executor* next_idle = nullptr;         // guarded by the scheduler's lock
  std::atomic<std::uint32_t> signal{0};  // futex: 1 = look again
};

// What an op sees while it runs. Lives for one call of run.
class OpContext {
 public:
  Scheduler& scheduler() { return scheduler_; }
  Stream& stream() { return stream_; }
  // Why run is called again after a suspension; kNone on the first call.
  ResumeCode resume_code() const { return resume_code_; }
  void ClearResumeCode() { resume_code_ = ResumeCode::kNone; }

  // Prepares a suspension and returns its ticket. Publish the ticket, then return kSuspended; or call it again or
  // return something else if publishing failed (nobody can know an unpublished ticket). `notify`: handle for
  // reports, 0 for a kernel.
  Ticket Suspend(std::uint64_t notify, base::Nanos deadline);

  // Records why the op failed; use as `return context.Fail(...)`.
  OpOutcome Fail(base::Status status) {
    failure_ = std::move(status);
    return OpOutcome::kFailed;
  }

  // The same for a failure that was reported to the user already, or that follows from another one.
  OpOutcome FailReported(base::Status status) {
    reported_ = true;
    return Fail(std::move(status));
  }

  // May a kernel run on this very thread? Only in an untimed synchronise of its own stream.
  bool MayRunInline() const;
  // May this op poll for a microsecond? Only while another executor runs and no stream is waiting for this one.
  bool MaySpin() const;

 private:
  friend class Scheduler;
  OpContext(Scheduler& scheduler, Stream& stream, Executor& executor)
      : scheduler_(scheduler), stream_(stream), executor_(executor) {}
  Scheduler& scheduler_;
  Stream& stream_;
  Executor& executor_;
  ResumeCode resume_code_ = ResumeCode::kNone;
  base::Status failure_;
  bool reported_ = false;
};

struct SchedulerOptions {
  int workers = -1;  // -1: as many as cores; 0: only threads that drain run ops
  int permits = -1;  // -1: as many as cores
  // Not 0: choose among ready streams pseudo-randomly, one op per turn and one permit, so that the same seed gives the
  // same interleaving of the same submissions.
  std::uint64_t seed = 0;
  const base::Clock* clock = nullptr;  // null: steady clock
};

// One queued op by the numbers a program can ask for.
struct TaskId {
  std::uint32_t stream = 0;
  std::uint64_t number = 0;  // 0: none
};

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions& options);
  ~Scheduler();  // joins the workers; streams with work left are abandoned
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  StreamSlab& streams() { return streams_; }
  NotifySlab& notifies() { return notifies_; }
  base::Nanos Now() const { return clock_->Now(); }

  base::Result<Stream*> CreateStream(int device, Party party, std::string label);
  // Work still pending is ended: waits fail, the rest is skipped. What does not end within five seconds (a kernel that
  // does not return) is abandoned.
  void DestroyStream(Stream* stream);
  base::Result<Notify*> CreateNotify(int device, std::uint32_t id, Party recorder, std::string label);
  // Streams that wait for it run again and find its handle stale.
  void DestroyNotify(Notify* notify);

  // Queues ops on a stream; returns at once. Any thread, also from inside kernels. Errors: kAgain when the stream
  // already holds OpQueue::kMaxQueued ops, kInvalidHandle when it is being destroyed: then nobody runs or skips them.
  // `last`, if given, is the number of the last of them.
  base::Status Submit(Stream& stream, std::span<const Op> ops, std::uint64_t* last = nullptr);

  // The op that the calling thread queued last, on whichever stream; a recording notes what it took instead.
  static TaskId LastTaskOfThread();
  static void NoteTaskOfThread(TaskId task);

  // The same by handle, for callers that kept it for a while. Errors also: kInvalidHandle when the stream is gone.
  base::Status SubmitTo(std::uint64_t stream, std::span<const Op> ops);

  // Ends a suspension. False when it had ended already. Any thread.
  bool Resume(Ticket ticket, ResumeCode code);

  // Runs ops until everything submitted to `stream` before the call is done, or the deadline passes (kSyncTimeout).
  // Does not look at the stream's error. Not from kernels.
  base::Status Drain(Stream& stream, base::Nanos deadline) { return DrainTo(stream, stream.submitted(), deadline); }
  // The same until the op with the number `target` is done.
  base::Status DrainTo(Stream& stream, std::uint64_t target, base::Nanos deadline);

  // Runs one turn of one ready stream on the calling thread; false when nothing was ready. For tests.
  bool RunOne();

  // Aborts the party's domain because of `cause` and ends its waits.
  void AbortParty(const Party& party, const base::Status& cause);
  void EndWaits(const AbortDomain* domain, ResumeCode code);
  void EndWaitOf(Stream& stream, ResumeCode code);

  // Ends what is queued on `stream`: its wait fails, the rest is skipped, and `cause` is its error, whatever it was
  // before. `wake`, if given, ends what the stream may be parked on besides notifies. Returns when nothing is left, or
  // with kSyncTimeout when an op (a kernel) outlives the deadline. Not from kernels.
  base::Status AbortStream(Stream& stream, const base::Status& cause, base::Nanos deadline,
                           const std::function<void()>& wake = nullptr);

  // `stream` begins no op any more and ends no wait, until AbortStream or DestroyStream drops what it holds: what runs
  // goes on to the end of its quantum, a kernel to its return. Returns when nothing of it runs, or after a tenth of a
  // second. Meanwhile Drain answers kStreamAborted.
  void HaltStream(Stream& stream);

  // The words of memory that parked streams wait for.
  WordWatch& awaited_words() { return awaited_words_; }

  // Called for the first failure of a stream, on the thread that ran the op, before the op counts as done. It must not
  // block. Set once, before anything is submitted.
  using FailureObserver = std::function<void(Stream& stream, const Op& op, const base::Status& failure)>;
  void SetFailureObserver(FailureObserver observer) { failure_observer_ = std::move(observer); }

  // While held, no stream or notify is made or destroyed: what was found stays what it is.
  std::shared_lock<std::shared_mutex> HoldObjects() const { return std::shared_lock(objects_mutex_); }

  // `recorder` will record nothing any more: waits for it, now and later, fail with `reason`. Records it made stay.
  void FailWaitsFor(const Party& recorder, const base::Status& reason);

  // A kernel is running on a thread that is not an executor (+1), or no longer (-1).
  void CountForeign(int change) { foreign_.fetch_add(change); }

  // While it lives, the calling thread gives its permit back, because it is about to block (a kernel that runs
  // inline and waits for a communicator). No effect on a thread without permit.
  class BlockingRegion {
   public:
    BlockingRegion();
    ~BlockingRegion();

   private:
    enum class Gave { kNothing, kPermit, kForeign };
    Scheduler* scheduler_ = nullptr;
    Gave gave_ = Gave::kNothing;
  };

  // While it lives, the calling executor runs foreign code (a kernel) on its own thread. That costs nothing while the
  // code is quick; when it is not, the watch takes the permit back (Rescue), because the code may be waiting for work
  // that only another executor can do.
  class InlineRegion {
   public:
    InlineRegion();
    ~InlineRegion();
    InlineRegion(const InlineRegion&) = delete;
    InlineRegion& operator=(const InlineRegion&) = delete;

   private:
    Scheduler* scheduler_;
  };

  // For the watch: what is going on. `turns` changes whenever something ran.
  struct Activity {
    std::uint64_t turns = 0;
    std::size_t ready = 0;
    int running = 0;
    int foreign = 0;
  };
  Activity Observe() const;
  // The watch sleeps while nothing is parked or ready; a park, a ready stream or a kernel start wakes it.
  std::atomic<std::uint32_t>& watch_word() { return watch_word_; }
  void PokeWatch();
  // Takes back the permits of executors that run a kernel inline for longer than a moment, and wakes a sleeper when
  // streams are ready: the executor that should have taken them is stuck. True while a kernel runs inline.
  bool Rescue();

 private:
  friend class OpContext;

  void WorkerLoop(int index);
  // Takes the next stream to run, with a permit; null when there is none or no permit. `finished`: the stream this
  // executor just had a turn of, which is put back when it is still ready.
  Stream* NextWork(Executor& executor, Stream* finished, bool finished_is_ready);
  // Runs ops of a stream until it is idle, parked or its quantum is over; true when it is still ready.
  bool RunTurn(Executor& executor, Stream& stream);
  OpOutcome RunOp(Executor& executor, Stream& stream, Op& op, ResumeCode code);
  base::Status SubmitAs(Stream& stream, std::uint64_t handle, std::span<const Op> ops, std::uint64_t* last);
  // `handle`: whose stream it must still be, 0 for whichever it is.
  base::Status Append(Stream& stream, std::uint64_t handle, std::span<const Op> ops);
  bool SkipOp(Stream& stream, Op& op);
  void FinishOp(Stream& stream, Op& op, base::Code outcome);
  void FailStream(Stream& stream, const Op& op, const base::Status& failure, bool reported);
  // Takes a stream that is not running away from executors and tickets; false: it is still moving, try again.
  bool Detach(Stream& stream);
  bool GoIdle(Stream& stream, std::uint64_t sequence);
  bool StayReady(Stream& stream);
  bool ParkOrContinue(Stream& stream, ResumeCode* code);
  // Parks a halted stream, which keeps the reason why it runs; false when it is to run after all.
  bool RestHalted(Stream& stream, ResumeCode* code);
  void EndHalt(Stream& stream);
  void MakeReady(Stream& stream);
  // Spins for a moment if cores are free, then sleeps until there may be work or `drained` has reached `target`.
  void WaitForWork(Executor& executor, const Stream* drained, std::uint64_t target, base::Nanos deadline);

  // All of these need lock_ held.
  void EndTurnLocked(Executor& executor, Stream& stream, bool still_ready, WakeList* wake);
  void TakePermitLocked(Executor& executor);
  void DropPermitLocked(Executor& executor);
  void PushReadyLocked(Stream& stream);
  Stream* PopReadyLocked(Executor& executor, const Stream* finished);
  void RemoveReadyLocked(Stream& stream);
  // Signals one sleeper if a permit is free, the one that waits for `for_stream` if there is one.
  void PickSleeperLocked(const Stream* for_stream, WakeList* wake);
  void SignalLocked(Executor& executor, WakeList* wake);
  void SignalWaitersLocked(Stream& stream, WakeList* wake);
  void RemoveIdleLocked(Executor& executor);

  // Puts the executor to sleep unless there is work it may take or `drained` has reached `target`.
  void SleepIdle(Executor& executor, base::Nanos limit, const Stream* drained, std::uint64_t target);

  StreamSlab streams_;
  NotifySlab notifies_;
  WordWatch awaited_words_;
  base::SteadyClock steady_clock_;
  const base::Clock* clock_;
  const bool seeded_;
  const int permits_;
  std::uint64_t random_state_;               // guarded by lock_
  mutable std::shared_mutex objects_mutex_;  // exclusive: the identity of a stream or notify changes

  mutable base::SpinLock lock_;
  Stream* ready_front_ = nullptr;           // guarded by lock_
  Stream* ready_back_ = nullptr;            // guarded by lock_
  std::size_t ready_count_ = 0;             // guarded by lock_
  Executor* idle_ = nullptr;                // guarded by lock_: sleeping executors, last in first out
  Executor* inline_ = nullptr;              // guarded by lock_: executors that run a kernel inline
  std::uint64_t turns_ = 0;                 // guarded by lock_
  int running_ = 0;                         // guarded by lock_: executors with a permit
  std::atomic<int> searching_{0};           // executors that will look at the queue within 100 us
  std::atomic<std::size_t> ready_hint_{0};  // ready_count_, readable without lock_
  std::atomic<int> running_hint_{0};        // running_, readable without lock_
  std::atomic<int> foreign_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint32_t> watch_word_{0};  // 1: the watch sleeps
  FailureObserver failure_observer_;
  std::vector<std::thread> workers_;
};

}  // namespace softhccl::exec
