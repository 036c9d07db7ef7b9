// The one table of op classes: a new primitive adds its line here.
#include "engine/ops/classes.h"

#include <vector>

#include "engine/ops/ops.h"

namespace softhccl::engine::ops {

std::vector<const exec::OpClass*> AllOpClasses() {
  return {&kLocalCopy,    &kCopyRows,      &kCopyIndirect, &kFill,        &kRead,
          &kNotifyRecord, &kChannelRecord, &kNotifyWait,   &kKernelLaunch};
}

}  // namespace softhccl::engine::ops
