// Life of a communicator: creation, threads, contexts, the launch lock, and the way down. Channels are in channels.cc.
#include "comm/communicator.h"

#include "base/log.h"
#include "engine/engines.h"
#include "event/labels.h"
#include "exec/thread_census.h"
#include "memory/memory.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;

CommThreadSlab& Threads() {
  static auto* threads = new CommThreadSlab;  // handles may be looked up during static destruction
  return *threads;
}

base::Result<std::shared_ptr<Communicator>> Communicator::Create(std::shared_ptr<bootstrap::Group> group,
                                                                 std::uint32_t rank, std::uint32_t size, int device,
                                                                 Options options) {
  std::shared_ptr<Communicator> made(new Communicator(group, rank, size, device, options));
  const std::string purpose = fmt::format("the HcclBuffer of rank {} (HCCL_BUFFSIZE={})", rank, options.buffer_mib);
  auto buffer = transport::Region::Create(device, options.buffer_mib * 2 * 1024 * 1024, event::KeepText(purpose));
  if (!buffer) {
    return tl::unexpected(
        Status(buffer.error())
            .While(fmt::format("allocating the HcclBuffer (2 x HCCL_BUFFSIZE {} MB)", options.buffer_mib)));
  }
  made->buffer_ = std::move(*buffer);
  group->domain()->SetDevice(rank, device);
  const exec::ScopedBlockedCall blocked(exec::BlockedCall::kTimed);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(
      group->Join(rank, size, device, Runtime::Get().scheduler().Now() + options.connect_limit));
  return made;
}

Communicator::Communicator(std::shared_ptr<bootstrap::Group> group, std::uint32_t rank, std::uint32_t size, int device,
                           Options options)
    : group_(std::move(group)),
      rank_(rank),
      size_(size),
      device_(device),
      name_(options.name.empty() ? group_->id() : std::move(options.name)),
      connect_limit_(options.connect_limit) {}

Communicator::~Communicator() = default;

// --- Threads -----------------------------------------------------------------------------------------------------

base::Result<std::vector<std::uint64_t>> Communicator::AcquireThreads(int engine, std::uint32_t count,
                                                                      std::uint32_t notifies) {
  if (count == 0 || count > kMaxThreads) {
    return base::FailResult(Code::kInvalidParam, "threadNum {} is out of range; a communicator has 1 to {} threads",
                            count, kMaxThreads);
  }
  if (notifies >= kMaxNotifies) {
    return base::FailResult(Code::kInvalidParam, "notifyNumPerThread {} is out of range; use at most {}", notifies,
                            kMaxNotifies - 1);
  }
  std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  std::vector<std::uint64_t>& pool = threads_[engine];
  const std::uint32_t missing = count > pool.size() ? count - static_cast<std::uint32_t>(pool.size()) : 0;
  if (thread_total_ + missing > kMaxThreads) {
    return base::FailResult(Code::kUnavailable,
                            "threadNum {} needs {} new threads, but {} of the {} of communicator {} are in use", count,
                            missing, thread_total_, kMaxThreads, name_);
  }
  std::uint64_t wanted_notifies = notify_total_ + std::uint64_t{missing} * notifies;
  for (std::size_t i = 0; i < pool.size() && i < count; ++i) {
    const std::uint32_t has = Threads().Lookup(pool[i])->notify_count;
    if (notifies > has) wanted_notifies += notifies - has;
  }
  if (wanted_notifies > kMaxNotifies) {
    return base::FailResult(Code::kUnavailable,
                            "notifyNumPerThread {} would make {} notifies; communicator {} may have {}", notifies,
                            wanted_notifies, name_, kMaxNotifies);
  }
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  while (pool.size() < count) {
    auto stream = scheduler.CreateStream(
        device_, party(), fmt::format("rank {}/{} thread {}", rank_, (*engine::FindEngine(engine))->name, pool.size()));
    if (!stream) return tl::unexpected(stream.error());
    std::uint64_t handle = 0;
    CommThread* thread = Threads().Allocate(&handle);
    if (thread == nullptr) {
      scheduler.DestroyStream(*stream);
      return base::FailResult(Code::kUnavailable, "no thread handle left: {} are in use", Threads().live());
    }
    thread->handle = handle;
    thread->stream = *stream;
    thread->device = device_;
    thread->engine = engine;
    thread->notify_count = 0;
    Threads().Publish(handle);
    pool.push_back(handle);
    ++thread_total_;
  }
  notify_total_ = static_cast<std::uint32_t>(wanted_notifies);
  for (std::uint32_t i = 0; i < count; ++i) {
    CommThread* thread = Threads().Lookup(pool[i]);
    thread->notify_count = std::max(thread->notify_count.load(), notifies);
  }
  return std::vector<std::uint64_t>(pool.begin(), pool.begin() + count);
}

