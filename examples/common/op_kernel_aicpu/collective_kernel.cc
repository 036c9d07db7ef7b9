// The frame and the steps of collective kernels. A kernel only queues tasks on the thread and returns.
#include "collective_kernel.h"

#include "collective_log.h"
#include "hccl/hcomm_primitives.h"

namespace hccl_custom {
namespace {

constexpr unsigned int KERNEL_OK = 0;
constexpr unsigned int KERNEL_FAILED = 1;

int QueueTasks(const CollectiveParam& param, Algorithm algorithm) {
  const CollectiveContext& context = *param.context;
  COLLECTIVE_CHECK_HCOMM(param.tag,
                         HcommAclrtNotifyWaitOnThread(context.thread, param.startNotifyId, COLLECTIVE_TIMEOUT));
  const int result = algorithm(param, context);
  if (result != 0) {
    return result;
  }
  COLLECTIVE_CHECK_HCOMM(param.tag, HcommAclrtNotifyRecordOnThread(context.thread, param.endNotifyId));
  return 0;
}

int RunBatch(const CollectiveParam& param, Algorithm algorithm) {
  COLLECTIVE_CHECK_HCOMM(param.tag, HcommBatchModeStart(param.tag));
  const int result = QueueTasks(param, algorithm);
  const int endResult = HcommBatchModeEnd(param.tag);
  if (endResult != 0) {
    COLLECTIVE_ERROR("%s: HcommBatchModeEnd failed with %d", param.tag, endResult);
  }
  return result != 0 ? result : endResult;
}

}  // namespace

unsigned int RunKernel(const CollectiveParam* param, Algorithm algorithm) {
  if (param == nullptr || param->context == nullptr) {
    COLLECTIVE_ERROR("the kernel got no %s", param == nullptr ? "parameter block" : "engine context");
    return KERNEL_FAILED;
  }
  const int acquired = HcommAcquireComm(param->commName);
  if (acquired != 0) {
    COLLECTIVE_ERROR("%s: HcommAcquireComm(%s) failed with %d", param->tag, param->commName, acquired);
    return KERNEL_FAILED;
  }
  const int result = RunBatch(*param, algorithm);
  const int released = HcommReleaseComm(param->commName);
  if (released != 0) {
    COLLECTIVE_ERROR("%s: HcommReleaseComm(%s) failed with %d", param->tag, param->commName, released);
  }
  return result == 0 && released == 0 ? KERNEL_OK : KERNEL_FAILED;
}

int CopyLocal(const CollectiveParam& param, const CollectiveContext& context, void* dst, const void* src,
              uint64_t bytes) {
  if (bytes > 0 && dst != src) {
    COLLECTIVE_CHECK_HCOMM(param.tag, HcommLocalCopyOnThread(context.thread, dst, src, bytes));
  }
  return 0;
}

int RecordReady(const CollectiveParam& param, const CollectiveContext& context, uint32_t rank) {
  COLLECTIVE_CHECK_HCOMM(param.tag,
                         HcommChannelNotifyRecordOnThread(context.thread, context.peers[rank].channel, NOTIFY_READY));
  return 0;
}

int RecordReadyToAll(const CollectiveParam& param, const CollectiveContext& context) {
  for (uint32_t distance = 1; distance < context.rankNum; ++distance) {
    const int result = RecordReady(param, context, (context.rank + distance) % context.rankNum);
    if (result != 0) {
      return result;
    }
  }
  return 0;
}

int WaitReady(const CollectiveParam& param, const CollectiveContext& context, uint32_t rank) {
  COLLECTIVE_CHECK_HCOMM(param.tag, HcommChannelNotifyWaitOnThread(context.thread, context.peers[rank].channel,
                                                                   NOTIFY_READY, COLLECTIVE_TIMEOUT));
  return 0;
}

int WriteData(const CollectiveParam& param, const CollectiveContext& context, uint32_t rank, void* dst, const void* src,
              uint64_t bytes, uint32_t step) {
  const ChannelHandle channel = context.peers[rank].channel;
  if (bytes == 0) {
    COLLECTIVE_CHECK_HCOMM(param.tag, HcommChannelNotifyRecordOnThread(context.thread, channel, NOTIFY_DATA + step));
    return 0;
  }
  COLLECTIVE_CHECK_HCOMM(param.tag,
                         HcommWriteWithNotifyOnThread(context.thread, channel, dst, src, bytes, NOTIFY_DATA + step));
  return 0;
}

int WaitData(const CollectiveParam& param, const CollectiveContext& context, uint32_t rank, uint32_t step) {
  COLLECTIVE_CHECK_HCOMM(param.tag, HcommChannelNotifyWaitOnThread(context.thread, context.peers[rank].channel,
                                                                   NOTIFY_DATA + step, COLLECTIVE_TIMEOUT));
  return 0;
}

int ExchangeBlocks(const CollectiveParam& param, const CollectiveContext& context, const void* blocks,
                   uint64_t strideBytes, uint64_t blockBytes) {
  const uint32_t rank = context.rank;
  const uint32_t rankNum = context.rankNum;
  int result = RecordReadyToAll(param, context);
  if (result == 0) {
    result = CopyLocal(param, context, At(context.peers[rank].buffer, rank * blockBytes),
                       At(blocks, rank * strideBytes), blockBytes);
  }
  // Everybody begins with its right neighbour, so that the ranks do not all write to the same one.
  for (uint32_t distance = 1; result == 0 && distance < rankNum; ++distance) {
    const uint32_t peer = (rank + distance) % rankNum;
    result = WaitReady(param, context, peer);
    if (result == 0) {
      result = WriteData(param, context, peer, At(context.peers[peer].buffer, rank * blockBytes),
                         At(blocks, peer * strideBytes), blockBytes, 0);
    }
  }
  for (uint32_t distance = 1; result == 0 && distance < rankNum; ++distance) {
    result = WaitData(param, context, (rank + rankNum - distance) % rankNum, 0);
  }
  return result;
}

int ReduceBlocks(const CollectiveParam& param, const CollectiveContext& context, void* dst, uint64_t blockBytes) {
  const void* const blocks = context.peers[context.rank].buffer;
  const int result = CopyLocal(param, context, dst, blocks, blockBytes);
  if (result != 0 || blockBytes == 0) {
    return result;
  }
  for (uint32_t rank = 1; rank < context.rankNum; ++rank) {
    COLLECTIVE_CHECK_HCOMM(
        param.tag, HcommLocalReduceOnThread(context.thread, dst, At(blocks, rank * blockBytes),
                                            blockBytes / param.elementBytes, static_cast<HcommDataType>(param.dataType),
                                            static_cast<HcommReduceOp>(param.reduceOp)));
  }
  return 0;
}

}  // namespace hccl_custom
