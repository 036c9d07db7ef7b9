// Beginning, ending and finding captures.
#include "engine/graph_capture.h"

#include <algorithm>

#include "base/os.h"
#include "engine/invocation.h"
#include "engine/ops/clone.h"
#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

namespace {
std::string LabelOf(const exec::Stream& stream) { return event::GetLabel(event::LabelKind::kStream, stream.id); }
}  // namespace

GraphCaptures& GraphCaptures::Get() {
  static auto* const captures = new GraphCaptures;
  return *captures;
}

CaptureMode& CaptureModeOfThread() {
  static thread_local CaptureMode mode = CaptureMode::kGlobal;
  return mode;
}

GraphCaptures::Captures::iterator GraphCaptures::FindCapture(const exec::Stream& stream) {
  return std::find_if(active_.begin(), active_.end(), [&](const Capture& one) { return one.graph->Captures(stream); });
}

GraphCaptures::Captures::iterator GraphCaptures::FindCapture(const Graph& graph) {
  return std::find_if(active_.begin(), active_.end(), [&](const Capture& one) { return one.graph.get() == &graph; });
}

void GraphCaptures::SetTap() {
  const bool is_needed = !active_.empty() || !bound_.empty() || !updates_.empty();
  // Release: pairs with Scheduler::Submit.
  exec::g_submission_tap.store(is_needed ? this : nullptr, std::memory_order_release);
}

void GraphCaptures::Remove(Captures::iterator capture) {
  active_.erase(capture);
  SetTap();
}

base::Result<std::shared_ptr<Graph>> GraphCaptures::Make(exec::Scheduler& scheduler) {
  std::uint64_t handle = 0;
  std::shared_ptr<Graph>* slot = graphs_.Allocate(&handle);
  if (slot == nullptr) return FailResult(Code::kUnavailable, "no graph handle left: {} are in use", graphs_.live());
  *slot = std::make_shared<Graph>(scheduler, handle);
  graphs_.Publish(handle);
  return *slot;
}

Status GraphCaptures::Begin(exec::Scheduler& scheduler, exec::Stream& stream, CaptureMode mode) {
  std::shared_ptr<Graph> graph;  // destroyed, if it is, after the lock
  const std::lock_guard lock(mutex_);
  if (const auto known = FindCapture(stream); known != active_.end()) {
    return Fail(Code::kStreamCaptured, "stream: {} is captured already (into {}); end that capture first",
                LabelOf(stream), known->graph->name());
  }
  if (updates_.count(stream.handle) != 0) {
    return Fail(Code::kTaskGroup,
                "stream: {} has an update of tasks that is open; end it with "
                "aclmdlRICaptureTaskUpdateEnd first",
                LabelOf(stream));
  }
  auto made = Make(scheduler);
  if (!made) return made.error();
  graph = *made;
  const Status started = graph->Start(stream);
  if (!started.ok()) {
    Forget(graph->handle());
    return started;
  }
  active_.push_back({graph, mode, base::ThreadId(), stream.notes.context.load()});
  SetTap();
  return {};
}

base::Result<std::uint64_t> GraphCaptures::End(exec::Stream& stream) {
  std::shared_ptr<Graph> ended;  // destroyed, if it is, after the lock
  const std::lock_guard lock(mutex_);
  const auto found = FindCapture(stream);
  if (found == active_.end()) {
    return FailResult(Code::kStreamNotCaptured, "stream: {} is not captured; call aclmdlRICaptureBegin first",
                      LabelOf(stream));
  }
  ended = found->graph;
  if (ended->is_built()) {
    return FailResult(Code::kCaptureUnmatched, "stream: {} is bound to {}; end that with aclmdlRIBuildEnd",
                      LabelOf(stream), ended->name());
  }
  if (!ended->BeganOn(stream)) {
    return FailResult(Code::kCaptureUnmatched, "stream: {} only joined the capture of {}; end it on {}, where it began",
                      LabelOf(stream), ended->name(), ended->origin());
  }
  if (found->mode != CaptureMode::kRelaxed && found->thread != base::ThreadId()) {
    return FailResult(Code::kCaptureWrongThread,
                      "the capture of {} was begun by thread {} and must be ended by it; only one that was begun in "
                      "mode RELAXED may be ended by another thread",
                      LabelOf(stream), found->thread);
  }
  Remove(found);
  const Status completed = ended->Complete();
  if (completed.ok()) return ended->handle();
  Forget(ended->handle());
  return tl::unexpected(completed);
}

std::shared_ptr<Graph> GraphCaptures::Of(const exec::Stream& stream) const { return Of(stream, {}); }

std::shared_ptr<Graph> GraphCaptures::Of(const exec::Stream& stream, std::span<const exec::Op> ops) const {
  const std::lock_guard lock(mutex_);
  for (const Capture& capture : active_) {
    if (capture.graph->Captures(stream)) return capture.graph;
  }
  for (const Capture& capture : active_) {
    if (capture.graph->IsWaitedFor(ops)) return capture.graph;
  }
  return nullptr;
}

