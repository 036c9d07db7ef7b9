// Block r goes to rank r; what came is copied to the user.
#include "collective_kernel.h"

namespace hccl_custom {
namespace {

int AlltoAll(const CollectiveParam& param, const CollectiveContext& context) {
  const uint64_t bytes = param.count * param.elementBytes;
  int result = ExchangeBlocks(param, context, param.sendBuf, param.strideBytes, bytes);
  for (uint32_t rank = 0; result == 0 && rank < context.rankNum; ++rank) {
    result = CopyLocal(param, context, At(param.recvBuf, rank * param.strideBytes),
                       At(context.peers[context.rank].buffer, rank * bytes), bytes);
  }
  return result;
}

}  // namespace
}  // namespace hccl_custom

extern "C" __attribute__((visibility("default"))) unsigned int HcclLaunchAlltoAllKernel(
    hccl_custom::CollectiveParam* param) {
  return hccl_custom::RunKernel(param, hccl_custom::AlltoAll);
}
