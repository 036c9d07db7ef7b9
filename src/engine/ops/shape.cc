// One row per class of task that a data-plane call can queue on a thread.
#include "engine/ops/shape.h"

#include "engine/ops/classes.h"
#include "engine/ops/ranges.h"

namespace softhccl::engine::ops {
namespace {

constexpr int kNoLink = -1;
constexpr int kRangesLink = static_cast<int>(kLink);

constexpr Shape kShapes[] = {
    {&kLocalCopy, Side::kOwn, Side::kOwn, kNoLink, false},
    {&kLocalReduce, Side::kOwn, Side::kOwn, kNoLink, false},
    {&kRead, Side::kOwn, Side::kPeer, kRangesLink, false},
    {&kReadReduce, Side::kOwn, Side::kPeer, kRangesLink, false},
    {&kWrite, Side::kPeer, Side::kOwn, kRangesLink, false},
    {&kWriteReduce, Side::kPeer, Side::kOwn, kRangesLink, false},
    {&kWriteWithNotify, Side::kPeer, Side::kOwn, kRangesLink, false},
    {&kWriteReduceWithNotify, Side::kPeer, Side::kOwn, kRangesLink, false},
    {&kFence, Side::kNone, Side::kNone, kNoLink, false},
    {&kChannelFence, Side::kNone, Side::kNone, kRangesLink, false},
    {&kChannelDrain, Side::kNone, Side::kNone, kRangesLink, false},
    {&kChannelRecord, Side::kNone, Side::kNone, 0, false},
    {&kNotifyRecord, Side::kNone, Side::kNone, kNoLink, true},
    {&kNotifyWait, Side::kNone, Side::kNone, kNoLink, true},
};

}  // namespace

const Shape* ShapeOf(const exec::Op& op) {
  for (const Shape& shape : kShapes) {
    if (shape.op_class == op.op_class) return &shape;
  }
  return nullptr;
}

}  // namespace softhccl::engine::ops
