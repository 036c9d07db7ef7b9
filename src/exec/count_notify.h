// A counting notify: a number that records change and that waits compare with theirs. Unlike the bit of a notify
// nothing of it is lost. A stream that waits parks on a notify of its own, so that limits, aborts and reports treat it
// like every other wait.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "base/clock.h"
#include "base/handle.h"
#include "base/status.h"
#include "exec/op.h"

namespace softhccl::exec {

class CountWait;
class Notify;
class Scheduler;

// Which counts end a wait for `value`, and whether it then sets the count to 0.
struct CountGoal {
  enum class Until : std::uint8_t { kLess = 0, kEqual, kGreater, kAtLeast, kAllBits };
  Until until = Until::kEqual;
  std::uint32_t value = 0;
  bool clears = false;

  bool IsReached(std::uint32_t count) const;
};

// Any thread. Waits are served in the order in which they began, each at the record that reaches its goal.
class CountNotify {
 public:
  enum class Change : std::uint8_t { kSet = 0, kAdd, kOr, kAnd };

  CountNotify(Scheduler& scheduler, int device, std::uint32_t id) : scheduler_(scheduler), device_(device), id_(id) {}
  CountNotify(const CountNotify&) = delete;
  CountNotify& operator=(const CountNotify&) = delete;

  std::uint32_t id() const { return id_; }
  // "counting notify 3 of device 0".
  std::string label() const;

  // A sum beyond 32 bits wraps around.
  void Record(Change change, std::uint32_t value);
  // Sets the count to 0 and forgets a failure. Those who wait for little may go on.
  void Reset();
  // The op that should have recorded was skipped: all waits fail, or the next one when there is none.
  void RecordFailure(const base::Status& cause);
  // It is destroyed: all waits fail, and those that begin now.
  void Close();

 private:
  friend class CountWait;
  // All need mutex_ held.
  void Serve();
  // Whether a wait for `goal` is over before it begins, well or not.
  bool IsOver(const CountGoal& goal, OpContext& context, OpOutcome* outcome);
  void FailWaits(const base::Status& cause, bool is_reported);

  Scheduler& scheduler_;
  const int device_;
  const std::uint32_t id_;
  std::mutex mutex_;
  std::uint32_t count_ = 0;      // guarded by mutex_
  bool is_closed_ = false;       // guarded by mutex_
  base::Status failure_;         // guarded by mutex_: of a skipped record that nobody has heard of
  std::list<CountWait*> waits_;  // guarded by mutex_: those without an answer, oldest first
};

// The wait of one op, from the moment that its goal was not reached. Used by the executor of its stream.
class CountWait {
 public:
  // kDone: the goal is reached, the count is cleared if it says so. kSuspended: *wait has to be run. kFailed: a record
  // was skipped, the notify was destroyed, or there is no room to wait.
  static OpOutcome Begin(OpContext& context, std::shared_ptr<CountNotify> notify, const CountGoal& goal,
                         std::unique_ptr<CountWait>* wait);
  ~CountWait();
  CountWait(const CountWait&) = delete;
  CountWait& operator=(const CountWait&) = delete;

  // One step; again after a suspension. Everything but kSuspended is the end.
  OpOutcome Run(OpContext& context, const Op& op, base::Nanos deadline);

 private:
  friend class CountNotify;
  enum class Answer : std::uint8_t { kNone, kReached, kFailed };
  struct Reply {
    Answer answer = Answer::kNone;
    base::Status failure;
    bool is_reported = true;  // the user has been told of the failure
  };

  CountWait(std::shared_ptr<CountNotify> notify, const CountGoal& goal, Notify* point)
      : notify_(std::move(notify)), goal_(goal), point_(point) {}
  Reply TakeReply();

  const std::shared_ptr<CountNotify> notify_;
  const CountGoal goal_;
  Notify* const point_;
  Reply reply_;  // guarded by notify_->mutex_
};

// The counting notifies of the process by handle. Any thread.
class CountNotifyTable {
 public:
  // Errors: kUnavailable.
  base::Result<std::uint64_t> Make(Scheduler& scheduler, int device);
  // Errors: kInvalidHandle.
  base::Result<std::shared_ptr<CountNotify>> Find(std::uint64_t handle) const;
  base::Status Destroy(std::uint64_t handle);

 private:
  // A slot keeps its object only while the handle lives; the lock is for those who read it meanwhile.
  mutable std::shared_mutex mutex_;
  base::Slab<std::shared_ptr<CountNotify>, base::HandleKind::kCountNotify> notifies_;
};

}  // namespace softhccl::exec
