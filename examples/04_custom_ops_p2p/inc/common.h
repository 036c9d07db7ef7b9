// What the host part and the kernel agree on: the layout of the parameter block, the layout of the engine context in
// device memory, and the meaning of the notify indices. Plain data only, because the two sides are built separately,
// on a real card for different processors.
#ifndef HCCL_CUSTOM_P2P_COMMON_H
#define HCCL_CUSTOM_P2P_COMMON_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_res.h"
#include "hccl/hccl_types.h"

namespace hccl_custom_p2p {

// Notifies of a channel. Each end owns both, so one channel serves both directions: the sender records the peer's ACK
// and waits for its own SIGNAL, the receiver the other way round.
constexpr uint32_t NOTIFY_IDX_ACK = 0;          // the data lies in the sender's HcclBuffer
constexpr uint32_t NOTIFY_IDX_DATA_SIGNAL = 1;  // the receiver has read it
constexpr uint32_t CHANNEL_NOTIFY_NUM = 2;

constexpr uint32_t CUSTOM_TIMEOUT = 27 * 68;  // seconds, for every wait and for the kernel itself
constexpr uint32_t MAX_SLOTS = 200;           // as many threads as one communicator may have
constexpr uint32_t COMM_NAME_BYTES = 128;
constexpr uint32_t OP_TAG_BYTES = 96;

// The engine context. A slot is a direction with an order of its own: slot 0 holds all sends, the others the receives.
struct P2pDeviceContext {
  uint32_t slotNum;
  uint32_t reserved;
  ThreadHandle threads[MAX_SLOTS];  // written once by the host
  uint64_t started[MAX_SLOTS];      // operations whose kernel has run; written by the kernel, read by the host
};

// One operation, copied by value into the launch.
struct OpParam {
  char commName[COMM_NAME_BYTES];
  char tag[OP_TAG_BYTES];  // for diagnostics: "HcclSendCustom#3 0->1"
  uint32_t opType;         // HCCL_CMD_SEND or HCCL_CMD_RECEIVE
  uint32_t slot;
  uint64_t slotIndex;  // 0 for the first operation of the slot
  void* userBuf;
  void* commBuf;  // HcclBuffer of the sender: the own one for a send, the peer's for a receive
  uint64_t bytes;
  uint64_t count;     // elements, as the caller gave it
  uint32_t dataType;  // HcclDataType
  uint32_t peer;
  ChannelHandle channel;
  uint32_t startNotifyId;  // recorded by the host's stream, taken by the thread
  uint32_t endNotifyId;    // recorded by the thread, taken by the host's stream
  P2pDeviceContext* resCtx;
};

}  // namespace hccl_custom_p2p

#endif  // HCCL_CUSTOM_P2P_COMMON_H
