// The op classes of this folder by name, for the table in classes.cc.
#pragma once

#include "exec/op.h"

namespace softhccl::engine::ops {

extern const exec::OpClass kLocalCopy;
extern const exec::OpClass kCopyRows;
extern const exec::OpClass kCopyIndirect;
extern const exec::OpClass kFill;
extern const exec::OpClass kLocalReduce;
extern const exec::OpClass kRead;
extern const exec::OpClass kReadReduce;
extern const exec::OpClass kWrite;
extern const exec::OpClass kWriteReduce;
extern const exec::OpClass kWriteWithNotify;
extern const exec::OpClass kWriteReduceWithNotify;
extern const exec::OpClass kFence;
extern const exec::OpClass kChannelFence;
extern const exec::OpClass kChannelDrain;
extern const exec::OpClass kSignal;
extern const exec::OpClass kAwaitQueue;
extern const exec::OpClass kNotifyRecord;
extern const exec::OpClass kChannelRecord;
extern const exec::OpClass kNotifyWait;
extern const exec::OpClass kCountRecord;
extern const exec::OpClass kCountReset;
extern const exec::OpClass kCountWait;
extern const exec::OpClass kValueWrite;
extern const exec::OpClass kValueWait;
extern const exec::OpClass kCopyDescribed;
extern const exec::OpClass kCacheHint;
extern const exec::OpClass kKernelLaunch;
extern const exec::OpClass kEventRecord;
extern const exec::OpClass kEventWait;
extern const exec::OpClass kEventReset;
extern const exec::OpClass kHostCallback;
extern const exec::OpClass kGroupTask;
extern const exec::OpClass kUpdateTasks;

}  // namespace softhccl::engine::ops