// --- Engine contexts ---------------------------------------------------------------------------------------------

base::Result<std::byte*> Communicator::CreateContext(const std::string& tag, int engine, std::uint64_t size) {
  auto info = engine::FindEngine(engine);
  if (!info) return tl::unexpected(info.error());
  if (size == 0) return base::FailResult(Code::kInvalidParam, "size 0: a context holds at least one byte");
  std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  if (contexts_.count({tag, engine}) != 0) {
    return base::FailResult(Code::kInvalidParam,
                            "ctxTag \"{}\": a context of engine {} with this tag exists already ({} bytes); "
                            "get it with HcclEngineCtxGet",
                            tag, (*info)->name, contexts_[{tag, engine}].size);
  }
  auto memory = memory::Memory::Process().Allocate((*info)->context_space, device_, size, "an engine context");
  if (!memory) return memory;
  std::fill_n(*memory, size, std::byte{0});
  contexts_[{tag, engine}] = Context{*memory, size};
  return memory;
}

base::Result<Communicator::Context> Communicator::FindContext(const std::string& tag, int engine) const {
  auto info = engine::FindEngine(engine);
  if (!info) return tl::unexpected(info.error());
  std::lock_guard lock(mutex_);
  const auto found = contexts_.find({tag, engine});
  if (found == contexts_.end()) {
    return base::FailResult(Code::kNotFound,
                            "ctxTag \"{}\": communicator {} has no context of engine {} with this tag; create it "
                            "with HcclEngineCtxCreate",
                            tag, name_, (*info)->name);
  }
  return found->second;
}

// --- Launch lock -------------------------------------------------------------------------------------------------

Status Communicator::Acquire(engine::LaunchContext& launch) {
  std::unique_lock lock(lock_mutex_);
  if (lock_holder_ == &launch) {
    return base::Fail(Code::kInvalidParam,
                      "commId \"{}\" is already acquired by this launch; release it before acquiring it again", name_);
  }
  if (lock_holder_ != nullptr && !shut_down_) {
    // The kernel blocks: it counts as parked, and the permit of an inline kernel goes to somebody else.
    exec::Scheduler& scheduler = Runtime::Get().scheduler();
    engine::Invocation* waiting = engine::CurrentInvocation();
    const exec::Scheduler::BlockingRegion permit;
    const exec::ScopedBlockedCall blocked(exec::BlockedCall::kUntimed);
    const bool was_counted = waiting != nullptr && waiting->Uncount(scheduler);
    lock_free_.wait(lock, [&] { return lock_holder_ == nullptr || shut_down_; });
    if (was_counted && waiting->phase.load() == engine::Invocation::Phase::kRunning) waiting->Count(scheduler);
  }
  if (shut_down_) return base::Fail(Code::kRemote, "commId \"{}\" was destroyed while a kernel waited for it", name_);
  if (group_->domain()->aborted()) return group_->domain()->AbortStatus();
  lock_holder_ = &launch;
  return {};
}

void Communicator::ReleaseBy(engine::LaunchContext& launch) {
  std::lock_guard lock(lock_mutex_);
  if (lock_holder_ != &launch) return;
  lock_holder_ = nullptr;
  // All of them: one that finds the communicator aborted leaves without taking it and would wake nobody else.
  lock_free_.notify_all();
}

