// Who runs: workers, helpers that synchronise, permits, and sleeping. One spin lock guards the ready queue, the
// permits and the idle list, so that "no work" and "go to sleep" are decided together and no wake-up is lost.
#include <sys/prctl.h>

#include <algorithm>
#include <system_error>

#include "base/check.h"
#include "base/log.h"
#include "event/labels.h"
#include "event/ring.h"
#include "exec/scheduler.h"
#include "exec/slot_handle.h"
#include "exec/thread_census.h"
#include "exec/wake_list.h"

namespace softhccl::exec {

using base::Nanos;

namespace {

constexpr Nanos kSearchSpin = 2'000;  // ns a thread looks for work before it sleeps, while cores are free
constexpr Nanos kNap = 60'000;        // ns of one nap; with wake-up well below the promised 100 us
constexpr int kNapsBeforeSleep = 16;  // about a millisecond after the last work

constexpr Nanos kInlinePatience = 10'000'000;  // ns a kernel may run inline before its executor's permit is taken back

// What this thread is an executor for, while it has a turn.
struct Turn {
  Scheduler* scheduler = nullptr;
  Executor* executor = nullptr;
};
thread_local Turn t_turn;

std::uint64_t SplitMix(std::uint64_t* state) {
  std::uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options)
    : clock_(options.clock != nullptr ? options.clock : &steady_clock_),
      seeded_(options.seed != 0),
      permits_(seeded_ ? 1 : (options.permits > 0 ? options.permits : base::UsableCores())),
      random_state_(options.seed) {
  const int workers = options.workers >= 0 ? options.workers : base::UsableCores();
  workers_.reserve(static_cast<std::size_t>(workers));
  try {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this, i] { WorkerLoop(i); });
  } catch (const std::system_error& error) {  // a limit on threads; those that synchronise run ops all the same
    base::Log(base::LogLevel::kWarning,
              fmt::format("only {} of {} worker threads could be started: {}", workers_.size(), workers, error.what()));
  }
}

Scheduler::~Scheduler() {
  stopping_.store(true);
  {
    WakeList wake;
    std::lock_guard lock(lock_);
    while (idle_ != nullptr) SignalLocked(*idle_, &wake);
  }
  for (std::thread& worker : workers_) worker.join();
}

// --- Ready queue -------------------------------------------------------------------------------------------------

void Scheduler::PushReadyLocked(Stream& stream) {
  SOFTHCCL_CHECK(!stream.in_ready_);
  stream.in_ready_ = true;
  stream.next_ready_ = nullptr;
  stream.previous_ready_ = ready_back_;
  (ready_back_ != nullptr ? ready_back_->next_ready_ : ready_front_) = &stream;
  ready_back_ = &stream;
  ready_hint_.store(++ready_count_, std::memory_order_relaxed);  // a hint
}

void Scheduler::RemoveReadyLocked(Stream& stream) {
  (stream.previous_ready_ != nullptr ? stream.previous_ready_->next_ready_ : ready_front_) = stream.next_ready_;
  (stream.next_ready_ != nullptr ? stream.next_ready_->previous_ready_ : ready_back_) = stream.previous_ready_;
  stream.in_ready_ = false;
  ready_hint_.store(--ready_count_, std::memory_order_relaxed);  // a hint
}

Stream* Scheduler::PopReadyLocked(Executor& executor, const Stream* finished) {
  if (ready_front_ == nullptr) return nullptr;
  Stream* chosen = ready_front_;
  if (seeded_) {
    for (std::uint64_t skip = SplitMix(&random_state_) % ready_count_; skip > 0; --skip) chosen = chosen->next_ready_;
  } else if (executor.preferred != nullptr && executor.preferred->in_ready_ && executor.preferred != finished) {
    // Not twice running: its own stream may be long, and the others may have no other executor.
    chosen = executor.preferred;
  }
  RemoveReadyLocked(*chosen);
  return chosen;
}

void Scheduler::MakeReady(Stream& stream) {
  WakeList wake;
  std::lock_guard lock(lock_);
  PushReadyLocked(stream);
  // An executor that is running or looking finds the stream within 100 us; only when there is none is it worth a
  // system call.
  if (running_ == 0 && searching_.load() == 0) PickSleeperLocked(&stream, &wake);
  // One that runs a kernel inline may be waiting for this very stream; the watch notices (Rescue).
  PokeWatch();
}

