// The data plane's notifies: of channels, of threads and of the ACL runtime; on a thread, and without one.
#include "api/data_plane.h"
#include "engine/await.h"
#include "engine/ops/ops.h"
#include "hcomm/hcomm_primitives.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

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

// The vendor looks the notify up and answers PTR when there is none.
base::Result<std::uint64_t> FindThreadNotify(const char* argument, ThreadHandle thread, uint32_t index) {
  auto found = FindThread(thread);
  if (!found) return tl::unexpected(found.error());
  const uint32_t count = (*found)->notify_count.load();
  if (index < count) return (*found)->notifies.Handle(index, *(*found)->stream);
  return base::FailResult(Code::kNullPointer,
                          "{} {} is out of range: the thread was acquired with notifyNumPerThread {}", argument, index,
                          count);
}

base::Result<exec::Notify*> FindOwnEnd(const comm::Channel& channel, uint32_t index) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckIndex("localNotifyIdx", index, channel.notifies.size(), channel.remote_rank));
  return channel.notifies[index];
}

Status MakeRecord(const comm::Channel& channel, uint32_t index, exec::Op* op) {
  SOFTHCCL_RETURN_IF_ERROR(
      CheckIndex("remoteNotifyIdx", index, channel.link->peer_notify_count(), channel.remote_rank));
  *op = engine::ops::ChannelRecord(channel.link.get(), index);
  return {};
}

int32_t QueueChannelWait(const char* call, const void* site, ThreadHandle thread, ChannelHandle channel, uint32_t index,
                         base::Nanos limit) {
  return QueueOn(call, site, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(found, FindChannelFor(thread, channel));
    SOFTHCCL_RETURN_IF_ERROR(RequireThread(thread));
    SOFTHCCL_ASSIGN(notify, FindOwnEnd(*found, index));
    *op = engine::ops::NotifyWait(notify->handle, limit);
    return {};
  });
}

int32_t QueueThreadWait(const char* call, const void* site, ThreadHandle thread, uint32_t index, base::Nanos limit) {
  return QueueOn(call, site, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(notify, FindThreadNotify("notifyIdx", thread, index));
    *op = engine::ops::NotifyWait(notify, limit);
    return {};
  });
}

// Waits on the calling thread, through a queue that nobody else uses meanwhile. *is_known: the failure was printed
// when it happened.
Status WaitHere(const char* call, const void* site, comm::Channel& channel, uint32_t index, base::Nanos limit,
                bool* is_known) {
  SOFTHCCL_ASSIGN(notify, FindOwnEnd(channel, index));
  SOFTHCCL_RETURN_IF_ERROR(CheckNotAborted(channel.party));
  SOFTHCCL_ASSIGN(waiter, channel.queue.BorrowWaiter());
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  exec::Op op = engine::ops::NotifyWait(notify->handle, limit);
  op.call_site = site;
  Status done = engine::IssueNow(scheduler, *waiter, op);
  // The op ends by itself at its limit; this one only says that the call is a timed one.
  const base::Nanos patience = limit == base::kForever ? base::kForever : limit + base::FromSeconds(60);
  if (done.ok()) done = engine::AwaitStream(call, scheduler, *waiter, patience);
  if (!done.ok()) return done;  // a queue with work left is not used again
  Status outcome = waiter->TakeError();
  channel.queue.ReturnWaiter(waiter);
  *is_known = !outcome.ok();
  return outcome;
}

int32_t WaitOnChannel(const char* call, const void* site, ChannelHandle channel, uint32_t index, base::Nanos limit) {
  comm::Channel* end = nullptr;
  bool is_known = false;
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindChannel(channel));
    end = found;
    return WaitHere(call, site, *end, index, limit, &is_known);
  });
  return FinishOnChannel(call, end, status, is_known ? Loudness::kProbe : Loudness::kError);
}

}  // namespace

extern "C" int32_t HcommAclrtNotifyRecordOnThread(ThreadHandle thread, uint64_t dstNotifyId) {
  return QueueOn("HcommAclrtNotifyRecordOnThread", SOFTHCCL_CALL_SITE, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(notify, FindAclNotify(thread, dstNotifyId));
    *op = engine::ops::NotifyRecord(notify->handle);
    return {};
  });
}

