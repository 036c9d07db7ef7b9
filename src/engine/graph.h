// A graph: the ops that were submitted to some streams while they were captured, in order, to be replayed as often as
// wanted. The ops of the stream that the capture began on run on the stream of the replay, those of every other stream
// on a stream of the graph's own; the records and waits among them keep their order, because they are replayed too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "engine/stream_event.h"
#include "engine/task_group.h"
#include "exec/op.h"
#include "exec/scheduler.h"

namespace softhccl::transport {
class Link;
}

namespace softhccl::engine {

// Any thread.
class Graph {
 public:
  enum class State { kCapturing, kInvalidated, kComplete };
  struct Task {
    std::uint32_t track = 0;
    std::uint32_t number = 0;          // within its track, from 0
    exec::Op op;                       // never run itself; owned by the graph
    std::shared_ptr<TaskGroup> group;  // that it belongs to, or null
    bool is_disabled = false;          // replays leave it out, unless others in the graph wait for it
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

  // The capture begins on `origin`; or it has none, and the program adds all streams itself. Before all else. Errors:
  // kUnavailable.
  base::Status Start(exec::Stream& origin);
  base::Status StartBuild(int device);
  // A stream that belongs to it without waiting for it: it begins with each replay, which ends after it. Errors:
  // kGraphCaptured when the capture is over, kUnavailable.
  base::Status Add(exec::Stream& member);
  // Whether `stream` is captured into this graph, or is about to be because an op waits for one of the graph.
  bool Captures(const exec::Stream& stream) const;
  bool IsWaitedFor(std::span<const exec::Op> ops) const;
  // Takes ops over; a stream that is new joins. `answer`, errors: kUnavailable; kCaptureDependency or kCaptureConflict
  // for a wait that a replay cannot repeat; kNotSupported for an op that it cannot. The last three make the capture
  // invalid. False: the capture was ended meanwhile, nothing was taken.
  bool Record(exec::Stream& stream, std::span<const exec::Op> ops, base::Status* answer);
  bool BeganOn(const exec::Stream& stream) const;
  // The label of the stream that the capture began on.
  std::string origin() const;
  bool is_built() const { return is_built_; }
  // `stream` gets no further tasks. Errors: kInvalidParam when it is no stream of the graph.
  base::Status CloseStream(const exec::Stream& stream);
  // What is captured on `stream` from now on is a group of tasks, until it is ended. Errors: kTaskGroup when there is
  // one already, or none.
  base::Status BeginGroup(exec::Stream& stream);
  base::Result<std::shared_ptr<TaskGroup>> EndGroup(exec::Stream& stream);
  // The first reason counts. False: the capture was ended meanwhile.
  bool Invalidate(base::Status reason);
  // Ends the capture. Then nothing can be replayed when it answers kCaptureInvalid, kTaskGroup because a group is open,
  // or kCaptureUnjoined because a stream that joined was not joined back.
  base::Status Complete();

  // --- When it is complete

  // Queues a copy of everything; ops of the origin go to `stream`, which may be captured itself into another graph.
  // Errors: kGraphCaptured when it is not complete, kInvalidHandle when a channel that it uses is gone.
  base::Status Replay(exec::Stream& stream, bool is_captured);
  // The graph's own streams, that of the origin first; its ops run on the stream of the replay.
  std::vector<exec::Stream*> Streams() const;
  // Tasks of one of these streams; empty for another stream.
  std::vector<const Task*> TasksOf(const exec::Stream* own) const;
  // A description in JSON; `with_addresses` for more of each task.
  std::string Describe(bool with_addresses) const;
  // Calls `look` with what a task does now.
  void LookAt(const Task& task, const std::function<void(const exec::Op&)>& look) const;

  // What replays that are queued after the next Update do instead: `op`, which is taken over; or nothing.
  void StageReplacement(const Task& task, const exec::Op& op);
  void StageDisabling(const Task& task);
  void Update();

  // The streams (handles) that have ops of replays left.
  std::vector<std::uint64_t> BusyStreams();

  // What the owner wants to be called with when it destroys the graph. Any time.
  using Callback = std::pair<void (*)(void*), void*>;
  void AddDestroyCallback(Callback callback);
  // All of this function. Errors: kNotFound.
  base::Status RemoveDestroyCallback(void (*function)(void*));
  std::vector<Callback> TakeDestroyCallbacks();

 private:
  struct Track {
    std::uint64_t stream = 0;     // captured
    std::string label;            // of it
    exec::Stream* own = nullptr;  // replays
    bool is_member = false;       // joins and leaves with the replay; not for the origin
    bool is_closed = false;       // gets no further tasks
    std::shared_ptr<TaskGroup> open_group;
    std::uint32_t tasks = 0;
    std::uint32_t work = 0;  // how many of them somebody must wait for: up to the last one with an effect
  };
  // What one mark orders: a wait may be captured before its record.
  struct Order {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> records;  // the track, and its tasks up to there
    std::vector<std::uint32_t> waiters;                            // tracks
  };
  // One op of a replay, in the order of the capture.
  using Step = std::pair<std::uint32_t, exec::Op>;

  base::Result<std::uint32_t> TrackOf(exec::Stream& stream);
  Track* FindTrack(const exec::Stream& stream);
  base::Result<std::uint32_t> AddTrack(std::uint64_t stream, std::string label, int device, exec::Party party);
  bool IsRecorded(std::uint64_t mark) const;
  base::Status Check(const Track* track, const exec::Op& op) const;
  base::Status Refuse(const exec::Stream& stream, base::Status reason);
  void NoteOrder(std::uint32_t track, const exec::Op& op);
  // Of each track, whether the origin waits for all of its work, directly or through others.
  std::vector<bool> FindJoined() const;
  void Keep(std::uint32_t track, exec::Op op);
  base::Status CheckReplay() const;
  void DrainFailed();
  void ForgetFailures();
  std::vector<Step> Plan(exec::Stream& stream, bool is_captured);
  exec::Stream& TargetOf(std::uint32_t track, exec::Stream& stream) const;
  base::Status SubmitOrSkip(exec::Stream& target, std::span<exec::Op> ops);
  // A replay of which a stream has ops up to a number.
  struct Running {
    std::uint64_t stream;  // handle
    std::uint64_t last;
  };
  static bool IsOver(const Running& replay);
  struct Change {
    std::optional<exec::Op> op;  // owned
    bool is_disabled = false;
  };

  exec::Scheduler& scheduler_;
  const std::uint64_t handle_;
  bool is_built_ = false;         // constant once it has begun
  std::mutex replay_mutex_;       // held while a replay is queued, so that two do not mix
  std::vector<Running> running_;  // guarded by replay_mutex_
  mutable std::mutex mutex_;
  State state_ = State::kCapturing;        // guarded by mutex_
  bool is_ended_ = false;                  // guarded by mutex_: whether its capture is over, well or not
  base::Status reason_;                    // guarded by mutex_: why it was invalidated
  std::string name_;                       // guarded by mutex_
  std::vector<Track> tracks_;              // guarded by mutex_; constant once complete
  std::vector<Task> tasks_;                // guarded by mutex_; constant once complete, but for Update
  std::vector<transport::Link*> links_;    // guarded by mutex_; constant once complete: held
  std::map<const Task*, Change> staged_;   // guarded by mutex_
  std::vector<Callback> on_destroy_;       // guarded by mutex_
  std::map<std::uint64_t, Order> orders_;  // guarded by mutex_: by mark, while it is captured
};

}  // namespace softhccl::engine
