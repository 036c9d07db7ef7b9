// Products before 9.1 have neither the header nor the function: the one is looked for when this is compiled, the other
// when the kernel is loaded.
#include "describe_op.h"

#include <string.h>

#if defined(__has_include)
#if __has_include("hccl/hccl_diag.h")
#define P2P_HAS_DESCRIPTIONS 1
#include "hccl/hccl_diag.h"
#endif
#endif

#ifdef P2P_HAS_DESCRIPTIONS

extern "C" __attribute__((weak)) HcclResult HcclDfxRegOpInfoByCommId(char* commId, void* hcclDfxOpInfo);

namespace hccl_custom_p2p {

void DescribeOp(const OpParam& param) {
  if (HcclDfxRegOpInfoByCommId == nullptr) {
    return;
  }
  HcclDfxOpInfo info = {};
  info.header.size = sizeof(info);
  info.opType = param.opType;
  info.dataType = param.dataType;
  info.outputType = param.dataType;
  info.dataCount = param.count;
  info.root = param.peer;
  info.engine = COMM_ENGINE_AICPU;
  static_assert(sizeof(param.tag) <= sizeof(info.algTag), "the tag must fit");
  memcpy(info.algTag, param.tag, sizeof(param.tag));
  const uint64_t userBuf = reinterpret_cast<uintptr_t>(param.userBuf);
  const bool isSend = param.opType == HCCL_CMD_SEND;
  (isSend ? info.inputMemAddr : info.outputMemAddr) = userBuf;
  (isSend ? info.inputMemSize : info.outputMemSize) = param.bytes;
  (void)HcclDfxRegOpInfoByCommId(const_cast<char*>(param.commName), &info);
}

}  // namespace hccl_custom_p2p

#else

namespace hccl_custom_p2p {

void DescribeOp(const OpParam&) {}

}  // namespace hccl_custom_p2p

#endif
