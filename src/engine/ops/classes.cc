// The one table of op classes: a new primitive adds its line here.
#include "engine/ops/classes.h"

#include <vector>

#include "engine/ops/ops.h"

namespace softhccl::engine::ops {

std::vector<const exec::OpClass*> AllOpClasses() {
  return {&kLocalCopy,
          &kLocalReduce,
          &kCopyRows,
          &kCopyIndirect,
          &kFill,
          &kRead,
          &kReadReduce,
          &kWrite,
          &kWriteReduce,
          &kWriteWithNotify,
          &kWriteReduceWithNotify,
          &kFence,
          &kChannelFence,
          &kChannelDrain,
          &kSignal,
          &kAwaitQueue,
          &kNotifyRecord,
          &kChannelRecord,
          &kNotifyWait,
          &kCountRecord,
          &kCountReset,
          &kCountWait,
          &kValueWrite,
          &kValueWait,
          &kCopyDescribed,
          &kCacheHint,
          &kKernelLaunch,
          &kEventRecord,
          &kEventWait,
          &kEventReset,
          &kHostCallback,
          &kGroupTask,
          &kUpdateTasks};
}

}  // namespace softhccl::engine::ops
