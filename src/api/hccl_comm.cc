// The life of communicators: root info, creation in every way, destruction. Inside a group of calls creations and
// destructions are checked and put off.
#include <cstddef>
#include <cstring>
#include <functional>

#include "api/comm_config.h"
#include "api/objects.h"
#include "api/report.h"
#include "api/state_phases.h"
#include "base/log.h"
#include "bootstrap/rank_table.h"
#include "comm/call_group.h"
#include "comm/create_all.h"
#include "hccl/hccl_comm.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::CallGroup;
using comm::Communicator;
using comm::Registry;

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

using Creation = std::function<base::Result<std::uint64_t>()>;

// Creates now, or when the open group ends; *comm is set on success only.
Status CreateOrPutOff(const char* call, const engine::Device& device, const Creation& create, HcclComm* comm) {
  const auto body = [create, comm]() -> Status {
    SOFTHCCL_ASSIGN(handle, create());
    *comm = Handle(handle);
    return {};
  };
  CallGroup& group = CallGroup::OfThisThread();
  if (!group.is_open()) return body();
  return group.Add(CallGroup::Kind::kCreate, call, device, body);
}

Status CreateByRoot(const char* call, uint32_t ranks, const HcclRootInfo* rootInfo, uint32_t rank,
                    const HcclCommConfig* config, HcclComm* comm) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_REQUIRE(comm);
  SOFTHCCL_REQUIRE(rootInfo);
  if (ranks == 0) return base::Fail(Code::kInvalidParam, "nRanks 0; a communicator has at least one rank");
  if (rank >= ranks) {
    return base::Fail(Code::kInvalidParam, "rank {} is out of range, nRanks is {}; use 0 to {}", rank, ranks,
                      ranks - 1);
  }
  SOFTHCCL_ASSIGN(options, ReadCommOptions(config));
  SOFTHCCL_ASSIGN(root_id, ReadRootId(*rootInfo));
  const Creation create = [=, id = device->id()] { return Registry::Get().Create(root_id, rank, ranks, id, options); };
  return CreateOrPutOff(call, *device, create, comm);
}

Status CreateByTable(const char* call, const char* clusterInfo, uint32_t rank, const HcclCommConfig* config,
                     HcclComm* comm) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_REQUIRE(clusterInfo);
  SOFTHCCL_REQUIRE(comm);
  SOFTHCCL_ASSIGN(options, ReadCommOptions(config));
  SOFTHCCL_ASSIGN(read, bootstrap::LoadRankTable(clusterInfo));
  const auto table = std::make_shared<const bootstrap::RankTable>(std::move(read));
  const Creation create = [=, id = device->id()] { return Registry::Get().CreateByTable(table, rank, id, options); };
  return CreateOrPutOff(call, *device, create, comm);
}

constexpr uint64_t kNoSubComm = 0xFFFFFFFF;  // what a rank passes that is no member

// In the vendor's order: what a rank that is no member passes is recognised before anything else is looked at.
Status CreateSub(HcclComm* comm, uint32_t rankNum, const uint32_t* rankIds, uint64_t subCommId, uint32_t subCommRankId,
                 const HcclCommConfig* config, HcclComm* subComm) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclCreateSubCommConfig"));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_REQUIRE(subComm);
  if (rankIds == nullptr && subCommId == kNoSubComm) return {};
  if (rankIds == nullptr || subCommId == kNoSubComm) {
    return base::Fail(Code::kInvalidParam,
                      "rankIds is {}null, but subCommId is {}; a rank that is no member passes NULL and 0xFFFFFFFF, a "
                      "member neither",
                      rankIds == nullptr ? "" : "not ", subCommId);
  }
  if (rankNum == 0) return base::Fail(Code::kInvalidParam, "rankNum 0; a communicator has at least one rank");
  if (subCommRankId >= rankNum) {
    return base::Fail(Code::kInvalidParam, "subCommRankId {} is out of range, rankNum is {}; use 0 to {}",
                      subCommRankId, rankNum, rankNum - 1);
  }
  SOFTHCCL_REQUIRE(config);
  SOFTHCCL_REQUIRE(comm);
  SOFTHCCL_REQUIRE(*comm);
  SOFTHCCL_ASSIGN(parent, Registry::Get().FindOn(Bits(*comm), device->id()));
  if (rankNum > parent->size()) {
    return base::Fail(Code::kInvalidParam, "rankNum {} is more than the {} ranks of comm {}", rankNum, parent->size(),
                      parent->name());
  }
  SOFTHCCL_ASSIGN(options, ReadCommOptions(config));
  const Registry::SubRequest request{subCommId, {rankIds, rankIds + rankNum}, subCommRankId};
  SOFTHCCL_ASSIGN(handle, Registry::Get().CreateSub(*parent, request, options));
  *subComm = Handle(handle);
  return {};
}

