// What operators acquire from a communicator: contexts, threads, channels, buffers.
#include <cstring>

#include "api/objects.h"
#include "api/report.h"
#include "engine/engines.h"
#include "engine/faithful.h"
#include "hccl/hccl_res.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::Communicator;

namespace {

// A null tag is the reserved empty one.
base::Result<std::string> ReadTag(const char* tag) {
  const std::string text = tag == nullptr ? "" : std::string(tag, ::strnlen(tag, Communicator::kMaxTag + 1));
  if (text.size() > Communicator::kMaxTag) {
    return base::FailResult(Code::kInvalidParam, "ctxTag \"{}...\" is longer than {} characters", text.substr(0, 32),
                            Communicator::kMaxTag);
  }
  return text;
}

base::Result<comm::ChannelRequest> ReadDesc(const HcclChannelDesc& desc, std::size_t i, const Communicator& comm) {
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
  return comm::ChannelRequest{desc.remoteRank, protocol, desc.notifyNum};
}

Status AcquireChannels(HcclComm comm, int engine, const HcclChannelDesc* channelDescs, uint32_t channelNum,
                       ChannelHandle* channels) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclChannelAcquire"));
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(channelDescs);
  SOFTHCCL_REQUIRE(channels);
  constexpr uint32_t kMaxChannels = 1048576;
  if (channelNum == 0 || channelNum > kMaxChannels) {
    return base::Fail(Code::kInvalidParam, "channelNum {} is out of range, use 1 to {}", channelNum, kMaxChannels);
  }
  SOFTHCCL_ASSIGN(info, engine::FindSupportedEngine(engine, "HcclChannelAcquire"));
  SOFTHCCL_RETURN_IF_ERROR(engine::CheckEngine("HcclChannelAcquire", engine, engine::FaithfulProduct()));
  if (channelNum > 1 && channelDescs[0].header.magicWord == HCCL_CHANNEL_MAGIC_WORD &&
      channelDescs[0].header.size != sizeof(HcclChannelDesc)) {
    return base::Fail(Code::kInvalidParam,
                      "channelDescs[0].header.size is {}, but an array is read in steps of {} bytes; "
                      "acquire the channels one by one or use the same headers",
                      channelDescs[0].header.size, sizeof(HcclChannelDesc));
  }
  std::vector<comm::ChannelRequest> requests;
  for (uint32_t i = 0; i < channelNum; ++i) {
    SOFTHCCL_ASSIGN(request, ReadDesc(channelDescs[i], i, *found));
    requests.push_back(request);
  }
  SOFTHCCL_ASSIGN(handles, found->AcquireChannels(info->value, requests));
  std::copy(handles.begin(), handles.end(), channels);
  return {};
}

}  // namespace

extern "C" HcclResult HcclEngineCtxCreate(HcclComm comm, const char* ctxTag, CommEngine engine, uint64_t size,
                                          void** ctx) {
  return CallHccl("HcclEngineCtxCreate", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(ctx);
    SOFTHCCL_ASSIGN(tag, ReadTag(ctxTag));
    SOFTHCCL_ASSIGN(data, found->CreateContext(tag, RawValue(engine), size));
    *ctx = data;
    return {};
  });
}

extern "C" HcclResult HcclEngineCtxGet(HcclComm comm, const char* ctxTag, CommEngine engine, void** ctx,
                                       uint64_t* size) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(ctx);
    SOFTHCCL_REQUIRE(size);
    SOFTHCCL_ASSIGN(tag, ReadTag(ctxTag));
    SOFTHCCL_ASSIGN(context, found->FindContext(tag, RawValue(engine)));
    *ctx = context.data;
    *size = context.size;
    return {};
  });
  // Operators ask before they create: not finding a context is no error worth a line.
  return ReportHccl("HcclEngineCtxGet", status, status.code() == Code::kNotFound ? Loudness::kProbe : Loudness::kError);
}

extern "C" HcclResult HcclThreadAcquire(HcclComm comm, CommEngine engine, uint32_t threadNum,
                                        uint32_t notifyNumPerThread, ThreadHandle* threads) {
  return CallHccl("HcclThreadAcquire", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(threads);
    SOFTHCCL_ASSIGN(info, engine::FindSupportedEngine(RawValue(engine), "HcclThreadAcquire"));
    SOFTHCCL_ASSIGN(handles, found->AcquireThreads(info->value, threadNum, notifyNumPerThread));
    std::copy(handles.begin(), handles.end(), threads);
    return {};
  });
}

extern "C" HcclResult HcclChannelAcquire(HcclComm comm, CommEngine engine, const HcclChannelDesc* channelDescs,
                                         uint32_t channelNum, ChannelHandle* channels) {
  return CallHccl("HcclChannelAcquire",
                  [&] { return AcquireChannels(comm, RawValue(engine), channelDescs, channelNum, channels); });
}

extern "C" HcclResult HcclGetHcclBuffer(HcclComm comm, void** buffer, uint64_t* size) {
  return CallHccl("HcclGetHcclBuffer", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(buffer);
    SOFTHCCL_REQUIRE(size);
    *buffer = found->buffer().data();
    *size = found->buffer().size();
    return {};
  });
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
