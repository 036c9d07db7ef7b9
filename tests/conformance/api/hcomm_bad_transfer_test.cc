// What writes, reductions, batches, posts and thread notifies refuse, and which complaint wins: nulls, then type and
// operator and sizes, then the handles, then ranges and indices.
#include "bad_call.h"

namespace softhccl::conformance {
namespace {

constexpr HcommDataType kInt32 = HCOMM_DATA_TYPE_INT32;
constexpr HcommReduceOp kSum = HCOMM_REDUCE_SUM;
// Not enumerators, as a C program may pass them.
HcommDataType UnknownType() { return FromNumber<HcommDataType>(13); }
HcommReduceOp UnknownOp() { return FromNumber<HcommReduceOp>(4); }

HcommBatchTransferDesc WriteDesc(void* dst, void* src, uint64_t len) {
  HcommBatchTransferDesc desc{};
  desc.transType = HCOMM_TRANSFER_TYPE_WRITE;
  desc.transferInfo.write.dst = dst;
  desc.transferInfo.write.src = src;
  desc.transferInfo.write.len = len;
  return desc;
}

// Two entries, a good one and a bad one.
int32_t Batch(const Hcomm& hcomm, const BadCallScene& scene, const HcommBatchTransferDesc& bad) {
  const HcommBatchTransferDesc descs[] = {WriteDesc(scene.window, scene.ints, 4), bad};
  return hcomm.BatchTransferOnThread(scene.rank.thread, scene.channel, descs, 2);
}

HcommBatchTransferDesc RecordDesc(uint32_t index) {
  HcommBatchTransferDesc desc{};
  desc.transType = HCOMM_TRANSFER_TYPE_NOTIFY_RECORD;
  desc.transferInfo.notifyRecord.notifyIdx = index;
  return desc;
}

const BadCall kReductions[] = {
    {"LocalDstNull", "HcommLocalReduceOnThread", HCCL_E_PTR, "dst is null",
     BAD_CALL(LocalReduceOnThread(0, nullptr, nullptr, 1, UnknownType(), UnknownOp()))},
    {"LocalSrcNull", "HcommLocalReduceOnThread", HCCL_E_PTR, "src is null",
     BAD_CALL(LocalReduceOnThread(0, ints, nullptr, 1, UnknownType(), kSum))},
    {"LocalTypeUnknown", "HcommLocalReduceOnThread", HCCL_E_PARA, "data type 13",
     BAD_CALL(LocalReduceOnThread(0, ints, ints + 1, 1, UnknownType(), kSum))},
    {"LocalOpUnknown", "HcommLocalReduceOnThread", HCCL_E_PARA, "reduce operator 4",
     BAD_CALL(LocalReduceOnThread(0, ints, ints + 1, 1, kInt32, UnknownOp()))},
    {"LocalThreadZero", "HcommLocalReduceOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(LocalReduceOnThread(0, ints, ints + 1, 100, kInt32, kSum))},
    {"LocalCountOverflows", "HcommLocalReduceOnThread", HCCL_E_PARA,
     "count 4611686018427387905 elements of 4 bytes are more than 64 bits can say",
     BAD_CALL(LocalReduceOnThread(rank.thread, ints, ints + 1, (uint64_t{1} << 62) + 1, kInt32, kSum))},
    {"LocalDstTooLong", "HcommLocalReduceOnThread", HCCL_E_PARA, "dst: 12 bytes at offset 0 do not fit",
     BAD_CALL(LocalReduceOnThread(rank.thread, ints, window, 3, kInt32, kSum))},
    {"LocalSrcTooLong", "HcommLocalReduceOnThread", HCCL_E_PARA, "src: 12 bytes at offset 0 do not fit",
     BAD_CALL(LocalReduceOnThread(rank.thread, window, ints, 3, kInt32, kSum))},
    {"WriteTypeUnknown", "HcommWriteReduceOnThread", HCCL_E_PARA, "data type 13",
     BAD_CALL(WriteReduceOnThread(0, 0, window, ints, 1, UnknownType(), kSum))},
    {"WriteOpUnknown", "HcommWriteReduceOnThread", HCCL_E_PARA, "reduce operator 4",
     BAD_CALL(WriteReduceOnThread(0, 0, window, ints, 1, kInt32, UnknownOp()))},
    {"WriteChannelZero", "HcommWriteReduceOnThread", HCCL_E_PTR, "channel is 0",
     BAD_CALL(WriteReduceOnThread(rank.thread, 0, window, ints, 1, kInt32, kSum))},
    {"WriteCountOverflows", "HcommWriteReduceOnThread", HCCL_E_PARA, "count 9223372036854775808 elements of 2 bytes",
     BAD_CALL(WriteReduceOnThread(rank.thread, channel, window, ints, uint64_t{1} << 63, HCOMM_DATA_TYPE_FP16, kSum))},
    {"WriteDstBeyondTheWindow", "HcommWriteReduceOnThread", HCCL_E_PARA, "with 8 bytes is outside the HcclBuffer",
     BAD_CALL(WriteReduceOnThread(rank.thread, channel, window + 419430396, ints, 2, kInt32, kSum))},
    {"ReadOpUnknown", "HcommReadReduceOnThread", HCCL_E_PARA, "reduce operator 4",
     BAD_CALL(ReadReduceOnThread(rank.thread, channel, ints, window, 1, kInt32, UnknownOp()))},
    {"ReadDstTooLong", "HcommReadReduceOnThread", HCCL_E_PARA, "dst: 12 bytes at offset 0 do not fit",
     BAD_CALL(ReadReduceOnThread(rank.thread, channel, ints, window, 3, kInt32, kSum))},
    {"ReadSrcOutside", "HcommReadReduceOnThread", HCCL_E_PARA, "with 4 bytes is outside the HcclBuffer of rank 1",
     BAD_CALL(ReadReduceOnThread(rank.thread, channel, ints, ints + 1, 1, kInt32, kSum))},
    {"NotifyIndexTooLarge", "HcommWriteReduceWithNotifyOnThread", HCCL_E_PARA, "remoteNotifyIdx 2 is out of range",
     BAD_CALL(WriteReduceWithNotifyOnThread(rank.thread, channel, window, ints, 1, kInt32, kSum, 2))},
    {"NotifyThreadZero", "HcommWriteReduceWithNotifyOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(WriteReduceWithNotifyOnThread(0, channel, window, ints, 1, kInt32, kSum, 2))},
};

const BadCall kTransfers[] = {
    {"WriteDstNull", "HcommWriteOnThread", HCCL_E_PTR, "dst is null",
     BAD_CALL(WriteOnThread(0, 0, nullptr, nullptr, 4))},
    {"WriteSrcNull", "HcommWriteOnThread", HCCL_E_PTR, "src is null",
     BAD_CALL(WriteOnThread(0, 0, window, nullptr, 4))},
    {"WriteChannelZero", "HcommWriteOnThread", HCCL_E_PTR, "channel is 0",
     BAD_CALL(WriteOnThread(0, 0, window, ints, 4))},
    {"WriteThreadZero", "HcommWriteOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(WriteOnThread(0, channel, ints, ints, 400))},
    {"WriteThreadForeign", "HcommWriteOnThread", HCCL_E_PARA, "is a channel, expected a thread",
     BAD_CALL(WriteOnThread(channel, channel, window, ints, 4))},
    {"WriteChannelForeign", "HcommWriteOnThread", HCCL_E_PARA, "is a thread, expected a channel",
     BAD_CALL(WriteOnThread(rank.thread, rank.thread, window, ints, 4))},
    {"WriteChannelUninitialised", "HcommWriteOnThread", HCCL_E_PARA, "is not a channel of this process",
     BAD_CALL(WriteOnThread(rank.thread, 0xABABABABABABABAB, window, ints, 4))},
    {"WriteSrcTooLong", "HcommWriteOnThread", HCCL_E_PARA, "src: 12 bytes at offset 0 do not fit",
     BAD_CALL(WriteOnThread(rank.thread, channel, window, ints, 12))},
    {"WriteDstOutside", "HcommWriteOnThread", HCCL_E_PARA, "with 4 bytes is outside the HcclBuffer of rank 1",
     BAD_CALL(WriteOnThread(rank.thread, channel, ints + 1, ints, 4))},
    {"WriteLenOverflows", "HcommWriteOnThread", HCCL_E_PARA, "src",
     BAD_CALL(WriteOnThread(rank.thread, channel, window, ints, UINT64_MAX))},
    {"NotifyIndexTooLarge", "HcommWriteWithNotifyOnThread", HCCL_E_PARA,
     "remoteNotifyIdx 4294967295 is out of range: the channel to rank 1 was acquired with notifyNum 2",
     BAD_CALL(WriteWithNotifyOnThread(rank.thread, channel, window, ints, 4, UINT32_MAX))},
    {"NotifyDstNull", "HcommWriteWithNotifyOnThread", HCCL_E_PTR, "dst is null",
     BAD_CALL(WriteWithNotifyOnThread(0, 0, nullptr, nullptr, 4, 9))},
    {"BatchDescsNull", "HcommBatchTransferOnThread", HCCL_E_PTR, "transferDescs is null",
     BAD_CALL(BatchTransferOnThread(0, 0, nullptr, 0))},
    {"BatchEmpty", "HcommBatchTransferOnThread", HCCL_E_PARA, "transferDescNum 0 is out of range, use 1 to 1048576",
     BAD_CALL(BatchTransferOnThread(0, 0, reinterpret_cast<HcommBatchTransferDesc*>(ints), 0))},
    {"BatchTooMany", "HcommBatchTransferOnThread", HCCL_E_PARA, "transferDescNum 4294967295 is out of range",
     BAD_CALL(BatchTransferOnThread(0, 0, reinterpret_cast<HcommBatchTransferDesc*>(ints), UINT32_MAX))},
    {"BatchKindUnknown", "HcommBatchTransferOnThread", HCCL_E_PARA,
     "transferDescs[1]: transType -1 is none of HcommTransferType",
     [](const Hcomm& hcomm, const BadCallScene& scene) {
       HcommBatchTransferDesc desc{};
       desc.transType = HCOMM_TRANSFER_TYPE_INVALID;
       return Batch(hcomm, scene, desc);
     }},
    {"BatchEntryNull", "HcommBatchTransferOnThread", HCCL_E_PTR, "transferDescs[1]: dst is null",
     [](const Hcomm& hcomm, const BadCallScene& scene) {
       return Batch(hcomm, scene, WriteDesc(nullptr, scene.ints, 4));
     }},
    {"BatchEntryOutside", "HcommBatchTransferOnThread", HCCL_E_PARA, "is outside the HcclBuffer of rank 1",
     [](const Hcomm& hcomm, const BadCallScene& scene) {
       return Batch(hcomm, scene, WriteDesc(scene.ints, scene.window, 4));
     }},
    {"BatchRecordIndex", "HcommBatchTransferOnThread", HCCL_E_PARA,
     "transferDescs[1]: notifyIdx 4294967295 is out of range: the channel to rank 1 was acquired with notifyNum 2",
     [](const Hcomm& hcomm, const BadCallScene& scene) { return Batch(hcomm, scene, RecordDesc(UINT32_MAX)); }},
};

const BadCall kPosts[] = {
    {"WriteOnThreadEmpty", "HcommWriteNbiOnThread", HCCL_E_PARA, "len is 0",
     BAD_CALL(WriteNbiOnThread(rank.thread, channel, window, ints, 0))},
    {"ReadOnThreadEmpty", "HcommReadNbiOnThread", HCCL_E_PARA, "len is 0",
     BAD_CALL(ReadNbiOnThread(rank.thread, channel, ints, window, 0))},
    {"NotifyOnThreadIndex", "HcommWriteWithNotifyNbiOnThread", HCCL_E_PARA, "remoteNotifyIdx 2 is out of range",
     BAD_CALL(WriteWithNotifyNbiOnThread(rank.thread, channel, window, ints, 4, 2))},
    {"WriteDstNull", "HcommWriteNbi", HCCL_E_PTR, "dst is null", BAD_CALL(WriteNbi(0, nullptr, nullptr, 0))},
    {"WriteEmpty", "HcommWriteNbi", HCCL_E_PARA, "len is 0", BAD_CALL(WriteNbi(channel, window, ints, 0))},
    {"WriteChannelZero", "HcommWriteNbi", HCCL_E_PTR, "channel is 0", BAD_CALL(WriteNbi(0, window, ints, 4))},
    {"WriteChannelForeign", "HcommWriteNbi", HCCL_E_PARA, "is a thread, expected a channel",
     BAD_CALL(WriteNbi(rank.thread, window, ints, 4))},
    {"WriteOutside", "HcommWriteNbi", HCCL_E_PARA, "is outside the HcclBuffer of rank 1",
     BAD_CALL(WriteNbi(channel, ints, ints, 4))},
    {"NotifyIndex", "HcommWriteWithNotifyNbi", HCCL_E_PARA, "remoteNotifyIdx 2 is out of range",
     BAD_CALL(WriteWithNotifyNbi(channel, window, ints, 4, 2))},
    {"ReadSrcNull", "HcommReadNbi", HCCL_E_PTR, "src is null", BAD_CALL(ReadNbi(0, ints, nullptr, 4))},
    {"ReadTooLong", "HcommReadNbi", HCCL_E_PARA, "dst: 12 bytes at offset 0 do not fit",
     BAD_CALL(ReadNbi(channel, ints, window, 12))},
    {"RecordChannelZero", "HcommChannelNotifyRecord", HCCL_E_PTR, "channel is 0", BAD_CALL(ChannelNotifyRecord(0, 9))},
    {"RecordIndex", "HcommChannelNotifyRecord", HCCL_E_PARA, "remoteNotifyIdx 2 is out of range",
     BAD_CALL(ChannelNotifyRecord(channel, 2))},
    {"WaitChannelZero", "HcommChannelNotifyWait", HCCL_E_PTR, "channel is 0", BAD_CALL(ChannelNotifyWait(0, 9, 1))},
    {"WaitIndex", "HcommChannelNotifyWait", HCCL_E_PARA, "localNotifyIdx 2 is out of range",
     BAD_CALL(ChannelNotifyWait(channel, 2, 1))},
    {"DefaultWaitIndex", "HcommChannelNotifyWaitWithDefaultTimeout", HCCL_E_PARA, "localNotifyIdx 2 is out of range",
     BAD_CALL(ChannelNotifyWaitWithDefaultTimeout(channel, 2))},
};

const BadCall kThreads[] = {
    {"RecordThreadZero", "HcommThreadNotifyRecordOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(ThreadNotifyRecordOnThread(0, 0, 9))},
    {"RecordDstZero", "HcommThreadNotifyRecordOnThread", HCCL_E_PTR, "dstThread is 0; acquire it",
     BAD_CALL(ThreadNotifyRecordOnThread(rank.thread, 0, 9))},
    {"RecordDstForeign", "HcommThreadNotifyRecordOnThread", HCCL_E_PARA, "is a channel, expected a thread",
     BAD_CALL(ThreadNotifyRecordOnThread(rank.thread, channel, 0))},
    {"RecordIndex", "HcommThreadNotifyRecordOnThread", HCCL_E_PTR,
     "dstNotifyIdx 2 is out of range: the thread was acquired with notifyNumPerThread 2",
     BAD_CALL(ThreadNotifyRecordOnThread(rank.thread, rank.thread, 2))},
    {"WaitThreadZero", "HcommThreadNotifyWaitOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(ThreadNotifyWaitOnThread(0, 9, 1))},
    {"WaitIndex", "HcommThreadNotifyWaitOnThread", HCCL_E_PTR, "notifyIdx 4294967295 is out of range",
     BAD_CALL(ThreadNotifyWaitOnThread(rank.thread, UINT32_MAX, 1))},
    {"DefaultWaitIndex", "HcommThreadNotifyWaitOnThreadWithDefaultTimeout", HCCL_E_PTR, "notifyIdx 2 is out of range",
     BAD_CALL(ThreadNotifyWaitOnThreadWithDefaultTimeout(rank.thread, 2))},
    {"DefaultChannelWaitIndex", "HcommChannelNotifyWaitOnThreadWithDefaultTimeout", HCCL_E_PARA,
     "localNotifyIdx 2 is out of range",
     BAD_CALL(ChannelNotifyWaitOnThreadWithDefaultTimeout(rank.thread, channel, 2))},
    {"FenceThreadZero", "HcommFenceOnThread", HCCL_E_PTR, "thread is 0", BAD_CALL(FenceOnThread(0))},
    {"FenceThreadForeign", "HcommFenceOnThread", HCCL_E_PARA, "is a channel, expected a thread",
     BAD_CALL(FenceOnThread(channel))},
    {"ChannelFenceZero", "HcommChannelFenceOnThread", HCCL_E_PTR, "channel is 0", BAD_CALL(ChannelFenceOnThread(0, 0))},
    {"ChannelFenceThreadZero", "HcommChannelFenceOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(ChannelFenceOnThread(0, channel))},
    {"DrainForeign", "HcommChannelDrainOnThread", HCCL_E_PARA, "is a thread, expected a channel",
     BAD_CALL(ChannelDrainOnThread(rank.thread, rank.thread))},
    {"HostFenceZero", "HcommChannelFence", HCCL_E_PTR, "channel is 0", BAD_CALL(ChannelFence(0))},
    {"JoinZero", "HcommThreadJoin", HCCL_E_PTR, "thread is 0", BAD_CALL(ThreadJoin(0, 1))},
    {"JoinForeign", "HcommThreadJoin", HCCL_E_PARA, "is a channel, expected a thread",
     BAD_CALL(ThreadJoin(channel, 1))},
    {"SynchronizeZero", "HcommThreadSynchronize", HCCL_E_PTR, "thread is 0", BAD_CALL(ThreadSynchronize(0))},
    {"LimitNegative", "HcommSetNotifyWaitTimeOut", HCCL_E_PARA, "timeOut -1 is no number of seconds",
     BAD_CALL(SetNotifyWaitTimeOut(-1.0F))},
    {"LimitNan", "HcommSetNotifyWaitTimeOut", HCCL_E_PARA, "timeOut nan",
     BAD_CALL(SetNotifyWaitTimeOut(__builtin_nanf("")))},
    {"LimitTooLarge", "HcommThreadResAcquireTimeOut", HCCL_E_PARA, "from 0 (without limit) to 4294967295",
     BAD_CALL(ThreadResAcquireTimeOut(1e12F))},
};

using HcommBadTransferTest = BadCallTest;

TEST_P(HcommBadTransferTest, FromAKernel_IsRefusedByNameAndFailsTheLaunch) { ExpectRefused(); }

const auto kName = [](const auto& one) { return one.param.name; };
INSTANTIATE_TEST_SUITE_P(Reductions, HcommBadTransferTest, ::testing::ValuesIn(kReductions), kName);
INSTANTIATE_TEST_SUITE_P(Transfers, HcommBadTransferTest, ::testing::ValuesIn(kTransfers), kName);
INSTANTIATE_TEST_SUITE_P(Posts, HcommBadTransferTest, ::testing::ValuesIn(kPosts), kName);
INSTANTIATE_TEST_SUITE_P(Threads, HcommBadTransferTest, ::testing::ValuesIn(kThreads), kName);

}  // namespace
}  // namespace softhccl::conformance