void GraphCaptures::Forget(const exec::Stream& stream) {
  std::shared_ptr<Graph> abandoned;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  bound_.erase(stream.handle);
  if (const auto update = updates_.find(stream.handle); update != updates_.end()) {
    for (exec::Op& op : update->second.ops) ops::Drop(op);
    updates_.erase(update);
  }
  SetTap();
  const auto found = FindCapture(stream);
  if (found == active_.end()) return;
  abandoned = found->graph;
  abandoned->Invalidate(Fail(Code::kCaptureInvalid, "{} was destroyed", LabelOf(stream)));
  if (!abandoned->BeganOn(stream)) return;
  Remove(found);
  static_cast<void>(abandoned->Complete());  // says that it is invalid
  Forget(abandoned->handle());
}

Status GraphCaptures::RefuseCaptured(const exec::Stream& stream, const char* call) {
  if (!MayCapture()) return {};
  const auto graph = Of(stream);
  if (graph == nullptr) return {};
  const Status reason = Fail(Code::kStreamCaptured, "{} was called for {}", call, LabelOf(stream));
  if (!graph->Invalidate(reason)) return {};
  return Fail(Code::kStreamCaptured,
              "{} is captured into {}: nothing of it runs before a replay; the capture is invalid now", LabelOf(stream),
              graph->name());
}

Status GraphCaptures::RefuseCaptured(const EventCapture& capture, const char* call) {
  const std::uint64_t recorded_in = capture.recorded_in.load();
  if (recorded_in == 0) return {};
  if (const auto graph = Find(recorded_in)) {
    const Status reason = Fail(Code::kEventCaptured, "{} was called for {}", call, capture.label());
    if ((*graph)->Invalidate(reason)) {
      return Fail(Code::kEventCaptured,
                  "{} was recorded in the capture into {}: only replays reach it; the capture is invalid now",
                  capture.label(), (*graph)->name());
    }
  }
  return capture.failure();
}

namespace {

// How a thread that may not make an unsafe call gets the permission, or null when it has it.
const char* AdviceFor(CaptureMode capture, bool is_of_this_thread, CaptureMode own) {
  if (capture == CaptureMode::kRelaxed || own == CaptureMode::kRelaxed) return nullptr;
  if (is_of_this_thread) return "RELAXED";
  if (capture == CaptureMode::kThreadLocal || own == CaptureMode::kThreadLocal) return nullptr;
  return "THREAD_LOCAL or RELAXED";
}

}  // namespace

Status GraphCaptures::RefuseUnsafe(const char* call, std::uint64_t context, Code code) {
  if (!MayCapture() || CurrentInvocation() != nullptr) return {};
  const std::lock_guard lock(mutex_);
  for (const Capture& capture : active_) {
    const bool is_of_this_thread = capture.thread == base::ThreadId();
    const char* advice = AdviceFor(capture.mode, is_of_this_thread, CaptureModeOfThread());
    if (advice == nullptr || (!is_of_this_thread && capture.context != context)) continue;
    const char* mode = capture.mode == CaptureMode::kGlobal ? "GLOBAL" : "THREAD_LOCAL";
    if (!capture.graph->Invalidate(Fail(code, "{} was called, which mode {} forbids", call, mode))) continue;
    return Fail(code,
                "{} is captured in mode {}, which forbids calls that copy or fill memory at once{}; call before or "
                "after, or switch this thread to {} with aclmdlRICaptureThreadExchangeMode; the capture is invalid now",
                capture.graph->origin(), mode, capture.mode == CaptureMode::kGlobal ? " to all threads" : "", advice);
  }
  return {};
}

bool GraphCaptures::Offer(exec::Stream& stream, std::span<const exec::Op> ops, base::Status* answer) {
  if (CurrentInvocation() != nullptr) return false;
  if (OfferElsewhere(stream, ops, answer)) return true;
  const auto graph = Of(stream, ops);
  return graph != nullptr && graph->Record(stream, ops, answer);
}

bool GraphCaptures::OfferElsewhere(const exec::Stream& stream, std::span<const exec::Op> ops, Status* answer) {
  const std::lock_guard lock(mutex_);
  if (const auto update = updates_.find(stream.handle); update != updates_.end()) {
    *answer = Collect(stream, update->second, ops);
    return true;
  }
  const auto bound = bound_.find(stream.handle);
  if (bound == bound_.end()) return false;
  const std::shared_ptr<Graph>* graph = graphs_.Lookup(bound->second);
  if (graph == nullptr || FindCapture(**graph) != active_.end()) return false;
  *answer = Fail(Code::kInvalidParam,
                 "{} is bound to {}, which is built and takes no tasks any more; call aclmdlRIUnbindStream first",
                 LabelOf(stream), (*graph)->name());
  return true;
}

}  // namespace softhccl::engine
