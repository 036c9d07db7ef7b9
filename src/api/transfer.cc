// Checks of a transfer, in the vendor's order, and its op.
#include "api/transfer.h"

#include "engine/faithful.h"
#include "engine/ops/ops.h"
#include "memory/memory.h"

namespace softhccl::api {

using base::Code;
using base::Status;

namespace {

// Both "does not exist" and "makes no sense" are a bad argument here, as on the vendor's side.
base::Result<Extent> ExtentOf(const Transfer& transfer) {
  if (!transfer.reduce) return Extent{nullptr, transfer.amount};
  auto reduction = transport::FindReduction(transfer.reduce->data_type, transfer.reduce->op);
  if (!reduction) return base::FailResult(Code::kInvalidParam, "{}", reduction.error().message());
  SOFTHCCL_RETURN_RESULT_IF_ERROR(engine::CheckReduction(transfer.reduce->data_type, transfer.reduce->op,
                                                         transfer.is_remote, engine::FaithfulProduct()));
  Extent extent{*reduction, 0};
  if (!__builtin_mul_overflow(transfer.amount, static_cast<std::uint64_t>((*reduction)->element_size), &extent.bytes)) {
    return extent;
  }
  return base::FailResult(Code::kInvalidParam,
                          "count {} elements of {} bytes are more than 64 bits can say; count is in elements",
                          transfer.amount, (*reduction)->element_size);
}

}  // namespace

base::Result<Extent> CheckArguments(const Transfer& transfer) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(transfer.dst, "dst"));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(transfer.src, "src"));
  auto extent = ExtentOf(transfer);
  if (extent && extent->bytes == 0 && !transfer.may_be_empty) {
    return base::FailResult(Code::kInvalidParam, "len is 0; a transfer of this kind moves at least one byte");
  }
  return extent;
}

Status MakeTransfer(const Transfer& transfer, const Extent& extent, const comm::Channel& channel, exec::Op* op) {
  const memory::Memory& memory = memory::Memory::Process();
  transport::Link* link = channel.link.get();
  const bool is_read = transfer.verb == Verb::kRead;
  if (is_read) {
    SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(transfer.dst, extent.bytes, "dst"));
    SOFTHCCL_RETURN_IF_ERROR(link->CheckRemote("src", transfer.src, extent.bytes));
  } else {
    SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(transfer.src, extent.bytes, "src"));
    SOFTHCCL_RETURN_IF_ERROR(link->CheckRemote("dst", transfer.dst, extent.bytes));
  }
  if (is_read) {
    *op = engine::ops::Read(link, transfer.dst, transfer.src, extent.bytes, extent.reduction);
    return {};
  }
  if (!transfer.notify) {
    *op = engine::ops::Write(link, transfer.dst, transfer.src, extent.bytes, extent.reduction);
    return {};
  }
  SOFTHCCL_RETURN_IF_ERROR(
      CheckIndex("remoteNotifyIdx", *transfer.notify, link->peer_notify_count(), channel.remote_rank));
  *op =
      engine::ops::WriteWithNotify(link, transfer.dst, transfer.src, extent.bytes, extent.reduction, *transfer.notify);
  return {};
}

std::int32_t QueueTransfer(const char* call, const void* site, ThreadHandle thread, ChannelHandle channel,
                           const Transfer& transfer) {
  return QueueOn(call, site, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(extent, CheckArguments(transfer));
    SOFTHCCL_ASSIGN(found, FindChannelFor(thread, channel));
    SOFTHCCL_RETURN_IF_ERROR(RequireThread(thread));
    SOFTHCCL_RETURN_IF_ERROR(RefuseTransferForProduct(call, *found));
    return MakeTransfer(transfer, extent, *found, op);
  });
}

std::int32_t PostTransfer(const char* call, const void* site, ChannelHandle channel, const Transfer& transfer) {
  return PostOn(call, site, channel, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(extent, CheckArguments(transfer));
    SOFTHCCL_ASSIGN(found, FindChannel(channel));
    return MakeTransfer(transfer, extent, *found, op);
  });
}

}  // namespace softhccl::api
