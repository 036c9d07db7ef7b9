// One shot: everybody gets everything and reduces it. Ring: each chunk travels once around while it is reduced, and a
// second time to tell the result, so that every rank moves about twice its data however many there are.
#include "all_reduce_variants.h"
#include "collective_kernel.h"
#include "collective_log.h"
#include "hccl/hcomm_primitives.h"

namespace hccl_custom {
namespace {

// Chunks of the data in the HcclBuffer, one per rank.
struct Chunk {
  uint64_t offset;  // bytes
  uint64_t count;   // elements
};

Chunk ChunkOf(const CollectiveParam& param, uint32_t chunk, uint32_t chunks) {
  const uint64_t rest = param.count % chunks;
  const uint64_t begin = param.count / chunks * chunk + (chunk < rest ? chunk : rest);
  return {begin * param.elementBytes, param.count / chunks + (chunk < rest ? 1 : 0)};
}

int ReduceToRight(const CollectiveParam& param, const CollectiveContext& context, uint32_t right, uint32_t step) {
  const uint32_t n = context.rankNum;
  const Chunk chunk = ChunkOf(param, (context.rank + n - step) % n, n);
  const PeerAccess& peer = context.peers[right];
  if (chunk.count == 0) {
    return WriteData(param, context, right, nullptr, nullptr, 0, step);
  }
  COLLECTIVE_CHECK_HCOMM(
      param.tag, HcommWriteReduceWithNotifyOnThread(context.thread, peer.channel, At(peer.buffer, chunk.offset),
                                                    At(context.peers[context.rank].buffer, chunk.offset), chunk.count,
                                                    static_cast<HcommDataType>(param.dataType),
                                                    static_cast<HcommReduceOp>(param.reduceOp), NOTIFY_DATA + step));
  return 0;
}

int TellRight(const CollectiveParam& param, const CollectiveContext& context, uint32_t right, uint32_t step) {
  const uint32_t n = context.rankNum;
  const Chunk chunk = ChunkOf(param, (context.rank + 1 + n - step) % n, n);
  return WriteData(param, context, right, At(context.peers[right].buffer, chunk.offset),
                   At(context.peers[context.rank].buffer, chunk.offset), chunk.count * param.elementBytes,
                   n - 1 + step);
}

int Ring(const CollectiveParam& param, const CollectiveContext& context) {
  const uint32_t n = context.rankNum;
  const uint32_t right = (context.rank + 1) % n;
  const uint32_t left = (context.rank + n - 1) % n;
  const uint64_t bytes = param.count * param.elementBytes;
  void* const buffer = context.peers[context.rank].buffer;
  int result = CopyLocal(param, context, buffer, param.sendBuf, bytes);
  if (result == 0 && n > 1) {
    result = RecordReady(param, context, left);
    result = result == 0 ? WaitReady(param, context, right) : result;
  }
  for (uint32_t step = 0; result == 0 && step + 1 < n; ++step) {
    result = ReduceToRight(param, context, right, step);
    result = result == 0 ? WaitData(param, context, left, step) : result;
  }
  for (uint32_t step = 0; result == 0 && step + 1 < n; ++step) {
    result = TellRight(param, context, right, step);
    result = result == 0 ? WaitData(param, context, left, n - 1 + step) : result;
  }
  return result == 0 ? CopyLocal(param, context, param.recvBuf, buffer, bytes) : result;
}

int OneShot(const CollectiveParam& param, const CollectiveContext& context) {
  const uint64_t bytes = param.count * param.elementBytes;
  const int result = ExchangeBlocks(param, context, param.sendBuf, 0, bytes);
  return result == 0 ? ReduceBlocks(param, context, param.recvBuf, bytes) : result;
}

int AllReduce(const CollectiveParam& param, const CollectiveContext& context) {
  return param.variant == ALL_REDUCE_RING ? Ring(param, context) : OneShot(param, context);
}

}  // namespace
}  // namespace hccl_custom

extern "C" __attribute__((visibility("default"))) unsigned int HcclLaunchAllReduceKernel(
    hccl_custom::CollectiveParam* param) {
  return hccl_custom::RunKernel(param, hccl_custom::AllReduce);
}
