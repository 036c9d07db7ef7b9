#include "scene.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "hccl/hccl_channel.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_launch.h"
#include "hccl/hccl_res.h"
#include "hccl/hccl_team.h"
#include "hcomm/hcomm_channel.h"
#include "hcomm/hcomm_primitives.h"
#include "hcomm/hcomm_res.h"

namespace softhccl::hostile {
namespace {

template <typename T>
Word Bits(T handle) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<Word>(handle);
  } else {
    return handle;
  }
}

// A scene that is not what it should be would turn every later answer into nonsense.
void Must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "hostile test: %s failed: %s\n", what, aclGetRecentErrMsg());
  _exit(100);
}
#define MUST(call) Must((call) == 0, #call)

struct RankObjects {
  HcclComm comm = nullptr;
  ThreadHandle thread = 0;
  ChannelHandle channel = 0;
};

RankObjects JoinRank(const HcclRootInfo& root, uint32_t rank) {
  RankObjects objects;
  MUST(HcclCommInitRootInfo(2, &root, rank, &objects.comm));
  MUST(HcclThreadAcquire(objects.comm, COMM_ENGINE_CPU, 1, 2, &objects.thread));
  HcclChannelDesc desc;
  MUST(HcclChannelDescInit(&desc, 1));
  desc.remoteRank = 1 - rank;
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.notifyNum = 2;
  MUST(HcclChannelAcquire(objects.comm, COMM_ENGINE_CPU, &desc, 1, &objects.channel));
  return objects;
}

int Nothing() { return 0; }

}  // namespace

Scene::Scene() : memory_(kMemoryBytes * kMostParameters) {
  MUST(aclInit(nullptr));
  MUST(aclrtSetDevice(0));
  MakeRuntimeObjects();
  MakeKernelAndGraph();
  MakeCommunicator();
}

void Scene::MakeRuntimeObjects() {
  aclrtStream stream = nullptr, old_stream = nullptr;
  aclrtEvent event = nullptr, old_event = nullptr;
  aclrtNotify notify = nullptr, old_notify = nullptr;
  aclrtCntNotify count = nullptr, old_count = nullptr;
  aclrtContext context = nullptr, old_context = nullptr;
  MUST(aclrtCreateContext(&old_context, 0));
  MUST(aclrtDestroyContext(old_context));
  MUST(aclrtSetDevice(0));
  MUST(aclrtGetCurrentContext(&context));
  MUST(aclrtCreateStream(&old_stream));
  MUST(aclrtCreateEvent(&old_event));
  MUST(aclrtCreateNotify(&old_notify, 0));
  MUST(aclrtCntNotifyCreate(&old_count, 0));
  MUST(aclrtDestroyStream(old_stream));
  MUST(aclrtDestroyEvent(old_event));
  MUST(aclrtDestroyNotify(old_notify));
  MUST(aclrtCntNotifyDestroy(old_count));
  MUST(aclrtCreateStream(&stream));
  MUST(aclrtCreateEvent(&event));
  MUST(aclrtCreateNotify(&notify, 0));
  MUST(aclrtCntNotifyCreate(&count, 0));
  const aclrtPhysicalMemProp prop{ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_HBM_MEM_HUGE, {}, 0};
  aclrtDrvMemHandle physical = nullptr, old_physical = nullptr;
  MUST(aclrtMallocPhysical(&old_physical, 2 << 20, &prop, 0));
  MUST(aclrtFreePhysical(old_physical));
  MUST(aclrtMallocPhysical(&physical, 2 << 20, &prop, 0));
  const aclrtBinary old_data = aclrtCreateBinary("old", 3);
  MUST(aclrtDestroyBinary(old_data));
  void *memory = nullptr, *freed = nullptr;
  MUST(aclrtMalloc(&freed, 1 << 16, ACL_MEM_MALLOC_HUGE_FIRST));
  MUST(aclrtMalloc(&memory, 1 << 16, ACL_MEM_MALLOC_HUGE_FIRST));
  MUST(aclrtFree(freed));
  device_memory_ = Bits(memory);
  freed_device_memory_ = Bits(freed);
  MUST(aclrtRecordEvent(event, stream));
  MUST(aclrtSynchronizeStream(stream));
  valid_ = {{"aclrtStream", Bits(stream)},         {"rtStream_t", Bits(stream)},
            {"aclrtEvent", Bits(event)},           {"aclrtNotify", Bits(notify)},
            {"aclrtCntNotify", Bits(count)},       {"aclrtContext", Bits(context)},
            {"aclrtDrvMemHandle", Bits(physical)}, {"aclrtBinary", Bits(aclrtCreateBinary("no library", 10))}};
  stale_ = {{"aclrtStream", Bits(old_stream)},   {"aclrtEvent", Bits(old_event)},
            {"aclrtNotify", Bits(old_notify)},   {"aclrtCntNotify", Bits(old_count)},
            {"aclrtContext", Bits(old_context)}, {"aclrtDrvMemHandle", Bits(old_physical)},
            {"aclrtBinary", Bits(old_data)}};
}

