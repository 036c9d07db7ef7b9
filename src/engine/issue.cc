// Issuing ops, batched or at once.
#include "engine/issue.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/await.h"
#include "engine/faithful.h"
#include "engine/graph_capture.h"
#include "engine/open_work.h"
#include "engine/pair_check.h"
#include "event/labels.h"
#include "transport/reduce.h"

namespace softhccl::engine {

using base::Code;
using base::Status;

namespace {

// The tag of the batch, what the operation was called when it was described, or the kernel.
void NameOrigin(LaunchContext& context) {
  if (!context.batch_tag.empty()) {
    context.origin = event::RecentNameId(context.batch_tag);  // a tag may name the single operation
  } else if (context.described_name != 0) {
    context.origin = context.described_name;
  } else if (const Invocation* invocation = CurrentInvocation()) {
    context.origin = event::NameId(invocation->info->entry.kernel_name);
  }
}

void NoteParty(LaunchContext& context, const exec::Party& party) {
  if (party.domain == nullptr) return;
  if (!context.NoteParty(party)) return;
  if (context.origin != 0) {
    party.domain->NoteOperation(party.rank, event::GetLabel(event::LabelKind::kName, context.origin));
  }
}

exec::Operation OperationOf(LaunchContext::Described& described, const exec::ChannelEnds& ends) {
  if (ends.domain != described.party.domain.get() || ends.own != described.party.rank) return {};
  if (described.peer == exec::kNoRank) {
    described.peer = ends.peer;
    const std::uint32_t number = described.party.domain->CountPair(ends.own, ends.peer, described.kind);
    described.operation = exec::Operation(described.kind, described.data_type, described.count, number);
  }
  return described.peer == ends.peer ? described.operation : exec::Operation();
}

// What every op carries of the launch that it belongs to.
void Stamp(exec::Scheduler& scheduler, LaunchContext& context, const exec::Stream& stream, std::span<exec::Op> ops) {
  if (CurrentInvocation() != nullptr) {
    if (context.origin == 0) NameOrigin(context);
    NoteParty(context, stream.party);
  }
  const bool is_described = context.described.party.domain != nullptr;
  for (exec::Op& op : ops) {
    op.origin = context.origin;
    op.operation = is_described ? OperationOf(context.described, EndsOf(scheduler, op)) : exec::Operation();
  }
}

// A full queue is tried again for as long as the caller asked for.
Status SubmitPatiently(exec::Scheduler& scheduler, exec::Stream& stream, std::span<const exec::Op> ops,
                       const LaunchContext& context) {
  Status submitted = scheduler.Submit(stream, ops);
  if (submitted.code() != Code::kAgain || !context.space_limit) return submitted;
  const base::Nanos deadline = DeadlineAfter(scheduler.Now(), *context.space_limit);
  const ScopedBlocked blocked(scheduler, *context.space_limit);
  while (submitted.code() == Code::kAgain && scheduler.Now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    submitted = scheduler.Submit(stream, ops);
  }
  return submitted;
}

LaunchContext::Batch& BatchOf(LaunchContext& context, std::uint64_t stream) {
  const auto batch = std::find_if(context.batches.begin(), context.batches.end(),
                                  [stream](const LaunchContext::Batch& one) { return one.stream == stream; });
  if (batch != context.batches.end()) return *batch;
  return context.batches.emplace_back(LaunchContext::Batch{stream, {}});
}

// Keeps ops for the end of the batch; a stream that has many is submitted early.
Status Collect(exec::Scheduler& scheduler, exec::Stream& stream, std::span<exec::Op> ops, LaunchContext& context) {
  std::vector<exec::Op>& waiting = BatchOf(context, stream.handle).ops;
  const std::size_t before = waiting.size();
  waiting.insert(waiting.end(), ops.begin(), ops.end());
  if (waiting.size() < LaunchContext::kBatchLimit) return {};
  Status submitted = SubmitPatiently(scheduler, stream, waiting, context);
  // On failure the caller hears of these; the others stay for the next try.
  waiting.resize(submitted.ok() ? 0 : before);
  return submitted;
}

}  // namespace

Status Issue(exec::Scheduler& scheduler, exec::Stream& stream, std::span<exec::Op> ops) {
  LaunchContext& context = CurrentContext();
  if (CurrentInvocation() != nullptr && IsFaithful()) {
    SOFTHCCL_RETURN_IF_ERROR(CheckBatch(context.batch_open, FaithfulProduct()));
  }
  Stamp(scheduler, context, stream, ops);
  SOFTHCCL_RETURN_IF_ERROR(context.batch_open ? Collect(scheduler, stream, ops, context)
                                              : SubmitPatiently(scheduler, stream, ops, context));
  if (context.recording != nullptr) context.recording->Add(stream.handle, ops);
  return {};
}

Status Issue(exec::Scheduler& scheduler, exec::Stream& stream, exec::Op op) {
  return Issue(scheduler, stream, std::span(&op, 1));
}

Status IssueNow(exec::Scheduler& scheduler, exec::Stream& stream, exec::Op op) {
  LaunchContext& context = CurrentContext();
  if (context.recording != nullptr) context.recording->Spoil("it has a call without a thread");
  Stamp(scheduler, context, stream, std::span(&op, 1));
  return SubmitPatiently(scheduler, stream, std::span(&op, 1), context);
}

Status Post(exec::Scheduler& scheduler, exec::Stream& stream, exec::Op op) {
  SOFTHCCL_RETURN_IF_ERROR(IssueNow(scheduler, stream, op));
  std::vector<std::uint64_t>& posted = CurrentContext().posted;
  if (std::find(posted.begin(), posted.end(), stream.handle) == posted.end()) posted.push_back(stream.handle);
  return {};
}

void Describe(const exec::Party& party, const OperationFacts& facts) {
  LaunchContext& context = CurrentContext();
  if (!facts.name.empty()) {
    party.domain->NoteOperation(party.rank, facts.name);
    if (CurrentInvocation() != nullptr) static_cast<void>(context.NoteParty(party));  // this name stays the last
  }
  Describe(context, party, facts);
}

void Describe(LaunchContext& context, const exec::Party& party, const OperationFacts& facts) {
  context.described = {};
  context.described_name = facts.name.empty() ? 0 : event::RecentNameId(facts.name);
  if (context.described_name != 0) NameOrigin(context);
  // What has no counterpart or no size cannot be compared.
  if (!facts.kind || facts.count > exec::Operation::kMaxCount || !transport::ElementSize(facts.data_type)) return;
  const auto type = static_cast<std::uint8_t>(facts.data_type);
  context.described = {party, *facts.kind, type, facts.count, exec::kNoRank, {}};
}

Status BatchStart(const char* tag) {
  LaunchContext& context = CurrentContext();
  if (context.batch_open) {
    return base::Fail(Code::kInvalidParam,
                      "batchTag \"{}\": batch \"{}\" is still open; batches do not nest, call "
                      "HcommBatchModeEnd first",
                      tag != nullptr ? tag : "", context.batch_tag);
  }
  context.batch_open = true;
  CountOpenWork(1);
  context.batch_tag = tag != nullptr ? tag : "";
  NameOrigin(context);
  return {};
}

namespace {

// A stream joins a capture by waiting for what was recorded before: of a batch, those that are captured go first.
LaunchContext::Batch* NextToFlush(exec::Scheduler& scheduler, std::vector<LaunchContext::Batch>& batches) {
  LaunchContext::Batch* first = nullptr;
  for (LaunchContext::Batch& batch : batches) {
    if (batch.ops.empty()) continue;
    if (first == nullptr) first = &batch;
    if (!GraphCaptures::MayCapture() || CurrentInvocation() != nullptr) break;
    const exec::Stream* stream = scheduler.streams().Lookup(batch.stream);
    if (stream != nullptr && GraphCaptures::Get().Of(*stream, batch.ops) != nullptr) return &batch;
  }
  return first;
}

}  // namespace

Status FlushBatch(exec::Scheduler& scheduler) {
  Status first;
  std::vector<LaunchContext::Batch>& batches = CurrentContext().batches;
  while (LaunchContext::Batch* const next = NextToFlush(scheduler, batches)) {
    LaunchContext::Batch& batch = *next;
    Status submitted = scheduler.SubmitTo(batch.stream, batch.ops);
    batch.ops.clear();
    if (submitted.ok()) continue;
    if (exec::Stream* stream = scheduler.streams().Lookup(batch.stream)) MarkFailed(scheduler, *stream, submitted);
    MarkLaunchFailed(submitted);
    if (first.ok()) first = std::move(submitted);
  }
  return first;
}

Status BatchEnd(exec::Scheduler& scheduler) {
  LaunchContext& context = CurrentContext();
  if (!context.batch_open) return {};
  context.batch_open = false;
  Status flushed = FlushBatch(scheduler);
  context.batches.clear();
  CountOpenWork(-1);
  if (CurrentInvocation() == nullptr) {
    context.described = {};
    context.described_name = 0;
    context.origin = 0;
  }
  return flushed;
}

void MarkFailed(exec::Scheduler& scheduler, exec::Stream& stream, const Status& failure) {
  stream.SetError(failure);
  scheduler.AbortParty(stream.party, failure);
  MarkLaunchFailed(failure);
}

void MarkLaunchFailed(const Status& failure) {
  LaunchContext& context = CurrentContext();
  if (context.recording != nullptr) context.recording->Spoil("a call failed: " + failure.message());
  if (CurrentInvocation() == nullptr) return;
  if (context.failure.ok()) context.failure = failure;
}

}  // namespace softhccl::engine
