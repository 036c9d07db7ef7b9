// The ops of a barrier, and the notifies behind them. A notify is never recorded twice before it is taken: rank 0 waits
// for the n-th arrival of all before it releases any, and a rank arrives again only after it was released.
#include "comm/barrier.h"

#include <algorithm>

#include "engine/ops/ops.h"
#include "engine/runtime.h"
#include "event/labels.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;
using engine::ops::NotifyRecord;
using engine::ops::NotifyWait;

// --- Board -------------------------------------------------------------------------------------------------------

BarrierBoard::~BarrierBoard() {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  for (const Pair& pair : pairs_) {
    for (const std::uint64_t handle : {pair.arrival, pair.release}) {
      if (exec::Notify* notify = scheduler.notifies().Lookup(handle)) scheduler.DestroyNotify(notify);
    }
  }
}

base::Result<exec::Notify*> BarrierBoard::Make(std::uint32_t recorder, std::uint32_t taker, const char* what) {
  return Runtime::Get().scheduler().CreateNotify(
      domain_->DeviceOf(taker), 0, exec::Party{domain_, recorder},
      fmt::format("the {} of rank {} at the barrier", what, std::max(recorder, taker)));
}

base::Result<std::vector<BarrierBoard::Pair>> BarrierBoard::Open(std::uint32_t size) {
  const std::lock_guard lock(mutex_);
  if (!left_.empty()) {
    return base::FailResult(Code::kRemote, "rank {} has destroyed its communicator; a barrier needs all ranks",
                            *left_.begin());
  }
  if (pairs_.empty()) pairs_.resize(1);  // rank 0 has none
  while (pairs_.size() < size) {
    const auto rank = static_cast<std::uint32_t>(pairs_.size());
    auto arrival = Make(rank, 0, "arrival");  // what fails here is tried again at the next call
    if (!arrival) return tl::unexpected(arrival.error());
    auto release = Make(0, rank, "release");
    if (!release) {
      Runtime::Get().scheduler().DestroyNotify(*arrival);
      return tl::unexpected(release.error());
    }
    pairs_.push_back({(*arrival)->handle, (*release)->handle});
  }
  return pairs_;
}

void BarrierBoard::FailPending(std::uint64_t handle, const Status& reason) const {
  exec::Notify* notify = Runtime::Get().scheduler().notifies().Lookup(handle);
  if (notify != nullptr && !notify->IsSet()) notify->RecordFailure(reason, false);
}

void BarrierBoard::Leave(std::uint32_t rank, const Status& reason) {
  const std::lock_guard lock(mutex_);
  left_.insert(rank);
  for (std::uint32_t other = 1; other < pairs_.size(); ++other) {
    if (rank == 0) FailPending(pairs_[other].release, reason);
    if (rank == other) FailPending(pairs_[other].arrival, reason);
  }
}

// --- One rank ----------------------------------------------------------------------------------------------------

Barriers::Barriers(Owner owner)
    : owner_(std::move(owner)),
      party_{owner_.group->domain(), owner_.rank},
      board_(owner_.group->Share<BarrierBoard>(
          "barriers", [&] { return std::make_shared<BarrierBoard>(owner_.group->domain()); })) {}

Status Barriers::OpenLocked() {
  auto pairs = board_->Open(owner_.size);
  if (!pairs) return pairs.error();
  pairs_ = std::move(*pairs);
  if (stream_ != nullptr) return {};
  auto stream =
      Runtime::Get().scheduler().CreateStream(owner_.device, party_, fmt::format("rank {}/barriers", owner_.rank));
  if (!stream) return stream.error();
  stream_ = *stream;
  return {};
}

base::Result<Barriers::Bridge*> Barriers::BridgeLocked(const exec::Stream& stream) {
  const auto known = bridges_.find(stream.handle);
  if (known != bridges_.end()) return &known->second;
  ForgetDeadStreamsLocked();
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  const std::string where = event::GetLabel(event::LabelKind::kStream, stream.id);
  auto start = scheduler.CreateNotify(owner_.device, 0, {}, fmt::format("the start of barriers on {}", where));
  if (!start) return tl::unexpected(start.error());
  auto done = scheduler.CreateNotify(owner_.device, 0, {}, fmt::format("the end of barriers on {}", where));
  if (!done) {
    scheduler.DestroyNotify(*start);
    return tl::unexpected(done.error());
  }
  return &(bridges_[stream.handle] = Bridge{*start, *done});
}

void Barriers::Destroy(const Bridge& bridge) {
  Runtime::Get().scheduler().DestroyNotify(bridge.start);
  Runtime::Get().scheduler().DestroyNotify(bridge.done);
}

