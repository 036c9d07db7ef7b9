// The answer to a wait is decided under the lock of the counting notify, at the record that reaches its goal; its own
// notify only wakes the stream. An answer that comes together with the end of the wait's limit therefore still counts.
#include "exec/count_notify.h"

#include <utility>

#include "exec/notify.h"
#include "exec/scheduler.h"

namespace softhccl::exec {

using base::Code;
using base::Status;

bool CountGoal::IsReached(std::uint32_t count) const {
  switch (until) {
    case Until::kLess: return count < value;
    case Until::kEqual: return count == value;
    case Until::kGreater: return count > value;
    case Until::kAtLeast: return count >= value;
    case Until::kAllBits: return (count & value) == value;
  }
  return false;
}

namespace {

std::string Describe(const CountGoal& goal) {
  switch (goal.until) {
    case CountGoal::Until::kLess: return fmt::format("less than {}", goal.value);
    case CountGoal::Until::kEqual: return fmt::format("{}", goal.value);
    case CountGoal::Until::kGreater: return fmt::format("more than {}", goal.value);
    case CountGoal::Until::kAtLeast: return fmt::format("at least {}", goal.value);
    case CountGoal::Until::kAllBits: break;
  }
  return fmt::format("one with all bits of 0x{:x}", goal.value);
}

}  // namespace

std::string CountNotify::label() const { return fmt::format("counting notify {} of device {}", id_, device_); }

void CountNotify::Record(Change change, std::uint32_t value) {
  const std::lock_guard lock(mutex_);
  switch (change) {
    case Change::kSet: count_ = value; break;
    case Change::kAdd: count_ += value; break;
    case Change::kOr: count_ |= value; break;
    case Change::kAnd: count_ &= value; break;
  }
  Serve();
}

void CountNotify::Reset() {
  const std::lock_guard lock(mutex_);
  count_ = 0;
  failure_ = Status();
  Serve();
}

void CountNotify::Serve() {
  for (auto wait = waits_.begin(); wait != waits_.end();) {
    CountWait& one = **wait;
    if (!one.goal_.IsReached(count_)) {
      ++wait;
      continue;
    }
    if (one.goal_.clears) count_ = 0;
    one.reply_.answer = CountWait::Answer::kReached;
    one.point_->Signal();
    wait = waits_.erase(wait);
  }
}

void CountNotify::FailWaits(const Status& cause, bool is_reported) {
  for (CountWait* wait : std::exchange(waits_, {})) {
    wait->reply_ = {CountWait::Answer::kFailed, cause, is_reported};
    wait->point_->Signal();
  }
}

void CountNotify::RecordFailure(const Status& cause) {
  const std::lock_guard lock(mutex_);
  if (waits_.empty() && failure_.ok()) failure_ = cause;
  FailWaits(cause, true);
}

void CountNotify::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  FailWaits(base::Fail(Code::kInvalidHandle, "{} was destroyed while a stream waits for it", label()), false);
}

bool CountNotify::IsOver(const CountGoal& goal, OpContext& context, OpOutcome* outcome) {
  if (!failure_.ok()) {
    *outcome = context.FailReported(std::exchange(failure_, Status()));
    return true;
  }
  if (is_closed_) {
    *outcome = context.Fail(base::Fail(Code::kInvalidHandle, "{} was destroyed before a stream waits for it", label()));
    return true;
  }
  if (!goal.IsReached(count_)) return false;
  *outcome = OpOutcome::kDone;
  if (!goal.clears) return true;
  count_ = 0;
  Serve();
  return true;
}

OpOutcome CountWait::Begin(OpContext& context, std::shared_ptr<CountNotify> notify, const CountGoal& goal,
                           std::unique_ptr<CountWait>* wait) {
  OpOutcome outcome = OpOutcome::kSuspended;
  {
    const std::lock_guard lock(notify->mutex_);
    if (notify->IsOver(goal, context, &outcome)) return outcome;
  }
  auto point = notify->scheduler_.CreateNotify(notify->device_, 0, {},
                                               fmt::format("{}, a count of {}", notify->label(), Describe(goal)));
  if (!point) return context.Fail(std::move(point).error());
  std::unique_ptr<CountWait> made(new CountWait(notify, goal, *point));
  const std::lock_guard lock(notify->mutex_);
  if (notify->IsOver(goal, context, &outcome)) return outcome;
  notify->waits_.push_back(made.get());
  *wait = std::move(made);
  return outcome;
}

CountWait::~CountWait() {
  {
    const std::lock_guard lock(notify_->mutex_);
    notify_->waits_.remove(this);
  }
  notify_->scheduler_.DestroyNotify(point_);
}

CountWait::Reply CountWait::TakeReply() {
  const std::lock_guard lock(notify_->mutex_);
  return reply_;
}

OpOutcome CountWait::Run(OpContext& context, const Op& op, base::Nanos deadline) {
  for (;;) {
    const OpOutcome outcome = point_->Wait(context, op, deadline);
    if (outcome == OpOutcome::kSuspended) return outcome;
    Reply reply = TakeReply();
    if (reply.answer == Answer::kReached) return OpOutcome::kDone;
    if (reply.answer == Answer::kFailed) {
      return reply.is_reported ? context.FailReported(std::move(reply.failure))
                               : context.Fail(std::move(reply.failure));
    }
    if (outcome == OpOutcome::kFailed) return outcome;
  }
}

base::Result<std::uint64_t> CountNotifyTable::Make(Scheduler& scheduler, int device) {
  const std::unique_lock lock(mutex_);
  std::uint64_t handle = 0;
  std::shared_ptr<CountNotify>* slot = notifies_.Allocate(&handle);
  if (slot == nullptr) {
    return base::FailResult(Code::kUnavailable, "no counting notify left: {} are in use", notifies_.live());
  }
  *slot = std::make_shared<CountNotify>(scheduler, device, base::HandleBits{handle}.index());
  notifies_.Publish(handle);
  return handle;
}

base::Result<std::shared_ptr<CountNotify>> CountNotifyTable::Find(std::uint64_t handle) const {
  const std::shared_lock lock(mutex_);
  auto found = notifies_.Get(handle, "cntNotify");
  if (!found) return tl::unexpected(std::move(found).error());
  return **found;
}

Status CountNotifyTable::Destroy(std::uint64_t handle) {
  std::shared_ptr<CountNotify> notify;
  {
    const std::unique_lock lock(mutex_);
    auto found = notifies_.Get(handle, "cntNotify");
    if (!found) return std::move(found).error();
    notify = std::exchange(**found, nullptr);
    notifies_.Retire(handle);
    notifies_.Recycle(handle);
  }
  notify->Close();
  return {};
}

}  // namespace softhccl::exec
