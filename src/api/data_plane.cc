// Lookups of the data plane and the consequences of a failing call.
#include "api/data_plane.h"

#include "base/config.h"
#include "engine/faithful.h"

namespace softhccl::api {

using base::Code;
using base::Status;
using engine::Runtime;

base::Result<comm::CommThread*> FindThread(ThreadHandle thread) {
  if (thread == 0) return base::FailResult(Code::kNullPointer, "thread is 0; acquire it with HcclThreadAcquire");
  return comm::Threads().Get(thread, "thread");
}

Status RequireThread(ThreadHandle thread) {
  auto found = FindThread(thread);
  return found ? Status() : found.error();
}

base::Result<comm::Channel*> FindChannel(ChannelHandle channel) {
  if (channel == 0) return base::FailResult(Code::kNullPointer, "channel is 0; acquire it with HcclChannelAcquire");
  auto found = comm::Channels().Get(channel, "channel");
  if (!found || (*found)->is_connected.load()) return found;
  return base::FailResult(Code::kUnavailable,
                          "channel 0x{:x} is not connected yet; wait until HcommChannelGetStatus says 0", channel);
}

base::Result<comm::Channel*> FindChannelFor(ThreadHandle thread, ChannelHandle channel) {
  auto found = FindChannel(channel);
  if (!found) return found;
  if (engine::IsFaithful() && engine::CurrentInvocation() != nullptr) {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(
        engine::CheckAcquired(engine::CurrentContext().HoldsAny(), engine::FaithfulProduct()));
  }
  if (engine::TaskRecording* recording = engine::CurrentContext().recording.get()) {
    recording->NoteChannel((*found)->link.get(), channel);
  }
  const comm::CommThread* user = comm::Threads().Lookup(thread);
  if (user == nullptr) return found;
  const exec::Party& own = (*found)->party;
  const exec::Party& theirs = user->party;
  // The link of a channel without communicator is kept until every thread has done with it.
  if (own.domain == nullptr || (own.domain == theirs.domain && own.rank == theirs.rank)) return found;
  const std::string whose = theirs.domain == nullptr
                                ? "no communicator"
                                : fmt::format("rank {} of communicator {}", theirs.rank, theirs.domain->name());
  return base::FailResult(Code::kInvalidParam,
                          "channel belongs to rank {} of communicator {}, thread to {}; use both of one communicator",
                          own.rank, own.domain->name(), whose);
}

Status RefuseTransferForProduct(const char* call, const comm::Channel& channel) {
  if (!engine::IsFaithful() || channel.protocol < 0) return {};
  return engine::CheckTransfer(call, channel.protocol, engine::FaithfulProduct());
}

Status RefuseThreadForProduct(const char* call, const comm::CommThread& thread) {
  if (!engine::IsFaithful() || engine::CurrentInvocation() != nullptr) return {};
  return engine::CheckHostThread(call, thread.engine, engine::FaithfulProduct());
}

Status CheckIndex(const char* argument, std::uint32_t index, std::size_t count, std::uint32_t remote_rank) {
  if (index < count) return {};
  const std::string where = remote_rank == exec::kNoRank ? "" : fmt::format(" to rank {}", remote_rank);
  return base::Fail(Code::kInvalidParam, "{} {} is out of range: the channel{} was acquired with notifyNum {}",
                    argument, index, where, count);
}

Status CheckNotAborted(const exec::Party& party) {
  return party.domain != nullptr && party.domain->aborted() ? party.domain->AbortStatus() : Status();
}

base::Nanos DefaultWaitLimitOn(ThreadHandle thread) {
  const comm::CommThread* found = comm::Threads().Lookup(thread);
  return DefaultWaitLimit(found == nullptr ? std::nullopt : found->wait_seconds);
}

base::Nanos DefaultWaitLimit(std::optional<double> of_communicator) {
  const engine::LaunchContext& context = engine::CurrentContext();
  if (context.wait_seconds) return Runtime::Get().WaitLimit(*context.wait_seconds);
  const auto config = base::ProcessHcclConfig();
  const double of_process = config ? config->exec_timeout_s : base::HcclConfig().exec_timeout_s;
  const double seconds = of_communicator.value_or(of_process);
  if (seconds == 0) return base::kForever;
  // A host thread lets the device report first.
  constexpr double kHostOffset = 50;
  return Runtime::Get().KernelLimit(engine::CurrentInvocation() != nullptr ? seconds : seconds + kHostOffset);
}

namespace {

// A failure that is no reason to give up: the caller may try again, or the work goes on.
bool IsTransient(const Status& status) { return status.code() == Code::kAgain || status.code() == Code::kSyncTimeout; }

template <typename Mark>
void MarkUnlessTransient(const Status& status, Mark mark) {
  if (status.ok() || IsTransient(status)) return;
  // Out of memory while telling about a failure: the caller still gets the code.
  static_cast<void>(Guard([&]() -> Status {
    mark();
    return {};
  }));
}

}  // namespace

std::int32_t FinishOnThread(const char* call, const comm::CommThread* thread, const Status& status, Loudness loudness) {
  MarkUnlessTransient(status, [&] {
    if (thread == nullptr) return engine::MarkLaunchFailed(status);
    exec::Scheduler& scheduler = Runtime::Get().scheduler();
    engine::MarkFailed(scheduler, *thread->stream, status);
    scheduler.AbortParty(thread->party, status);  // a user's stream has no party of its own
  });
  return static_cast<std::int32_t>(ReportHccl(call, status, loudness));
}

std::int32_t FinishOnChannel(const char* call, const comm::Channel* channel, const Status& status, Loudness loudness) {
  MarkUnlessTransient(status, [&] {
    if (channel != nullptr) Runtime::Get().scheduler().AbortParty(channel->party, status);
    engine::MarkLaunchFailed(status);
  });
  return static_cast<std::int32_t>(ReportHccl(call, status, loudness));
}

std::int32_t FinishInContext(const char* call, const Status& status) { return FinishOnThread(call, nullptr, status); }

}  // namespace softhccl::api