Status CreateOnAll(uint32_t ndev, const int32_t* devices, HcclComm* comms) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclCommInitAll"));
  SOFTHCCL_REQUIRE(devices);
  SOFTHCCL_REQUIRE(comms);
  SOFTHCCL_ASSIGN(count, engine::Runtime::Get().devices().Count());
  if (ndev > count) {
    return base::Fail(Code::kInvalidParam, "ndev {} is more than the {} devices there are", ndev, count);
  }
  std::fill_n(comms, ndev, nullptr);
  SOFTHCCL_ASSIGN(options, ReadCommOptions(nullptr));
  SOFTHCCL_ASSIGN(handles, comm::CreateAll({devices, devices + ndev}, options));
  for (uint32_t i = 0; i < ndev; ++i) comms[i] = Handle(handles[i]);
  return {};
}

// With the callbacks before and after it. The number is that of a callback, if one failed.
Status Destroy(HcclComm comm, int device, int* number) {
  SOFTHCCL_ASSIGN(found, Registry::Get().FindOn(Bits(comm), device));
  SOFTHCCL_RETURN_IF_ERROR(RunCallbacks(comm, comm::StateCallbacks::Phase::kDestroyPre, found->name(), number));
  SOFTHCCL_RETURN_IF_ERROR(Registry::Get().Destroy(Bits(comm), device));
  return RunCallbacks(comm, comm::StateCallbacks::Phase::kDestroyPost, found->name(), number);
}

Status DestroyOrPutOff(HcclComm comm, int* number) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclCommDestroy"));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  CallGroup& group = CallGroup::OfThisThread();
  if (group.is_open()) {
    return group.Add(CallGroup::Kind::kDestroy, "HcclCommDestroy", *device, [comm, id = device->id()]() -> Status {
      int ignored = 0;  // the text tells
      return comm == nullptr ? Status() : Destroy(comm, id, &ignored);
    });
  }
  if (comm == nullptr) {
    base::Log(base::LogLevel::kWarning, "HcclCommDestroy: comm is null; nothing is destroyed");
    return {};
  }
  return Destroy(comm, device->id(), number);
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
  constexpr const char* kCall = "HcclCommInitRootInfo";
  return CallHccl(kCall, [&] { return CreateByRoot(kCall, nRanks, rootInfo, rank, nullptr, comm); });
}

extern "C" HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                                 const HcclCommConfig* config, HcclComm* comm) {
  constexpr const char* kCall = "HcclCommInitRootInfoConfig";
  return CallHccl(kCall, [&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_REQUIRE(config);
    return CreateByRoot(kCall, nRanks, rootInfo, rank, config, comm);
  });
}

extern "C" HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm) {
  constexpr const char* kCall = "HcclCommInitClusterInfo";
  return CallHccl(kCall, [&] { return CreateByTable(kCall, clusterInfo, rank, nullptr, comm); });
}

extern "C" HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank, HcclCommConfig* config,
                                                    HcclComm* comm) {
  constexpr const char* kCall = "HcclCommInitClusterInfoConfig";
  return CallHccl(kCall, [&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_REQUIRE(config);
    return CreateByTable(kCall, clusterInfo, rank, config, comm);
  });
}

extern "C" HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds, uint64_t subCommId,
                                              uint32_t subCommRankId, HcclCommConfig* config, HcclComm* subComm) {
  return CallHccl("HcclCreateSubCommConfig",
                  [&] { return CreateSub(comm, rankNum, rankIds, subCommId, subCommRankId, config, subComm); });
}

extern "C" HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  return CallHccl("HcclCommInitAll", [&] { return CreateOnAll(ndev, devices, comms); });
}

extern "C" HcclResult HcclCommDestroy(HcclComm comm) {
  int number = 0;
  const Status status = Guard([&] { return DestroyOrPutOff(comm, &number); });
  return ReportWithCallback("HcclCommDestroy", status, number);
}
