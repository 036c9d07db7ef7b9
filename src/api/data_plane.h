// What the C functions of the data plane share: finding threads and channels, queueing what a call made, and what a
// failing call means. Operators tend to swallow return codes, so a failing call also fails its thread's stream, or the
// launching stream when the thread itself is bad.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/objects.h"
#include "api/report.h"
#include "comm/objects.h"
#include "engine/issue.h"
#include "engine/runtime.h"
#include "hcomm/hcomm_res_defs.h"

namespace softhccl::api {

// --- Objects -----------------------------------------------------------------------------------------------------

// Errors: kNullPointer for 0, kInvalidHandle.
base::Result<comm::CommThread*> FindThread(ThreadHandle thread);
base::Status RequireThread(ThreadHandle thread);
base::Result<comm::Channel*> FindChannel(ChannelHandle channel);
// The channel, which must be an end of the rank that the thread works for: an op keeps the channel's link, and only the
// communicator's own threads are drained before it goes. A bad thread is somebody else's answer. Errors also:
// kInvalidParam.
base::Result<comm::Channel*> FindChannelFor(ThreadHandle thread, ChannelHandle channel);

// What the product that is imitated does not do (faithful mode): `call` over the protocol of the channel; from host
// code on a thread of this engine. Errors: those of engine/faithful.h.
base::Status RefuseTransferForProduct(const char* call, const comm::Channel& channel);
base::Status RefuseThreadForProduct(const char* call, const comm::CommThread& thread);

// Errors: kInvalidParam naming argument, index and count.
base::Status CheckIndex(const char* argument, std::uint32_t index, std::size_t count, std::uint32_t remote_rank);
// The abort's status when the communicator of `party` was aborted.
base::Status CheckNotAborted(const exec::Party& party);

// ns that a wait without explicit limit may take for the calling kernel or host thread: what that has set, else the
// limit of the communicator, if there is one, else HCCL_EXEC_TIMEOUT.
base::Nanos DefaultWaitLimit(std::optional<double> of_communicator);
base::Nanos DefaultWaitLimitOn(ThreadHandle thread);

// --- Calls on a thread -------------------------------------------------------------------------------------------

// Marks what a failure concerns, reports it and returns the number. `thread` may be null. Not marked: kAgain, and what
// only says that something is not done yet.
std::int32_t FinishOnThread(const char* call, const comm::CommThread* thread, const base::Status& status,
                            Loudness loudness = Loudness::kError);
// The same for a call without any object.
std::int32_t FinishInContext(const char* call, const base::Status& status);

inline base::Status IssueOn(exec::Stream& stream, const void* site, exec::Op& op) {
  if (op.op_class == nullptr) return {};  // nothing to do
  op.call_site = site;
  return engine::Issue(engine::Runtime::Get().scheduler(), stream, op);
}

inline base::Status IssueOn(exec::Stream& stream, const void* site, std::vector<exec::Op>& ops) {
  for (exec::Op& op : ops) op.call_site = site;
  return engine::Issue(engine::Runtime::Get().scheduler(), stream, ops);
}

// Fills `Ops` (an op, or a vector of them) with `make(Ops*)`, which returns a Status, and queues it. Argument checks
// come before the thread's, as the vendor's order is.
template <typename Ops = exec::Op, typename Make>
std::int32_t QueueOn(const char* call, const void* site, ThreadHandle handle, Make make) {
  comm::CommThread* thread = nullptr;
  const base::Status status = Guard([&]() -> base::Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseForProduct(call));
    Ops ops;
    base::Status made = make(&ops);
    auto found = FindThread(handle);
    if (found) thread = *found;
    SOFTHCCL_RETURN_IF_ERROR(std::move(made));
    if (!found) return found.error();
    SOFTHCCL_RETURN_IF_ERROR(RefuseThreadForProduct(call, *thread));
    SOFTHCCL_RETURN_IF_ERROR(CheckNotAborted(thread->party));
    auto stream = thread->UsableStream();
    if (stream) return IssueOn(**stream, site, ops);
    thread = nullptr;  // there is no stream that could fail
    return stream.error();
  });
  return FinishOnThread(call, thread, status);
}

// --- Calls on a channel, without a thread --------------------------------------------------------------------------

std::int32_t FinishOnChannel(const char* call, const comm::Channel* channel, const base::Status& status,
                             Loudness loudness = Loudness::kError);

// Posts the op that `make(exec::Op*)` fills; as QueueOn.
template <typename Make>
std::int32_t PostOn(const char* call, const void* site, ChannelHandle handle, Make make) {
  comm::Channel* channel = nullptr;
  const base::Status status = Guard([&]() -> base::Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseForProduct(call));
    exec::Op op;
    base::Status made = make(&op);
    auto found = FindChannel(handle);
    if (found) channel = *found;
    SOFTHCCL_RETURN_IF_ERROR(std::move(made));
    if (!found) return found.error();
    SOFTHCCL_RETURN_IF_ERROR(CheckNotAborted(channel->party));
    SOFTHCCL_ASSIGN(posts, channel->queue.Posts());
    op.call_site = site;
    return engine::Post(engine::Runtime::Get().scheduler(), *posts, op);
  });
  return FinishOnChannel(call, channel, status);
}

}  // namespace softhccl::api

// Where the program called the enclosing C function.
#define SOFTHCCL_CALL_SITE __builtin_return_address(0)
