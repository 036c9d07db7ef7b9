// The ops of the data plane, one file each. Every function here only builds the record; what it does is in its file.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "engine/invocation.h"
#include "exec/notify.h"
#include "exec/op.h"
#include "transport/link.h"

namespace softhccl::engine::ops {

// Copies `size` bytes between two addresses of this process; one quantum per turn.
exec::Op LocalCopy(void* to, const void* from, std::uint64_t size);
// One-sided read from the peer's window to local memory.
exec::Op Read(transport::Link* link, void* to, const void* from, std::uint64_t size);

// Sets a notify of this process.
exec::Op NotifyRecord(std::uint64_t notify);
// Sets the peer's notify `index` of a channel.
exec::Op ChannelRecord(transport::Link* link, std::uint32_t index);
// Takes a notify; `limit` ns from the moment the op begins to wait, kForever for none.
exec::Op NotifyWait(std::uint64_t notify, base::Nanos limit);

// Runs a kernel on an AICPU core, or inline where it has earned it.
exec::Op KernelLaunch(std::shared_ptr<Invocation> invocation);

// All op classes of this module in a fixed order, for tables and checks.
std::vector<const exec::OpClass*> AllOpClasses();

}  // namespace softhccl::engine::ops
