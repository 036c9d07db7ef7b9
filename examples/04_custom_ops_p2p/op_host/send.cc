// Entry point of the sending operator.
#include "check_op.h"
#include "hccl_custom_p2p.h"
#include "log.h"
#include "p2p_comm.h"

extern "C" __attribute__((visibility("default"))) HcclResult HcclSendCustom(void* sendBuf, uint64_t count,
                                                                            HcclDataType dataType, uint32_t destRank,
                                                                            HcclComm comm, aclrtStream stream) {
  using namespace hccl_custom_p2p;
  const char* const opName = "HcclSendCustom";
  uint64_t bytes = 0;
  HcclResult result = CheckBuffer(opName, sendBuf, "sendBuf", comm, count, dataType, &bytes);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  std::shared_ptr<P2pComm> state;
  result = P2pComm::Get(comm, &state);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  result = CheckPeer(opName, "destRank", destRank, state->Rank(), state->RankSize());
  if (result != HCCL_SUCCESS) {
    return result;
  }
  return state->Run(comm, OpRequest{HCCL_CMD_SEND, destRank, sendBuf, bytes, count, dataType, stream});
}
