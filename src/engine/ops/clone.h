// Recorded ops: making them again for a replay, and how they order streams among each other. A recorded op is never run
// itself; each replay runs a copy.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/invocation.h"
#include "engine/stream_event.h"
#include "exec/op.h"
#include "exec/stream.h"

namespace softhccl::transport {
class Link;
}

namespace softhccl::engine::ops {

// Whether an op means the same when it is run again later. Others refer to a host thread that waits for this one.
bool CanBeRecorded(const exec::Op& op);

// The op belongs to `graph` (handle) from now on and will not run; and: that recording is over, nothing of it will ever
// run but copies.
void NoteRecorded(const exec::Op& op, std::uint64_t graph);
void EndRecorded(const exec::Op& op);

// A copy of `op` for `stream` that owns what it needs.
exec::Op Clone(const exec::Op& op, exec::Stream& stream, EventCopies& events);
// Frees what a recorded op owns, without effect on anybody else.
void Drop(exec::Op& op);

// What an op records or waits for, so that equal values belong together; 0: nothing that orders streams of one graph.
std::uint64_t RecordedMark(const exec::Op& op);
std::uint64_t WaitedMark(const exec::Op& op);
// Whether somebody notices that it was run: not of an event that nobody waits for.
bool HasEffect(const exec::Op& op);
// The link that it uses, or null.
transport::Link* LinkOf(const exec::Op& op);
// The ordinary wait for an event, or null for any other op.
const EventTask* EventWaitOf(const exec::Op& op);
// The same for its record.
const EventTask* RecordedEventOf(const exec::Op& op);

// Calls `look` with the op, or with what the group that it belongs to holds now.
void LookAt(const exec::Op& op, const std::function<void(const exec::Op&)>& look);

// Of kernel launches only (kernel_launch.cc).
exec::Op CloneKernelLaunch(const exec::Op& op, exec::Stream& stream);
void DropKernelLaunch(exec::Op& op);
// What a recorded launch will run.
const Invocation& LaunchOf(const exec::Op& op);
// Of a launch that is not queued yet.
void SetLaunchStream(exec::Op& op, exec::Stream& stream);
// The number of the next launch of this process.
std::uint64_t NextLaunchNumber();

// Of events only (event.cc).
exec::Op CloneEventOp(const exec::Op& op, exec::Stream& stream, EventCopies& events);
void DropEventOp(exec::Op& op);
void NoteRecordedEvent(const exec::Op& op, std::uint64_t graph);
void EndRecordedEvent(const exec::Op& op);

// Of tasks of groups only (group_task.cc).
exec::Op CloneGroupTask(const exec::Op& op);
void DropGroupTask(exec::Op& op);

// Of callbacks only (host_callback.cc).
exec::Op CloneHostCallback(const exec::Op& op);
void DropHostCallback(exec::Op& op);

}  // namespace softhccl::engine::ops
