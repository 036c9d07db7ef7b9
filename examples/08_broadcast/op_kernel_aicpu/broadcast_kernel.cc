// Ranks are counted from the root. The parent of v is v without its lowest bit; it serves its farthest child first,
// which has the most descendants. Data is passed on from the HcclBuffer before it is copied to the user.
#include "collective_kernel.h"

namespace hccl_custom {
namespace {

int PassOn(const CollectiveParam& param, const CollectiveContext& context, uint32_t place, uint32_t lowestBit,
           const void* source, uint64_t bytes) {
  int result = 0;
  for (uint32_t bit = lowestBit >> 1; result == 0 && bit > 0; bit >>= 1) {
    if (place + bit >= context.rankNum) {
      continue;
    }
    const uint32_t child = (place + bit + param.root) % context.rankNum;
    result = WaitReady(param, context, child);
    if (result == 0) {
      result = WriteData(param, context, child, context.peers[child].buffer, source, bytes, 0);
    }
  }
  return result;
}

int Broadcast(const CollectiveParam& param, const CollectiveContext& context) {
  const uint32_t n = context.rankNum;
  const uint32_t place = (context.rank + n - param.root) % n;
  const uint64_t bytes = param.count * param.elementBytes;
  uint32_t lowestBit = 1;
  while (lowestBit < n && (place & lowestBit) == 0) {
    lowestBit <<= 1;
  }
  if (place == 0) {
    return PassOn(param, context, place, lowestBit, param.sendBuf, bytes);
  }
  const uint32_t parent = (place - lowestBit + param.root) % n;
  void* const buffer = context.peers[context.rank].buffer;
  int result = RecordReady(param, context, parent);
  if (result == 0) {
    result = WaitData(param, context, parent, 0);
  }
  if (result == 0) {
    result = PassOn(param, context, place, lowestBit, buffer, bytes);
  }
  return result == 0 ? CopyLocal(param, context, param.recvBuf, buffer, bytes) : result;
}

}  // namespace
}  // namespace hccl_custom

extern "C" __attribute__((visibility("default"))) unsigned int HcclLaunchBroadcastKernel(
    hccl_custom::CollectiveParam* param) {
  return hccl_custom::RunKernel(param, hccl_custom::Broadcast);
}