extern "C" int32_t HcommAclrtNotifyWaitOnThread(ThreadHandle thread, uint64_t notifyId, uint32_t timeOut) {
  return QueueOn("HcommAclrtNotifyWaitOnThread", SOFTHCCL_CALL_SITE, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(notify, FindAclNotify(thread, notifyId));
    *op = engine::ops::NotifyWait(notify->handle, Runtime::Get().WaitLimit(timeOut));
    return {};
  });
}

extern "C" int32_t HcommThreadNotifyRecordOnThread(ThreadHandle thread, ThreadHandle dstThread, uint32_t dstNotifyIdx) {
  return QueueOn("HcommThreadNotifyRecordOnThread", SOFTHCCL_CALL_SITE, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RequireThread(thread));
    if (dstThread == 0) {
      return base::Fail(Code::kNullPointer, "dstThread is 0; acquire it with HcclThreadAcquire");
    }
    SOFTHCCL_ASSIGN(notify, FindThreadNotify("dstNotifyIdx", dstThread, dstNotifyIdx));
    *op = engine::ops::NotifyRecord(notify);
    return {};
  });
}

extern "C" int32_t HcommThreadNotifyWaitOnThread(ThreadHandle thread, uint32_t notifyIdx, uint32_t timeOut) {
  return QueueThreadWait("HcommThreadNotifyWaitOnThread", SOFTHCCL_CALL_SITE, thread, notifyIdx,
                         Runtime::Get().WaitLimit(timeOut));
}

extern "C" int32_t HcommThreadNotifyWaitOnThreadWithDefaultTimeout(ThreadHandle thread, uint32_t notifyIdx) {
  return QueueThreadWait("HcommThreadNotifyWaitOnThreadWithDefaultTimeout", SOFTHCCL_CALL_SITE, thread, notifyIdx,
                         DefaultWaitLimitOn(thread));
}

extern "C" int32_t HcommChannelNotifyRecordOnThread(ThreadHandle thread, ChannelHandle channel,
                                                    uint32_t remoteNotifyIdx) {
  return QueueOn("HcommChannelNotifyRecordOnThread", SOFTHCCL_CALL_SITE, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(found, FindChannelFor(thread, channel));
    SOFTHCCL_RETURN_IF_ERROR(RequireThread(thread));
    return MakeRecord(*found, remoteNotifyIdx, op);
  });
}

extern "C" int32_t HcommChannelNotifyRecord(ChannelHandle channel, uint32_t remoteNotifyIdx) {
  return PostOn("HcommChannelNotifyRecord", SOFTHCCL_CALL_SITE, channel, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(found, FindChannel(channel));
    return MakeRecord(*found, remoteNotifyIdx, op);
  });
}

extern "C" int32_t HcommChannelNotifyWaitOnThread(ThreadHandle thread, ChannelHandle channel, uint32_t localNotifyIdx,
                                                  uint32_t timeOut) {
  return QueueChannelWait("HcommChannelNotifyWaitOnThread", SOFTHCCL_CALL_SITE, thread, channel, localNotifyIdx,
                          Runtime::Get().WaitLimit(timeOut));
}

extern "C" int32_t HcommChannelNotifyWaitOnThreadWithDefaultTimeout(ThreadHandle thread, ChannelHandle channel,
                                                                    uint32_t localNotifyIdx) {
  return QueueChannelWait("HcommChannelNotifyWaitOnThreadWithDefaultTimeout", SOFTHCCL_CALL_SITE, thread, channel,
                          localNotifyIdx, DefaultWaitLimitOn(thread));
}

extern "C" int32_t HcommChannelNotifyWait(ChannelHandle channel, uint32_t localNotifyIdx, uint32_t timeOut) {
  return WaitOnChannel("HcommChannelNotifyWait", SOFTHCCL_CALL_SITE, channel, localNotifyIdx,
                       Runtime::Get().WaitLimit(timeOut));
}

extern "C" int32_t HcommChannelNotifyWaitWithDefaultTimeout(ChannelHandle channel, uint32_t localNotifyIdx) {
  const comm::Channel* found = comm::Channels().Lookup(channel);
  return WaitOnChannel("HcommChannelNotifyWaitWithDefaultTimeout", SOFTHCCL_CALL_SITE, channel, localNotifyIdx,
                       DefaultWaitLimit(found == nullptr ? std::nullopt : found->wait_seconds));
}
