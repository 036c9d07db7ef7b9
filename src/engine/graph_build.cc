// Graphs that a program builds: it binds streams, whose tasks become part of the graph, and ends it. And streams that a
// library adds to a capture of its user.
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

base::Result<std::uint64_t> GraphCaptures::BeginBuild(exec::Scheduler& scheduler, int device) {
  std::shared_ptr<Graph> graph;  // destroyed, if it is, after the lock
  const std::lock_guard lock(mutex_);
  auto made = Make(scheduler);
  if (!made) return tl::unexpected(made.error());
  graph = *made;
  const Status started = graph->StartBuild(device);
  if (!started.ok()) {
    Forget(graph->handle());
    return tl::unexpected(started);
  }
  active_.push_back({graph, CaptureMode::kRelaxed, 0, 0});
  SetTap();
  return graph->handle();
}

base::Result<GraphCaptures::Captures::iterator> GraphCaptures::FindBuild(std::uint64_t graph) {
  auto found = graphs_.Get(graph, "modelRI");
  if (!found) return tl::unexpected(found.error());
  const auto capture = FindCapture(***found);
  if (capture != active_.end() && capture->graph->is_built()) return capture;
  return FailResult(Code::kInvalidParam, "modelRI: {} is not being built; begin with aclmdlRIBuildBegin",
                    (**found)->name());
}

Status GraphCaptures::Bind(std::uint64_t graph, exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  auto build = FindBuild(graph);
  if (!build) return build.error();
  if (const auto bound = bound_.find(stream.handle); bound != bound_.end()) {
    return Fail(Code::kInvalidParam, "stream: {} is bound to a model already; call aclmdlRIUnbindStream first",
                LabelOf(stream));
  }
  if (const auto other = FindCapture(stream); other != active_.end()) {
    return Fail(Code::kStreamCaptured, "stream: {} is captured into {}; end that capture first", LabelOf(stream),
                other->graph->name());
  }
  SOFTHCCL_RETURN_IF_ERROR((*build)->graph->Add(stream));
  bound_[stream.handle] = graph;
  return {};
}

Status GraphCaptures::EndTasks(std::uint64_t graph, const exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  auto build = FindBuild(graph);
  return build ? (*build)->graph->CloseStream(stream) : build.error();
}

Status GraphCaptures::EndBuild(std::uint64_t graph) {
  std::shared_ptr<Graph> ended;  // destroyed, if it is, after the lock
  const std::lock_guard lock(mutex_);
  auto build = FindBuild(graph);
  if (!build) return build.error();
  ended = (*build)->graph;
  Remove(*build);
  Status completed = ended->Complete();
  if (!completed.ok()) Forget(graph);
  return completed;
}

Status GraphCaptures::Unbind(std::uint64_t graph, const exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  auto found = graphs_.Get(graph, "modelRI");
  if (!found) return found.error();
  const auto bound = bound_.find(stream.handle);
  if (bound == bound_.end() || bound->second != graph) {
    return Fail(Code::kInvalidParam, "stream: {} is not bound to {}", LabelOf(stream), (**found)->name());
  }
  if (FindCapture(***found) != active_.end()) {
    return Fail(Code::kGraphCaptured, "modelRI: {} is being built; call aclmdlRIBuildEnd first", (**found)->name());
  }
  bound_.erase(bound);
  SetTap();
  return {};
}

Status GraphCaptures::AddTo(std::uint64_t graph, exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  auto found = graphs_.Get(graph, "captureMdl");
  if (!found) return found.error();
  if (FindCapture(***found) == active_.end()) {
    return Fail(Code::kInvalidParam, "captureMdl: {} is not being captured; streams can be added until its end",
                (**found)->name());
  }
  const auto other = FindCapture(stream);
  if (other != active_.end() && other->graph != **found) {
    return Fail(Code::kStreamCaptured, "stm: {} is captured into {}; end that capture first", LabelOf(stream),
                other->graph->name());
  }
  return (**found)->Add(stream);
}

}  // namespace softhccl::engine
