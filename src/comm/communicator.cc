// Life of a communicator: creation, the launch lock, and the way down. Channels are in channels.cc, the rest of what
// operators acquire is in classes of its own.
#include "comm/communicator.h"

#include <algorithm>

#include "base/config.h"
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
  std::shared_ptr<Communicator> made(new Communicator(group, rank, size, device, std::move(options)));
  const Status prepared = made->Prepare();
  if (!prepared.ok()) {
    if (made->options_.waits_for_all) group->Withdraw(rank, prepared);
    return tl::unexpected(prepared);
  }
  SOFTHCCL_RETURN_RESULT_IF_ERROR(made->JoinGroup());
  if (made->options_.devices.empty()) SOFTHCCL_RETURN_RESULT_IF_ERROR(made->MakeGraph(group->Devices()));
  return made;
}

// Everything that can fail without the other ranks.
Status Communicator::Prepare() {
  const auto& topology = Topology::OfProcess();
  if (!topology) return topology.error();
  SOFTHCCL_RETURN_IF_ERROR(topology->CheckCard(device_));
  if (!options_.devices.empty()) SOFTHCCL_RETURN_IF_ERROR(MakeGraph(options_.devices));
  const std::string purpose = fmt::format("the HcclBuffer of rank {} (HCCL_BUFFSIZE={})", rank_, options_.buffer_mib);
  auto buffer = transport::Region::Create(device_, options_.buffer_mib * 2 * 1024 * 1024, event::KeepText(purpose));
  if (!buffer) {
    return Status(buffer.error())
        .While(fmt::format("allocating the HcclBuffer (2 x HCCL_BUFFSIZE {} MB)", options_.buffer_mib));
  }
  buffer_ = std::move(*buffer);
  group_->domain()->SetDevice(rank_, device_);
  group_->store().Set(BufferKey(rank_), std::to_string(buffer_->id()));
  return {};
}

// A described cluster has the devices as its cards, a rank table the ranks of the communicator that was made of it.
Status Communicator::MakeGraph(const std::vector<int>& devices) {
  const base::Config& config = base::ProcessConfig();
  const bool is_described = !config.topology.empty();
  std::shared_ptr<const Topology> topology(std::shared_ptr<void>(), &*Topology::OfProcess());
  std::vector<int> cards = devices;
  if (options_.table != nullptr && !is_described) {
    topology = std::make_shared<const Topology>(Topology::OfTable(*options_.table, config.soc_name));
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
      cards[rank] = static_cast<int>(options_.parent_ranks.empty() ? rank : options_.parent_ranks[rank]);
    }
  }
  auto graph = RankGraph::Create(std::move(topology), rank_, cards);
  if (!graph) return graph.error();
  graph_ = std::move(*graph);
  return {};
}

Status Communicator::JoinGroup() {
  if (!options_.waits_for_all) return group_->Enter(rank_, size_, device_);
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  exec::ScopedHostWait wait(scheduler, party(), "the creation of the communicator", "to create it, too");
  return group_->Join(rank_, size_, device_, scheduler.Now() + connect_limit_,
                      [&](const std::vector<std::uint32_t>& missing) { return wait.Look(missing); });
}

Communicator::Communicator(std::shared_ptr<bootstrap::Group> group, std::uint32_t rank, std::uint32_t size, int device,
                           Options options)
    : group_(std::move(group)),
      rank_(rank),
      size_(size),
      device_(device),
      options_(std::move(options)),
      name_(options_.name.empty() ? group_->id() : options_.name),
      connect_limit_(options_.connect_limit),
      windows_({{group_, rank_, AllRanks(size_), connect_limit_, [this] { return CheckUsable(); }},
                name_,
                device_,
                std::min<std::uint64_t>(options_.symmetric_stride_gib, 1u << 20) << 30}),
      teams_({{group_, rank_, AllRanks(size_), connect_limit_, [this] { return CheckUsable(); }}, name_, device_}),
      threads_(party(), device_, name_, options_.exec_timeout_s),
      contexts_(device_, name_),
      memories_(fmt::format("communicator {}", name_)),
      barriers_({group_, rank_, size_, device_, options_.exec_timeout_s}) {}

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

Status Communicator::QueueBarrier(exec::Stream& stream, const void* call_site) {
  SOFTHCCL_RETURN_IF_ERROR(CheckUsable());
  return barriers_.Queue(stream, call_site);
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
    const exec::ScopedHostWait blocked(scheduler, party(), "HcommAcquireComm",
                                       fmt::format("until {} releases it", lock_holder_name_));
    const bool was_counted = waiting != nullptr && waiting->Uncount(scheduler);
    lock_free_.wait(lock, [&] { return lock_holder_ == nullptr || shut_down_; });
    if (was_counted && waiting->phase.load() == engine::Invocation::Phase::kRunning) waiting->Count(scheduler);
  }
  if (shut_down_) return base::Fail(Code::kRemote, "commId \"{}\" was destroyed while a kernel waited for it", name_);
  if (group_->domain()->aborted()) return group_->domain()->AbortStatus();
  SOFTHCCL_RETURN_IF_ERROR(CheckNotSuspended());
  lock_holder_ = &launch;
  const engine::Invocation* invocation = engine::CurrentInvocation();
  lock_holder_name_ = invocation == nullptr ? "a host thread" : invocation->label;
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
  if (group_->domain()->aborted()) return group_->domain()->AbortStatus();
  return CheckNotSuspended();
}

// --- States ------------------------------------------------------------------------------------------------------

Communicator::State Communicator::state() const {
  if (group_->domain()->aborted()) return State::kAborted;
  return suspended_.load() ? State::kSuspended : State::kReady;
}

Status Communicator::CheckNotSuspended() const {
  if (!suspended_.load()) return {};
  return base::Fail(Code::kSuspended, "communicator {} is suspended; call HcclCommResume on this rank first", name_);
}

Status Communicator::Suspend() {
  if (!suspended_.exchange(true)) return {};
  return base::Fail(Code::kInvalidParam,
                    "comm {} is suspended already; HcclCommSuspend and HcclCommResume come in pairs", name_);
}

Status Communicator::Resume() {
  if (group_->domain()->aborted()) return group_->domain()->AbortStatus();
  if (suspended_.exchange(false)) return {};
  return base::Fail(Code::kInvalidParam, "comm {} is not suspended; HcclCommSuspend and HcclCommResume come in pairs",
                    name_);
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
  for (exec::Stream* stream : barriers_.OwnStreams()) streams.push_back(stream);
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
  const Status gone =
      base::Fail(Code::kRemote, "rank {} has destroyed its communicator {}; it records nothing any more", rank_, name_);
  barriers_.Close(gone);
  scheduler.FailWaitsFor(party(), gone);
  std::vector<std::unique_ptr<transport::Link>> links;
  for (const auto& [id, handle] : channels_) links.push_back(WithdrawChannel(handle));
  std::move(destroyed_links_.begin(), destroyed_links_.end(), std::back_inserter(links));
  destroyed_links_.clear();
  RetireLinks(std::move(links), users);
  channels_.clear();
  buffers_.clear();
  memories_.Close();
  contexts_.Close(destroyed);
  windows_.Close();
  teams_.Close();
  if (group_->Leave(rank_)) bootstrap::CloseGroup(group_->id());
}

}  // namespace softhccl::comm
