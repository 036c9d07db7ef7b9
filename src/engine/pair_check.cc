// Comparing a send with a receive, and the sentences about it.
#include "engine/pair_check.h"

#include <string>

#include "base/log.h"
#include "engine/ops/classes.h"
#include "engine/ops/ranges.h"
#include "event/labels.h"
#include "transport/link.h"
#include "transport/reduce.h"

namespace softhccl::engine {

using exec::Operation;
using exec::OperationKind;
using exec::OpOutcome;

namespace {

struct Side {
  std::uint32_t rank;
  std::uint32_t peer;
  Operation operation;
  std::uint64_t origin;  // event name id

  bool is_sender() const { return operation.kind() == OperationKind::kSend; }
  // Cannot overflow: counts have 48 bits.
  std::uint64_t bytes() const { return operation.count() * *transport::ElementSize(operation.data_type()); }
};

// "rank 0 sends 10 elements of FP32 (40 bytes) to rank 1 in HcclSendCustom#0 0->1 (its send 1 to that rank)".
std::string Text(const Side& side) {
  const Operation& operation = side.operation;
  std::string in;
  if (side.origin != 0) in = fmt::format(" in {}", event::GetLabel(event::LabelKind::kName, side.origin));
  return fmt::format("rank {} {} {} element{} of {} ({} bytes) {} rank {}{} ({} {} of this pair)", side.rank,
                     side.is_sender() ? "sends" : "receives", operation.count(), operation.count() == 1 ? "" : "s",
                     transport::DataTypeName(operation.data_type()), side.bytes(), side.is_sender() ? "to" : "from",
                     side.peer, in, side.is_sender() ? "send" : "receive", operation.number());
}

// The sender first, so that both sides say the same.
std::string PairText(const Side& own, const Side& peer) {
  return fmt::format("{}, but {}", Text(own.is_sender() ? own : peer), Text(own.is_sender() ? peer : own));
}

OpOutcome Report(exec::OpContext& context, const exec::Party& party, const Side& own, const Side& peer) {
  if (own.bytes() != peer.bytes()) {
    base::Status failure = base::Fail(base::Code::kInvalidParam,
                                      "{}; pass the same count and type on both sides (SH-G011)", PairText(own, peer));
    // The thread may be a user's stream, which belongs to no rank.
    context.scheduler().AbortParty(party, failure);
    return context.Fail(std::move(failure));
  }
  if (party.domain->IsFirstComplaint(own.rank, own.peer, own.operation)) {
    base::Log(base::LogLevel::kWarning,
              fmt::format("{}: {}; the bytes are the same, their meaning is not: pass the same type on both sides "
                          "(SH-G011)",
                          event::GetLabel(event::LabelKind::kStream, context.stream().id), PairText(own, peer)));
  }
  return OpOutcome::kDone;
}

}  // namespace

exec::ChannelEnds EndsOf(exec::Scheduler& scheduler, const exec::Op& op) {
  if (op.op_class == &ops::kNotifyWait) {
    const exec::Notify* notify = scheduler.notifies().Lookup(op.arg[0]);
    return notify != nullptr ? notify->ends : exec::ChannelEnds();
  }
  if (op.op_class == &ops::kChannelRecord) return reinterpret_cast<const transport::Link*>(op.arg[0])->ends();
  if (op.op_class == &ops::kWriteWithNotify || op.op_class == &ops::kWriteReduceWithNotify) {
    return reinterpret_cast<const transport::Link*>(op.arg[ops::kLink])->ends();
  }
  return {};
}

OpOutcome CheckPair(exec::OpContext& context, const exec::Op& op, const exec::Notify& notify) {
  const Operation own = op.operation;
  const Operation peer = notify.recorded_operation();
  if (!own.IsCounterpartOf(peer)) return OpOutcome::kDone;
  if (own.count() == peer.count() && own.data_type() == peer.data_type()) return OpOutcome::kDone;
  exec::ChannelEnds ends;
  exec::Party party;
  {
    const auto held = context.scheduler().HoldObjects();  // the notify may be destroyed meanwhile
    ends = notify.ends;
    party.domain = notify.recorder.domain;
  }
  if (party.domain == nullptr) return OpOutcome::kDone;
  party.rank = ends.own;
  return Report(context, party, {ends.own, ends.peer, own, op.origin},
                {ends.peer, ends.own, peer, notify.recorded_origin()});
}

}  // namespace softhccl::engine
