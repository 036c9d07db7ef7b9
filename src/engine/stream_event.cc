// A capture is sticky, a notify is one bit: every wait that took the bit puts it back for the next.
#include "engine/stream_event.h"

#include <fmt/format.h>

#include <chrono>

#include "exec/notify.h"

namespace softhccl::engine {

using base::Code;
using base::Nanos;
using base::Status;
using exec::OpOutcome;

base::Result<std::uint64_t> EventTable::Add(std::shared_ptr<StreamEvent> event) {
  const std::unique_lock lock(mutex_);
  std::uint64_t handle = 0;
  std::shared_ptr<StreamEvent>* const slot = events_.Allocate(&handle);
  if (slot == nullptr) {
    return base::FailResult(Code::kUnavailable, "no event handle left: {} are in use", events_.live());
  }
  if (event->id == StreamEvent::kNoId) {
    event->handle = handle;
    event->id = base::HandleBits{handle}.index();
    event->label = fmt::format("event {} of device {}", event->id, event->device);
  }
  *slot = std::move(event);
  events_.Publish(handle);
  return handle;
}

base::Result<std::shared_ptr<StreamEvent>> EventTable::Find(std::uint64_t handle) const {
  const std::shared_lock lock(mutex_);
  auto found = events_.Get(handle, "event");
  if (!found) return tl::unexpected(std::move(found).error());
  return **found;
}

Status EventTable::Remove(std::uint64_t handle) {
  const std::unique_lock lock(mutex_);
  auto found = events_.Get(handle, "event");
  if (!found) return std::move(found).error();
  static_cast<void>(events_.Retire(handle));  // it is live, and nobody else retires
  (*found)->reset();
  events_.Recycle(handle);
  return {};
}

EventCapture::~EventCapture() {
  if (notify_ != nullptr) scheduler_.DestroyNotify(notify_);
}

void EventCapture::Finish(Nanos now, const Status& failure) {
  exec::Notify* notify = nullptr;
  {
    std::lock_guard lock(mutex_);
    failure_ = failure;
    time_.store(now);
    done_.store(true);
    notify = notify_;
  }
  finished_.notify_all();
  if (notify == nullptr) return;
  if (failure.ok()) {
    notify->Signal();
  } else {
    notify->RecordFailure(failure);
  }
}

Status EventCapture::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

base::Result<exec::Notify*> EventCapture::WaitPoint() {
  std::lock_guard lock(mutex_);
  if (done_.load()) return nullptr;
  if (notify_ == nullptr) {
    auto made = scheduler_.CreateNotify(device_, 0, {}, label_);
    if (!made) return made;
    notify_ = *made;
  }
  return notify_;
}

OpOutcome EventCapture::Wait(exec::OpContext& context, const exec::Op& op, Nanos deadline) {
  exec::Notify* notify = nullptr;
  if (context.resume_code() == exec::ResumeCode::kNone) {
    auto point = WaitPoint();
    if (!point) return context.Fail(std::move(point).error());
    notify = *point;
    if (notify == nullptr) {
      Status failed = failure();
      return failed.ok() ? OpOutcome::kDone : context.FailReported(std::move(failed));
    }
  } else {
    std::lock_guard lock(mutex_);
    notify = notify_;
  }
  const OpOutcome outcome = notify->Wait(context, op, deadline);
  if (outcome == OpOutcome::kSuspended || !done()) return outcome;
  const Status failed = failure();
  if (failed.ok()) {
    notify->Signal();
  } else {
    notify->RecordFailure(failed);
  }
  return outcome;
}

Status EventCapture::Synchronise(Nanos deadline) {
  exec::Stream* recording = scheduler_.streams().Lookup(stream);
  if (!done() && recording != nullptr) SOFTHCCL_RETURN_IF_ERROR(scheduler_.DrainTo(*recording, number, deadline));
  // The op counts as done a moment after the capture, and a stream that was destroyed meanwhile skipped it.
  std::unique_lock lock(mutex_);
  const auto is_done = [&] { return done_.load(); };
  if (deadline == base::kForever) {
    finished_.wait(lock, is_done);
  } else if (!finished_.wait_for(lock, std::chrono::nanoseconds(deadline - scheduler_.Now()), is_done)) {
    return base::Fail(Code::kSyncTimeout, "{} was not reached in time; the work goes on", label_);
  }
  return {};
}

}  // namespace softhccl::engine
