// How streams get their turns: submission, suspension, and what one executor does with one stream. Which executor
// gets which stream, and who sleeps, is in executors.cc; how streams are made and destroyed in lifetime.cc.
#include "exec/scheduler.h"

#include "base/log.h"
#include "event/labels.h"
#include "event/ring.h"
#include "exec/notify.h"
#include "exec/slot_handle.h"
#include "exec/submission_tap.h"
#include "exec/wait_report.h"

namespace softhccl::exec {

using base::Code;
using base::Nanos;
using base::Status;

namespace {
constexpr Nanos kQuantum = 50'000;  // ns of one turn
constexpr int kOpsBetweenClockReads = 16;

thread_local TaskId t_last_task;

std::uint64_t NameIdOf(const OpClass& op_class) {
  // Relaxed: the number is the whole message, and every thread that looks it up gets the same.
  std::uint64_t id = op_class.name_id.load(std::memory_order_relaxed);
  if (id == 0) {
    id = event::NameId(op_class.name);
    op_class.name_id.store(id, std::memory_order_relaxed);
  }
  return id;
}
}  // namespace

// Under the stream's submit lock.
Status Scheduler::Append(Stream& stream, std::uint64_t handle, std::span<const Op> ops) {
  // What is appended before the stream closes is skipped by who destroys it; afterwards nobody would look at it.
  if (!stream.is_open_ || (handle != 0 && HandleInSlot(stream) != handle)) {
    return base::Fail(Code::kInvalidHandle, "{} was destroyed while it was used",
                      event::GetLabel(event::LabelKind::kStream, stream.id));
  }
  std::uint64_t number = stream.submitted_.load(std::memory_order_relaxed);  // only changed under submit_lock_
  const std::uint64_t queued = number - stream.completed_.load();
  if (queued + ops.size() > OpQueue::kMaxQueued) {
    return base::Fail(Code::kAgain, "{} holds {} ops, {} more do not fit its {}; synchronise before queueing more",
                      event::GetLabel(event::LabelKind::kStream, stream.id), queued, ops.size(), OpQueue::kMaxQueued);
  }
  for (Op op : ops) {
    op.number = ++number;
    stream.queue_.Append(op);
    event::Emit(event::Kind::kSubmit, stream.id, 0, op.number);
  }
  stream.submitter_.store(base::ThreadId(), std::memory_order_relaxed);  // for reports
  stream.submitted_.store(number);
  return {};
}

TaskId Scheduler::LastTaskOfThread() { return t_last_task; }
void Scheduler::NoteTaskOfThread(TaskId task) { t_last_task = task; }

std::atomic<SubmissionTap*> g_submission_tap{nullptr};

Status Scheduler::Submit(Stream& stream, std::span<const Op> ops, std::uint64_t* last) {
  return SubmitAs(stream, 0, ops, last);
}

Status Scheduler::SubmitAs(Stream& stream, std::uint64_t handle, std::span<const Op> ops, std::uint64_t* last) {
  // Acquire: pairs with the release of whoever began to record.
  if (SubmissionTap* tap = g_submission_tap.load(std::memory_order_acquire)) {
    Status answer;
    if (tap->Offer(stream, ops, &answer)) {
      if (last != nullptr) *last = 0;
      return answer;
    }
  }
  {
    std::lock_guard lock(stream.submit_lock_);
    SOFTHCCL_RETURN_IF_ERROR(Append(stream, handle, ops));
    t_last_task = TaskId{stream.id, stream.submitted_.load(std::memory_order_relaxed)};  // changed under the lock
  }
  if (last != nullptr) *last = t_last_task.number;
  StateWord word{stream.state_.load()};
  if (word.state() != StreamState::kIdle) return {};
  const StateWord ready = StateWord::Make(StreamState::kReady, ResumeCode::kNone, word.sequence());
  if (stream.state_.compare_exchange_strong(word.value, ready.value)) MakeReady(stream);
  return {};
}

Status Scheduler::SubmitTo(std::uint64_t handle, std::span<const Op> ops) {
  auto stream = streams_.Get(handle, "stream");
  if (!stream) return stream.error();
  return SubmitAs(**stream, handle, ops, nullptr);
}

void Scheduler::FailWaitsFor(const Party& recorder, const Status& reason) {
  const auto held = HoldObjects();
  notifies_.ForEach([&](std::uint64_t, Notify& notify) {
    const bool theirs = notify.recorder.domain == recorder.domain && notify.recorder.rank == recorder.rank;
    if (theirs && !notify.IsSet()) notify.RecordFailure(reason, false);
  });
}

bool Scheduler::Resume(Ticket ticket, ResumeCode code) {
  Stream* stream = streams_.At(ticket.stream_index());
  if (stream == nullptr) return false;
  StateWord word{stream->state_.load()};
  for (;;) {
    if ((word.sequence() & Ticket::kSequenceMask) != ticket.sequence()) return false;
    if (word.state() == StreamState::kParked) {
      const StateWord ready = StateWord::Make(StreamState::kReady, code, word.sequence());
      if (!stream->state_.compare_exchange_weak(word.value, ready.value)) continue;
      MakeReady(*stream);
      return true;
    }
    if (word.state() != StreamState::kRunning) return false;
    const StateWord resumed = StateWord::Make(StreamState::kRunningResumed, code, word.sequence());
    if (stream->state_.compare_exchange_weak(word.value, resumed.value)) return true;
  }
}

Ticket OpContext::Suspend(std::uint64_t notify, Nanos deadline) {
  const StateWord word{stream_.state_.load()};
  stream_.park_.notify.store(notify);
  stream_.park_.deadline.store(deadline);
  if (stream_.park_.since.load() == 0) stream_.park_.since.store(scheduler_.Now());
  const std::uint64_t sequence = word.sequence() + 1;
  stream_.state_.store(StateWord::Make(StreamState::kRunning, ResumeCode::kNone, sequence).value);
  return Ticket::Make(stream_.id, sequence);
}

bool OpContext::MayRunInline() const { return executor_.untimed_drain && executor_.preferred == &stream_; }

bool OpContext::MaySpin() const {
  // Relaxed hints: a wrong answer costs a microsecond, nothing else.
  return scheduler_.running_hint_.load(std::memory_order_relaxed) >= 2 &&
         scheduler_.ready_hint_.load(std::memory_order_relaxed) == 0;
}

bool Scheduler::GoIdle(Stream& stream, std::uint64_t sequence) {
  StateWord idle = StateWord::Make(StreamState::kIdle, ResumeCode::kNone, sequence);
  stream.state_.store(idle.value);
  if (stream.submitted_.load() == stream.completed_.load()) return true;
  // Something was submitted in between. Whoever moves the state on runs it: this executor or the submitter's push.
  const StateWord running = StateWord::Make(StreamState::kRunning, ResumeCode::kNone, sequence);
  return !stream.state_.compare_exchange_strong(idle.value, running.value);
}

bool Scheduler::RunTurn(Executor& executor, Stream& stream) {
  const StateWord taken{stream.state_.load()};
  ResumeCode code = taken.code();
  stream.state_.store(StateWord::Make(StreamState::kRunning, ResumeCode::kNone, taken.sequence() + 1).value);
  Nanos started = 0;
  for (int count = 0;; ++count) {
    if (stream.submitted_.load() == stream.completed_.load(std::memory_order_relaxed)) {  // only this thread writes it
      if (GoIdle(stream, StateWord{stream.state_.load()}.sequence())) return false;
      continue;
    }
    if (stream.halted() && RestHalted(stream, &code)) return false;
    Op& op = stream.queue_.Front();
    const OpOutcome outcome = RunOp(executor, stream, op, code);
    code = ResumeCode::kNone;
    if (outcome == OpOutcome::kSuspended) {
      if (ParkOrContinue(stream, &code)) return false;
      continue;
    }
    // Of a stream that is ending the rest is skipped at once: DestroyStream may have left it to this turn.
    if (outcome == OpOutcome::kDone && stream.ending()) continue;
    if (seeded_) return StayReady(stream);
    if (outcome == OpOutcome::kAgain || count % kOpsBetweenClockReads == kOpsBetweenClockReads - 1) {
      const Nanos now = steady_clock_.Now();
      if (started == 0) started = now;
      if (now - started >= kQuantum) return StayReady(stream);
    }
  }
}

// Ends a turn with work left; true when the stream is still ready, which it is not when that work is already done.
bool Scheduler::StayReady(Stream& stream) {
  const std::uint64_t sequence = StateWord{stream.state_.load()}.sequence();
  if (stream.submitted_.load() == stream.completed_.load(std::memory_order_relaxed) && GoIdle(stream, sequence)) {
    return false;
  }
  stream.state_.store(StateWord::Make(StreamState::kReady, ResumeCode::kNone, sequence).value);
  return true;
}

// True when the stream is parked and the turn over; false when it was resumed meanwhile, with the reason in *code.
bool Scheduler::ParkOrContinue(Stream& stream, ResumeCode* code) {
  StateWord word{stream.state_.load()};
  const std::uint64_t sequence = word.sequence();
  if (word.state() == StreamState::kRunning) {
    const std::uint64_t notify = stream.park_.notify.load();
    const std::uint64_t number = stream.current_number_.load(std::memory_order_relaxed);  // written by this thread
    const StateWord parked = StateWord::Make(StreamState::kParked, ResumeCode::kNone, sequence);
    event::Emit(event::Kind::kPark, stream.id, notify, number);
    if (stream.state_.compare_exchange_strong(word.value, parked.value)) {
      PokeWatch();
      return true;
    }
  }
  *code = word.code();
  stream.state_.store(StateWord::Make(StreamState::kRunning, ResumeCode::kNone, sequence + 1).value);
  return false;
}

OpOutcome Scheduler::RunOp(Executor& executor, Stream& stream, Op& op, ResumeCode code) {
  if (code == ResumeCode::kNone && stream.current_number_.load(std::memory_order_relaxed) != op.number) {
    // First run of this op; relaxed: the fields are for reports.
    stream.current_number_.store(op.number, std::memory_order_relaxed);
    stream.current_class_.store(op.op_class, std::memory_order_relaxed);
    stream.current_origin_.store(op.origin, std::memory_order_relaxed);
    stream.park_.since.store(0, std::memory_order_relaxed);
    if (SkipOp(stream, op)) return OpOutcome::kDone;
    if (event::t_ring != nullptr) {
      event::Emit(event::Kind::kOpStart, stream.id, NameIdOf(*op.op_class), op.number,
                  op.op_class->bytes != nullptr ? op.op_class->bytes(op) : 0);
    }
  } else if (code != ResumeCode::kNone) {
    event::Emit(event::Kind::kResume, stream.id, stream.park_.notify.load(), op.number,
                static_cast<std::uint64_t>(code));
  }
  OpContext context(*this, stream, executor);
  context.resume_code_ = code;
  OpOutcome outcome = OpOutcome::kFailed;
  try {
    outcome = op.op_class->run(context, op);
  } catch (const std::exception& error) {  // out of memory; the stream fails, the executor goes on
    static_cast<void>(
        context.Fail(base::Fail(Code::kOutOfMemory, "{} could not run: {}", op.op_class->name, error.what())));
  }
  if (outcome == OpOutcome::kFailed) {
    FailStream(stream, op, context.failure_, context.reported_);
    FinishOp(stream, op, context.failure_.code());
    return OpOutcome::kDone;
  }
  if (outcome == OpOutcome::kDone) FinishOp(stream, op, Code::kOk);
  return outcome;
}

bool Scheduler::SkipOp(Stream& stream, Op& op) {
  const bool aborted = stream.party.domain != nullptr && stream.party.domain->aborted();
  if (!stream.failed() && !aborted) return false;
  if (!stream.failed()) stream.SetError(stream.party.domain->AbortStatus());
  if (op.op_class->skip != nullptr) op.op_class->skip(op, stream.error());
  FinishOp(stream, op, Code::kRemote);
  return true;
}

void Scheduler::FinishOp(Stream& stream, Op& op, Code outcome) {
  if (event::t_ring != nullptr) {
    event::Emit(event::Kind::kOpEnd, stream.id, NameIdOf(*op.op_class), op.number, static_cast<std::uint64_t>(outcome));
  }
  stream.queue_.Pop();
  stream.completed_.store(stream.completed_.load(std::memory_order_relaxed) + 1);  // only the owner writes it
  if (!awaited_words_.empty()) awaited_words_.Look();
}

void Scheduler::FailStream(Stream& stream, const Op& op, const Status& failure, bool reported) {
  const bool first = stream.SetError(failure);
  if (first && !reported) {
    std::string origin;
    if (op.origin != 0) origin = fmt::format(" in {}", event::GetLabel(event::LabelKind::kName, op.origin));
    base::Log(base::LogLevel::kError,
              fmt::format("{}: {} (op {}{}) failed: {}", event::GetLabel(event::LabelKind::kStream, stream.id),
                          op.op_class->name, op.number, origin, failure.message()));
  }
  if (first && failure_observer_) failure_observer_(stream, op, failure);
  AbortParty(stream.party, failure);
}

void Scheduler::AbortParty(const Party& party, const Status& cause) {
  if (party.domain == nullptr || !party.domain->MarkAborted(party.rank, cause)) return;
  EndWaits(party.domain.get(), ResumeCode::kAborted);
}

void Scheduler::EndWaits(const AbortDomain* domain, ResumeCode code) {
  const auto held = HoldObjects();
  streams_.ForEach([&](std::uint64_t, Stream& stream) {
    const Notify* awaited = notifies_.Lookup(stream.park_.notify.load());
    // A user's stream may be waiting for a rank of the domain.
    const bool is_concerned =
        stream.party.domain.get() == domain || (awaited != nullptr && awaited->recorder.domain.get() == domain);
    if (domain == nullptr || is_concerned) EndWaitOf(stream, code);
  });
}

Status Scheduler::AbortStream(Stream& stream, const Status& cause, Nanos deadline, const std::function<void()>& wake) {
  static_cast<void>(stream.TakeError());
  stream.SetError(cause);
  stream.ending_.store(true);  // for the wait that is about to park; the next lines are for the one that has
  EndHalt(stream);
  EndWaitOf(stream, ResumeCode::kAborted);
  if (wake) wake();
  const Status drained = Drain(stream, deadline);
  stream.ending_.store(false);
  return drained;
}

void Scheduler::EndWaitOf(Stream& stream, ResumeCode code) {
  const StateWord word{stream.state_.load()};
  if (word.state() != StreamState::kParked && word.state() != StreamState::kRunning) return;
  Notify* notify = notifies_.Lookup(stream.park_.notify.load());
  if (notify != nullptr) notify->Cancel(Ticket::Make(stream.id, word.sequence()), code);
}

}  // namespace softhccl::exec
