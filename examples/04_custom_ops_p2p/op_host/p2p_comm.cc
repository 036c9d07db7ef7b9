// Control plane of the operator: everything that is acquired once per communicator or once per peer, and the order in
// which operations are put on streams.
#include "p2p_comm.h"

#include <inttypes.h>
#include <stdio.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "hccl/hccl_comm.h"
#include "launch_kernel.h"
#include "load_kernel.h"
#include "log.h"

namespace hccl_custom_p2p {
namespace {

const char* const CTX_TAG = "hccl_custom_p2p";

using CommKey = std::pair<std::string, uint32_t>;  // communicator name and rank: ranks may be threads of one process

struct Registry {
  std::mutex mutex;
  std::map<CommKey, std::shared_ptr<P2pComm>> states;
};

// Never destroyed: at the end of the process the runtime may be gone before this library is.
Registry& GetRegistry() {
  static Registry* const registry = new Registry;
  return *registry;
}

}  // namespace

P2pComm::P2pComm(const std::string& name, uint32_t rank, uint32_t rankSize)
    : name_(name), rank_(rank), rankSize_(rankSize) {}

P2pComm::~P2pComm() {
  for (const Slot& slot : slots_) {
    for (const aclrtNotify notify : {slot.start, slot.end}) {
      if (notify != nullptr) {
        (void)aclrtDestroyNotify(notify);
      }
    }
    for (const aclrtNotify notify : slot.done) {
      if (notify != nullptr) {
        (void)aclrtDestroyNotify(notify);
      }
    }
  }
}

HcclResult P2pComm::Get(HcclComm comm, std::shared_ptr<P2pComm>* state) {
  char name[COMM_NAME_BYTES] = {};
  uint32_t rank = 0;
  uint32_t rankSize = 0;
  P2P_CHECK_HCCL(HcclGetCommName(comm, name));
  P2P_CHECK_HCCL(HcclGetRankId(comm, &rank));
  P2P_CHECK_HCCL(HcclGetRankSize(comm, &rankSize));

  Registry& registry = GetRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  void* context = nullptr;
  uint64_t contextBytes = 0;
  const bool hasContext = HcclEngineCtxGet(comm, CTX_TAG, COMM_ENGINE_AICPU, &context, &contextBytes) == HCCL_SUCCESS;
  if (hasContext && contextBytes != sizeof(P2pDeviceContext)) {
    P2P_ERROR("the engine context \"%s\" of communicator %s has %" PRIu64
              " bytes, this library needs %zu; another "
              "version of the operator made it",
              CTX_TAG, name, contextBytes, sizeof(P2pDeviceContext));
    return HCCL_E_INTERNAL;
  }
  const CommKey key(name, rank);
  const auto found = registry.states.find(key);
  if (found != registry.states.end()) {
    if (hasContext) {
      *state = found->second;
      return HCCL_SUCCESS;
    }
    registry.states.erase(found);
  }
  std::shared_ptr<P2pComm> created(new P2pComm(name, rank, rankSize));
  const HcclResult result = created->Init(comm, hasContext ? context : nullptr);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  for (auto it = registry.states.begin(); it != registry.states.end();) {
    it = created->OwnsContextOf(*it->second) ? registry.states.erase(it) : std::next(it);
  }
  registry.states[key] = created;
  *state = std::move(created);
  return HCCL_SUCCESS;
}

// All threads are asked for in one call: where threads are pooled, a second call would return the first ones again.
HcclResult P2pComm::Init(HcclComm comm, void* existingContext) {
  const uint32_t peers = rankSize_ > 1 ? rankSize_ - 1 : 0;
  slotNum_ = 1 + std::min(peers, MAX_SLOTS - 1);
  P2P_CHECK_ACL(aclrtGetDevice(&device_));
  HcclResult result = LoadAICPUKernel(device_, &kernel_);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  threads_.resize(slotNum_);
  P2P_CHECK_HCCL(HcclThreadAcquire(comm, COMM_ENGINE_AICPU, slotNum_, 0, threads_.data()));
  P2P_CHECK_HCCL(HcclGetHcclBuffer(comm, &buffer_, &bufferBytes_));
  void* context = existingContext;
  if (context == nullptr) {
    P2P_CHECK_HCCL(HcclEngineCtxCreate(comm, CTX_TAG, COMM_ENGINE_AICPU, sizeof(P2pDeviceContext), &context));
  }
  context_ = static_cast<P2pDeviceContext*>(context);
  slots_.resize(slotNum_);
  return FillContext();
}

HcclResult P2pComm::FillContext() {
  P2pDeviceContext image = {};
  image.slotNum = slotNum_;
  std::copy(threads_.begin(), threads_.end(), image.threads);
  P2P_CHECK_ACL(aclrtMemcpy(context_, sizeof(image), &image, sizeof(image), ACL_MEMCPY_HOST_TO_DEVICE));
  return HCCL_SUCCESS;
}

bool P2pComm::OwnsContextOf(const P2pComm& other) const {
  const uintptr_t own = reinterpret_cast<uintptr_t>(context_);
  const uintptr_t others = reinterpret_cast<uintptr_t>(other.context_);
  const uintptr_t distance = own < others ? others - own : own - others;
  return device_ == other.device_ && distance < sizeof(P2pDeviceContext);
}

HcclResult P2pComm::Run(HcclComm comm, const OpRequest& request) {
  Peer peer = {};
  HcclResult result = Connect(comm, request.peer, &peer);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  result = CheckFits(request, peer);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  return Queue(request, peer);
}

HcclResult P2pComm::Connect(HcclComm comm, uint32_t peer, Peer* result) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = peers_.find(peer);
    if (found != peers_.end()) {
      *result = found->second;
      return HCCL_SUCCESS;
    }
  }
  // Not under mutex_: this blocks until the peer comes, and operations with connected peers must go on meanwhile.
  const std::lock_guard<std::mutex> connectLock(connectMutex_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = peers_.find(peer);
    if (found != peers_.end()) {
      *result = found->second;
      return HCCL_SUCCESS;
    }
  }
  HcclChannelDesc desc;
  (void)HcclChannelDescInit(&desc, 1);
  desc.remoteRank = peer;
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.notifyNum = CHANNEL_NOTIFY_NUM;
  Peer connected = {};
  const HcclResult acquired = HcclChannelAcquire(comm, COMM_ENGINE_AICPU, &desc, 1, &connected.channel);
  if (acquired != HCCL_SUCCESS) {
    P2P_ERROR(
        "rank %u cannot connect to rank %u: HcclChannelAcquire failed with HcclResult %d; the peer must call "
        "the matching operator in time",
        rank_, peer, static_cast<int>(acquired));
    return acquired;
  }
  P2P_CHECK_HCCL(HcclChannelGetHcclBuffer(comm, connected.channel, &connected.buffer, &connected.bufferBytes));
  const std::lock_guard<std::mutex> lock(mutex_);
  peers_[peer] = connected;
  *result = connected;
  return HCCL_SUCCESS;
}