void Scene::MakeKernelAndGraph() {
  aclrtBinaryLoadOption option{};
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = 1;
  aclrtBinaryLoadOptions options{&option, 1};
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle function = nullptr;
  MUST(aclrtBinaryLoadFromFile(HOSTILE_KERNEL_FOLDER "/libconformance_kernels.json", &options, &binary));
  MUST(aclrtBinaryGetFunction(binary, "ReturnSeven", &function));
  valid_["aclrtBinHandle"] = Bits(binary);
  aclrtArgsHandle arguments = nullptr;
  MUST(aclrtKernelArgsInit(function, &arguments));
  aclrtParamHandle placeholder = nullptr;
  MUST(aclrtKernelArgsAppendPlaceHolder(arguments, &placeholder));
  void* behind = nullptr;
  MUST(aclrtKernelArgsGetPlaceHolderBuffer(arguments, placeholder, 8, &behind));
  MUST(aclrtKernelArgsFinalize(arguments));
  aclmdlRI graph = nullptr;
  const auto captured = reinterpret_cast<aclrtStream>(valid_.at("aclrtStream"));
  MUST(aclmdlRICaptureBegin(captured, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  MUST(aclmdlRICaptureEnd(captured, &graph));
  valid_["aclmdlRI"] = Bits(graph);
  valid_["aclrtParamHandle"] = Bits(placeholder);
  valid_["aclrtFuncHandle"] = Bits(function);
  valid_["aclrtArgsHandle"] = Bits(arguments);
}

void Scene::MakeCommunicator() {
  HcclRootInfo root;
  MUST(HcclGetRootInfo(&root));
  std::thread other([&root] {
    MUST(aclrtSetDevice(1));
    JoinRank(root, 1);
  });
  const RankObjects objects = JoinRank(root, 0);
  other.join();
  valid_["HcclComm"] = Bits(objects.comm);
  valid_["ThreadHandle"] = objects.thread;
  valid_["ChannelHandle"] = objects.channel;
  MakeEndpoint();
  MakeTeam(objects.comm);
  char name[COMM_NAME_MAX_LENGTH] = {};
  MUST(HcclGetCommName(objects.comm, name));
  comm_name_ = name;
}

// Of one rank, so that nothing waits for the other.
void Scene::MakeTeam(HcclComm comm) {
  const uint32_t self = 0;
  HcclTeamCreateDesc desc;
  MUST(HcclTeamCreateDescInit(&desc));
  desc.rankIds = &self;
  desc.rankNum = 1;
  HcommTeamHandle team = nullptr, old_team = nullptr;
  HcommWindowHandle window = nullptr, old_window = nullptr;
  MUST(HcclWorldTeamCreate(comm, &desc, &old_team));
  MUST(HcclTeamDestroy(old_team));
  MUST(HcclWorldTeamCreate(comm, &desc, &team));
  const CommMem mem{COMM_MEM_TYPE_DEVICE, reinterpret_cast<void*>(device_memory_), kMemoryBytes};
  MUST(HcclTeamWindowRegister(comm, team, &mem, &old_window, 0));
  MUST(HcclTeamWindowDeregister(team, old_window));
  MUST(HcclTeamWindowRegister(comm, team, &mem, &window, 0));
  valid_["HcommTeamHandle"] = Bits(team);
  valid_["HcommWindowHandle"] = Bits(window);
  stale_["HcommTeamHandle"] = Bits(old_team);
  stale_["HcommWindowHandle"] = Bits(old_window);
}

bool Scene::CommunicatorFailed() const {
  HcclResult error = HCCL_SUCCESS;
  const auto comm = reinterpret_cast<HcclComm>(valid_.at("HcclComm"));
  return HcclGetCommAsyncError(comm, &error) != HCCL_SUCCESS || error != HCCL_SUCCESS;
}

void Scene::MakeEndpoint() {
  EndpointDesc desc;
  uint32_t count = 1;
  EndpointHandle endpoint = nullptr;
  HcommMemHandle memory = nullptr;
  HcclChannelConfig config = nullptr;
  HcommChannelConfig base_config = nullptr;
  MUST(HcommEndpointGetDescs(0, &count, &desc));
  MUST(HcommEndpointCreate(&desc, &endpoint));
  const CommMem mem{COMM_MEM_TYPE_DEVICE, reinterpret_cast<void*>(device_memory_), kMemoryBytes};
  MUST(HcommMemReg(endpoint, "memory", &mem, &memory));
  MUST(HcclChannelConfigCreate(&config));
  MUST(HcommChannelConfigCreate(&base_config));
  valid_["EndpointHandle"] = Bits(endpoint);
  valid_["HcommMemHandle"] = Bits(memory);
  valid_["HcclChannelConfig"] = Bits(config);
  valid_["HcommChannelConfig"] = Bits(base_config);
}

Word Scene::Valid(const std::string& type, Word other) const {
  const auto found = valid_.find(type.rfind("const ", 0) == 0 ? type.substr(6) : type);
  return found == valid_.end() ? other : found->second;
}

Word Scene::Stale(const std::string& type) const {
  const auto found = stale_.find(type);
  return found == stale_.end() ? stale_.at("aclrtEvent") : found->second;
}

Word Scene::Memory(std::size_t index, int byte) {
  unsigned char* memory = memory_.data() + index * kMemoryBytes;
  std::memset(memory, byte, kMemoryBytes - 1);
  memory[kMemoryBytes - 1] = 0;
  return Bits(memory);
}

Word Scene::Plausible(const Function& function, std::size_t index) {
  const Parameter& parameter = function.parameters[index];
  switch (parameter.kind) {
    case Kind::kHandle: return Valid(parameter.type, 0);
    case Kind::kEnumeration: {
      if (parameter.type == "aclrtMemcpyKind") {
        const bool is_described = function.name.find("Desc") != std::string::npos;     // which has one kind only
        return is_described ? ACL_MEMCPY_INNER_DEVICE_TO_DEVICE : ACL_MEMCPY_DEFAULT;  // the first is not for streams
      }
      const auto found = EnumeratorsOf().find(parameter.type);
      if (found == EnumeratorsOf().end()) return 0;
      for (const long long value : found->second) {
        if (value >= 0) return static_cast<Word>(value);
      }
      return 0;
    }
    case Kind::kInteger:
      if (parameter.name == "N") return 1;  // words, which memSize has to hold
      if (parameter.name == "memSize") return 4;
      if (parameter.name == "argsSize") return 64;                                     // a placeholder needs 8
      if (function.name == "aclrtReduceAsync" && parameter.name == "count") return 4;  // bytes of one element
      for (const char* part : {"ount", "um", "ize", "en", "ytes", "Max", "idth", "eight", "itch", "ime"}) {
        if (parameter.name.find(part) != std::string::npos) return 1;
      }
      return 0;
    case Kind::kFloating:
    case Kind::kStructure: return 0;
    case Kind::kText: {
      const Word text = Memory(index, 0);
      std::memcpy(reinterpret_cast<char*>(text), comm_name_.c_str(), comm_name_.size());
      return text;
    }
    case Kind::kCallback: return reinterpret_cast<Word>(&Nothing);
    case Kind::kPointer: break;
  }
  for (const char* name : {"reserve", "cfg"}) {
    if (parameter.name == name) return 0;
  }
  if (parameter.name == "config" && !parameter.points_to_data) return 0;
  if (parameter.name == "func") return valid_.at("aclrtFuncHandle");
  if (!parameter.points_to_data) {
    std::memset(reinterpret_cast<void*>(device_memory_), 0, kMemoryBytes);
    return device_memory_ + index % 8 * kMemoryBytes;
  }
  const Word memory = Memory(index, 0);
  if (parameter.type.find("HcclCommConfig*") != std::string::npos) {
    HcclCommConfigInit(reinterpret_cast<HcclCommConfig*>(memory));
  } else if (parameter.type.find("HcclOpDesc*") != std::string::npos) {
    Must(HcclOpDescInit(reinterpret_cast<HcclOpDesc*>(memory)) == 0, "HcclOpDescInit");
  } else if (parameter.type.find("HcclKernelLaunchCfg*") != std::string::npos) {
    Must(HcclKernelLaunchCfgInit(reinterpret_cast<HcclKernelLaunchCfg*>(memory)) == 0, "HcclKernelLaunchCfgInit");
  } else if (parameter.type.find("HcclTeamCreateDesc*") != std::string::npos) {
    Must(HcclTeamCreateDescInit(reinterpret_cast<HcclTeamCreateDesc*>(memory)) == 0, "HcclTeamCreateDescInit");
  } else if (parameter.type.find("HcclTeamCreateChannelsDesc*") != std::string::npos) {
    auto* desc = reinterpret_cast<HcclTeamCreateChannelsDesc*>(memory);
    Must(HcclTeamCreateChannelsDescInit(desc) == 0, "HcclTeamCreateChannelsDescInit");
  } else if (parameter.type.find("HcclChannelDesc*") != std::string::npos) {
    Must(HcclChannelDescInit(reinterpret_cast<HcclChannelDesc*>(memory), 1) == 0, "HcclChannelDescInit");
  } else if (parameter.type.find("aclrtCntNotifyWaitInfo*") != std::string::npos) {
    reinterpret_cast<aclrtCntNotifyWaitInfo*>(memory)->mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;  // to 0, which it is
  }
  return memory;
}

}  // namespace softhccl::hostile
