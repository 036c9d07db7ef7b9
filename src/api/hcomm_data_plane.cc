// The data plane: calls that queue ops on communication threads. A failing call also fails the thread's stream,
// because operators tend to swallow return codes.
#include "api/error_map.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/issue.h"
#include "engine/ops/ops.h"
#include "hcomm/hcomm_primitives.h"
#include "memory/memory.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

base::Result<comm::CommThread*> FindThread(ThreadHandle thread) {
  if (thread == 0) return base::FailResult(Code::kNullPointer, "thread is 0; acquire it with HcclThreadAcquire");
  return comm::Threads().Get(thread, "thread");
}

base::Result<comm::Channel*> FindChannel(ChannelHandle channel) {
  if (channel == 0) return base::FailResult(Code::kNullPointer, "channel is 0; acquire it with HcclChannelAcquire");
  auto found = comm::Channels().Get(channel, "channel");
  if (!found || (*found)->is_connected.load()) return found;
  return base::FailResult(Code::kUnavailable,
                          "channel 0x{:x} is not connected yet; wait until HcommChannelGetStatus says 0", channel);
}

// The channel, which must be an end of the rank that the thread works for: an op keeps the channel's link, and only the
// communicator's own threads are drained before it goes. A bad thread is somebody else's answer.
base::Result<comm::Channel*> FindChannelFor(ThreadHandle thread, ChannelHandle channel) {
  auto found = FindChannel(channel);
  if (!found) return found;
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

// Makes the op with `make(thread)` and queues it; `make` returns Result<exec::Op>.
template <typename Make>
int32_t Queue(const char* call, const void* site, ThreadHandle thread_handle, Make make) {
  comm::CommThread* thread = nullptr;
  const Status status = Guard([&]() -> Status {
    base::Result<exec::Op> op = make();  // argument checks come before the thread's, as the vendor's order is
    auto found = FindThread(thread_handle);
    if (found) thread = *found;
    if (!op) return op.error();
    if (!found) return found.error();
    if (thread->party.domain != nullptr && thread->party.domain->aborted()) return thread->party.domain->AbortStatus();
    auto stream = thread->UsableStream();
    if (!stream) {
      thread = nullptr;
      return stream.error();
    }
    op->call_site = site;
    return engine::Issue(Runtime::Get().scheduler(), **stream, *op);
  });
  if (status.ok()) return HCCL_SUCCESS;
  const Status marked = Guard([&]() -> Status {
    if (status.code() == Code::kAgain) return {};
    if (thread != nullptr) {
      engine::MarkFailed(Runtime::Get().scheduler(), *thread->stream, status);
      Runtime::Get().scheduler().AbortParty(thread->party, status);  // a user's stream has no party of its own
    } else {
      engine::MarkLaunchFailed(status);
    }
    return {};
  });
  static_cast<void>(marked);  // out of memory while telling about a failure; the caller still gets the code
  return static_cast<int32_t>(ReportHccl(call, status));
}

tl::unexpected<Status> AsResult(Status status) { return tl::unexpected<Status>(std::move(status)); }

Status CheckIndex(const char* argument, uint32_t index, std::size_t count, uint32_t remote_rank) {
  if (index < count) return {};
  return base::Fail(Code::kInvalidParam, "{} {} is out of range: the channel to rank {} was acquired with notifyNum {}",
                    argument, index, remote_rank, count);
}

Status CheckBuffers(const void* dst, const void* src, uint64_t len) {
  SOFTHCCL_REQUIRE(dst);
  SOFTHCCL_REQUIRE(src);
  const memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(dst, len, "dst"));
  return memory.CheckRange(src, len, "src");
}

base::Result<exec::Notify*> FindAclNotify(ThreadHandle thread, uint64_t id) {
  auto found = FindThread(thread);
  if (!found) return tl::unexpected(found.error());
  auto device = Runtime::Get().devices().Get((*found)->device);
  if (!device) return tl::unexpected(device.error());
  exec::Notify* notify = (*device)->FindNotify(id);
  if (notify != nullptr) return notify;
  return base::FailResult(Code::kNullPointer,
                          "notifyId {}: device {} has no such notify; use the id that aclrtGetNotifyId gives", id,
                          (*device)->id());
}

base::Result<std::shared_ptr<comm::Communicator>> FindByName(const char* name) {
  Status present = RequirePointer(name, "commId");
  if (!present.ok()) return AsResult(std::move(present));
  int device = -1;
  if (const engine::Invocation* invocation = engine::CurrentInvocation()) {
    device = invocation->device;
  } else {
    auto current = CurrentDevice();
    if (!current) return tl::unexpected(current.error());
    device = (*current)->id();
  }
  return comm::Registry::Get().FindByName(name, device);
}

int32_t Report(const char* call, const Status& status) {
  const Status marked = Guard([&]() -> Status {
    if (!status.ok()) engine::MarkLaunchFailed(status);
    return {};
  });
  static_cast<void>(marked);  // as in Queue
  return static_cast<int32_t>(ReportHccl(call, status));
}

}  // namespace

