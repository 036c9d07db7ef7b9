// The two ways to wait: helping, and sleeping until a mark in the queue is reached.
#include "engine/await.h"

#include <algorithm>

#include "base/os.h"
#include "engine/graph_capture.h"
#include "engine/issue.h"
#include "engine/ops/ops.h"
#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::Nanos;
using base::Status;

Nanos DeadlineAfter(Nanos now, Nanos limit) { return limit >= base::kForever - now ? base::kForever : now + limit; }

ScopedBlocked::ScopedBlocked(exec::Scheduler& scheduler, Nanos limit)
    : scheduler_(scheduler),
      blocked_(limit == base::kForever ? exec::BlockedCall::kUntimed : exec::BlockedCall::kTimed),
      invocation_(CurrentInvocation()),
      was_counted_(invocation_ != nullptr && invocation_->Uncount(scheduler)) {}

ScopedBlocked::~ScopedBlocked() {
  if (was_counted_ && invocation_->phase.load() == Invocation::Phase::kRunning) invocation_->Count(scheduler_);
}

namespace {

constexpr Nanos kLook = base::FromMillis(100);  // between two looks at whether the stream still exists

Status SleepUntilReached(exec::Scheduler& scheduler, exec::Stream& stream, Nanos limit) {
  const auto word = std::make_shared<std::atomic<std::uint32_t>>(0);
  const std::uint64_t handle = stream.handle;
  exec::Op mark = ops::Signal(word);
  Status marked = scheduler.Submit(stream, {&mark, 1});
  if (!marked.ok()) {
    mark.op_class->skip(mark, marked);  // frees what it owns
    return marked;
  }
  const Nanos deadline = DeadlineAfter(scheduler.Now(), limit);
  const ScopedBlocked blocked(scheduler, limit);
  while (word->load() == 0) {
    const Nanos now = scheduler.Now();
    if (now >= deadline) {
      return base::Fail(Code::kSyncTimeout, "{} was not done within {:.1f} s; its ops go on",
                        event::GetLabel(event::LabelKind::kStream, stream.id), static_cast<double>(limit) / 1e9);
    }
    base::FutexWait(*word, 0, std::min(kLook, deadline - now));
    if (word->load() == 0 && scheduler.streams().Lookup(handle) == nullptr) {
      return base::Fail(Code::kRemote, "the queue was destroyed while a kernel waited for it");
    }
  }
  return {};
}

}  // namespace

Status AwaitStream(const char* call, exec::Scheduler& scheduler, exec::Stream& stream, Nanos limit) {
  // What a kernel queues is never captured.
  if (CurrentInvocation() == nullptr) SOFTHCCL_RETURN_IF_ERROR(GraphCaptures::Get().RefuseCaptured(stream, call));
  if (TaskRecording* recording = CurrentContext().recording.get()) recording->Spoil("it has a call that waits");
  SOFTHCCL_RETURN_IF_ERROR(FlushBatch(scheduler));
  if (stream.completed() == stream.submitted()) return {};
  if (CurrentInvocation() != nullptr) return SleepUntilReached(scheduler, stream, limit);
  return scheduler.Drain(stream, DeadlineAfter(scheduler.Now(), limit));
}

Status AwaitPosts(const char* call, exec::Scheduler& scheduler) {
  Status first = FlushBatch(scheduler);
  std::vector<std::uint64_t> posted;
  posted.swap(CurrentContext().posted);
  for (const std::uint64_t handle : posted) {
    exec::Stream* stream = scheduler.streams().Lookup(handle);
    if (stream == nullptr) continue;
    Status done = AwaitStream(call, scheduler, *stream, base::kForever);
    if (done.ok() && stream->failed()) done = stream->error();
    if (first.ok()) first = std::move(done);
  }
  return first;
}

}  // namespace softhccl::engine