bool Scheduler::Rescue() {
  const Nanos now = steady_clock_.Now();
  WakeList wake;
  std::lock_guard lock(lock_);
  for (Executor* executor = inline_; executor != nullptr; executor = executor->next_inline) {
    if (!executor->has_permit || now - executor->inline_since < kInlinePatience) continue;
    DropPermitLocked(*executor);
    executor->is_lent = true;
    foreign_.fetch_add(1);  // from now on it counts as a kernel on a thread of its own
  }
  if (ready_front_ != nullptr && searching_.load() == 0) PickSleeperLocked(ready_front_, &wake);
  return inline_ != nullptr;
}

// --- Turns -------------------------------------------------------------------------------------------------------

void Scheduler::TakePermitLocked(Executor& executor) {
  executor.has_permit = true;
  running_hint_.store(++running_, std::memory_order_relaxed);  // a hint
}

void Scheduler::DropPermitLocked(Executor& executor) {
  executor.has_permit = false;
  running_hint_.store(--running_, std::memory_order_relaxed);  // a hint
}

void Scheduler::EndTurnLocked(Executor& executor, Stream& stream, bool still_ready, WakeList* wake) {
  --stream.turns_running_;
  ++turns_;
  DropPermitLocked(executor);
  if (still_ready && stream.abandoned_) {
    const std::uint64_t sequence = StateWord{stream.state_.load()}.sequence();
    stream.state_.store(StateWord::Make(StreamState::kIdle, ResumeCode::kNone, sequence + 1).value);
  } else if (still_ready) {
    PushReadyLocked(stream);
  }
  if (stream.waiters_ != nullptr) SignalWaitersLocked(stream, wake);
}

Stream* Scheduler::NextWork(Executor& executor, Stream* finished, bool finished_is_ready) {
  WakeList wake;
  Stream* next = nullptr;
  {
    std::lock_guard lock(lock_);
    if (finished != nullptr) EndTurnLocked(executor, *finished, finished_is_ready, &wake);
    if (running_ < permits_) next = PopReadyLocked(executor, finished_is_ready ? finished : nullptr);
    if (next != nullptr) {
      ++next->turns_running_;
      TakePermitLocked(executor);
    }
    if (ready_front_ != nullptr && searching_.load() == 0) PickSleeperLocked(ready_front_, &wake);
  }
  t_turn = next != nullptr ? Turn{this, &executor} : Turn{};
  return next;
}

void Scheduler::SignalWaitersLocked(Stream& stream, WakeList* wake) {
  const std::uint64_t done = stream.completed();
  for (DrainWaiter* waiter = stream.waiters_; waiter != nullptr; waiter = waiter->next) {
    Executor& executor = *waiter->executor;
    if (done < waiter->target || !executor.idle) continue;
    SignalLocked(executor, wake);
  }
}

// --- Sleeping ----------------------------------------------------------------------------------------------------

void Scheduler::RemoveIdleLocked(Executor& executor) {
  for (Executor** link = &idle_; *link != nullptr; link = &(*link)->next_idle) {
    if (*link != &executor) continue;
    *link = executor.next_idle;
    break;
  }
  executor.idle = false;
}

void Scheduler::SignalLocked(Executor& executor, WakeList* wake) {
  RemoveIdleLocked(executor);
  // Set under the lock: a sleeper that leaves by itself takes the lock first, so its object still exists here.
  executor.signal.store(1);
  wake->Add(executor.signal);
}

void Scheduler::PickSleeperLocked(const Stream* for_stream, WakeList* wake) {
  if (idle_ == nullptr || running_ >= permits_) return;
  Executor* chosen = idle_;
  for (Executor* sleeper = idle_; sleeper != nullptr; sleeper = sleeper->next_idle) {
    if (sleeper->preferred == for_stream) {
      chosen = sleeper;
      break;
    }
  }
  SignalLocked(*chosen, wake);
}

namespace {

// Under the scheduler's lock. `executor` drains a stream that is gone: its count of ops will not be reached any more.
bool IsSlotReused(const DrainWaiter* waiters, const Executor& executor) {
  for (const DrainWaiter* waiter = waiters; waiter != nullptr; waiter = waiter->next) {
    if (waiter->executor == &executor) return HandleInSlot(*executor.preferred) != waiter->handle;
  }
  return false;
}

}  // namespace