// What a stream left pending was skipped when it was destroyed, and the barrier failed with it; but the own stream may
// still have to find that out.
void Barriers::ForgetDeadStreamsLocked() {
  for (auto entry = bridges_.begin(); entry != bridges_.end();) {
    const bool is_needed = Runtime::Get().scheduler().streams().Lookup(entry->first) != nullptr ||
                           stream_->completed() < entry->second.last;
    if (!is_needed) Destroy(entry->second);
    entry = is_needed ? std::next(entry) : bridges_.erase(entry);
  }
}

std::vector<exec::Op> Barriers::MeetingLocked() const {
  const base::Nanos limit = owner_.wait_seconds == 0 ? base::kForever : Runtime::Get().KernelLimit(owner_.wait_seconds);
  if (owner_.rank != 0) {
    const BarrierBoard::Pair& own = pairs_[owner_.rank];
    return {NotifyRecord(own.arrival), NotifyWait(own.release, limit)};
  }
  std::vector<exec::Op> ops;
  for (std::uint32_t rank = 1; rank < owner_.size; ++rank) ops.push_back(NotifyWait(pairs_[rank].arrival, limit));
  for (std::uint32_t rank = 1; rank < owner_.size; ++rank) ops.push_back(NotifyRecord(pairs_[rank].release));
  return ops;
}

// Nobody else submits to the own stream, so that what has room now has it afterwards.
Status Barriers::CheckRoomLocked(std::size_t ops) const {
  const std::uint64_t queued = stream_->submitted() - stream_->completed();
  if (queued + ops <= exec::OpQueue::kMaxQueued) return {};
  return base::Fail(Code::kAgain,
                    "the barriers of rank {} hold {} ops that are not done, {} more do not fit the {} there are; "
                    "synchronise before the next HcclBarrier",
                    owner_.rank, queued, ops, exec::OpQueue::kMaxQueued);
}

Status Barriers::Queue(exec::Stream& stream, const void* call_site) {
  const std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_IF_ERROR(OpenLocked());
  auto found = BridgeLocked(stream);
  if (!found) return found.error();
  Bridge* const bridge = *found;
  const std::string what = fmt::format("HcclBarrier#{}", count_ + 1);
  const std::uint64_t origin = event::RecentNameId(what);
  std::vector<exec::Op> users = {NotifyRecord(bridge->start->handle), NotifyWait(bridge->done->handle, base::kForever)};
  std::vector<exec::Op> own = MeetingLocked();
  own.insert(own.begin(), NotifyWait(bridge->start->handle, base::kForever));
  own.push_back(NotifyRecord(bridge->done->handle));
  SOFTHCCL_RETURN_IF_ERROR(CheckRoomLocked(own.size()));
  for (std::vector<exec::Op>* ops : {&users, &own}) {
    for (exec::Op& op : *ops) {
      op.origin = origin;
      op.call_site = call_site;
    }
  }
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  SOFTHCCL_RETURN_IF_ERROR(scheduler.Submit(stream, users));
  Status submitted = scheduler.Submit(*stream_, own, &bridge->last);
  // The user's stream waits for what will not come.
  if (!submitted.ok()) bridge->done->RecordFailure(submitted, false);
  if (!submitted.ok()) scheduler.AbortParty(party_, submitted);
  SOFTHCCL_RETURN_IF_ERROR(std::move(submitted));
  ++count_;
  party_.domain->NoteOperation(owner_.rank, what);
  return {};
}

std::vector<exec::Stream*> Barriers::OwnStreams() const {
  const std::lock_guard lock(mutex_);
  return stream_ == nullptr ? std::vector<exec::Stream*>() : std::vector<exec::Stream*>{stream_};
}

void Barriers::Close(const Status& reason) {
  board_->Leave(owner_.rank, reason);
  const std::lock_guard lock(mutex_);
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  if (stream_ != nullptr) scheduler.DestroyStream(stream_);  // waits that are left fail, and their records with them
  stream_ = nullptr;
  const base::Nanos deadline = scheduler.Now() + base::FromSeconds(1);
  for (const auto& [handle, bridge] : bridges_) {
    // Let the user's stream hear the reason rather than that the notify is gone.
    exec::Stream* user = scheduler.streams().Lookup(handle);
    while (user != nullptr && bridge.done->IsSet() && scheduler.Now() < deadline) {
      static_cast<void>(scheduler.Drain(*user, scheduler.Now() + base::FromSeconds(0.001)));
    }
    Destroy(bridge);
  }
  bridges_.clear();
}

}  // namespace softhccl::comm
