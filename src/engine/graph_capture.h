// The captures that are going on, and the handles of graphs, of their tasks and of groups of tasks. A stream is
// captured from Begin to End; a stream that waits for what a captured one has recorded joins. What kernels queue is
// never captured: a recorded launch queues it anew at each replay.
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

// Whom a capture forbids unsafe calls, that is those which copy or fill memory before they return: all threads of its
// context, the thread that it began on, or nobody. A thread may loosen that for itself: as long as it is kRelaxed, and
// for captures of other threads also when it is kThreadLocal. The numbers are those of aclmdlRICaptureMode.
enum class CaptureMode : int { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

// The calling thread's own mode.
CaptureMode& CaptureModeOfThread();

// Any thread. Created on first use, never destroyed.
class GraphCaptures final : public exec::SubmissionTap {
 public:
  static GraphCaptures& Get();
  // Whether any capture may be going on; else nothing is refused.
  static bool MayCapture() { return exec::g_submission_tap.load(std::memory_order_acquire) != nullptr; }

  // Errors: kStreamCaptured when the stream is captured already, kTaskGroup while it has an update open; kUnavailable.
  base::Status Begin(exec::Scheduler& scheduler, exec::Stream& stream, CaptureMode mode);
  // Ends the capture that began on `stream`; the handle of its graph. Errors: kStreamNotCaptured, kCaptureUnmatched
  // when it began elsewhere, kCaptureWrongThread; kCaptureInvalid and kCaptureUnjoined: it is over all the same, and
  // its graph is gone.
  base::Result<std::uint64_t> End(exec::Stream& stream);
  // The graph that a stream is being captured into, or null; and: or would be if `ops` were submitted to it.
  std::shared_ptr<Graph> Of(const exec::Stream& stream) const;
  std::shared_ptr<Graph> Of(const exec::Stream& stream, std::span<const exec::Op> ops) const;

  // What a call that a capture does not allow answers; the capture becomes invalid. Errors: kStreamCaptured for one
  // that would wait for a captured stream; kEventCaptured for one that would wait for an event recorded in a capture,
  // also when that is over; `code` for an unsafe one that a capture of `context` (handle) forbids this thread.
  base::Status RefuseCaptured(const exec::Stream& stream, const char* call);
  base::Status RefuseCaptured(const EventCapture& capture, const char* call);
  base::Status RefuseUnsafe(const char* call, std::uint64_t context, base::Code code);

  // --- Graphs that are built of streams that the program binds to them (graph_build.cc)

  // Errors: kUnavailable.
  base::Result<std::uint64_t> BeginBuild(exec::Scheduler& scheduler, int device);
  // Errors: kInvalidHandle, kInvalidParam when the graph is not being built or the stream is bound to one,
  // kStreamCaptured.
  base::Status Bind(std::uint64_t graph, exec::Stream& stream);
  // `stream` gets no further tasks. Errors: as Bind.
  base::Status EndTasks(std::uint64_t graph, const exec::Stream& stream);
  // Errors also: those of Graph::Complete; then the graph is gone.
  base::Status EndBuild(std::uint64_t graph);
  // Its streams stay bound, and take no tasks, until this. Errors: kGraphCaptured, kInvalidParam.
  base::Status Unbind(std::uint64_t graph, const exec::Stream& stream);
  // A stream for a graph that is being captured, which begins and ends with it. Errors: kInvalidParam when it is not
  // being captured, kStreamCaptured for a stream of another one.
  base::Status AddTo(std::uint64_t graph, exec::Stream& stream);

  // --- Groups of tasks, and their updates (graph_update.cc)

  // On a captured stream. Errors: kStreamNotCaptured, kTaskGroup.
  base::Status BeginGroup(exec::Stream& stream);
  base::Result<std::uint64_t> EndGroup(exec::Stream& stream);
  // What is submitted to `stream` in between does not run, but replaces the tasks of the group, one for one, when the
  // stream comes to that place. Errors: kStreamCaptured, kInvalidHandle, kGraphCaptured, kTaskGroup; kInvalidParam when
  // other tasks were submitted than the group has.
  base::Status BeginUpdate(exec::Stream& stream, std::uint64_t group);
  base::Status EndUpdate(exec::Scheduler& scheduler, exec::Stream& stream);

  // --- Handles (graph_handles.cc)

  base::Result<std::shared_ptr<Graph>> Find(std::uint64_t graph) const;
  // Waits for its replays. *callbacks: what its owner wants called. Errors: kInvalidHandle; kGraphCaptured while it is
  // captured.
  base::Status Destroy(std::uint64_t graph, std::vector<Graph::Callback>* callbacks);

  // The handles of the tasks of one of a graph's streams. Errors: kInvalidParam for another stream, kGraphCaptured
  // while the graph is captured.
  base::Result<std::vector<std::uint64_t>> TasksOf(const exec::Stream& stream);
  struct FoundTask {
    std::shared_ptr<Graph> graph;  // keeps the task
    const Graph::Task* task;
  };
  base::Result<FoundTask> FindTask(std::uint64_t task) const;

  bool Offer(exec::Stream& stream, std::span<const exec::Op> ops, base::Status* answer) override;
  // A capture that began on the stream is over and its graph gone, one that it joined is invalid.
  void Forget(const exec::Stream& stream) override;

 private:
  struct Capture {
    std::shared_ptr<Graph> graph;
    CaptureMode mode = CaptureMode::kGlobal;
    std::int32_t thread = 0;    // that it began on
    std::uint64_t context = 0;  // of the stream that it began on
  };
  struct Update {
    std::shared_ptr<TaskGroup> group;
    std::vector<exec::Op> ops;  // owned
  };
  struct TaskPlace {
    std::uint64_t graph = 0;
    const Graph::Task* task = nullptr;
  };
  using Captures = std::vector<Capture>;
  // All with mutex_ held.
  Captures::iterator FindCapture(const exec::Stream& stream);
  Captures::iterator FindCapture(const Graph& graph);
  base::Result<std::shared_ptr<Graph>> Make(exec::Scheduler& scheduler);
  base::Result<Captures::iterator> FindBuild(std::uint64_t graph);
  void Remove(Captures::iterator capture);
  void Forget(std::uint64_t graph);
  // Submissions are offered while anybody wants them.
  void SetTap();
  static base::Status Collect(const exec::Stream& stream, Update& update, std::span<const exec::Op> ops);
  bool OfferElsewhere(const exec::Stream& stream, std::span<const exec::Op> ops, base::Status* answer);

  base::Slab<std::shared_ptr<Graph>, base::HandleKind::kGraph> graphs_;
  base::Slab<TaskPlace, base::HandleKind::kGraphTask> tasks_;
  base::Slab<std::shared_ptr<TaskGroup>, base::HandleKind::kTaskGroup> groups_;
  mutable std::mutex mutex_;                                  // also guards the contents of the slabs' slots
  Captures active_;                                           // guarded by mutex_
  std::map<const Graph::Task*, std::uint64_t> task_handles_;  // guarded by mutex_
  std::map<std::uint64_t, std::uint64_t> bound_;              // guarded by mutex_: streams to graphs, both handles
  std::map<std::uint64_t, Update> updates_;                   // guarded by mutex_: that are open, by stream (handle)
};

}  // namespace softhccl::engine
