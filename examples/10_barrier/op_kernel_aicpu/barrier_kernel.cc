// In round k every rank tells the one 2^k further and hears from the one 2^k before; after the last round everybody has
// heard of everybody. Two sets of notifies in turn: a fast rank may begin the next barrier while a slow one still takes
// its bits of this one, but not the one after that.
#include "collective_kernel.h"
#include "collective_log.h"
#include "hccl/hcomm_primitives.h"

namespace hccl_custom {
namespace {

int Barrier(const CollectiveParam& param, const CollectiveContext& context) {
  const uint32_t n = context.rankNum;
  const uint32_t set = NOTIFY_BARRIER + (param.sequence % 2 == 0 ? 0 : BARRIER_ROUNDS);
  uint32_t round = 0;
  for (uint32_t distance = 1; distance < n; distance *= 2, ++round) {
    const ChannelHandle to = context.peers[(context.rank + distance) % n].channel;
    const ChannelHandle from = context.peers[(context.rank + n - distance) % n].channel;
    COLLECTIVE_CHECK_HCOMM(param.tag, HcommChannelNotifyRecordOnThread(context.thread, to, set + round));
    COLLECTIVE_CHECK_HCOMM(param.tag,
                           HcommChannelNotifyWaitOnThread(context.thread, from, set + round, COLLECTIVE_TIMEOUT));
  }
  return 0;
}

}  // namespace
}  // namespace hccl_custom

extern "C" __attribute__((visibility("default"))) unsigned int HcclLaunchBarrierKernel(
    hccl_custom::CollectiveParam* param) {
  return hccl_custom::RunKernel(param, hccl_custom::Barrier);
}
