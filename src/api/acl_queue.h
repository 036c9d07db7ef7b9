// Queueing ops of ACL calls on a stream of the program.
#pragma once

#include <span>

#include "base/status.h"
#include "exec/scheduler.h"

namespace softhccl::api {

// Queues `ops`; with `waiting_call` not null also waits until they are done: their memory may be gone when that call
// has returned. What fails meanwhile stays the stream's error, told by its next synchronise.
base::Status QueueOn(exec::Stream& stream, std::span<const exec::Op> ops, const char* waiting_call);

}  // namespace softhccl::api
