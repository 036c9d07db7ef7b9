// Issuing ops, batched or at once.
#include "engine/issue.h"

#include <algorithm>

#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::Status;

namespace {

// "HcclLaunchP2PAicpuKernel#7 on device 0" or, with a tag that says more, the tag.
void NameOrigin(LaunchContext& context) {
  if (!context.batch_tag.empty()) {
    context.origin = event::RecentNameId(context.batch_tag);  // a tag may name the single operation
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

}  // namespace

Status Issue(exec::Scheduler& scheduler, exec::Stream& stream, exec::Op op) {
  LaunchContext& context = CurrentContext();
  if (CurrentInvocation() != nullptr) {
    if (context.origin == 0) NameOrigin(context);
    NoteParty(context, stream.party);
  }
  op.origin = context.origin;
  if (!context.batch_open) return scheduler.Submit(stream, {&op, 1});
  auto batch = std::find_if(context.batches.begin(), context.batches.end(),
                            [&](const LaunchContext::Batch& one) { return one.stream == stream.handle; });
  if (batch == context.batches.end()) {
    batch = context.batches.insert(context.batches.end(), LaunchContext::Batch{stream.handle, {}});
  }
  batch->ops.push_back(op);
  if (batch->ops.size() < LaunchContext::kBatchLimit) return {};
  Status submitted = scheduler.Submit(stream, batch->ops);
  if (submitted.ok()) {
    batch->ops.clear();
  } else {
    batch->ops.pop_back();  // the caller hears of this one; the others stay for the next try
  }
  return submitted;
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
  context.batch_tag = tag != nullptr ? tag : "";
  NameOrigin(context);
  return {};
}

Status BatchEnd(exec::Scheduler& scheduler) {
  LaunchContext& context = CurrentContext();
  if (!context.batch_open) return {};
  context.batch_open = false;
  Status first;
  for (LaunchContext::Batch& batch : context.batches) {
    if (batch.ops.empty()) continue;
    Status submitted = scheduler.SubmitTo(batch.stream, batch.ops);
    if (submitted.ok()) continue;
    if (exec::Stream* stream = scheduler.streams().Lookup(batch.stream)) MarkFailed(scheduler, *stream, submitted);
    MarkLaunchFailed(submitted);
    if (first.ok()) first = std::move(submitted);
  }
  context.batches.clear();
  return first;
}

void MarkFailed(exec::Scheduler& scheduler, exec::Stream& stream, const Status& failure) {
  stream.SetError(failure);
  scheduler.AbortParty(stream.party, failure);
  MarkLaunchFailed(failure);
}

void MarkLaunchFailed(const Status& failure) {
  if (CurrentInvocation() == nullptr) return;
  LaunchContext& context = CurrentContext();
  if (context.failure.ok()) context.failure = failure;
}

}  // namespace softhccl::engine
