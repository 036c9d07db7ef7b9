// Tasks of a graph that are replaced while the graph lives. A replay decides when such a task runs, not when it is
// queued, which version of it that is: a replay that waits for an update behind which it was queued gets the new one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "exec/op.h"
#include "exec/stream.h"

namespace softhccl::engine {

// One such task. Any thread.
class TaskCell {
 public:
  explicit TaskCell(const exec::Op& op) : op_(op) {}
  ~TaskCell();
  TaskCell(const TaskCell&) = delete;
  TaskCell& operator=(const TaskCell&) = delete;

  // A copy of what it is now.
  exec::Op Copy(exec::Stream& stream) const;
  // Takes `op` over.
  void Replace(const exec::Op& op);
  void Look(const std::function<void(const exec::Op&)>& look) const;

 private:
  mutable std::mutex mutex_;
  exec::Op op_;  // guarded by mutex_; owned
};

// What was captured between the begin and the end of a group, in order. `cells` does not change any more once the group
// has a handle.
struct TaskGroup {
  std::atomic<std::uint64_t> handle{0};  // given while the graph may be described already
  std::uint64_t graph = 0;               // handle
  std::vector<std::shared_ptr<TaskCell>> cells;
};

namespace ops {

// Whether a group can hold it: tasks that order others cannot be replaced.
bool CanBeGrouped(const exec::Op& op);

// Runs what the cell is when the op begins.
exec::Op GroupTask(std::shared_ptr<TaskCell> cell);
// The cell of a group task, null for other ops.
std::shared_ptr<TaskCell> CellOf(const exec::Op& op);

// Replaces the cells' tasks when it runs; takes the new ones over.
using Replacements = std::vector<std::pair<std::shared_ptr<TaskCell>, exec::Op>>;
exec::Op UpdateTasks(Replacements replacements);

}  // namespace ops
}  // namespace softhccl::engine
