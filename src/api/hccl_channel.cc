// The channels of a communicator and their options.
#include <cstddef>
#include <cstring>
#include <mutex>

#include "api/objects.h"
#include "api/report.h"
#include "comm/channel_config.h"
#include "comm/objects.h"
#include "engine/engines.h"
#include "engine/faithful.h"
#include "hccl/hccl_res.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::Communicator;

namespace {

// The registered memory that the peer may reach.
base::Result<std::vector<std::uint64_t>> ReadMemories(const HcclChannelDesc& desc, std::size_t i, Communicator& comm) {
  constexpr uint32_t kMostMemories = 256;
  std::vector<std::uint64_t> handles;
  if (desc.memHandleNum == 0 || desc.header.size < offsetof(HcclChannelDesc, raws)) return handles;
  if (desc.memHandleNum > kMostMemories) {
    return base::FailResult(Code::kInvalidParam, "channelDescs[{}].memHandleNum {} is larger than the limit of {}", i,
                            desc.memHandleNum, kMostMemories);
  }
  SOFTHCCL_RETURN_RESULT_IF_ERROR(
      RequirePointer(desc.memHandles, fmt::format("channelDescs[{}].memHandles", i).c_str()));
  for (uint32_t k = 0; k < desc.memHandleNum; ++k) {
    auto memory = comm.memories().Find(Bits(desc.memHandles[k]), fmt::format("channelDescs[{}].memHandles[{}]", i, k));
    if (!memory) return tl::unexpected(memory.error());
    handles.push_back((*memory)->handle);
  }
  return handles;
}

base::Result<comm::ChannelRequest> ReadDesc(const HcclChannelDesc& desc, std::size_t i, Communicator& comm) {
  const auto bad = [&](std::string what) {
    return base::FailResult(Code::kInvalidParam, "channelDescs[{}]{}", i, what);
  };
  if (desc.header.magicWord != HCCL_CHANNEL_MAGIC_WORD) {
    return bad(fmt::format(".header.magicWord is 0x{:x}, expected 0x{:x}; call HcclChannelDescInit first",
                           desc.header.magicWord, HCCL_CHANNEL_MAGIC_WORD));
  }
  if (desc.header.size < offsetof(HcclChannelDesc, memHandles)) {
    return bad(
        fmt::format(".header.size {} is smaller than the {} bytes that are needed; call HcclChannelDescInit first",
                    desc.header.size, offsetof(HcclChannelDesc, memHandles)));
  }
  if (desc.remoteRank >= comm.size()) {
    return bad(
        fmt::format(".remoteRank {} is out of range, the communicator has {} ranks", desc.remoteRank, comm.size()));
  }
  if (desc.remoteRank == comm.rank()) {
    return bad(fmt::format(".remoteRank {} equals own rank; a channel leads to another rank", desc.remoteRank));
  }
  const int protocol = RawValue(desc.channelProtocol);
  if (protocol < COMM_PROTOCOL_HCCS || protocol > COMM_PROTOCOL_UB_RTP) {
    return bad(fmt::format(".channelProtocol {} is not known; use COMM_PROTOCOL_HCCS {} to COMM_PROTOCOL_UB_RTP {}",
                           protocol, static_cast<int>(COMM_PROTOCOL_HCCS), static_cast<int>(COMM_PROTOCOL_UB_RTP)));
  }
  const Status spoken = engine::CheckProtocol(protocol, engine::FaithfulProduct());
  if (!spoken.ok()) return bad(": " + spoken.message());
  if (desc.notifyNum > Communicator::kMaxChannelNotifies) {
    return bad(
        fmt::format(".notifyNum {} is larger than the limit of {}", desc.notifyNum, Communicator::kMaxChannelNotifies));
  }
  auto memories = ReadMemories(desc, i, comm);
  if (!memories) return tl::unexpected(memories.error());
  return comm::ChannelRequest{desc.remoteRank, protocol, desc.notifyNum, std::move(*memories)};
}

// What a call about channels asks for.
struct Asked {
  std::shared_ptr<Communicator> comm;
  int engine = -1;
  std::vector<comm::ChannelRequest> requests;
};

base::Status ReadCall(const char* call, HcclComm comm, int engine, const HcclChannelDesc* channelDescs,
                      uint32_t channelNum, const ChannelHandle* channels, Asked* asked) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(channelDescs);
  SOFTHCCL_REQUIRE(channels);
  constexpr uint32_t kMaxChannels = 1048576;
  if (channelNum == 0 || channelNum > kMaxChannels) {
    return base::Fail(Code::kInvalidParam, "channelNum {} is out of range, use 1 to {}", channelNum, kMaxChannels);
  }
  SOFTHCCL_ASSIGN(info, engine::FindSupportedEngine(engine, call));
  SOFTHCCL_RETURN_IF_ERROR(engine::CheckEngine(call, engine, engine::FaithfulProduct()));
  if (channelNum > 1 && channelDescs[0].header.magicWord == HCCL_CHANNEL_MAGIC_WORD &&
      channelDescs[0].header.size != sizeof(HcclChannelDesc)) {
    return base::Fail(Code::kInvalidParam,
                      "channelDescs[0].header.size is {}, but an array is read in steps of {} bytes; "
                      "acquire the channels one by one or use the same headers",
                      channelDescs[0].header.size, sizeof(HcclChannelDesc));
  }
  for (uint32_t i = 0; i < channelNum; ++i) {
    SOFTHCCL_ASSIGN(request, ReadDesc(channelDescs[i], i, *found));
    asked->requests.push_back(std::move(request));
  }
  asked->comm = found;
  asked->engine = info->value;
  return {};
}