// After connecting, so that both ends of a too large exchange learn it at once.
HcclResult P2pComm::CheckFits(const OpRequest& request, const Peer& peer) const {
  const bool isSend = request.opType == HCCL_CMD_SEND;
  const uint64_t limit = isSend ? bufferBytes_ : peer.bufferBytes;
  if (request.bytes <= limit) {
    return HCCL_SUCCESS;
  }
  P2P_ERROR("%s of %" PRIu64 " bytes does not fit the %" PRIu64 " bytes of the HcclBuffer%s; raise HCCL_BUFFSIZE",
            isSend ? "send" : "recv", request.bytes, limit, isSend ? "" : " of the sender");
  return HCCL_E_PARA;
}

// Receives have a slot per peer, so that one that waits does not hold up the others; beyond the quota of threads
// several peers share one.
uint32_t P2pComm::SlotOf(const OpRequest& request) const {
  if (request.opType == HCCL_CMD_SEND) {
    return 0;
  }
  const uint32_t ordinal = request.peer < rank_ ? request.peer : request.peer - 1;  // among the other ranks
  return 1 + ordinal % (slotNum_ - 1);
}

HcclResult P2pComm::Queue(const OpRequest& request, const Peer& peer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (isBroken_) {
    P2P_ERROR("an earlier operation of rank %u on communicator %s was queued only in part; destroy the communicator",
              rank_, name_.c_str());
    return HCCL_E_INTERNAL;
  }
  const uint32_t slotIndex = SlotOf(request);
  Slot& slot = slots_[slotIndex];
  HcclResult result = CheckStreamChange(slotIndex, &slot, request.stream);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  result = PrepareSlot(&slot, request.stream);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  OpParam param = {};
  result = FillParam(request, peer, slotIndex, &param);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  aclrtArgsHandle args = nullptr;
  result = PrepareArgs(kernel_, param, &args);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  const LaunchNotifies notifies = {slot.done[slot.queued % DONE_RING], slot.start, slot.end,
                                   slot.done[(slot.queued + 1) % DONE_RING]};
  result = LaunchKernel(kernel_, args, notifies, request.stream);
  if (result != HCCL_SUCCESS) {
    isBroken_ = true;
    return result;
  }
  slot.lastStream = request.stream;
  ++slot.queued;
  ++sequence_;
  return HCCL_SUCCESS;
}

