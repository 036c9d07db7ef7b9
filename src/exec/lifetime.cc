// How streams and notifies come and go. A stream that is destroyed with work pending ends that work first, so that
// nobody waits for what will not happen.
#include <sched.h>

#include <mutex>

#include "event/labels.h"
#include "event/ring.h"
#include "exec/scheduler.h"
#include "exec/slot_handle.h"
#include "exec/submission_tap.h"
#include "exec/wake_list.h"

namespace softhccl::exec {

using base::Code;
using base::Nanos;
using base::Status;

base::Result<Stream*> Scheduler::CreateStream(int device, Party party, std::string label) {
  std::uint64_t handle = 0;
  Stream* stream = streams_.Allocate(&handle);
  if (stream == nullptr) return base::FailResult(Code::kUnavailable, "no stream left: {} are in use", streams_.live());
  const std::unique_lock identity(objects_mutex_);
  SetHandleInSlot(*stream, handle);
  stream->id = base::HandleBits{handle}.index();
  stream->device = device;
  stream->party = std::move(party);
  stream->queue_.Clear();
  stream->submitted_.store(0);
  stream->completed_.store(0);
  static_cast<void>(stream->TakeError());
  static_cast<void>(stream->TakeEndedWait());
  stream->notes.Clear();
  stream->submitter_.store(0);
  stream->ending_.store(false);
  stream->halted_.store(false);
  stream->current_number_.store(0);
  stream->current_class_.store(nullptr);
  // The sequence goes on, so that tickets of an earlier stream in this slot stay foreign.
  const StateWord old{stream->state_.load()};
  stream->state_.store(StateWord::Make(StreamState::kIdle, ResumeCode::kNone, old.sequence() + 1).value);
  event::SetLabel(event::LabelKind::kStream, stream->id, std::move(label));
  {
    const std::lock_guard lock(stream->submit_lock_);
    stream->is_open_ = true;
  }
  streams_.Publish(handle);
  return stream;
}

void Scheduler::DestroyStream(Stream* stream) {
  const std::uint64_t handle = stream->handle;
  if (!streams_.Retire(handle)) return;
  {
    const std::lock_guard lock(stream->submit_lock_);
    stream->is_open_ = false;
  }
  // Acquire: pairs with the release of whoever began to record.
  if (SubmissionTap* tap = g_submission_tap.load(std::memory_order_acquire)) tap->Forget(*stream);
  const Status gone = base::Fail(Code::kInvalidHandle, "{} was destroyed with work pending",
                                 event::GetLabel(event::LabelKind::kStream, stream->id));
  if (stream->completed() != stream->submitted()) {
    stream->SetError(gone);
    stream->ending_.store(true);  // for the wait that is about to park; the next lines are for the one that has
    EndHalt(*stream);
    EndWaitOf(*stream, ResumeCode::kAborted);
    static_cast<void>(Drain(*stream, Now() + base::FromSeconds(5)));
  }
  // The executor that ran the last op may not have reported back yet. One that is still in an op now never comes back
  // (a kernel that runs inline and does not return): the slot is left to it.
  const Nanos patience = steady_clock_.Now() + base::FromSeconds(5);
  while (!Detach(*stream)) {
    if (steady_clock_.Now() > patience) return;
    ::sched_yield();
  }
  // Nobody runs what is left, a suspended op included: those who wait for it hear of it, and what it owns is freed.
  while (stream->completed() != stream->submitted()) {
    stream->SetError(gone);  // unless there is one; a thread that synchronises may have taken it
    SkipOp(*stream, stream->queue_.Front());
  }
  {
    WakeList wake;
    std::lock_guard lock(lock_);
    SignalWaitersLocked(*stream, &wake);
  }
  {
    const std::unique_lock identity(objects_mutex_);
    stream->party = Party();
  }
  // The events of a recording name it by number: while one is made, neither number nor label are used again.
  if (event::IsRecording()) return;
  event::DropLabel(event::LabelKind::kStream, stream->id);
  streams_.Recycle(handle);
}

bool Scheduler::Detach(Stream& stream) {
  std::lock_guard lock(lock_);
  stream.abandoned_ = true;
  StateWord word{stream.state_.load()};
  const StateWord idle = StateWord::Make(StreamState::kIdle, ResumeCode::kNone, word.sequence() + 1);
  if (stream.in_ready_) {
    RemoveReadyLocked(stream);
    stream.state_.store(idle.value);
  } else if (word.state() == StreamState::kParked || word.state() == StreamState::kHalted) {
    if (!stream.state_.compare_exchange_strong(word.value, idle.value)) return false;
  } else if (word.state() != StreamState::kIdle) {
    return false;  // running, or on its way into the ready queue
  }
  stream.abandoned_ = stream.turns_running_ != 0;
  return !stream.abandoned_;
}

base::Result<Notify*> Scheduler::CreateNotify(int device, std::uint32_t id, Party recorder, std::string label) {
  auto slot = memory::AllocateControlSlot();
  if (!slot) return tl::unexpected(slot.error());
  std::uint64_t handle = 0;
  Notify* notify = notifies_.Allocate(&handle);
  if (notify == nullptr) {
    memory::FreeControlSlot(*slot);
    return base::FailResult(Code::kUnavailable, "no notify left: {} are in use", notifies_.live());
  }
  const std::unique_lock identity(objects_mutex_);
  notify->handle = handle;
  notify->id = id;
  notify->device = device;
  notify->recorder = std::move(recorder);
  notify->ends = {};
  notify->slot = *slot;
  notify->scheduler = this;
  notify->Reset();
  event::SetLabel(event::LabelKind::kNotify, handle, std::move(label));
  notifies_.Publish(handle);
  return notify;
}

void Scheduler::DestroyNotify(Notify* notify) {
  const std::uint64_t handle = notify->handle;
  if (!notifies_.Retire(handle)) return;
  notify->WakeAll();
  // A late record may still hold the object; slot memory stays mapped, so it writes to a word nobody reads.
  memory::FreeControlSlot(notify->slot);
  {
    const std::unique_lock identity(objects_mutex_);
    notify->recorder = Party();
  }
  if (event::IsRecording()) return;  // as in DestroyStream
  event::DropLabel(event::LabelKind::kNotify, handle);
  notifies_.Recycle(handle);
}

}  // namespace softhccl::exec
