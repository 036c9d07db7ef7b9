// The launch of a kernel through a communicator: the caller names library and function, and the library finds them.
#include "hccl/hccl_launch.h"

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "api/objects.h"
#include "api/p2p_launch.h"
#include "api/process_settings.h"
#include "api/report.h"
#include "comm/call_group.h"
#include "engine/installed_kernels.h"
#include "transport/reduce.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::CallGroup;
using engine::Runtime;

namespace {

constexpr std::uint32_t kPointToPoint = 1;  // HcclOpDesc::opDescType of a send or receive
constexpr std::size_t kNameBytes = 256;

// A structure of the caller at any address, as far as its header says that it goes.
template <typename Struct>
base::Result<Struct> Read(const Struct* given, const char* argument, std::uint32_t magic, std::size_t needed,
                          const char* initialiser) {
  Status present = RequirePointer(given, argument);
  if (!present.ok()) return tl::unexpected(present);
  Struct copy;
  std::memcpy(static_cast<void*>(&copy), given, sizeof copy.header);
  if (copy.header.magicWord != magic) {
    return base::FailResult(Code::kInvalidParam, "{}->header.magicWord is 0x{:x}, expected 0x{:x}; call {} first",
                            argument, copy.header.magicWord, magic, initialiser);
  }
  if (copy.header.size < needed) {
    return base::FailResult(Code::kInvalidParam,
                            "{}->header.size {} is smaller than the {} bytes that are needed; call {} first", argument,
                            copy.header.size, needed, initialiser);
  }
  std::memcpy(static_cast<void*>(&copy), given, needed);
  return copy;
}

// A name in an array that may lack the final 0. Errors: kInvalidParam for an empty or endless one.
base::Result<std::string> ReadName(const char (&array)[kNameBytes], const char* argument) {
  const std::size_t length = ::strnlen(array, kNameBytes);
  if (length == 0) return base::FailResult(Code::kInvalidParam, "{} is empty; give a name", argument);
  if (length == kNameBytes) {
    return base::FailResult(Code::kInvalidParam, "{} has no final 0 in its {} bytes", argument, kNameBytes);
  }
  return std::string(array, length);
}

Status CheckOperation(const HcclOpDesc& op, const comm::Communicator& communicator) {
  if (op.opDescType != kPointToPoint) {
    return base::Fail(Code::kNotSupported, "opInfo->opDescType {}: only sends and receives, {}, can be launched so",
                      op.opDescType, kPointToPoint);
  }
  const int command = RawValue(op.p2p.cmdType);
  if (command != HCCL_CMD_SEND && command != HCCL_CMD_RECEIVE) {
    return base::Fail(Code::kInvalidParam,
                      "opInfo->p2p.cmdType {} is not valid; use HCCL_CMD_SEND {} or "
                      "HCCL_CMD_RECEIVE {}",
                      command, static_cast<int>(HCCL_CMD_SEND), static_cast<int>(HCCL_CMD_RECEIVE));
  }
  const auto size = transport::ElementSize(RawValue(op.p2p.dataType));
  if (!size) return base::Fail(Code::kInvalidParam, "opInfo->p2p.dataType: {}", size.error().message());
  if (op.p2p.count > std::numeric_limits<std::uint64_t>::max() / *size) {
    return base::Fail(Code::kInvalidParam, "opInfo->p2p.count {} times {} bytes does not fit 64 bits", op.p2p.count,
                      *size);
  }
  if (op.p2p.remoteRank >= communicator.size()) {
    return base::Fail(Code::kInvalidParam, "opInfo->p2p.remoteRank {} is out of range, the communicator has {} ranks",
                      op.p2p.remoteRank, communicator.size());
  }
  if (op.p2p.remoteRank != communicator.rank()) return {};
  return base::Fail(Code::kInvalidParam, "opInfo->p2p.remoteRank {} equals own rank", op.p2p.remoteRank);
}

// Null and all ones, which HcclOpDescInit leaves, are none.
bool IsGiven(const void* pointer) { return pointer != nullptr && Bits(pointer) != UINT64_MAX; }

Status ReadOperation(const HcclOpDesc& op, exec::Stream& user, engine::Device& device, P2pLaunch* launch) {
  SOFTHCCL_RETURN_IF_ERROR(CheckOperation(op, *launch->communicator));
  launch->user = user.handle;
  launch->unfold = user.handle;
  if (IsGiven(op.p2p.unfoldStream)) {
    auto unfold = FindOwnStream(op.p2p.unfoldStream, device);
    if (!unfold) return Status(unfold.error()).While("looking at opInfo->p2p.unfoldStream");
    launch->unfold = (*unfold)->handle;
  }
  launch->peer = op.p2p.remoteRank;
  launch->is_send = RawValue(op.p2p.cmdType) == HCCL_CMD_SEND;
  launch->facts.kind = launch->is_send ? exec::OperationKind::kSend : exec::OperationKind::kReceive;
  launch->facts.data_type = RawValue(op.p2p.dataType);
  launch->facts.count = op.p2p.count;
  const bool has_name = static_cast<unsigned char>(op.opName[0]) != 0xFF;  // what HcclOpDescInit leaves
  launch->facts.name.assign(op.opName, has_name ? ::strnlen(op.opName, kNameBytes) : 0);
  return {};
}

Status ReadKernel(const HcclKernelFuncInfo& function, int device, P2pLaunch* launch) {
  SOFTHCCL_ASSIGN(library, ReadName(function.kernelSoName, "funcInfo->kernelSoName"));
  SOFTHCCL_ASSIGN(symbol, ReadName(function.kernelFuncName, "funcInfo->kernelFuncName"));
  if (function.argSize > P2P_MAX_ARG_SIZE) {
    return base::Fail(Code::kInvalidParam, "funcInfo->argSize {} is larger than the limit of {} bytes",
                      function.argSize, P2P_MAX_ARG_SIZE);
  }
  std::memset(&launch->parameters, 0, sizeof launch->parameters);
  if (function.argSize > 0) {
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(function.args, "funcInfo->args"));
    std::memcpy(launch->parameters.opParams, function.args, function.argSize);
  }
  SOFTHCCL_ASSIGN(kernel, engine::InstalledKernel(library, symbol, device, Runtime::Get().config().ascend_home));
  launch->kernel = kernel;
  return {};
}

