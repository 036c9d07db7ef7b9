// What the operator keeps on the host for one rank of one communicator: the kernel, the threads, the channels and the
// order of the operations. Nothing is thread-local, so a call may come from any host thread and use any stream.
#ifndef HCCL_CUSTOM_P2P_P2P_COMM_H
#define HCCL_CUSTOM_P2P_P2P_COMM_H

#include <stdint.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "common.h"
#include "hccl/hccl_res.h"
#include "hccl/hccl_types.h"

namespace hccl_custom_p2p {

// A connected rank.
struct Peer {
  ChannelHandle channel;
  void* buffer;  // its HcclBuffer, as this rank addresses it
  uint64_t bufferBytes;
};

// One operation as the entry points describe it.
struct OpRequest {
  HcclCMDType opType;
  uint32_t peer;
  void* userBuf;
  uint64_t bytes;
  uint64_t count;  // elements
  HcclDataType dataType;
  aclrtStream stream;
};

// Shared by all host threads; every public function may be called from any of them.
class P2pComm {
 public:
  // The state that belongs to `comm`, made at the first call. States of destroyed communicators are dropped together
  // with their notifies: see OwnsContextOf.
  static HcclResult Get(HcclComm comm, std::shared_ptr<P2pComm>* state);

  ~P2pComm();
  P2pComm(const P2pComm&) = delete;
  P2pComm& operator=(const P2pComm&) = delete;

  uint32_t Rank() const { return rank_; }
  uint32_t RankSize() const { return rankSize_; }

  // Connects (at the first call for this peer: blocks until the peer does the same), checks the size against the
  // sender's HcclBuffer, and queues the operation.
  HcclResult Run(HcclComm comm, const OpRequest& request);

 private:
  static constexpr uint32_t DONE_RING = 8;

  // Two operations of a slot never overlap. Operation i takes done[i % 8] before it starts and records
  // done[(i + 1) % 8] when it has ended, both on its own stream: the order is that of the host calls on whatever
  // streams they come, and no stream of an earlier call is ever touched again, since it may be gone. Eight notifies,
  // so that operation i + 8 cannot take what was meant for operation i. If a stream fails, its later tasks are
  // skipped and nothing is recorded any more; the following operations then wait until the communicator is aborted.
  struct Slot {
    aclrtNotify start = nullptr;
    aclrtNotify end = nullptr;
    uint32_t startId = 0;
    uint32_t endId = 0;
    std::array<aclrtNotify, DONE_RING> done{};
    uint64_t queued = 0;
    uint64_t knownStarted = 0;  // lower bound of P2pDeviceContext::started
    aclrtStream lastStream = nullptr;
  };

  P2pComm(const std::string& name, uint32_t rank, uint32_t rankSize);
  HcclResult Init(HcclComm comm, void* existingContext);
  HcclResult FillContext();
  // Whether the engine context of `other` overlaps the own one. Two communicators of a device never share that memory,
  // so the older of the two is destroyed then. The interface has no way to ask a handle whether it is still valid;
  // this one asks nothing, and since a new context takes the place of a freed one, states do not pile up.
  bool OwnsContextOf(const P2pComm& other) const;
  HcclResult Connect(HcclComm comm, uint32_t peer, Peer* result);
  HcclResult CheckFits(const OpRequest& request, const Peer& peer) const;
  uint32_t SlotOf(const OpRequest& request) const;
  HcclResult Queue(const OpRequest& request, const Peer& peer);
  HcclResult PrepareSlot(Slot* slot, aclrtStream stream);
  HcclResult CheckStreamChange(uint32_t slotIndex, Slot* slot, aclrtStream stream);
  HcclResult FillParam(const OpRequest& request, const Peer& peer, uint32_t slotIndex, OpParam* param) const;

  const std::string name_;
  const uint32_t rank_;
  const uint32_t rankSize_;
  uint32_t slotNum_ = 0;
  int32_t device_ = -1;
  aclrtFuncHandle kernel_ = nullptr;
  P2pDeviceContext* context_ = nullptr;  // device memory
  std::vector<ThreadHandle> threads_;
  void* buffer_ = nullptr;
  uint64_t bufferBytes_ = 0;

  std::mutex connectMutex_;  // taken before mutex_; HcclChannelAcquire allows one caller per communicator
  std::mutex mutex_;         // guards everything below
  std::map<uint32_t, Peer> peers_;
  std::vector<Slot> slots_;
  uint64_t sequence_ = 0;
  bool isBroken_ = false;
};

}  // namespace hccl_custom_p2p

#endif  // HCCL_CUSTOM_P2P_P2P_COMM_H