extern "C" int32_t HcommAcquireComm(const char* commId) {
  return Report("HcommAcquireComm", Guard([&]() -> Status {
                  auto found = FindByName(commId);
                  // The vendor answers PTR for an unknown name.
                  if (!found && found.error().code() == Code::kNotFound)
                    return Status(Code::kNullPointer, found.error().message());
                  if (!found) return found.error();
                  // Host threads are not locked out and lock nobody out: only a launch has an end at which a lock is
                  // given back.
                  const engine::Invocation* launch = engine::CurrentInvocation();
                  if (launch == nullptr) return {};
                  engine::LaunchContext& context = engine::CurrentContext();
                  SOFTHCCL_RETURN_IF_ERROR((*found)->Acquire(context));
                  context.Hold({commId, [comm = *found, &context] { comm->ReleaseBy(context); }});
                  // Given up while it waited: what it gets now nobody would release.
                  if (launch->phase.load() != engine::Invocation::Phase::kAbandoned) return {};
                  static_cast<void>(context.ReleaseAllHeld());
                  return base::Fail(Code::kKernelTimeout, "{} was given up at its limit", launch->label);
                }));
}

extern "C" int32_t HcommReleaseComm(const char* commId) {
  return Report("HcommReleaseComm", Guard([&]() -> Status {
                  SOFTHCCL_REQUIRE(commId);
                  engine::CurrentContext().ReleaseHeld(commId);  // what is not held is no error, as the vendor's
                  return {};
                }));
}

extern "C" int32_t HcommBatchModeStart(const char* batchTag) {
  return Report("HcommBatchModeStart", Guard([&] { return engine::BatchStart(batchTag); }));
}

extern "C" int32_t HcommBatchModeEnd(const char*) {
  return Report("HcommBatchModeEnd", Guard([&] { return engine::BatchEnd(Runtime::Get().scheduler()); }));
}

extern "C" int32_t HcommAclrtNotifyRecordOnThread(ThreadHandle thread, uint64_t dstNotifyId) {
  return Queue("HcommAclrtNotifyRecordOnThread", __builtin_return_address(0), thread, [&]() -> base::Result<exec::Op> {
    auto notify = FindAclNotify(thread, dstNotifyId);
    if (!notify) return tl::unexpected(notify.error());
    return engine::ops::NotifyRecord((*notify)->handle);
  });
}

extern "C" int32_t HcommAclrtNotifyWaitOnThread(ThreadHandle thread, uint64_t notifyId, uint32_t timeOut) {
  return Queue("HcommAclrtNotifyWaitOnThread", __builtin_return_address(0), thread, [&]() -> base::Result<exec::Op> {
    auto notify = FindAclNotify(thread, notifyId);
    if (!notify) return tl::unexpected(notify.error());
    return engine::ops::NotifyWait((*notify)->handle, Runtime::Get().WaitLimit(timeOut));
  });
}

extern "C" int32_t HcommChannelNotifyRecordOnThread(ThreadHandle thread, ChannelHandle channel,
                                                    uint32_t remoteNotifyIdx) {
  return Queue(
      "HcommChannelNotifyRecordOnThread", __builtin_return_address(0), thread, [&]() -> base::Result<exec::Op> {
        auto found = FindChannelFor(thread, channel);
        if (!found) return tl::unexpected(found.error());
        Status valid =
            CheckIndex("remoteNotifyIdx", remoteNotifyIdx, (*found)->link->peer_notify_count(), (*found)->remote_rank);
        if (!valid.ok()) return AsResult(std::move(valid));
        return engine::ops::ChannelRecord((*found)->link.get(), remoteNotifyIdx);
      });
}

extern "C" int32_t HcommChannelNotifyWaitOnThread(ThreadHandle thread, ChannelHandle channel, uint32_t localNotifyIdx,
                                                  uint32_t timeOut) {
  return Queue("HcommChannelNotifyWaitOnThread", __builtin_return_address(0), thread, [&]() -> base::Result<exec::Op> {
    auto found = FindChannelFor(thread, channel);
    if (!found) return tl::unexpected(found.error());
    Status valid = CheckIndex("localNotifyIdx", localNotifyIdx, (*found)->notifies.size(), (*found)->remote_rank);
    if (!valid.ok()) return AsResult(std::move(valid));
    return engine::ops::NotifyWait((*found)->notifies[localNotifyIdx]->handle, Runtime::Get().WaitLimit(timeOut));
  });
}

extern "C" int32_t HcommLocalCopyOnThread(ThreadHandle thread, void* dst, const void* src, uint64_t len) {
  return Queue("HcommLocalCopyOnThread", __builtin_return_address(0), thread, [&]() -> base::Result<exec::Op> {
    Status valid = CheckBuffers(dst, src, len);
    if (!valid.ok()) return AsResult(std::move(valid));
    return engine::ops::LocalCopy(dst, src, len);
  });
}

extern "C" int32_t HcommReadOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                     uint64_t len) {
  return Queue("HcommReadOnThread", __builtin_return_address(0), thread, [&]() -> base::Result<exec::Op> {
    Status valid = RequirePointer(dst, "dst");
    if (valid.ok()) valid = RequirePointer(src, "src");
    if (valid.ok()) valid = memory::Memory::Process().CheckRange(dst, len, "dst");
    if (!valid.ok()) return AsResult(std::move(valid));
    auto found = FindChannelFor(thread, channel);
    if (!found) return tl::unexpected(found.error());
    valid = (*found)->link->CheckRemote("src", src, len);
    if (!valid.ok()) return AsResult(std::move(valid));
    return engine::ops::Read((*found)->link.get(), dst, src, len);
  });
}