void Scheduler::SleepIdle(Executor& executor, Nanos limit, const Stream* drained, std::uint64_t target) {
  {
    std::lock_guard lock(lock_);
    if (stopping_.load() && drained == nullptr) return;
    if (drained != nullptr && (drained->completed() >= target || drained->halted())) return;
    if (drained != nullptr && IsSlotReused(drained->waiters_, executor)) return;
    if (ready_front_ != nullptr && running_ < permits_) return;
    executor.signal.store(0);
    executor.idle = true;
    executor.next_idle = idle_;
    idle_ = &executor;
  }
  base::FutexWait(executor.signal, 0, limit);
  std::lock_guard lock(lock_);
  if (executor.idle) RemoveIdleLocked(executor);
}

void Scheduler::WaitForWork(Executor& executor, const Stream* drained, std::uint64_t target, Nanos deadline) {
  const auto done = [&] { return drained != nullptr && drained->completed() >= target; };
  // Relaxed hints: being wrong costs two microseconds.
  if (running_hint_.load(std::memory_order_relaxed) + searching_.load(std::memory_order_relaxed) < permits_) {
    searching_.fetch_add(1);
    const Nanos until = steady_clock_.Now() + kSearchSpin;
    bool found = false;
    do {
      for (int i = 0; i < 16 && !found; ++i) {
        found = done() || ready_hint_.load(std::memory_order_relaxed) > 0;  // a hint; NextWork looks under the lock
        base::CpuRelax();
      }
    } while (!found && steady_clock_.Now() < until);
    searching_.fetch_sub(1);
    if (found) return;
  }
  Nanos limit = base::kForever;
  if (deadline != base::kForever) limit = std::max<Nanos>(deadline - Now(), 0);
  ScopedBlockedCall blocked(deadline == base::kForever ? BlockedCall::kUntimed : BlockedCall::kTimed);
  SleepIdle(executor, limit, drained, target);
}

// --- Executors ---------------------------------------------------------------------------------------------------

void Scheduler::WorkerLoop(int index) {
  ::prctl(PR_SET_NAME, fmt::format("shccl-work{}", index).c_str());
  ::prctl(PR_SET_TIMERSLACK, 1);  // naps of tens of microseconds shall not become 100
  const ScopedOwnThread own;
  event::AttachThread("worker");
  Executor me;
  Stream* current = nullptr;
  bool current_is_ready = false;
  int naps = kNapsBeforeSleep;
  while (!stopping_.load()) {
    current = NextWork(me, current, current_is_ready);
    if (current != nullptr) {
      event::AttachThread("worker");
      current_is_ready = RunTurn(me, *current);
      naps = 0;
      continue;
    }
    if (naps < kNapsBeforeSleep && searching_.load() == 0) {
      // One worker naps for a while after work, so that a submit in a busy program needs no system call.
      ++naps;
      searching_.fetch_add(1);
      SleepIdle(me, kNap, nullptr, 0);
      searching_.fetch_sub(1);
    } else {
      SleepIdle(me, base::kForever, nullptr, 0);
    }
  }
}

