// The handles of graphs and of their tasks.
#include <algorithm>

#include "engine/graph_capture.h"
#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

namespace {
std::string LabelOf(const exec::Stream& stream) { return event::GetLabel(event::LabelKind::kStream, stream.id); }
}  // namespace

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
  std::erase_if(bound_, [&](const auto& one) { return one.second == graph; });
  SetTap();
  groups_.ForEach([&](std::uint64_t handle, std::shared_ptr<TaskGroup>& group) {
    if (group->graph != graph) return;
    group.reset();
    groups_.Retire(handle);
    groups_.Recycle(handle);
  });
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

Status GraphCaptures::Destroy(std::uint64_t graph, std::vector<Graph::Callback>* callbacks) {
  std::shared_ptr<Graph> last;  // waits for its replays, after the lock
  const std::lock_guard lock(mutex_);
  auto found = graphs_.Get(graph, "modelRI");
  if (!found) return found.error();
  last = **found;
  if (FindCapture(*last) != active_.end()) {
    return Fail(Code::kGraphCaptured, "modelRI: {} is being captured; end the capture first", last->name());
  }
  *callbacks = last->TakeDestroyCallbacks();
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

}  // namespace softhccl::engine