Status ReadThread(ThreadHandle thread, P2pLaunch* launch) {
  if (thread == 0) return base::Fail(Code::kNullPointer, "aicpuThreadHandle is 0; acquire it with HcclThreadAcquire");
  SOFTHCCL_ASSIGN(found, launch->communicator->threads().Find(thread, "aicpuThreadHandle"));
  if (found->engine != COMM_ENGINE_AICPU && found->engine != COMM_ENGINE_AICPU_TS) {
    return base::Fail(Code::kInvalidParam,
                      "aicpuThreadHandle 0x{:x} is a thread of engine {}; use one of COMM_ENGINE_AICPU {} or "
                      "COMM_ENGINE_AICPU_TS {}",
                      thread, found->engine, static_cast<int>(COMM_ENGINE_AICPU),
                      static_cast<int>(COMM_ENGINE_AICPU_TS));
  }
  launch->thread = thread;
  return {};
}

// At once, or with the group that is open on this thread.
Status QueueOrCollect(P2pLaunch launch, const engine::Device& device) {
  CallGroup& group = CallGroup::OfThisThread();
  if (!group.is_open()) return QueueLaunch(launch);
  static thread_local std::weak_ptr<std::vector<P2pLaunch>> collected;  // belongs to the group
  std::shared_ptr<std::vector<P2pLaunch>> list = collected.lock();
  if (list == nullptr) {
    list = std::make_shared<std::vector<P2pLaunch>>();
    SOFTHCCL_RETURN_IF_ERROR(group.Add(CallGroup::Kind::kPointToPoint, "HcclAicpuKernelLaunch", device,
                                       [list] { return QueueGroup(*list); }));
    collected = list;
  }
  list->push_back(std::move(launch));
  return {};
}

}  // namespace

extern "C" HcclResult HcclAicpuKernelLaunch(HcclComm comm, const HcclOpDesc* opInfo, const HcclKernelFuncInfo* funcInfo,
                                            ThreadHandle aicpuThreadHandle, aclrtStream userStream,
                                            const HcclKernelLaunchCfg* kernelLaunchCfg) {
  return CallHccl("HcclAicpuKernelLaunch", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_ASSIGN(op, Read(opInfo, "opInfo", HCCL_OPDESC_MAGIC_WORD,
                             offsetof(HcclOpDesc, p2p) + sizeof(HcclOpP2pDesc), "HcclOpDescInit"));
    SOFTHCCL_REQUIRE(funcInfo);
    SOFTHCCL_ASSIGN(config, Read(kernelLaunchCfg, "kernelLaunchCfg", HCCL_KERNEL_LAUNCH_CFG_MAGIC_WORD,
                                 offsetof(HcclKernelLaunchCfg, reserved), "HcclKernelLaunchCfgInit"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_RETURN_IF_ERROR(found->CheckUsable());
    SOFTHCCL_ASSIGN(user, FindOwnStream(userStream, *device));
    P2pLaunch launch;
    launch.communicator = found;
    launch.limit_seconds = config.timeOut == UINT64_MAX ? OpExecuteSeconds() : static_cast<double>(config.timeOut);
    SOFTHCCL_RETURN_IF_ERROR(ReadThread(aicpuThreadHandle, &launch));
    SOFTHCCL_RETURN_IF_ERROR(ReadOperation(op, *user, *device, &launch));
    HcclKernelFuncInfo function;
    std::memcpy(&function, funcInfo, sizeof function);
    SOFTHCCL_RETURN_IF_ERROR(ReadKernel(function, device->id(), &launch));
    return QueueOrCollect(std::move(launch), *device);
  });
}
