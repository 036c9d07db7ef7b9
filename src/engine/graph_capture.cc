// Beginning, ending and finding captures.
#include "engine/graph_capture.h"

#include <algorithm>

#include "base/os.h"
#include "engine/invocation.h"
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

void GraphCaptures::Remove(Captures::iterator capture) {
  active_.erase(capture);
  if (active_.empty()) exec::g_submission_tap.store(nullptr);
}

Status GraphCaptures::Begin(exec::Scheduler& scheduler, exec::Stream& stream, CaptureMode mode) {
  std::shared_ptr<Graph> graph;  // destroyed, if it is, after the lock
  const std::lock_guard lock(mutex_);
  if (const auto known = FindCapture(stream); known != active_.end()) {
    return Fail(Code::kStreamCaptured, "stream: {} is captured already (into {}); end that capture first",
                LabelOf(stream), known->graph->name());
  }
  std::uint64_t handle = 0;
  std::shared_ptr<Graph>* slot = graphs_.Allocate(&handle);
  if (slot == nullptr) return Fail(Code::kUnavailable, "no graph handle left: {} are in use", graphs_.live());
  graph = *slot = std::make_shared<Graph>(scheduler, handle);
  graphs_.Publish(handle);
  const Status started = graph->Start(stream);
  if (!started.ok()) {
    Forget(handle);
    return started;
  }
  active_.push_back({graph, mode, base::ThreadId(), stream.notes.context.load()});
  exec::g_submission_tap.store(this, std::memory_order_release);  // pairs with Scheduler::Submit
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

base::Result<std::shared_ptr<Graph>> GraphCaptures::Find(std::uint64_t graph) const {
  const std::lock_guard lock(mutex_);
  auto found = graphs_.Get(graph, "modelRI");
  if (!found) return tl::unexpected(found.error());
  return **found;
}

void GraphCaptures::Forget(std::uint64_t graph) {
  if (std::shared_ptr<Graph>* slot = graphs_.Lookup(graph)) slot->reset();
  graphs_.Retire(graph);
  graphs_.Recycle(graph);
  for (auto known = task_handles_.begin(); known != task_handles_.end();) {
    const TaskPlace* place = tasks_.Lookup(known->second);
    if (place == nullptr || place->graph != graph) {
      ++known;
      continue;
    }
    tasks_.Retire(known->second);
    tasks_.Recycle(known->second);
    known = task_handles_.erase(known);
  }
}

Status GraphCaptures::Destroy(std::uint64_t graph) {
  std::shared_ptr<Graph> last;  // waits for its replays, after the lock
  const std::lock_guard lock(mutex_);
  auto found = graphs_.Get(graph, "modelRI");
  if (!found) return found.error();
  last = **found;
  if (std::any_of(active_.begin(), active_.end(), [&](const Capture& one) { return one.graph == last; })) {
    return Fail(Code::kGraphCaptured, "modelRI: {} is being captured; end the capture first", last->name());
  }
  Forget(graph);
  return {};
}

base::Result<std::vector<std::uint64_t>> GraphCaptures::TasksOf(const exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Graph> owner;
  graphs_.ForEach([&](std::uint64_t, const std::shared_ptr<Graph>& graph) {
    const auto streams = graph->Streams();
    if (std::find(streams.begin(), streams.end(), &stream) != streams.end()) owner = graph;
  });
  if (owner == nullptr) {
    return FailResult(Code::kInvalidParam, "stream: {} is not a stream of a graph; ask aclmdlRIGetStreams for those",
                      LabelOf(stream));
  }
  if (owner->state() != Graph::State::kComplete) {
    return FailResult(Code::kGraphCaptured, "stream: {} belongs to {}, which is being captured; end the capture first",
                      LabelOf(stream), owner->name());
  }
  std::vector<std::uint64_t> handles;
  for (const Graph::Task* task : owner->TasksOf(&stream)) {
    std::uint64_t& handle = task_handles_[task];
    if (handle == 0) {
      TaskPlace* slot = tasks_.Allocate(&handle);
      if (slot == nullptr) return FailResult(Code::kUnavailable, "no task handle left");
      *slot = {owner->handle(), task};
      tasks_.Publish(handle);
    }
    handles.push_back(handle);
  }
  return handles;
}

base::Result<GraphCaptures::FoundTask> GraphCaptures::FindTask(std::uint64_t task) const {
  const std::lock_guard lock(mutex_);
  auto place = tasks_.Get(task, "task");
  if (!place) return tl::unexpected(place.error());
  auto graph = graphs_.Get((*place)->graph, "modelRI");
  if (!graph) return tl::unexpected(graph.error());
  return FoundTask{**graph, (*place)->task};
}

bool GraphCaptures::Offer(exec::Stream& stream, std::span<const exec::Op> ops, base::Status* answer) {
  if (CurrentInvocation() != nullptr) return false;
  const auto graph = Of(stream, ops);
  return graph != nullptr && graph->Record(stream, ops, answer);
}

}  // namespace softhccl::engine
