// Recorded ops: making them again for a replay, and how they order streams among each other. A recorded op is never run
// itself; each replay runs a copy.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/invocation.h"
#include "exec/op.h"
#include "exec/stream.h"

namespace softhccl::engine::ops {

// Whether an op means the same when it is run again later. Others refer to what may be gone by then (a channel, a host
// thread that waits).
bool CanBeRecorded(const exec::Op& op);

// A copy of `op` for `stream` that owns what it needs.
exec::Op Clone(const exec::Op& op, exec::Stream& stream);
// Frees what a recorded op owns, without effect on anybody else.
void Drop(exec::Op& op);

// What an op records or waits for, so that equal values belong together; 0: nothing.
std::uint64_t RecordedMark(const exec::Op& op);
std::uint64_t WaitedMark(const exec::Op& op);

// Of kernel launches only (kernel_launch.cc).
exec::Op CloneKernelLaunch(const exec::Op& op, exec::Stream& stream);
void DropKernelLaunch(exec::Op& op);
// What a recorded launch will run.
const Invocation& LaunchOf(const exec::Op& op);
// The number of the next launch of this process.
std::uint64_t NextLaunchNumber();

}  // namespace softhccl::engine::ops