base::Status Scheduler::DrainTo(Stream& stream, std::uint64_t target, Nanos deadline) {
  // What waits when the stream is destroyed is done or skipped before its slot goes to another stream.
  const std::uint64_t handle = HandleInSlot(stream);
  if (stream.completed() >= target) return {};
  event::AttachThread("host");
  Executor me;
  me.preferred = &stream;
  me.untimed_drain = deadline == base::kForever;
  DrainWaiter waiter{&me, handle, target, nullptr};
  {
    std::lock_guard lock(lock_);
    waiter.next = stream.waiters_;
    stream.waiters_ = &waiter;
  }
  bool expired = false;
  bool halted = false;
  Stream* current = nullptr;
  bool current_is_ready = false;
  while (stream.completed() < target && HandleInSlot(stream) == handle) {
    halted = stream.halted();
    expired = deadline != base::kForever && Now() >= deadline;
    if (halted || expired) break;
    current = NextWork(me, current, current_is_ready);
    if (current != nullptr) {
      current_is_ready = RunTurn(me, *current);
    } else {
      WaitForWork(me, &stream, target, deadline);
    }
  }
  {
    WakeList wake;
    std::lock_guard lock(lock_);
    if (current != nullptr) EndTurnLocked(me, *current, current_is_ready, &wake);
    for (DrainWaiter** link = &stream.waiters_; *link != nullptr; link = &(*link)->next) {
      if (*link != &waiter) continue;
      *link = waiter.next;
      break;
    }
    // The permit is handed on to somebody who can use it.
    if (ready_front_ != nullptr && searching_.load() == 0) PickSleeperLocked(ready_front_, &wake);
  }
  t_turn = Turn{};
  if (halted) {
    return base::Fail(base::Code::kStreamAborted,
                      "{} was stopped and holds back {} of its {} ops; abort or destroy it, which drops them",
                      event::GetLabel(event::LabelKind::kStream, stream.id), target - stream.completed(), target);
  }
  if (!expired) return {};
  return base::Fail(base::Code::kSyncTimeout, "{} of {} ops of {} were not done in time; they go on",
                    target - stream.completed(), target, event::GetLabel(event::LabelKind::kStream, stream.id));
}

bool Scheduler::RunOne() {
  Executor me;
  Stream* stream = NextWork(me, nullptr, false);
  if (stream == nullptr) return false;
  const bool ready = RunTurn(me, *stream);
  t_turn = Turn{};
  WakeList wake;
  std::lock_guard lock(lock_);
  EndTurnLocked(me, *stream, ready, &wake);
  if (ready_front_ != nullptr && searching_.load() == 0) PickSleeperLocked(ready_front_, &wake);
  return true;
}

Scheduler::BlockingRegion::BlockingRegion() {
  const Turn turn = t_turn;
  if (turn.scheduler == nullptr) return;
  scheduler_ = turn.scheduler;
  WakeList wake;
  std::lock_guard lock(scheduler_->lock_);
  if (turn.executor->has_permit) {
    scheduler_->DropPermitLocked(*turn.executor);
    gave_ = Gave::kPermit;
    if (scheduler_->ready_front_ != nullptr) scheduler_->PickSleeperLocked(scheduler_->ready_front_, &wake);
  } else if (turn.executor->is_lent) {
    scheduler_->foreign_.fetch_sub(1);
    gave_ = Gave::kForeign;
  }
}

Scheduler::BlockingRegion::~BlockingRegion() {
  if (gave_ == Gave::kNothing) return;
  // May exceed the permits by one until this turn is over; waiting here for a free one could wait for ever.
  std::lock_guard lock(scheduler_->lock_);
  if (gave_ == Gave::kPermit) {
    scheduler_->TakePermitLocked(*t_turn.executor);
  } else {
    scheduler_->foreign_.fetch_add(1);
  }
}

Scheduler::InlineRegion::InlineRegion() : scheduler_(t_turn.scheduler) {
  if (scheduler_ == nullptr) return;
  Executor& executor = *t_turn.executor;
  const Nanos now = scheduler_->steady_clock_.Now();
  std::lock_guard lock(scheduler_->lock_);
  executor.inline_since = now;
  executor.next_inline = scheduler_->inline_;
  scheduler_->inline_ = &executor;
}

Scheduler::InlineRegion::~InlineRegion() {
  if (scheduler_ == nullptr) return;
  Executor& executor = *t_turn.executor;
  std::lock_guard lock(scheduler_->lock_);
  for (Executor** link = &scheduler_->inline_; *link != nullptr; link = &(*link)->next_inline) {
    if (*link != &executor) continue;
    *link = executor.next_inline;
    break;
  }
  executor.inline_since = 0;
  if (!executor.is_lent) return;
  executor.is_lent = false;
  scheduler_->foreign_.fetch_sub(1);
  scheduler_->TakePermitLocked(executor);  // as in ~BlockingRegion, perhaps one too many for the rest of the turn
}

Scheduler::Activity Scheduler::Observe() const {
  std::lock_guard lock(lock_);
  return Activity{turns_, ready_count_, running_, foreign_.load()};
}

void Scheduler::PokeWatch() {
  if (watch_word_.load() == 0) return;
  if (watch_word_.exchange(0) == 1) base::FutexWake(watch_word_, 1);
}

}  // namespace softhccl::exec