Status AcquireChannels(const char* call, HcclComm comm, int engine, const HcclChannelDesc* channelDescs,
                       uint32_t channelNum, ChannelHandle* channels) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
  Asked asked;
  SOFTHCCL_RETURN_IF_ERROR(ReadCall(call, comm, engine, channelDescs, channelNum, channels, &asked));
  SOFTHCCL_ASSIGN(handles, asked.comm->AcquireChannels(asked.engine, asked.requests));
  std::copy(handles.begin(), handles.end(), channels);
  return {};
}

// More than a communicator can hold; a greater number was never initialised.
constexpr uint32_t kMostDestroyed = 1048576;

Status DestroyChannels(HcclComm comm, const ChannelHandle* channels, uint32_t channelNum) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclChannelDestroy"));
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(channels);
  if (channelNum == 0 || channelNum > kMostDestroyed) {
    return base::Fail(Code::kInvalidParam, "channelNum {} is out of range, use 1 to {}", channelNum, kMostDestroyed);
  }
  if (engine::IsFaithful()) {
    for (uint32_t i = 0; i < channelNum; ++i) {
      const comm::Channel* channel = comm::Channels().Lookup(channels[i]);
      if (channel == nullptr) continue;  // somebody else's answer
      SOFTHCCL_RETURN_IF_ERROR(engine::CheckEngine("HcclChannelDestroy", channel->engine, engine::FaithfulProduct()));
    }
  }
  Status first;
  for (uint32_t i = 0; i < channelNum; ++i) {
    Status destroyed = found->DestroyChannel(channels[i]);
    if (first.ok() && !destroyed.ok()) first = std::move(destroyed).While(fmt::format("destroying channels[{}]", i));
  }
  return first;
}

// The arrays that HcclChannelGetRemoteMems hands out.
struct Listing {
  std::vector<CommMem> memories;
  std::vector<std::string> texts;
  std::vector<char*> tags;
};

std::shared_ptr<Listing> ListMemories(const comm::Channel& channel) {
  auto listing = std::make_shared<Listing>();
  const transport::Window& buffer = channel.link->window();
  listing->memories.push_back(CommMem{COMM_MEM_TYPE_DEVICE, buffer.data, buffer.size});
  listing->texts.emplace_back("HcclBuffer");
  for (const auto& region : channel.peer_memories) {
    const CommMemType type = region->space() == memory::Space::kHost ? COMM_MEM_TYPE_HOST : COMM_MEM_TYPE_DEVICE;
    listing->memories.push_back(CommMem{type, region->data(), region->size()});
    listing->texts.push_back(region->tag());
  }
  for (std::string& text : listing->texts) listing->tags.push_back(text.data());
  return listing;
}

Status GetRemoteMems(HcclComm comm, ChannelHandle channel, uint32_t* memNum, CommMem** remoteMems, char*** memTags) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(memNum);
  SOFTHCCL_REQUIRE(remoteMems);
  SOFTHCCL_REQUIRE(memTags);
  SOFTHCCL_ASSIGN(end, found->FindChannel(channel));
  static std::mutex mutex;  // of the listings
  const std::lock_guard lock(mutex);
  if (end->listing == nullptr) end->listing = ListMemories(*end);
  auto* listing = static_cast<Listing*>(end->listing.get());
  *memNum = static_cast<uint32_t>(listing->memories.size());
  *remoteMems = listing->memories.data();
  *memTags = listing->tags.data();
  return {};
}

Status SetInt(HcclChannelConfig config, int type, uint32_t value) {
  SOFTHCCL_REQUIRE(config);
  SOFTHCCL_ASSIGN(found, comm::FindChannelConfig(Bits(config), true));
  if (type != HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE) {
    return base::Fail(Code::kInvalidParam,
                      "type {} is no option with a number; use "
                      "HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE {}",
                      type, static_cast<int>(HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE));
  }
  if (value > 1)
    return base::Fail(Code::kInvalidParam, "value {} of IS_SHARED_QUEUE is out of range, use 0 or 1", value);
  found->is_shared_queue = value == 1;
  return {};
}

