// Block r of everybody goes to rank r, which reduces what it got.
#include "collective_kernel.h"

namespace hccl_custom {
namespace {

int ReduceScatter(const CollectiveParam& param, const CollectiveContext& context) {
  const uint64_t bytes = param.count * param.elementBytes;
  const int result = ExchangeBlocks(param, context, param.sendBuf, param.strideBytes, bytes);
  return result == 0 ? ReduceBlocks(param, context, param.recvBuf, bytes) : result;
}

}  // namespace
}  // namespace hccl_custom

extern "C" __attribute__((visibility("default"))) unsigned int HcclLaunchReduceScatterKernel(
    hccl_custom::CollectiveParam* param) {
  return hccl_custom::RunKernel(param, hccl_custom::ReduceScatter);
}
