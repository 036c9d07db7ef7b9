// Control plane of the collective operators.
#include "collective_host.h"

#include <inttypes.h>
#include <stdio.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "collective_log.h"
#include "hccl/hccl_comm.h"
#include "kernel_loader.h"

namespace hccl_custom {
namespace {

// One rank of one communicator, for one operator.
class CollectiveComm {
 public:
  CollectiveComm(const CollectiveOperator& op, std::string name) : op_(op), name_(std::move(name)) {}
  ~CollectiveComm() {
    for (const aclrtNotify notify : {start_, end_}) {
      if (notify != nullptr) {
        (void)aclrtDestroyNotify(notify);
      }
    }
  }
  CollectiveComm(const CollectiveComm&) = delete;
  CollectiveComm& operator=(const CollectiveComm&) = delete;

  HcclResult Init(HcclComm comm);
  HcclResult Run(const CollectiveCall& call);

 private:
  HcclResult Connect(HcclComm comm, CollectiveContext* image);
  HcclResult Launch(const CollectiveCall& call, const CollectiveParam& param);

  const CollectiveOperator op_;
  const std::string name_;
  std::mutex mutex_;  // guards everything below
  aclrtFuncHandle kernel_ = nullptr;
  CollectiveContext* context_ = nullptr;  // device memory
  uint64_t bufferBytes_ = 0;              // of the smallest HcclBuffer
  aclrtNotify start_ = nullptr;
  aclrtNotify end_ = nullptr;
  uint32_t startId_ = 0;
  uint32_t endId_ = 0;
  uint64_t sequence_ = 0;
  aclrtStream lastStream_ = nullptr;
};

HcclResult CollectiveComm::Connect(HcclComm comm, CollectiveContext* image) {
  std::vector<HcclChannelDesc> descs(image->rankNum - 1);
  (void)HcclChannelDescInit(descs.data(), static_cast<uint32_t>(descs.size()));
  for (uint32_t i = 0; i < descs.size(); ++i) {
    descs[i].remoteRank = i < image->rank ? i : i + 1;
    descs[i].channelProtocol = COMM_PROTOCOL_HCCS;
    descs[i].notifyNum = CHANNEL_NOTIFY_NUM;
  }
  std::vector<ChannelHandle> channels(descs.size());
  COLLECTIVE_CHECK_HCCL(
      HcclChannelAcquire(comm, COMM_ENGINE_AICPU, descs.data(), static_cast<uint32_t>(descs.size()), channels.data()));
  for (uint32_t i = 0; i < channels.size(); ++i) {
    PeerAccess& peer = image->peers[descs[i].remoteRank];
    peer.channel = channels[i];
    uint64_t bytes = 0;
    COLLECTIVE_CHECK_HCCL(HcclChannelGetHcclBuffer(comm, channels[i], &peer.buffer, &bytes));
    bufferBytes_ = std::min(bufferBytes_, bytes);
  }
  return HCCL_SUCCESS;
}

HcclResult CollectiveComm::Init(HcclComm comm) {
  const std::lock_guard<std::mutex> lock(mutex_);
  CollectiveContext image = {};
  COLLECTIVE_CHECK_HCCL(GetPlace(comm, &image.rank, &image.rankNum));
  int32_t device = -1;
  COLLECTIVE_CHECK_ACL(aclrtGetDevice(&device));
  HcclResult result = LoadKernel(op_, device, &kernel_);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  COLLECTIVE_CHECK_HCCL(HcclThreadAcquire(comm, COMM_ENGINE_AICPU, 1, 0, &image.thread));
  COLLECTIVE_CHECK_HCCL(HcclGetHcclBuffer(comm, &image.peers[image.rank].buffer, &bufferBytes_));
  if (image.rankNum > 1) {
    result = Connect(comm, &image);
    if (result != HCCL_SUCCESS) {
      return result;
    }
  }
  COLLECTIVE_CHECK_ACL(aclrtCreateNotify(&start_, ACL_NOTIFY_DEFAULT));
  COLLECTIVE_CHECK_ACL(aclrtCreateNotify(&end_, ACL_NOTIFY_DEFAULT));
  COLLECTIVE_CHECK_ACL(aclrtGetNotifyId(start_, &startId_));
  COLLECTIVE_CHECK_ACL(aclrtGetNotifyId(end_, &endId_));
  void* context = nullptr;
  COLLECTIVE_CHECK_HCCL(HcclEngineCtxCreate(comm, op_.name, COMM_ENGINE_AICPU, sizeof(image), &context));
  context_ = static_cast<CollectiveContext*>(context);
  COLLECTIVE_CHECK_ACL(aclrtMemcpy(context_, sizeof(image), &image, sizeof(image), ACL_MEMCPY_HOST_TO_DEVICE));
  return HCCL_SUCCESS;
}

HcclResult CollectiveComm::Run(const CollectiveCall& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (lastStream_ != nullptr && lastStream_ != call.stream) {
    // It may be gone: then its work is done.
    (void)aclrtSynchronizeStream(lastStream_);
  }
  const uint32_t elementBytes = ElementBytes(call.dataType);
  const uint64_t fitting = bufferBytes_ / call.blocksInBuffer / elementBytes;
  if (fitting == 0) {
    COLLECTIVE_ERROR("%s: %u blocks of one element do not fit the HcclBuffer of %" PRIu64 " bytes; raise HCCL_BUFFSIZE",
                     op_.name, call.blocksInBuffer, bufferBytes_);
    return HCCL_E_PARA;
  }
  CollectiveParam param = {};
  (void)snprintf(param.commName, sizeof(param.commName), "%s", name_.c_str());
  param.context = context_;
  param.strideBytes = call.count * elementBytes;
  param.elementBytes = elementBytes;
  param.dataType = static_cast<uint32_t>(call.dataType);
  param.reduceOp = static_cast<uint32_t>(call.reduceOp);
  param.root = call.root;
  param.variant = call.variant;
  param.startNotifyId = startId_;
  param.endNotifyId = endId_;
  uint64_t done = 0;
  do {  // nothing to move is an operation, too: it synchronises
    param.count = std::min(call.count - done, fitting);
    param.sendBuf = call.sendBuf == nullptr ? nullptr : static_cast<char*>(call.sendBuf) + done * elementBytes;
    param.recvBuf = call.recvBuf == nullptr ? nullptr : static_cast<char*>(call.recvBuf) + done * elementBytes;
    param.sequence = sequence_;
    (void)snprintf(param.tag, sizeof(param.tag), "%s#%" PRIu64, op_.name, sequence_);
    const HcclResult result = Launch(call, param);
    if (result != HCCL_SUCCESS) {
      return result;
    }
    ++sequence_;
    done += param.count;
  } while (done < call.count);
  lastStream_ = call.stream;
  return HCCL_SUCCESS;
}

HcclResult CollectiveComm::Launch(const CollectiveCall& call, const CollectiveParam& param) {
  CollectiveParam copy = param;
  aclrtArgsHandle args = nullptr;
  aclrtParamHandle paramHandle = nullptr;
  COLLECTIVE_CHECK_ACL(aclrtKernelArgsInit(kernel_, &args));
  COLLECTIVE_CHECK_ACL(aclrtKernelArgsAppend(args, &copy, sizeof(copy), &paramHandle));
  COLLECTIVE_CHECK_ACL(aclrtKernelArgsFinalize(args));
  aclrtLaunchKernelAttr attribute = {};
  attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attribute.value.timeout = static_cast<uint16_t>(COLLECTIVE_TIMEOUT);
  aclrtLaunchKernelCfg config = {};
  config.attrs = &attribute;
  config.numAttrs = 1;
  COLLECTIVE_CHECK_ACL(aclrtRecordNotify(start_, call.stream));
  COLLECTIVE_CHECK_ACL(aclrtLaunchKernelWithConfig(kernel_, 1, call.stream, &config, args, nullptr));
  COLLECTIVE_CHECK_ACL(aclrtWaitAndResetNotify(end_, call.stream, COLLECTIVE_TIMEOUT));
  return HCCL_SUCCESS;
}

struct Registry {
  std::mutex mutex;
  std::map<std::pair<std::string, uint32_t>, std::shared_ptr<CollectiveComm>> states;  // by communicator and rank
};

// Never destroyed: at the end of the process the runtime may be gone before this library is.
Registry& GetRegistry() {
  static Registry* const registry = new Registry;
  return *registry;
}

// The state of the communicator, made anew when the engine context is not there: a communicator of the same name was
// destroyed then. Not under the registry's lock while it connects, because other ranks are threads of this process.
HcclResult GetState(const CollectiveOperator& op, HcclComm comm, std::shared_ptr<CollectiveComm>* state) {
  char name[COMM_NAME_BYTES] = {};
  uint32_t rank = 0;
  uint32_t rankNum = 0;
  COLLECTIVE_CHECK_HCCL(HcclGetCommName(comm, name));
  COLLECTIVE_CHECK_HCCL(GetPlace(comm, &rank, &rankNum));
  const std::pair<std::string, uint32_t> key(name, rank);
  void* context = nullptr;
  uint64_t contextBytes = 0;
  const bool isKnown = HcclEngineCtxGet(comm, op.name, COMM_ENGINE_AICPU, &context, &contextBytes) == HCCL_SUCCESS;
  Registry& registry = GetRegistry();
  {
    const std::lock_guard<std::mutex> lock(registry.mutex);
    const auto found = registry.states.find(key);
    if (isKnown && found != registry.states.end()) {
      *state = found->second;
      return HCCL_SUCCESS;
    }
    if (isKnown) {
      COLLECTIVE_ERROR("%s: the engine context of communicator %s was made by somebody else", op.name, name);
      return HCCL_E_INTERNAL;
    }
    registry.states.erase(key);
  }
  std::shared_ptr<CollectiveComm> created = std::make_shared<CollectiveComm>(op, name);
  const HcclResult result = created->Init(comm);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.states[key] = created;
  *state = std::move(created);
  return HCCL_SUCCESS;
}

}  // namespace

HcclResult GetPlace(HcclComm comm, uint32_t* rank, uint32_t* rankNum) {
  COLLECTIVE_CHECK_HCCL(HcclGetRankId(comm, rank));
  COLLECTIVE_CHECK_HCCL(HcclGetRankSize(comm, rankNum));
  if (*rankNum > MAX_RANKS) {
    COLLECTIVE_ERROR("the communicator has %u ranks, these operators work for at most %u", *rankNum, MAX_RANKS);
    return HCCL_E_NOT_SUPPORT;
  }
  return HCCL_SUCCESS;
}

HcclResult RunCollective(const CollectiveOperator& op, HcclComm comm, const CollectiveCall& call) {
  std::shared_ptr<CollectiveComm> state;
  const HcclResult result = GetState(op, comm, &state);
  return result == HCCL_SUCCESS ? state->Run(call) : result;
}

}  // namespace hccl_custom