Status SetStr(HcclChannelConfig config, int type, const char* value) {
  SOFTHCCL_REQUIRE(config);
  SOFTHCCL_REQUIRE(value);
  SOFTHCCL_ASSIGN(found, comm::FindChannelConfig(Bits(config), true));
  if (type != HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG) {
    return base::Fail(Code::kInvalidParam,
                      "type {} is no option with a text; use "
                      "HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG {}",
                      type, static_cast<int>(HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG));
  }
  const std::size_t length = ::strnlen(value, HCCL_CHANNEL_CONFIG_SHARED_QUEUE_TAG_MAX_LEN + 1);
  if (length > HCCL_CHANNEL_CONFIG_SHARED_QUEUE_TAG_MAX_LEN) {
    return base::Fail(Code::kInvalidParam, "value of SHARED_QUEUE_TAG is longer than {} characters",
                      HCCL_CHANNEL_CONFIG_SHARED_QUEUE_TAG_MAX_LEN);
  }
  found->shared_queue_tag.assign(value, length);
  return {};
}

}  // namespace

extern "C" HcclResult HcclChannelAcquire(HcclComm comm, CommEngine engine, const HcclChannelDesc* channelDescs,
                                         uint32_t channelNum, ChannelHandle* channels) {
  return CallHccl("HcclChannelAcquire", [&] {
    return AcquireChannels("HcclChannelAcquire", comm, RawValue(engine), channelDescs, channelNum, channels);
  });
}

extern "C" HcclResult HcclChannelAcquireWithConfig(HcclComm comm, CommEngine engine,
                                                   const HcclChannelDesc* channelDescs, uint32_t channelNum,
                                                   HcclChannelConfig config, ChannelHandle* channels) {
  return CallHccl("HcclChannelAcquireWithConfig", [&]() -> Status {
    if (config != nullptr) {
      SOFTHCCL_ASSIGN(options, comm::FindChannelConfig(Bits(config), true));
      static_cast<void>(options);  // about hardware queues, which there are none of
    }
    return AcquireChannels("HcclChannelAcquireWithConfig", comm, RawValue(engine), channelDescs, channelNum, channels);
  });
}

extern "C" HcclResult HcclChannelQuery(HcclComm comm, CommEngine engine, const HcclChannelDesc* channelDescs,
                                       uint32_t channelNum, ChannelHandle* channels) {
  return CallHccl("HcclChannelQuery", [&]() -> Status {
    Asked asked;
    SOFTHCCL_RETURN_IF_ERROR(
        ReadCall("HcclChannelQuery", comm, RawValue(engine), channelDescs, channelNum, channels, &asked));
    const auto handles = asked.comm->QueryChannels(asked.engine, asked.requests);
    std::copy(handles.begin(), handles.end(), channels);
    return {};
  });
}

extern "C" HcclResult HcclChannelDestroy(HcclComm comm, const ChannelHandle* channels, uint32_t channelNum) {
  return CallHccl("HcclChannelDestroy", [&] { return DestroyChannels(comm, channels, channelNum); });
}

extern "C" HcclResult HcclChannelGetHcclBuffer(HcclComm comm, ChannelHandle channel, void** buffer, uint64_t* size) {
  return CallHccl("HcclChannelGetHcclBuffer", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(buffer);
    SOFTHCCL_REQUIRE(size);
    SOFTHCCL_ASSIGN(window, found->PeerBuffer(channel));
    *buffer = window.data;
    *size = window.size;
    return {};
  });
}

extern "C" HcclResult HcclChannelGetRemoteMems(HcclComm comm, ChannelHandle channel, uint32_t* memNum,
                                               CommMem** remoteMems, char*** memTags) {
  return CallHccl("HcclChannelGetRemoteMems",
                  [&] { return GetRemoteMems(comm, channel, memNum, remoteMems, memTags); });
}

extern "C" HcclResult HcclChannelConfigCreate(HcclChannelConfig* config) {
  return CallHccl("HcclChannelConfigCreate", [&]() -> Status {
    SOFTHCCL_REQUIRE(config);
    SOFTHCCL_ASSIGN(handle, comm::CreateChannelConfig(true));
    *config = Handle(handle);
    return {};
  });
}

extern "C" HcclResult HcclChannelConfigDestroy(HcclChannelConfig config) {
  return CallHccl("HcclChannelConfigDestroy", [&]() -> Status {
    SOFTHCCL_REQUIRE(config);
    return comm::DestroyChannelConfig(Bits(config), true);
  });
}

extern "C" HcclResult HcclChannelConfigSetInt(HcclChannelConfig config, HcclChannelConfigType type, uint32_t value) {
  return CallHccl("HcclChannelConfigSetInt", [&] { return SetInt(config, RawValue(type), value); });
}

extern "C" HcclResult HcclChannelConfigSetStr(HcclChannelConfig config, HcclChannelConfigType type, const char* value) {
  return CallHccl("HcclChannelConfigSetStr", [&] { return SetStr(config, RawValue(type), value); });
}
