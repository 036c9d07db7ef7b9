// The data plane's transfers: local copy and reduce, reads and writes on a thread and without one, and batches.
#include "api/transfer.h"
#include "engine/ops/ops.h"
#include "hcomm/hcomm_primitives.h"
#include "memory/memory.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

Status CheckLocal(const void* dst, const void* src, uint64_t bytes) {
  const memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(dst, bytes, "dst"));
  return memory.CheckRange(src, bytes, "src");
}

Transfer Read(void* dst, const void* src, uint64_t len) {
  Transfer transfer;
  transfer.verb = Verb::kRead;
  transfer.dst = dst;
  transfer.src = src;
  transfer.amount = len;
  return transfer;
}

Transfer Write(void* dst, const void* src, uint64_t len) {
  Transfer transfer = Read(dst, src, len);
  transfer.verb = Verb::kWrite;
  return transfer;
}

// By reference: a C program may have put any number there.
Transfer Reducing(Transfer transfer, const HcommDataType& data_type, const HcommReduceOp& op) {
  transfer.reduce = Transfer::Combination{RawValue(data_type), RawValue(op)};
  return transfer;
}

Transfer Notifying(Transfer transfer, uint32_t notify) {
  transfer.notify = notify;
  return transfer;
}

// "Posted" says nothing about an empty transfer, so those forms refuse one.
Transfer Nbi(Transfer transfer) {
  transfer.may_be_empty = false;
  return transfer;
}

// --- Batch transfer

// The transfer that an entry describes; none for an entry that only records. Errors: kInvalidParam.
base::Result<Transfer> ReadEntry(const HcommBatchTransferDesc& desc) {
  const auto& info = desc.transferInfo;
  const auto& reduce = info.reduce;  // the first fields of both reducing kinds are the same
  switch (RawValue(desc.transType)) {
    case HCOMM_TRANSFER_TYPE_WRITE: return Write(info.write.dst, info.write.src, info.write.len);
    case HCOMM_TRANSFER_TYPE_WRITE_REDUCE:
      return Reducing(Write(reduce.dst, reduce.src, reduce.count), reduce.dataType, reduce.reduceOp);
    case HCOMM_TRANSFER_TYPE_WRITE_WITH_NOTIFY:
      return Notifying(Write(info.writeWithNotify.dst, info.writeWithNotify.src, info.writeWithNotify.len),
                       info.writeWithNotify.notifyIdx);
    case HCOMM_TRANSFER_TYPE_WRITE_REDUCE_WITH_NOTIFY:
      return Notifying(Reducing(Write(reduce.dst, reduce.src, reduce.count), reduce.dataType, reduce.reduceOp),
                       info.writeReduceWithNotify.notifyIdx);
    case HCOMM_TRANSFER_TYPE_READ: return Read(info.read.dst, info.read.src, info.read.len);
    case HCOMM_TRANSFER_TYPE_READ_REDUCE:
      return Reducing(Read(reduce.dst, reduce.src, reduce.count), reduce.dataType, reduce.reduceOp);
    default:
      return base::FailResult(Code::kInvalidParam,
                              "transType {} is none of HcommTransferType: HCOMM_TRANSFER_TYPE_WRITE 0 to "
                              "HCOMM_TRANSFER_TYPE_NOTIFY_RECORD 6",
                              RawValue(desc.transType));
  }
}

Status MakeEntry(const HcommBatchTransferDesc& desc, const comm::Channel& channel, exec::Op* op) {
  if (RawValue(desc.transType) == HCOMM_TRANSFER_TYPE_NOTIFY_RECORD) {
    const uint32_t index = desc.transferInfo.notifyRecord.notifyIdx;
    SOFTHCCL_RETURN_IF_ERROR(CheckIndex("notifyIdx", index, channel.link->peer_notify_count(), channel.remote_rank));
    *op = engine::ops::ChannelRecord(channel.link.get(), index);
    return {};
  }
  SOFTHCCL_ASSIGN(transfer, ReadEntry(desc));
  SOFTHCCL_ASSIGN(extent, CheckArguments(transfer));
  return MakeTransfer(transfer, extent, channel, op);
}

// All entries or none: a bad one in the middle must not leave half a batch behind.
Status MakeBatch(ThreadHandle thread, ChannelHandle channel, const HcommBatchTransferDesc* transferDescs,
                 uint32_t transferDescNum, std::vector<exec::Op>* ops) {
  SOFTHCCL_REQUIRE(transferDescs);
  if (transferDescNum == 0 || transferDescNum > exec::OpQueue::kMaxQueued) {
    return base::Fail(Code::kInvalidParam, "transferDescNum {} is out of range, use 1 to {}", transferDescNum,
                      exec::OpQueue::kMaxQueued);
  }
  SOFTHCCL_ASSIGN(found, FindChannelFor(thread, channel));
  SOFTHCCL_RETURN_IF_ERROR(RequireThread(thread));
  SOFTHCCL_RETURN_IF_ERROR(RefuseTransferForProduct("HcommBatchTransferOnThread", *found));
  ops->resize(transferDescNum);
  for (uint32_t i = 0; i < transferDescNum; ++i) {
    const Status made = MakeEntry(transferDescs[i], *found, &(*ops)[i]);
    if (!made.ok()) return Status(made.code(), fmt::format("transferDescs[{}]: {}", i, made.message()));
  }
  return {};
}

}  // namespace

