// Acquiring threads, and their way down.
#include "comm/threads.h"

#include <algorithm>

#include "engine/engines.h"
#include "engine/runtime.h"
#include "event/labels.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;

CommThreads::CommThreads(exec::Party party, int device, std::string name, double wait_seconds)
    : party_(std::move(party)), device_(device), name_(std::move(name)), wait_seconds_(wait_seconds) {}

// --- Quotas ------------------------------------------------------------------------------------------------------

Status CommThreads::CheckQuotas(const std::vector<std::uint64_t>& existing, std::uint32_t made,
                                std::uint32_t notifies) const {
  const std::size_t total = handles_.size() - dedicated_.size();
  if (total + made > kMaxThreads) {
    return base::Fail(Code::kUnavailable,
                      "threadNum {} needs {} new threads, but {} of the {} of communicator {} are in use",
                      existing.size() + made, made, total, kMaxThreads, name_);
  }
  std::uint64_t wanted = std::uint64_t{made} * notifies;
  for (const std::uint64_t handle : handles_) wanted += Threads().Lookup(handle)->notify_count.load();
  for (const std::uint64_t handle : existing) {
    const std::uint32_t has = Threads().Lookup(handle)->notify_count.load();
    if (notifies > has) wanted += notifies - has;
  }
  if (wanted <= kMaxNotifies) return {};
  return base::Fail(Code::kUnavailable, "notifyNumPerThread {} would make {} notifies; communicator {} may have {}",
                    notifies, wanted, name_, kMaxNotifies);
}

namespace {

Status CheckNotifies(std::uint32_t notifies) {
  if (notifies < CommThreads::kMaxNotifies) return {};
  return base::Fail(Code::kInvalidParam, "notifyNumPerThread {} is out of range; use at most {}", notifies,
                    CommThreads::kMaxNotifies - 1);
}

// Notifies are made when they are first used.
void Grow(std::uint64_t handle, std::uint32_t notifies) {
  std::atomic<std::uint32_t>& count = Threads().Lookup(handle)->notify_count;
  count.store(std::max(count.load(), notifies));
}

}  // namespace

// --- Making ------------------------------------------------------------------------------------------------------

base::Result<exec::Stream*> CommThreads::MakeStream(int engine, const std::string& which) const {
  auto info = engine::FindEngine(engine);
  if (!info) return tl::unexpected(info.error());
  return Runtime::Get().scheduler().CreateStream(device_, party_,
                                                 fmt::format("rank {}/{} {}", party_.rank, (*info)->name, which));
}

base::Result<CommThread*> CommThreads::MakeLocked(exec::Stream* stream, bool owns_stream, int engine) {
  auto thread = PublishThread(stream, owns_stream, engine, party_, wait_seconds_);
  if (thread) {
    handles_.push_back((*thread)->handle);
  } else if (owns_stream) {
    Runtime::Get().scheduler().DestroyStream(stream);
  }
  return thread;
}

base::Result<std::vector<std::uint64_t>> CommThreads::Acquire(int engine, std::uint32_t count, std::uint32_t notifies) {
  if (count == 0 || count > kMaxThreads) {
    return base::FailResult(Code::kInvalidParam, "threadNum {} is out of range; a communicator has 1 to {} threads",
                            count, kMaxThreads);
  }
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckNotifies(notifies));
  const std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(closed_);
  std::vector<std::uint64_t>& pool = pools_[engine];
  const std::vector<std::uint64_t> existing(pool.begin(),
                                            pool.begin() + std::min<std::ptrdiff_t>(count, std::ssize(pool)));
  const auto missing = static_cast<std::uint32_t>(count - existing.size());
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckQuotas(existing, missing, notifies));
  while (pool.size() < count) {
    auto stream = MakeStream(engine, fmt::format("thread {}", pool.size()));
    if (!stream) return tl::unexpected(stream.error());
    auto thread = MakeLocked(*stream, true, engine);
    if (!thread) return tl::unexpected(thread.error());
    pool.push_back((*thread)->handle);
  }
  for (std::uint32_t i = 0; i < count; ++i) Grow(pool[i], notifies);
  return std::vector<std::uint64_t>(pool.begin(), pool.begin() + count);
}

base::Result<std::uint64_t> CommThreads::AcquireWithStream(exec::Stream& stream, int engine, std::uint32_t notifies) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckNotifies(notifies));
  const std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(closed_);
  ForgetDeadStreamsLocked();
  const auto known = by_stream_.find(stream.handle);
  if (known != by_stream_.end()) {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckQuotas({known->second}, 0, notifies));
    Grow(known->second, notifies);
    return known->second;
  }
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckQuotas({}, 1, notifies));
  auto thread = MakeLocked(&stream, false, engine);
  if (!thread) return tl::unexpected(thread.error());
  by_stream_[stream.handle] = (*thread)->handle;
  Grow((*thread)->handle, notifies);
  return (*thread)->handle;
}

base::Result<std::uint64_t> CommThreads::AcquireDedicated(int purpose, int engine, std::uint32_t notifies) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckNotifies(notifies));
  const std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(closed_);
  if (dedicated_.count(purpose) == 0) {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckQuotas({}, 0, 0));
    auto stream = MakeStream(engine, fmt::format("dedicated thread {}", purpose));
    if (!stream) return tl::unexpected(stream.error());
    auto thread = MakeLocked(*stream, true, engine);
    if (!thread) return tl::unexpected(thread.error());
    dedicated_[purpose] = (*thread)->handle;
  }
  const std::uint64_t handle = dedicated_[purpose];
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckQuotas({handle}, 0, notifies));
  Grow(handle, notifies);
  return handle;
}

base::Result<CommThread*> CommThreads::Find(std::uint64_t handle, const char* argument) const {
  auto found = Threads().Get(handle, argument);
  if (!found) return found;
  const std::lock_guard lock(mutex_);
  if (std::find(handles_.begin(), handles_.end(), handle) != handles_.end()) return found;
  return base::FailResult(Code::kInvalidParam, "{} 0x{:x} was not acquired from communicator {}", argument, handle,
                          name_);
}

// --- Way down ----------------------------------------------------------------------------------------------------

// Threads on streams that are gone: the handle of a new stream may look like an old one's to the user, never to us.
void CommThreads::ForgetDeadStreamsLocked() {
  for (auto entry = by_stream_.begin(); entry != by_stream_.end();) {
    if (Threads().Lookup(entry->second)->UsableStream()) {
      ++entry;
      continue;
    }
    std::erase(handles_, entry->second);
    WithdrawThread(entry->second);
    entry = by_stream_.erase(entry);
  }
}

std::vector<exec::Stream*> CommThreads::OwnStreams() const {
  const std::lock_guard lock(mutex_);
  std::vector<exec::Stream*> streams;
  for (const std::uint64_t handle : handles_) {
    const CommThread* thread = Threads().Lookup(handle);
    if (thread->owns_stream) streams.push_back(thread->stream);
  }
  return streams;
}

std::vector<std::uint64_t> CommThreads::Close(const Status& reason) {
  const std::lock_guard lock(mutex_);
  closed_ = reason;
  std::vector<std::uint64_t> users;
  for (const auto& [stream, thread] : by_stream_) users.push_back(stream);
  for (const std::uint64_t handle : handles_) WithdrawThread(handle);
  handles_.clear();
  pools_.clear();
  by_stream_.clear();
  dedicated_.clear();
  return users;
}

}  // namespace softhccl::comm
