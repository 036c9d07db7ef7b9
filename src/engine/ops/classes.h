// The op classes of this folder by name, for the table in classes.cc.
#pragma once

#include "exec/op.h"

namespace softhccl::engine::ops {

extern const exec::OpClass kLocalCopy;
extern const exec::OpClass kCopyRows;
extern const exec::OpClass kCopyIndirect;
extern const exec::OpClass kFill;
extern const exec::OpClass kRead;
extern const exec::OpClass kNotifyRecord;
extern const exec::OpClass kChannelRecord;
extern const exec::OpClass kNotifyWait;
extern const exec::OpClass kKernelLaunch;

}  // namespace softhccl::engine::ops
