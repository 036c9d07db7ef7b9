// A graph: the ops that were submitted to some streams while they were captured, in order, to be replayed as often as
// wanted. The ops of the stream that the capture began on run on the stream of the replay, those of every other stream
// on a stream of the graph's own; the records and waits among them keep their order, because they are replayed too.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "exec/op.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

// Any thread.
class Graph {
 public:
  enum class State { kCapturing, kInvalidated, kComplete };
  struct Task {
    std::uint64_t handle = 0;
    std::uint32_t track = 0;
    std::uint32_t number = 0;  // within its track, from 0
    exec::Op op;               // never run itself; owned by the graph
  };

  Graph(exec::Scheduler& scheduler, std::uint64_t handle);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::uint64_t handle() const { return handle_; }
  std::uint32_t id() const { return base::HandleBits{handle_}.index(); }
  std::string name() const;
  void SetName(std::string name);
  State state() const;

  // --- While it is captured

  // The capture begins on `origin`. Before all else. Errors: kUnavailable.
  base::Status Start(exec::Stream& origin);
  // Whether `stream` is captured into this graph, or is about to be because an op waits for one of the graph.
  bool Captures(const exec::Stream& stream) const;
  bool IsWaitedFor(std::span<const exec::Op> ops) const;
  // Takes ops over; a stream that is new joins. `answer`, errors: kUnavailable. False: the capture was ended meanwhile,
  // nothing was taken.
  bool Record(exec::Stream& stream, std::span<const exec::Op> ops, base::Status* answer);
  bool BeganOn(const exec::Stream& stream) const;
  // False: the capture was ended meanwhile.
  bool Invalidate(const std::string& reason);
  // Ends the capture. Errors: kInvalidParam when it was invalidated or a stream that joined was not joined back: then
  // nothing can be replayed.
  base::Status Complete();

  // --- When it is complete

  // Queues a copy of everything; ops of the origin go to `stream`, which may be captured itself into another graph.
  // Errors: kInvalidParam when it is not complete.
  base::Status Replay(exec::Stream& stream, bool is_captured);
  // The graph's own streams, that of the origin first; its ops run on the stream of the replay.
  std::vector<exec::Stream*> Streams() const;
  // Tasks of one of these streams; empty for another stream.
  std::vector<const Task*> TasksOf(const exec::Stream* own) const;
  // A description in JSON; `with_addresses` for more of each task.
  std::string Describe(bool with_addresses) const;

 private:
  struct Track {
    std::uint64_t stream = 0;     // captured
    std::string label;            // of it
    exec::Stream* own = nullptr;  // replays
    std::uint32_t tasks = 0;
    std::uint64_t last_mark = 0;  // what its last op records
    bool is_joined = true;        // back into another track; always for the origin
  };
  base::Result<std::uint32_t> TrackOf(exec::Stream& stream);
  void NoteOrder(std::uint32_t track, const exec::Op& op);
  void DrainFailed();
  void ForgetFailures();

  exec::Scheduler& scheduler_;
  const std::uint64_t handle_;
  std::mutex replay_mutex_;  // held while a replay is queued, so that two do not mix
  mutable std::mutex mutex_;
  State state_ = State::kCapturing;  // guarded by mutex_
  bool is_ended_ = false;            // guarded by mutex_: whether its capture is over, well or not
  std::string reason_;               // guarded by mutex_: why it was invalidated
  std::string name_;                 // guarded by mutex_
  std::vector<Track> tracks_;        // guarded by mutex_; constant once complete
  std::vector<Task> tasks_;          // guarded by mutex_; constant once complete
  std::set<std::uint64_t> marks_;    // guarded by mutex_: what its ops record, while it is captured
};

// The one graph that a handle stands for, or the task of one. Any thread.
struct GraphTask {
  std::uint64_t graph = 0;
  std::uint32_t index = 0;  // of the graph's tasks
};

}  // namespace softhccl::engine