extern "C" int32_t HcommLocalCopyOnThread(ThreadHandle thread, void* dst, const void* src, uint64_t len) {
  return QueueOn("HcommLocalCopyOnThread", SOFTHCCL_CALL_SITE, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_REQUIRE(dst);
    SOFTHCCL_REQUIRE(src);
    SOFTHCCL_RETURN_IF_ERROR(RequireThread(thread));
    SOFTHCCL_RETURN_IF_ERROR(CheckLocal(dst, src, len));
    if (len != 0) *op = engine::ops::LocalCopy(dst, src, len);
    return {};
  });
}

extern "C" int32_t HcommLocalReduceOnThread(ThreadHandle thread, void* dst, const void* src, uint64_t count,
                                            HcommDataType dataType, HcommReduceOp reduceOp) {
  return QueueOn("HcommLocalReduceOnThread", SOFTHCCL_CALL_SITE, thread, [&](exec::Op* op) -> Status {
    Transfer transfer = Reducing(Write(dst, src, count), dataType, reduceOp);
    transfer.is_remote = false;
    SOFTHCCL_ASSIGN(extent, CheckArguments(transfer));
    SOFTHCCL_RETURN_IF_ERROR(RequireThread(thread));
    SOFTHCCL_RETURN_IF_ERROR(CheckLocal(dst, src, extent.bytes));
    if (extent.bytes != 0) *op = engine::ops::LocalReduce(dst, src, extent.bytes, extent.reduction);
    return {};
  });
}

extern "C" int32_t HcommWriteOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                      uint64_t len) {
  return QueueTransfer("HcommWriteOnThread", SOFTHCCL_CALL_SITE, thread, channel, Write(dst, src, len));
}

extern "C" int32_t HcommWriteReduceOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                            uint64_t count, HcommDataType dataType, HcommReduceOp reduceOp) {
  return QueueTransfer("HcommWriteReduceOnThread", SOFTHCCL_CALL_SITE, thread, channel,
                       Reducing(Write(dst, src, count), dataType, reduceOp));
}

extern "C" int32_t HcommWriteWithNotifyOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                                uint64_t len, uint32_t remoteNotifyIdx) {
  return QueueTransfer("HcommWriteWithNotifyOnThread", SOFTHCCL_CALL_SITE, thread, channel,
                       Notifying(Write(dst, src, len), remoteNotifyIdx));
}

extern "C" int32_t HcommWriteReduceWithNotifyOnThread(ThreadHandle thread, ChannelHandle channel, void* dst,
                                                      const void* src, uint64_t count, HcommDataType dataType,
                                                      HcommReduceOp reduceOp, uint32_t remoteNotifyIdx) {
  return QueueTransfer("HcommWriteReduceWithNotifyOnThread", SOFTHCCL_CALL_SITE, thread, channel,
                       Notifying(Reducing(Write(dst, src, count), dataType, reduceOp), remoteNotifyIdx));
}

extern "C" int32_t HcommReadOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                     uint64_t len) {
  return QueueTransfer("HcommReadOnThread", SOFTHCCL_CALL_SITE, thread, channel, Read(dst, src, len));
}

extern "C" int32_t HcommReadReduceOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                           uint64_t count, HcommDataType dataType, HcommReduceOp reduceOp) {
  return QueueTransfer("HcommReadReduceOnThread", SOFTHCCL_CALL_SITE, thread, channel,
                       Reducing(Read(dst, src, count), dataType, reduceOp));
}

// --- Posted forms

extern "C" int32_t HcommWriteNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                         uint64_t len) {
  return QueueTransfer("HcommWriteNbiOnThread", SOFTHCCL_CALL_SITE, thread, channel, Nbi(Write(dst, src, len)));
}

extern "C" int32_t HcommWriteNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len) {
  return PostTransfer("HcommWriteNbi", SOFTHCCL_CALL_SITE, channel, Nbi(Write(dst, src, len)));
}

extern "C" int32_t HcommWriteWithNotifyNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst,
                                                   const void* src, uint64_t len, uint32_t remoteNotifyIdx) {
  return QueueTransfer("HcommWriteWithNotifyNbiOnThread", SOFTHCCL_CALL_SITE, thread, channel,
                       Nbi(Notifying(Write(dst, src, len), remoteNotifyIdx)));
}

extern "C" int32_t HcommWriteWithNotifyNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len,
                                           uint32_t remoteNotifyIdx) {
  return PostTransfer("HcommWriteWithNotifyNbi", SOFTHCCL_CALL_SITE, channel,
                      Nbi(Notifying(Write(dst, src, len), remoteNotifyIdx)));
}

extern "C" int32_t HcommReadNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                        uint64_t len) {
  return QueueTransfer("HcommReadNbiOnThread", SOFTHCCL_CALL_SITE, thread, channel, Nbi(Read(dst, src, len)));
}

extern "C" int32_t HcommReadNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len) {
  return PostTransfer("HcommReadNbi", SOFTHCCL_CALL_SITE, channel, Nbi(Read(dst, src, len)));
}

extern "C" int32_t HcommBatchTransferOnThread(ThreadHandle thread, ChannelHandle channel,
                                              const HcommBatchTransferDesc* transferDescs, uint32_t transferDescNum) {
  return QueueOn<std::vector<exec::Op>>(
      "HcommBatchTransferOnThread", SOFTHCCL_CALL_SITE, thread,
      [&](std::vector<exec::Op>* ops) { return MakeBatch(thread, channel, transferDescs, transferDescNum, ops); });
}
