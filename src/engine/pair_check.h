// Do the two sides of a point-to-point pair mean the same? The data plane carries neither a count nor a type, so a
// receiver that expects more reads what nobody sent. Where both sides have described what they do (issue.h), they are
// compared when one takes a record of the other, which is before it touches the other's data.
#pragma once

#include "exec/abort_domain.h"
#include "exec/notify.h"
#include "exec/op.h"
#include "exec/scheduler.h"

namespace softhccl::engine {

// Of the channel whose notify the op records or takes; no domain when there is none.
exec::ChannelEnds EndsOf(exec::Scheduler& scheduler, const exec::Op& op);

// For a wait that has just taken `notify`. Done, with a warning when only the types differ; failed with kInvalidParam,
// and the communicator aborted, when the sizes do. Both sides are told the same words.
exec::OpOutcome CheckPair(exec::OpContext& context, const exec::Op& op, const exec::Notify& notify);

}  // namespace softhccl::engine
