// From the scheduler's observer to a thread of the program's callbacks.
#include "engine/failure_report.h"

#include <utility>

#include "engine/ops/classes.h"

namespace softhccl::engine {
namespace {

constexpr std::uint32_t kStopOnFailure = 1;  // ACL_STOP_ON_FAILURE

thread_local std::shared_ptr<Invocation> t_failed_kernel;

}  // namespace

void NoteFailedKernel(std::shared_ptr<Invocation> invocation) { t_failed_kernel = std::move(invocation); }

void FailureReports::SetSink(Sink sink) {
  auto shared = sink ? std::make_shared<const Sink>(std::move(sink)) : nullptr;
  std::lock_guard lock(mutex_);
  sink_ = std::move(shared);
}

void FailureReports::Observe(exec::Stream& stream, const exec::Op& op, const base::Status& failure) {
  std::shared_ptr<Invocation> kernel = std::exchange(t_failed_kernel, nullptr);
  if (op.op_class != &ops::kKernelLaunch) kernel = nullptr;  // of an earlier failure that was not the first
  if (stream.notes.failure_mode.load() == kStopOnFailure) StopContext(stream, failure);
  std::shared_ptr<const Sink> sink;
  {
    std::lock_guard lock(mutex_);
    if (sink_ == nullptr) return;
    sink = sink_;
    ++open_;
  }
  FailureReport report{op.number, stream.id, stream.submitter(), stream.device, failure, std::move(kernel)};
  const base::Status handed_on = threads_.Run([this, sink, report = std::move(report)] {
    {
      const CallbackRegion region;
      (*sink)(report);
    }
    std::lock_guard lock(mutex_);
    --open_;
    told_.notify_all();
  });
  if (handed_on.ok()) return;
  std::lock_guard lock(mutex_);
  --open_;
}

void FailureReports::StopContext(const exec::Stream& stream, const base::Status& failure) {
  const std::uint64_t context = stream.notes.context.load();
  const auto held = scheduler_.HoldObjects();
  scheduler_.streams().ForEach([&](std::uint64_t, exec::Stream& other) {
    if (context == 0 || other.notes.context.load() != context) return;
    other.notes.stopped.store(true);  // first: who takes the error afterwards sees that it stays
    other.SetError(failure);
  });
}

void FailureReports::Flush() {
  if (IsInCallback()) return;
  std::unique_lock lock(mutex_);
  told_.wait(lock, [&] { return open_ == 0; });
}

}  // namespace softhccl::engine
