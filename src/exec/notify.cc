// The notify protocol. Every step that another thread can see is one atomic operation on the word; the rest of the
// object belongs to the owner's side and is only touched when somebody is parked or queued.
#include "exec/notify.h"

#include <dlfcn.h>

#include <algorithm>

#include "base/log.h"
#include "event/labels.h"
#include "event/ring.h"
#include "exec/scheduler.h"
#include "exec/wait_report.h"

namespace softhccl::exec {

using base::Code;
using base::Status;

void Notify::Record(OpContext& context, const Op& op) {
  const RecordSite mine{op.origin, context.stream().id, op.number, op.call_site};
  const RecordSite before{last_origin_.load(std::memory_order_relaxed), last_stream_.load(std::memory_order_relaxed),
                          last_number_.load(std::memory_order_relaxed),
                          last_call_site_.load(std::memory_order_relaxed)};  // for reports only, see the header
  last_origin_.store(mine.origin, std::memory_order_relaxed);
  last_stream_.store(mine.stream_id, std::memory_order_relaxed);
  last_number_.store(mine.number, std::memory_order_relaxed);
  last_call_site_.store(mine.call_site, std::memory_order_relaxed);
  if ((op.operation.identity() | last_identity_.load(std::memory_order_relaxed)) != 0) NoteOperation(op.operation);
  Scheduler* const owner = scheduler;  // after the exchange the waiter may go on and destroy this notify
  // Before the exchange: the take that it allows must not carry an earlier time.
  event::Emit(event::Kind::kRecord, context.stream().id, handle, op.number);
  const std::uint64_t old = slot->word.exchange(kNotifySet);
  if (old == kNotifyClear) return;
  if (old == kNotifySet) {
    event::Emit(event::Kind::kLostRecord, context.stream().id, handle, op.number);
    ReportLost(before, mine);
    return;
  }
  owner->Resume(Ticket{old}, ResumeCode::kSignalled);
}

void Notify::NoteOperation(const Operation& operation) {
  // Relaxed: the exchange on the word publishes them.
  last_amount_.store(operation.amount(), std::memory_order_relaxed);
  last_identity_.store(operation.identity(), std::memory_order_relaxed);
}

Operation Notify::recorded_operation() const {
  return Operation::OfWords(last_amount_.load(std::memory_order_relaxed),
                            last_identity_.load(std::memory_order_relaxed));  // ordered by TryTake
}

void Notify::Signal() {
  Scheduler* const owner = scheduler;  // as in Record
  const std::uint64_t old = slot->word.exchange(kNotifySet);
  if (Ticket::IsTicket(old)) owner->Resume(Ticket{old}, ResumeCode::kSignalled);
}

void Notify::RecordFailure(const Status& cause, bool is_reported) {
  {
    std::lock_guard lock(mutex_);
    if (failure_.ok()) {
      failure_ = cause;
      is_reported_ = is_reported;
    }
    has_failure_.store(true);
  }
  Scheduler* const owner = scheduler;  // as in Record
  const std::uint64_t old = slot->word.exchange(kNotifySet);
  if (Ticket::IsTicket(old)) owner->Resume(Ticket{old}, ResumeCode::kSignalled);
}

std::shared_ptr<AbortDomain> Notify::DomainOfWait(const Stream& stream) const {
  if (stream.party.domain != nullptr) return stream.party.domain;
  const auto held = scheduler->HoldObjects();  // the notify may be destroyed meanwhile
  return recorder.domain;
}

bool Notify::TryTake() {
  std::uint64_t expected = kNotifySet;
  return slot->word.compare_exchange_strong(expected, kNotifyClear);
}

OpOutcome Notify::Wait(OpContext& context, const Op& op, base::Nanos deadline) {
  const ResumeCode code = context.resume_code();
  if (code == ResumeCode::kTimeout || code == ResumeCode::kAborted || code == ResumeCode::kDeadlock) {
    WakeNext();
    return context.FailReported(EndedWaitStatus(context.stream(), code, DomainOfWait(context.stream()).get()));
  }
  bool may_spin = context.MaySpin();
  for (;;) {
    if (TryTake()) return Taken(context, op);
    if (may_spin) {
      may_spin = false;
      for (int i = 0; i < kSpinPolls && slot->word.load(std::memory_order_relaxed) == kNotifyClear; ++i) {
        base::CpuRelax();  // the acquire is in TryTake
      }
      continue;
    }
    const Ticket ticket = context.Suspend(handle, deadline);
    std::uint64_t word = kNotifyClear;
    const bool parked = slot->word.compare_exchange_strong(word, ticket.value);
    if (!parked && (word == kNotifySet || !EnqueueBehind(ticket))) continue;
    // An abort or a destroy may have looked for waits just before this one published its ticket.
    const std::shared_ptr<AbortDomain> domain = DomainOfWait(context.stream());
    const bool aborted = domain != nullptr && domain->aborted();
    if (aborted || context.stream().ending()) Cancel(ticket, ResumeCode::kAborted);
    if (scheduler->notifies().Lookup(handle) == nullptr) WakeAll();
    return OpOutcome::kSuspended;
  }
}

OpOutcome Notify::Taken(OpContext& context, const Op& op) {
  event::Emit(event::Kind::kTake, context.stream().id, handle, op.number);
  WakeNext();
  if (has_failure_.load()) {
    bool is_reported = true;
    Status failure = TakeFailure(&is_reported);
    if (!failure.ok()) return is_reported ? context.FailReported(std::move(failure)) : context.Fail(std::move(failure));
  }
  return OpOutcome::kDone;
}

bool Notify::EnqueueBehind(Ticket ticket) {
  std::lock_guard lock(mutex_);
  queued_.fetch_add(1);
  // The waiter in front may have left between the failed exchange and here; then nobody would wake this one.
  if (!Ticket::IsTicket(slot->word.load())) {
    queued_.fetch_sub(1);
    return false;
  }
  queue_.push_back(ticket);
  return true;
}

void Notify::WakeNext() {
  while (queued_.load() != 0) {
    Ticket next;
    {
      std::lock_guard lock(mutex_);
      if (queue_.empty()) return;
      next = queue_.front();
      queue_.pop_front();
      queued_.fetch_sub(1);
    }
    // A ticket that was used up otherwise (the watch woke that stream) wakes nobody; then it is the next one's turn.
    if (scheduler->Resume(next, ResumeCode::kSignalled)) return;
  }
}

void Notify::WakeAll() {
  const std::uint64_t old = slot->word.exchange(kNotifyClear);
  if (Ticket::IsTicket(old)) scheduler->Resume(Ticket{old}, ResumeCode::kSignalled);
  std::deque<Ticket> waiting;
  {
    std::lock_guard lock(mutex_);
    waiting.swap(queue_);
    queued_.store(0);
  }
  for (const Ticket ticket : waiting) scheduler->Resume(ticket, ResumeCode::kSignalled);
}

bool Notify::Cancel(Ticket ticket, ResumeCode code) {
  std::uint64_t expected = ticket.value;
  if (slot->word.compare_exchange_strong(expected, kNotifyClear)) return scheduler->Resume(ticket, code);
  {
    std::lock_guard lock(mutex_);
    const auto found = std::find(queue_.begin(), queue_.end(), ticket);
    if (found != queue_.end()) {
      queue_.erase(found);
      queued_.fetch_sub(1);
    } else if (IsSet()) {
      return false;
    }
    // In neither place and not set: its record was taken by another waiter. Its limit must be honoured all the same.
  }
  return scheduler->Resume(ticket, code);
}

Status Notify::TakeFailure(bool* is_reported) {
  std::lock_guard lock(mutex_);
  has_failure_.store(false);
  *is_reported = is_reported_;
  Status taken = std::move(failure_);
  failure_ = Status();
  return taken;
}

void Notify::Reset() {
  bool is_reported = true;
  static_cast<void>(TakeFailure(&is_reported));
  {
    std::lock_guard lock(mutex_);
    queue_.clear();
    queued_.store(0);
  }
  slot->word.store(kNotifyClear);
  last_origin_.store(0, std::memory_order_relaxed);  // nobody uses the notify
  last_call_site_.store(nullptr, std::memory_order_relaxed);
  NoteOperation({});
}

void Notify::ClearBit() {
  bool is_reported = true;
  if (TryTake()) static_cast<void>(TakeFailure(&is_reported));
}

namespace {

std::string DescribeSite(const RecordSite& site) {
  std::string text =
      fmt::format("op {} of {}", site.number, event::GetLabel(event::LabelKind::kStream, site.stream_id));
  if (site.origin != 0) text += fmt::format(" in {}", event::GetLabel(event::LabelKind::kName, site.origin));
  Dl_info info;
  if (site.call_site != nullptr && ::dladdr(site.call_site, &info) != 0 && info.dli_fname != nullptr) {
    const auto offset = static_cast<const char*>(site.call_site) - static_cast<const char*>(info.dli_fbase);
    text += fmt::format(" (called from {}+0x{:x} of {})", info.dli_sname != nullptr ? info.dli_sname : "?", offset,
                        info.dli_fname);
  }
  return text;
}

}  // namespace

void Notify::ReportLost(const RecordSite& first, const RecordSite& second) const {
  base::Log(
      base::LogLevel::kWarning,
      fmt::format("lost record: {} was still set when it was recorded again; a notify is one bit, so one wait will "
                  "be missing its record. first: {}; second: {} (SH-W004)",
                  event::GetLabel(event::LabelKind::kNotify, handle), DescribeSite(first), DescribeSite(second)));
}

}  // namespace softhccl::exec
