// What the arguments of the data plane's ops mean, for those who make recorded ops again with other arguments.
#pragma once

#include <cstdint>

#include "exec/op.h"

namespace softhccl::engine::ops {

// Whose memory an argument names.
enum class Side : std::uint8_t { kNone, kOwn, kPeer };

struct Shape {
  const exec::OpClass* op_class;
  Side to;          // arg[kTo], arg[kSize] bytes (ranges.h)
  Side from;        // arg[kFrom]
  int link;         // place of the link among the arguments, -1: none
  bool has_notify;  // arg[0] is the handle of a notify of this process
};

// Null for ops that are not tasks of the data plane.
const Shape* ShapeOf(const exec::Op& op);

}  // namespace softhccl::engine::ops
