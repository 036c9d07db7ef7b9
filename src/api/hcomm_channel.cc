// Channels between endpoints.
#include <cstddef>
#include <cstring>

#include "api/endpoint_arguments.h"
#include "api/objects.h"
#include "api/report.h"
#include "comm/base_channels.h"
#include "comm/channel_config.h"
#include "comm/communicator.h"
#include "engine/engines.h"
#include "hcomm/hcomm_channel.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::BaseChannels;

namespace {

template <typename Body>
HcommResult CallHcomm(const char* call, Body&& body) {
  return static_cast<HcommResult>(CallHccl(call, std::forward<Body>(body)));
}

// Descriptions of earlier releases end with the attributes.
constexpr std::size_t kSmallest = offsetof(HcommChannelDesc, qos);

Status CheckHeader(const CommAbiHeader& header, uint32_t size_of_first, uint32_t i) {
  if (header.magicWord != HCOMM_CHANNEL_MAGIC_WORD) {
    return base::Fail(Code::kInvalidParam,
                      "channelDescs[{}].header.magicWord is 0x{:x}, expected 0x{:x}; call HcommChannelDescInit first",
                      i, header.magicWord, HCOMM_CHANNEL_MAGIC_WORD);
  }
  if (header.size < kSmallest) {
    return base::Fail(Code::kInvalidParam,
                      "channelDescs[{}].header.size {} is smaller than the {} bytes that are needed; call "
                      "HcommChannelDescInit first",
                      i, header.size, kSmallest);
  }
  if (header.size == size_of_first) return {};
  return base::Fail(Code::kInvalidParam, "channelDescs[{}].header.size is {}, but channelDescs[0] has {}", i,
                    header.size, size_of_first);
}

// The memory that the other side may reach.
base::Result<std::vector<std::uint64_t>> ReadMemories(const HcommChannelDesc& desc, uint32_t i,
                                                      comm::Endpoint& endpoint) {
  constexpr uint32_t kMostMemories = 256;
  if (desc.exchangeAllMems) return endpoint.memories().All();
  std::vector<std::uint64_t> handles;
  if (desc.memHandleNum == 0) return handles;
  if (desc.memHandleNum > kMostMemories) {
    return base::FailResult(Code::kInvalidParam, "channelDescs[{}].memHandleNum {} is larger than the limit of {}", i,
                            desc.memHandleNum, kMostMemories);
  }
  SOFTHCCL_RETURN_RESULT_IF_ERROR(
      RequirePointer(desc.memHandles, fmt::format("channelDescs[{}].memHandles", i).c_str()));
  for (uint32_t k = 0; k < desc.memHandleNum; ++k) {
    auto memory =
        endpoint.memories().Find(Bits(desc.memHandles[k]), fmt::format("channelDescs[{}].memHandles[{}]", i, k));
    if (!memory) return tl::unexpected(memory.error());
    handles.push_back((*memory)->handle);
  }
  return handles;
}

base::Result<comm::BaseChannelRequest> ReadDesc(const HcommChannelDesc& desc, uint32_t i, comm::Endpoint& endpoint) {
  comm::BaseChannelRequest request;
  auto remote = ReadEndpoint(desc.remoteEndpoint, fmt::format("channelDescs[{}].remoteEndpoint", i));
  if (!remote) return tl::unexpected(remote.error());
  request.remote = std::move(*remote);
  request.role = RawValue(desc.role);
  if (request.role < HCOMM_SOCKET_ROLE_RESERVED || request.role > HCOMM_SOCKET_ROLE_SERVER) {
    return base::FailResult(Code::kInvalidParam, "channelDescs[{}].role {} is not known; use {} to {}", i, request.role,
                            static_cast<int>(HCOMM_SOCKET_ROLE_RESERVED), static_cast<int>(HCOMM_SOCKET_ROLE_SERVER));
  }
  if (desc.notifyNum > comm::Communicator::kMaxChannelNotifies) {
    return base::FailResult(Code::kInvalidParam, "channelDescs[{}].notifyNum {} is larger than the limit of {}", i,
                            desc.notifyNum, comm::Communicator::kMaxChannelNotifies);
  }
  request.notify_count = desc.notifyNum;
  request.port = desc.port == 0 ? comm::kListenPort : desc.port;
  auto memories = ReadMemories(desc, i, endpoint);
  if (!memories) return tl::unexpected(memories.error());
  request.memories = std::move(*memories);
  if (desc.header.size < sizeof(HcommChannelDesc) || desc.channelName == nullptr) return request;
  const std::size_t length = ::strnlen(desc.channelName, HCOMM_CHANNEL_NAME_MAX_LEN + 1);
  if (length > HCOMM_CHANNEL_NAME_MAX_LEN) {
    return base::FailResult(Code::kInvalidParam, "channelDescs[{}].channelName is longer than {} characters", i,
                            HCOMM_CHANNEL_NAME_MAX_LEN);
  }
  request.name.assign(desc.channelName, length);
  return request;
}

Status CheckCount(const char* argument, uint32_t count) {
  constexpr uint32_t kMaxChannels = 1048576;
  if (count > 0 && count <= kMaxChannels) return {};
  return base::Fail(Code::kInvalidParam, "{} {} is out of range, use 1 to {}", argument, count, kMaxChannels);
}

Status CreateChannels(const char* call, EndpointHandle endpointHandle, int engine, const HcommChannelDesc* channelDescs,
                      uint32_t channelNum, ChannelHandle* channels) {
  SOFTHCCL_REQUIRE(endpointHandle);
  SOFTHCCL_ASSIGN(endpoint, comm::Endpoints::Get().Find(Bits(endpointHandle)));
  SOFTHCCL_REQUIRE(channelDescs);
  SOFTHCCL_REQUIRE(channels);
  SOFTHCCL_RETURN_IF_ERROR(CheckCount("channelNum", channelNum));
  SOFTHCCL_ASSIGN(info, engine::FindSupportedEngine(engine, call));
  std::vector<comm::BaseChannelRequest> requests;
  const uint32_t stride = channelDescs[0].header.size;
  for (uint32_t i = 0; i < channelNum; ++i) {
    const auto* place = reinterpret_cast<const std::byte*>(channelDescs) + std::size_t{i} * stride;
    const auto& desc = *reinterpret_cast<const HcommChannelDesc*>(place);
    SOFTHCCL_RETURN_IF_ERROR(CheckHeader(desc.header, stride, i));
    SOFTHCCL_ASSIGN(request, ReadDesc(desc, i, *endpoint));
    requests.push_back(std::move(request));
  }
  SOFTHCCL_ASSIGN(hccl, base::ProcessHcclConfig());
  const base::Nanos limit = engine::Runtime::Get().ConnectLimit(hccl);
  SOFTHCCL_ASSIGN(handles, BaseChannels::Get().Create(endpoint, info->value, requests, limit));
  std::copy(handles.begin(), handles.end(), channels);
  return {};
}

Status GetStates(const ChannelHandle* channelList, uint32_t listNum, int32_t* statusList) {
  SOFTHCCL_REQUIRE(channelList);
  SOFTHCCL_REQUIRE(statusList);
  SOFTHCCL_RETURN_IF_ERROR(CheckCount("listNum", listNum));
  std::vector<int32_t> states;
  for (uint32_t i = 0; i < listNum; ++i) {
    SOFTHCCL_ASSIGN(state, BaseChannels::Get().StateOf(channelList[i], fmt::format("channelList[{}]", i)));
    states.push_back(static_cast<int32_t>(state));
  }
  std::copy(states.begin(), states.end(), statusList);
  return {};
}

Status DestroyChannels(const ChannelHandle* channels, uint32_t channelNum) {
  SOFTHCCL_REQUIRE(channels);
  SOFTHCCL_RETURN_IF_ERROR(CheckCount("channelNum", channelNum));
  for (uint32_t i = 0; i < channelNum; ++i) {
    SOFTHCCL_RETURN_IF_ERROR(BaseChannels::Get().Destroy(channels[i], fmt::format("channels[{}]", i)));
  }
  return {};
}

Status SetInt(HcommChannelConfig config, int type, uint32_t value) {
  SOFTHCCL_REQUIRE(config);
  SOFTHCCL_ASSIGN(found, comm::FindChannelConfig(Bits(config), false));
  if (type != HCOMM_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE) {
    return base::Fail(Code::kInvalidParam, "type {} is not known; use HCOMM_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE {}",
                      type, static_cast<int>(HCOMM_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE));
  }
  if (value > 1) {
    return base::Fail(Code::kInvalidParam, "value {} of IS_SHARED_QUEUE is out of range, use 0 or 1", value);
  }
  found->is_shared_queue = value == 1;
  return {};
}

}  // namespace

