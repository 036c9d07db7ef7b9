// Communicators: root info, creation, destruction, queries.
#include <cstddef>
#include <cstring>

#include "api/error_map.h"
#include "api/objects.h"
#include "api/report.h"
#include "base/log.h"
#include "hccl/hccl_comm.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::Communicator;
using comm::Registry;
using engine::Runtime;

namespace {

constexpr std::size_t kMaxCommName = 128;  // with its NUL

// The text that HcclGetRootInfo put into the opaque bytes.
base::Result<std::string> ReadRootId(const HcclRootInfo& root) {
  const std::size_t length = ::strnlen(root.internal, kMaxCommName);
  if (length == 0 || length >= kMaxCommName) {
    return base::FailResult(Code::kInvalidParam,
                            "rootInfo was not filled by HcclGetRootInfo, or not copied whole ({} bytes)",
                            sizeof root.internal);
  }
  return std::string(root.internal, length);
}

// The fields of the configuration that have an effect here, as far as the caller's version has them.
Status ReadCommConfig(const HcclCommConfig& config, Communicator::Options* options) {
  std::uint64_t size = 0;
  std::uint32_t magic = 0;
  std::memcpy(&size, config.reserved, sizeof size);
  std::memcpy(&magic, config.reserved + sizeof size, sizeof magic);
  constexpr std::uint32_t kMagic = 0xF0F0F0F0;
  if (magic != kMagic || size < offsetof(HcclCommConfig, hcclUdi)) {
    return base::Fail(Code::kInvalidParam,
                      "EI0003 config has magic 0x{:x} and size {}, expected 0x{:x} and at least {}; call "
                      "HcclCommConfigInit first",
                      magic, size, kMagic, offsetof(HcclCommConfig, hcclUdi));
  }
  constexpr std::uint32_t kNotSet = 0xFFFFFFFF;
  if (config.hcclBufferSize == 0) {
    return base::Fail(Code::kInvalidParam, "EI0003 config->hcclBufferSize 0 is not valid; use at least 1 (MB)");
  }
  if (config.hcclBufferSize != kNotSet) options->buffer_mib = config.hcclBufferSize;
  const std::size_t length = ::strnlen(config.hcclCommName, sizeof config.hcclCommName);
  if (length == sizeof config.hcclCommName) {
    return base::Fail(Code::kInvalidParam, "EI0003 config->hcclCommName has no end; use at most {} characters",
                      length - 1);
  }
  options->name.assign(config.hcclCommName, length);
  return {};
}

Status CreateComm(uint32_t ranks, const HcclRootInfo* rootInfo, uint32_t rank, const HcclCommConfig* config,
                  HcclComm* comm) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclCommInitRootInfo"));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_REQUIRE(comm);
  SOFTHCCL_REQUIRE(rootInfo);
  if (ranks == 0) return base::Fail(Code::kInvalidParam, "nRanks 0; a communicator has at least one rank");
  if (rank >= ranks) {
    return base::Fail(Code::kInvalidParam, "rank {} is out of range, nRanks is {}; use 0 to {}", rank, ranks,
                      ranks - 1);
  }
  SOFTHCCL_ASSIGN(hccl, base::ProcessHcclConfig());
  Communicator::Options options;
  options.buffer_mib = hccl.buffer_mib;
  options.connect_limit = Runtime::Get().ConnectLimit(hccl);
  if (config != nullptr) SOFTHCCL_RETURN_IF_ERROR(ReadCommConfig(*config, &options));
  SOFTHCCL_ASSIGN(root_id, ReadRootId(*rootInfo));
  SOFTHCCL_ASSIGN(handle, Registry::Get().Create(root_id, rank, ranks, device->id(), options));
  *comm = Handle(handle);
  return {};
}

}  // namespace

extern "C" HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  return CallHccl("HcclGetRootInfo", [&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_REQUIRE(rootInfo);
    const std::string id = Registry::Get().OpenRoot(device->id());
    std::memset(rootInfo, 0, sizeof *rootInfo);
    std::memcpy(rootInfo->internal, id.data(), id.size());
    return {};
  });
}

extern "C" HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                           HcclComm* comm) {
  return CallHccl("HcclCommInitRootInfo", [&] { return CreateComm(nRanks, rootInfo, rank, nullptr, comm); });
}

extern "C" HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                                 const HcclCommConfig* config, HcclComm* comm) {
  return CallHccl("HcclCommInitRootInfoConfig", [&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_REQUIRE(config);
    return CreateComm(nRanks, rootInfo, rank, config, comm);
  });
}

extern "C" HcclResult HcclCommDestroy(HcclComm comm) {
  return CallHccl("HcclCommDestroy", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclCommDestroy"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    if (comm == nullptr) {
      base::Log(base::LogLevel::kWarning, "HcclCommDestroy: comm is null; nothing is destroyed");
      return {};
    }
    return Registry::Get().Destroy(Bits(comm), device->id());
  });
}

extern "C" HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  return CallHccl("HcclGetRankSize", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(rankSize);
    *rankSize = found->size();
    return {};
  });
}

extern "C" HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  return CallHccl("HcclGetRankId", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(rank);
    *rank = found->rank();
    return {};
  });
}

extern "C" HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  return CallHccl("HcclGetCommName", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(commName);
    std::memcpy(commName, found->name().c_str(), found->name().size() + 1);
    return {};
  });
}

extern "C" HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  return CallHccl("HcclGetCommAsyncError", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(asyncError);
    *asyncError = found->party().domain->aborted() ? HCCL_E_REMOTE : HCCL_SUCCESS;
    return {};
  });
}

extern "C" const char* HcclGetErrorString(HcclResult code) {
  static const char* const kTexts[] = {"no error",
                                       "parameter error",
                                       "empty pointer",
                                       "memory error",
                                       "internal error",
                                       "not support feature",
                                       "not found specific resource",
                                       "resource unavailable",
                                       "call system interface error",
                                       "timeout",
                                       "open file fail",
                                       "tcp connect fail",
                                       "roce connect fail",
                                       "tcp transfer fail",
                                       "roce transfer fail",
                                       "call runtime api fail",
                                       "call driver api fail",
                                       "call profiling api fail",
                                       "call cce api fail",
                                       "call network api fail",
                                       "try again",
                                       "error cqe",
                                       "error communicator suspending",
                                       "retry constraint",
                                       "out of memory"};
  const auto number = static_cast<std::uint32_t>(RawValue(code));
  if (number < sizeof kTexts / sizeof kTexts[0]) return kTexts[number];
  return number >= HCCL_E_RESERVED ? "unknown error" : "unknown err";
}