// On one stream the order is given. On another one operation i could reach its wait before operation i - 8 and take
// the notify that is meant for that one, unless that one is known to have started.
HcclResult P2pComm::CheckStreamChange(uint32_t slotIndex, Slot* slot, aclrtStream stream) {
  if (slot->queued < DONE_RING || stream == slot->lastStream) {
    return HCCL_SUCCESS;
  }
  const uint64_t needed = slot->queued - DONE_RING + 1;
  if (slot->knownStarted < needed) {
    // A kernel may write it meanwhile; one aligned word is either old or new, and old only means refusing too early.
    P2P_CHECK_ACL(aclrtMemcpy(&slot->knownStarted, sizeof(uint64_t), &context_->started[slotIndex], sizeof(uint64_t),
                              ACL_MEMCPY_DEVICE_TO_HOST));
  }
  if (slot->knownStarted < needed) {
    P2P_ERROR("rank %u: %" PRIu64
              " operations are outstanding on another stream, at most %u may be when the stream "
              "changes; synchronise that stream first",
              rank_, slot->queued - slot->knownStarted, DONE_RING - 1);
    return HCCL_E_AGAIN;
  }
  return HCCL_SUCCESS;
}

// Makes the notifies that the next operation needs. The first operation of a slot finds its turn free.
HcclResult P2pComm::PrepareSlot(Slot* slot, aclrtStream stream) {
  if (slot->start == nullptr) {
    P2P_CHECK_ACL(aclrtCreateNotify(&slot->start, ACL_NOTIFY_DEFAULT));
    P2P_CHECK_ACL(aclrtGetNotifyId(slot->start, &slot->startId));
  }
  if (slot->end == nullptr) {
    P2P_CHECK_ACL(aclrtCreateNotify(&slot->end, ACL_NOTIFY_DEFAULT));
    P2P_CHECK_ACL(aclrtGetNotifyId(slot->end, &slot->endId));
  }
  aclrtNotify& next = slot->done[(slot->queued + 1) % DONE_RING];
  if (next == nullptr) {
    P2P_CHECK_ACL(aclrtCreateNotify(&next, ACL_NOTIFY_DEFAULT));
  }
  if (slot->done[0] == nullptr) {
    aclrtNotify first = nullptr;
    P2P_CHECK_ACL(aclrtCreateNotify(&first, ACL_NOTIFY_DEFAULT));
    P2P_CHECK_ACL(aclrtRecordNotify(first, stream));
    slot->done[0] = first;
  }
  return HCCL_SUCCESS;
}

HcclResult P2pComm::FillParam(const OpRequest& request, const Peer& peer, uint32_t slotIndex, OpParam* param) const {
  const Slot& slot = slots_[slotIndex];
  const bool isSend = request.opType == HCCL_CMD_SEND;
  const uint32_t source = isSend ? rank_ : request.peer;
  const uint32_t destination = isSend ? request.peer : rank_;
  std::memcpy(param->commName, name_.c_str(), std::min<size_t>(name_.size(), COMM_NAME_BYTES - 1));
  const int length = snprintf(param->tag, sizeof(param->tag), "%s#%" PRIu64 " %u->%u",
                              isSend ? "HcclSendCustom" : "HcclRecvCustom", sequence_, source, destination);
  if (length < 0 || static_cast<size_t>(length) >= sizeof(param->tag)) {
    P2P_ERROR("the tag of an operation does not fit %zu bytes", sizeof(param->tag));
    return HCCL_E_INTERNAL;
  }
  param->opType = static_cast<uint32_t>(request.opType);
  param->slot = slotIndex;
  param->slotIndex = slot.queued;
  param->userBuf = request.userBuf;
  param->commBuf = isSend ? buffer_ : peer.buffer;
  param->bytes = request.bytes;
  param->count = request.count;
  param->dataType = static_cast<uint32_t>(request.dataType);
  param->peer = request.peer;
  param->channel = peer.channel;
  param->startNotifyId = slot.startId;
  param->endNotifyId = slot.endId;
  param->resCtx = context_;
  return HCCL_SUCCESS;
}

}  // namespace hccl_custom_p2p
