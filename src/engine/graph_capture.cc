// Beginning, ending and finding captures.
#include "engine/graph_capture.h"

#include <algorithm>

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

Status GraphCaptures::Begin(exec::Scheduler& scheduler, exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  for (const auto& graph : active_) {
    if (!graph->Captures(stream)) continue;
    return Fail(Code::kInvalidParam, "stream: {} is captured already (into {}); end that capture first",
                LabelOf(stream), graph->name());
  }
  std::uint64_t handle = 0;
  std::shared_ptr<Graph>* slot = graphs_.Allocate(&handle);
  if (slot == nullptr) return Fail(Code::kUnavailable, "no graph handle left: {} are in use", graphs_.live());
  *slot = std::make_shared<Graph>(scheduler, handle);
  graphs_.Publish(handle);
  const Status started = (*slot)->Start(stream);
  if (!started.ok()) {
    Forget(handle);
    return started;
  }
  active_.push_back(*slot);
  exec::g_submission_tap.store(this, std::memory_order_release);  // pairs with Scheduler::Submit
  return {};
}

base::Result<std::uint64_t> GraphCaptures::End(exec::Stream& stream) {
  std::shared_ptr<Graph> ended;  // destroyed, if it is, after the lock
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(active_.begin(), active_.end(),
                                  [&](const std::shared_ptr<Graph>& graph) { return graph->Captures(stream); });
  if (found == active_.end()) {
    return FailResult(Code::kInvalidParam, "stream: {} is not captured; call aclmdlRICaptureBegin first",
                      LabelOf(stream));
  }
  ended = *found;
  if (!ended->BeganOn(stream)) {
    return FailResult(Code::kInvalidParam, "stream: {} only joined the capture of {}; end it on the stream it began on",
                      LabelOf(stream), ended->name());
  }
  active_.erase(found);
  if (active_.empty()) exec::g_submission_tap.store(nullptr);
  const Status completed = ended->Complete();
  if (completed.ok()) return ended->handle();
  Forget(ended->handle());
  return tl::unexpected(completed);
}

std::shared_ptr<Graph> GraphCaptures::Of(const exec::Stream& stream) const {
  const std::lock_guard lock(mutex_);
  for (const auto& graph : active_) {
    if (graph->Captures(stream)) return graph;
  }
  return nullptr;
}

void GraphCaptures::Abandon(const exec::Stream& stream) {
  std::shared_ptr<Graph> abandoned;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(active_.begin(), active_.end(),
                                  [&](const std::shared_ptr<Graph>& graph) { return graph->Captures(stream); });
  if (found == active_.end()) return;
  abandoned = *found;
  abandoned->Invalidate(fmt::format("{} was destroyed", LabelOf(stream)));
  if (!abandoned->BeganOn(stream)) return;
  active_.erase(found);
  if (active_.empty()) exec::g_submission_tap.store(nullptr);
  static_cast<void>(abandoned->Complete());  // says that it is invalid
  Forget(abandoned->handle());
}

Status GraphCaptures::RefuseCaptured(const exec::Stream& stream, const char* call) {
  const auto graph = Of(stream);
  if (graph == nullptr || !graph->Invalidate(fmt::format("{} was called for {}", call, LabelOf(stream)))) return {};
  return Fail(Code::kInvalidParam,
              "{} is captured into {}: nothing of it runs before a replay; the capture is invalid now", LabelOf(stream),
              graph->name());
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
  if (std::find(active_.begin(), active_.end(), last) != active_.end()) {
    return Fail(Code::kInvalidParam, "modelRI: {} is being captured; end the capture first", last->name());
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
    return FailResult(Code::kInvalidParam, "stream: {} belongs to {}, which is being captured; end the capture first",
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
  std::shared_ptr<Graph> graph = Of(stream);
  if (graph == nullptr) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(active_.begin(), active_.end(),
                                    [&](const std::shared_ptr<Graph>& one) { return one->IsWaitedFor(ops); });
    if (found == active_.end()) return false;
    graph = *found;
  }
  const auto refused = std::find_if(ops.begin(), ops.end(), [](const exec::Op& op) { return !ops::CanBeRecorded(op); });
  if (refused == ops.end()) return graph->Record(stream, ops, answer);
  const char* name = refused->op_class->name;
  if (!graph->Invalidate(fmt::format("a graph cannot hold a '{}'", name))) return false;
  *answer =
      Fail(Code::kNotSupported, "{} is captured into {}, and a graph cannot hold a '{}'; the capture is invalid now",
           LabelOf(stream), graph->name(), name);
  return true;
}

}  // namespace softhccl::engine
