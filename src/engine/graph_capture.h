// The captures that are going on, and the handles of graphs and of their tasks. A stream is captured from Begin to End;
// a stream that waits for what a captured one has recorded joins. What kernels queue is never captured: a recorded
// launch queues it anew at each replay.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "engine/graph.h"
#include "exec/submission_tap.h"

namespace softhccl::engine {

// Any thread. Created on first use, never destroyed.
class GraphCaptures final : public exec::SubmissionTap {
 public:
  static GraphCaptures& Get();

  // Errors: kInvalidParam when the stream is captured already; kUnavailable.
  base::Status Begin(exec::Scheduler& scheduler, exec::Stream& stream);
  // Ends the capture that began on `stream`; the handle of its graph. Errors: kInvalidParam: no capture, it began
  // elsewhere, or it is invalid (then it is over all the same, and its graph is gone).
  base::Result<std::uint64_t> End(exec::Stream& stream);
  // The graph that a stream is being captured into, or null.
  std::shared_ptr<Graph> Of(const exec::Stream& stream) const;
  // Ends what is captured on a stream that is being destroyed: a capture that began on it is over and its graph gone,
  // one that it joined is invalid.
  void Abandon(const exec::Stream& stream);
  // A call would wait for a captured stream: its capture becomes invalid and the call fails (kInvalidParam).
  base::Status RefuseCaptured(const exec::Stream& stream, const char* call);

  base::Result<std::shared_ptr<Graph>> Find(std::uint64_t graph) const;
  // Errors: kInvalidHandle; kInvalidParam while it is captured.
  base::Status Destroy(std::uint64_t graph);

  // The handles of the tasks of one of a graph's streams. Errors: kInvalidParam for another stream, and while the graph
  // is captured.
  base::Result<std::vector<std::uint64_t>> TasksOf(const exec::Stream& stream);
  struct FoundTask {
    std::shared_ptr<Graph> graph;  // keeps the task
    const Graph::Task* task;
  };
  base::Result<FoundTask> FindTask(std::uint64_t task) const;

  bool Offer(exec::Stream& stream, std::span<const exec::Op> ops, base::Status* answer) override;

 private:
  struct TaskPlace {
    std::uint64_t graph = 0;
    const Graph::Task* task = nullptr;
  };
  void Forget(std::uint64_t graph);  // mutex_ held

  base::Slab<std::shared_ptr<Graph>, base::HandleKind::kGraph> graphs_;
  base::Slab<TaskPlace, base::HandleKind::kGraphTask> tasks_;
  mutable std::mutex mutex_;                                  // also guards the contents of the slabs' slots
  std::vector<std::shared_ptr<Graph>> active_;                // guarded by mutex_
  std::map<const Graph::Task*, std::uint64_t> task_handles_;  // guarded by mutex_
};

}  // namespace softhccl::engine
