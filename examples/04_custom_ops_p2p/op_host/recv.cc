// Entry point of the receiving operator.
#include "check_op.h"
#include "hccl_custom_p2p.h"
#include "log.h"
#include "p2p_comm.h"

extern "C" __attribute__((visibility("default"))) HcclResult HcclRecvCustom(void* recvBuf, uint64_t count,
                                                                            HcclDataType dataType, uint32_t srcRank,
                                                                            HcclComm comm, aclrtStream stream) {
  using namespace hccl_custom_p2p;
  const char* const opName = "HcclRecvCustom";
  uint64_t bytes = 0;
  HcclResult result = CheckBuffer(opName, recvBuf, "recvBuf", comm, count, dataType, &bytes);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  std::shared_ptr<P2pComm> state;
  result = P2pComm::Get(comm, &state);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  result = CheckPeer(opName, "srcRank", srcRank, state->Rank(), state->RankSize());
  if (result != HCCL_SUCCESS) {
    return result;
  }
  return state->Run(comm, OpRequest{HCCL_CMD_RECEIVE, srcRank, recvBuf, bytes, count, dataType, stream});
}
