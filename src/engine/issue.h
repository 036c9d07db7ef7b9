// The way of an op from a data-plane call to a stream: it gets the origin of the launch it belongs to, waits for the
// end of the batch if one is open, and a failure marks the stream, because operators tend to swallow return codes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/status.h"
#include "engine/invocation.h"
#include "exec/operation.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

// Queues ops on `stream` on behalf of the calling kernel or host thread, all or none of them, or keeps them for the end
// of its batch. Errors: kAgain when the stream is full, at once or after the caller's patience (LaunchContext).
base::Status Issue(exec::Scheduler& scheduler, exec::Stream& stream, std::span<exec::Op> ops);
base::Status Issue(exec::Scheduler& scheduler, exec::Stream& stream, exec::Op op);
// The same, past an open batch.
base::Status IssueNow(exec::Scheduler& scheduler, exec::Stream& stream, exec::Op op);
// The same, and remembered for AwaitPosts.
base::Status Post(exec::Scheduler& scheduler, exec::Stream& stream, exec::Op op);

// The calling kernel or host thread says what it does next for `party`: its later records and waits of the rank's
// channel to one peer carry it. A kernel's word holds until it says something else or returns; a host thread's also
// ends with the batch that is open or comes next, so that what does not describe itself is not taken for it.
struct OperationFacts {
  std::optional<exec::OperationKind> kind;  // none: it has no counterpart
  int data_type = -1;                       // HcclDataType
  std::uint64_t count = 0;                  // elements
  std::string name;                         // may be empty; names the ops when the batch has no tag
};
void Describe(const exec::Party& party, const OperationFacts& facts);
// The same on behalf of a kernel that was not launched yet.
void Describe(LaunchContext& context, const exec::Party& party, const OperationFacts& facts);

// Batch mode of the calling context. Start in an open batch: kInvalidParam. End without Start: ok.
base::Status BatchStart(const char* tag);
base::Status BatchEnd(exec::Scheduler& scheduler);
// Submits what the open batch has collected; it stays open. A call that waits must not wait for what it holds back.
base::Status FlushBatch(exec::Scheduler& scheduler);

// A data-plane call failed before it could queue anything: the thread's stream fails and its communicator aborts.
void MarkFailed(exec::Scheduler& scheduler, exec::Stream& stream, const base::Status& failure);
// The same when the thread handle itself is bad: the launching stream will fail when the kernel returns.
void MarkLaunchFailed(const base::Status& failure);

}  // namespace softhccl::engine
