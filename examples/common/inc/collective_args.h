// What the host part and the kernel of a collective operator agree on: the parameter block, the engine context in
// device memory, and the meaning of the notify indices. Plain data only, because the two sides are built separately, on
// a real card for different processors.
#ifndef HCCL_CUSTOM_COLLECTIVE_ARGS_H
#define HCCL_CUSTOM_COLLECTIVE_ARGS_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_res.h"
#include "hccl/hccl_types.h"

namespace hccl_custom {

// Notifies of a channel, the same for all collective operators, so that they can share the channels of a communicator.
// A notify is one bit, so a second record must not come before the first was taken. Three rules see to that:
// 1. Data is written to a peer only after its READY of the same operation, and READY is answered by data. Whoever has
//    its data knows that its READY was taken; whoever gets a READY knows that the peer has left the operation before.
// 2. Within one operation every write to the same peer has a DATA index of its own.
// 3. A barrier uses two sets of indices in turn.
constexpr uint32_t NOTIFY_READY = 0;
constexpr uint32_t NOTIFY_DATA = 1;  // the first of DATA_NOTIFIES
constexpr uint32_t DATA_NOTIFIES = 47;
constexpr uint32_t NOTIFY_BARRIER = NOTIFY_DATA + DATA_NOTIFIES;  // the first of two times BARRIER_ROUNDS
constexpr uint32_t BARRIER_ROUNDS = 8;
constexpr uint32_t CHANNEL_NOTIFY_NUM = NOTIFY_BARRIER + 2 * BARRIER_ROUNDS;

constexpr uint32_t COLLECTIVE_TIMEOUT = 27 * 68;  // seconds, for every wait and for the kernel itself
constexpr uint32_t MAX_RANKS = 64;
constexpr uint32_t COMM_NAME_BYTES = 128;
constexpr uint32_t OP_TAG_BYTES = 96;

// The way to one rank. Entries of the own rank: channel 0, the own HcclBuffer.
struct PeerAccess {
  ChannelHandle channel;
  void* buffer;  // its HcclBuffer, as this rank addresses it
};

// The engine context: written once by the host.
struct CollectiveContext {
  uint32_t rank;
  uint32_t rankNum;
  ThreadHandle thread;
  PeerAccess peers[MAX_RANKS];
};

// One operation, copied by value into the launch. Sizes in elements unless they say bytes.
struct CollectiveParam {
  char commName[COMM_NAME_BYTES];
  char tag[OP_TAG_BYTES];  // for diagnostics: "HcclAllGatherCustom#3"
  CollectiveContext* context;
  void* sendBuf;
  void* recvBuf;
  uint64_t count;        // of this launch, see CollectiveCall
  uint64_t strideBytes;  // from the block of one rank to that of the next in the user's buffers
  uint64_t sequence;     // number of the launch on this communicator, from 0, the same on all ranks
  uint32_t elementBytes;
  uint32_t dataType;  // HcommDataType
  uint32_t reduceOp;  // HcommReduceOp
  uint32_t root;
  uint32_t variant;        // which of its algorithms the operator has chosen
  uint32_t startNotifyId;  // recorded by the host's stream, taken by the thread
  uint32_t endNotifyId;    // recorded by the thread, taken by the host's stream
};

}  // namespace hccl_custom

#endif  // HCCL_CUSTOM_COLLECTIVE_ARGS_H