extern "C" HcommResult HcommChannelCreate(EndpointHandle endpointHandle, CommEngine engine,
                                          HcommChannelDesc* channelDescs, uint32_t channelNum,
                                          ChannelHandle* channels) {
  return CallHcomm("HcommChannelCreate", [&] {
    return CreateChannels("HcommChannelCreate", endpointHandle, RawValue(engine), channelDescs, channelNum, channels);
  });
}

extern "C" HcommResult HcommChannelCreateWithConfig(EndpointHandle endpointHandle, CommEngine engine,
                                                    HcommChannelDesc* channelDescs, uint32_t channelNum,
                                                    HcommChannelConfig config, ChannelHandle* channels) {
  return CallHcomm("HcommChannelCreateWithConfig", [&]() -> Status {
    if (config != nullptr) {
      SOFTHCCL_ASSIGN(options, comm::FindChannelConfig(Bits(config), false));
      static_cast<void>(options);  // about hardware queues, which there are none of
    }
    return CreateChannels("HcommChannelCreateWithConfig", endpointHandle, RawValue(engine), channelDescs, channelNum,
                          channels);
  });
}

extern "C" HcommResult HcommChannelGetStatus(const ChannelHandle* channelList, uint32_t listNum, int32_t* statusList) {
  return CallHcomm("HcommChannelGetStatus", [&] { return GetStates(channelList, listNum, statusList); });
}

extern "C" HcommResult HcommChannelDestroy(const ChannelHandle* channels, uint32_t channelNum) {
  return CallHcomm("HcommChannelDestroy", [&] { return DestroyChannels(channels, channelNum); });
}

extern "C" HcommResult HcommChannelConfigCreate(HcommChannelConfig* config) {
  return CallHcomm("HcommChannelConfigCreate", [&]() -> Status {
    SOFTHCCL_REQUIRE(config);
    SOFTHCCL_ASSIGN(handle, comm::CreateChannelConfig(false));
    *config = Handle(handle);
    return {};
  });
}

extern "C" HcommResult HcommChannelConfigDestroy(HcommChannelConfig config) {
  return CallHcomm("HcommChannelConfigDestroy", [&]() -> Status {
    SOFTHCCL_REQUIRE(config);
    return comm::DestroyChannelConfig(Bits(config), false);
  });
}

extern "C" HcommResult HcommChannelConfigSetInt(HcommChannelConfig config, HcommChannelConfigType type,
                                                uint32_t value) {
  return CallHcomm("HcommChannelConfigSetInt", [&] { return SetInt(config, RawValue(type), value); });
}