Status Communicator::CheckUsable() const {
  {
    std::lock_guard lock(lock_mutex_);
    if (shut_down_) return base::Fail(Code::kRemote, "communicator {} was destroyed while it was used", name_);
  }
  return group_->domain()->aborted() ? group_->domain()->AbortStatus() : Status();
}

// --- Way down ----------------------------------------------------------------------------------------------------

bool Communicator::BeginShutdown() {
  std::lock_guard lock(lock_mutex_);
  if (lock_holder_ != nullptr) return false;
  shut_down_ = true;
  lock_free_.notify_all();
  return true;
}

namespace {

// Lets a stream finish what nothing holds up: an op whose effect was seen (its record ended the host's wait) counts as
// completed only a moment later, and after an abort the rest is being skipped. A parked stream is pending work, unless
// the abort is about to end its wait.
void SettleStream(exec::Scheduler& scheduler, exec::Stream& stream) {
  const base::Nanos deadline = scheduler.Now() + base::FromSeconds(1);
  while (stream.completed() != stream.submitted() && scheduler.Now() < deadline) {
    if (stream.parked() && !stream.party.domain->aborted()) return;
    static_cast<void>(scheduler.Drain(stream, scheduler.Now() + base::FromSeconds(0.001)));
  }
}

}  // namespace

std::vector<exec::Stream*> Communicator::OwnStreams() const {
  std::vector<exec::Stream*> streams;
  for (const auto& [engine, pool] : threads_) {
    for (const std::uint64_t handle : pool) streams.push_back(Threads().Lookup(handle)->stream);
  }
  for (const auto& [id, handle] : channels_) {
    for (exec::Stream* stream : Channels().Lookup(handle)->queue.Streams()) streams.push_back(stream);
  }
  return streams;
}

void Communicator::Shutdown() {
  const std::lock_guard acquiring(acquire_mutex_);
  const std::lock_guard lock(mutex_);
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  for (exec::Stream* stream : OwnStreams()) {
    SettleStream(scheduler, *stream);
    if (stream->completed() == stream->submitted()) continue;
    const Status pending = base::Fail(Code::kRemote,
                                      "rank {} destroyed communicator {} while {} ops were pending on {}; "
                                      "synchronise the streams first",
                                      rank_, name_, stream->submitted() - stream->completed(),
                                      event::GetLabel(event::LabelKind::kStream, stream->id));
    base::Log(base::LogLevel::kWarning, pending.message());
    stream->SetError(pending);
    scheduler.AbortParty(party(), pending);
  }
  for (const auto& [engine, pool] : threads_) {
    for (const std::uint64_t handle : pool) {
      CommThread* thread = Threads().Lookup(handle);
      Threads().Retire(handle);
      scheduler.DestroyStream(thread->stream);
      thread->notifies.Clear();
      Threads().Recycle(handle);
    }
  }
  // What its threads recorded stands; more will not come.
  scheduler.FailWaitsFor(party(), base::Fail(Code::kRemote,
                                             "rank {} has destroyed its communicator {}; it records "
                                             "nothing any more",
                                             rank_, name_));
  for (const auto& [id, handle] : channels_) {
    Channel* channel = Channels().Lookup(handle);
    Channels().Retire(handle);
    channel->queue.Close();
    for (exec::Notify* notify : channel->notifies) scheduler.DestroyNotify(notify);
    channel->notifies.clear();
    channel->link.reset();
    channel->party = exec::Party();
    Channels().Recycle(handle);
  }
  for (const auto& [key, context] : contexts_) {
    const auto info = engine::FindEngine(key.second);
    const Status freed = memory::Memory::Process().Free((*info)->context_space, context.data);
    if (!freed.ok()) base::Log(base::LogLevel::kError, freed.message());
  }
  threads_.clear();
  channels_.clear();
  contexts_.clear();
  if (group_->Leave(rank_)) bootstrap::CloseGroup(group_->id());
}

}  // namespace softhccl::comm
