// Life of a communicator: creation, the launch lock, and the way down. Channels are in channels.cc, the rest of what
// operators acquire is in classes of its own.
#include "comm/communicator.h"

#include "base/log.h"
#include "comm/retired_links.h"
#include "event/labels.h"
#include "exec/host_wait.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;

base::Result<std::shared_ptr<Communicator>> Communicator::Create(std::shared_ptr<bootstrap::Group> group,
                                                                 std::uint32_t rank, std::uint32_t size, int device,
                                                                 Options options) {
  const auto& topology = Topology::OfProcess();
  if (!topology) return tl::unexpected(topology.error());
  SOFTHCCL_RETURN_RESULT_IF_ERROR(topology->CheckCard(device));
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
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  exec::ScopedHostWait wait(scheduler, made->party(), "the creation of the communicator", "to create it, too");
  SOFTHCCL_RETURN_RESULT_IF_ERROR(
      group->Join(rank, size, device, scheduler.Now() + options.connect_limit,
                  [&](const std::vector<std::uint32_t>& missing) { return wait.Look(missing); }));
  auto graph = RankGraph::Create(*topology, rank, group->Devices());
  if (!graph) return tl::unexpected(graph.error());
  made->graph_ = std::move(*graph);
  return made;
}

Communicator::Communicator(std::shared_ptr<bootstrap::Group> group, std::uint32_t rank, std::uint32_t size, int device,
                           Options options)
    : group_(std::move(group)),
      rank_(rank),
      size_(size),
      device_(device),
      name_(options.name.empty() ? group_->id() : std::move(options.name)),
      connect_limit_(options.connect_limit),
      threads_(party(), device_, name_),
      contexts_(device_, name_) {}

Communicator::~Communicator() = default;

// --- Threads and contexts ----------------------------------------------------------------------------------------

base::Result<std::vector<std::uint64_t>> Communicator::AcquireThreads(int engine, std::uint32_t count,
                                                                      std::uint32_t notifies) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  return threads_.Acquire(engine, count, notifies);
}

base::Result<std::byte*> Communicator::CreateContext(const std::string& tag, int engine, std::uint64_t size) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable());
  return contexts_.Create(tag, engine, size);
}

base::Result<EngineContexts::Context> Communicator::FindContext(const std::string& tag, int engine) const {
  return contexts_.Find(tag, engine);
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
  std::vector<exec::Stream*> streams = threads_.OwnStreams();
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
  const Status destroyed = CheckUsable();
  const std::vector<std::uint64_t> users = threads_.Close(destroyed);
  // What its threads recorded stands; more will not come.
  scheduler.FailWaitsFor(party(), base::Fail(Code::kRemote,
                                             "rank {} has destroyed its communicator {}; it records "
                                             "nothing any more",
                                             rank_, name_));
  std::vector<std::unique_ptr<transport::Link>> links;
  for (const auto& [id, handle] : channels_) links.push_back(WithdrawChannel(handle));
  RetireLinks(std::move(links), users);
  channels_.clear();
  contexts_.Close(destroyed);
  if (group_->Leave(rank_)) bootstrap::CloseGroup(group_->id());
}

}  // namespace softhccl::comm
