// Teams of ranks, their windows and channels, and the structures that kernels read of them.
#include "hccl/hccl_team.h"

#include <cstring>

#include "api/memory_arguments.h"
#include "api/objects.h"
#include "api/report.h"
#include "comm/meeting.h"
#include "comm/team.h"
#include "engine/engines.h"
#include "engine/faithful.h"
#include "hcomm/hcomm_team_entity_defs.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::Communicator;
using comm::Team;
using comm::TeamTable;

namespace {

template <typename Desc>
Status CheckHeader(const Desc& desc, std::uint32_t magic, const char* init) {
  if (desc.header.magicWord == magic && desc.header.size >= sizeof desc) return {};
  return base::Fail(Code::kInvalidParam,
                    "desc->header has magicWord 0x{:x} and size {}, expected 0x{:x} and at least {}; call {} first",
                    desc.header.magicWord, desc.header.size, magic, sizeof desc, init);
}

Status CheckProtocol(int protocol) {
  if (protocol >= COMM_PROTOCOL_RESERVED && protocol <= COMM_PROTOCOL_UB_RTP) return {};
  return base::Fail(Code::kInvalidParam, "desc->protocol {} is not known; use a CommProtocol up to {}", protocol,
                    static_cast<int>(COMM_PROTOCOL_UB_RTP));
}

// What is behind a handle, as one of its communicator's.
struct Found {
  std::shared_ptr<Team> team;
  std::shared_ptr<Communicator> comm;
};

base::Result<Found> FindTeam(const uint64_t* handle, const char* argument) {
  auto device = CurrentDevice();
  if (!device) return tl::unexpected(device.error());
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(handle, argument));
  auto team = TeamTable::Get().FindTeam(Bits(handle), argument);
  if (!team) return tl::unexpected(team.error());
  if ((*team)->device != (*device)->id()) {
    return base::FailResult(Code::kInvalidParam, "{} 0x{:x} belongs to device {}, but device {} is set on this thread",
                            argument, Bits(handle), (*team)->device, (*device)->id());
  }
  auto comm = comm::Registry::Get().FindByName((*team)->communicator, (*team)->device);
  if (!comm) return tl::unexpected(comm.error());
  return Found{std::move(*team), std::move(*comm)};
}

// The same where the program names the communicator, too.
base::Result<Found> FindTeamOf(HcclComm comm, const uint64_t* handle, const char* argument) {
  auto communicator = FindComm(comm);
  if (!communicator) return tl::unexpected(communicator.error());
  auto found = FindTeam(handle, argument);
  if (!found || found->comm == *communicator) return found;
  return base::FailResult(Code::kInvalidParam, "{} 0x{:x} is of communicator {}, not of comm {}", argument,
                          Bits(handle), found->comm->name(), (*communicator)->name());
}

Status CheckIsWorld(const Team& team, const uint64_t* handle) {
  if (team.world == nullptr) return {};
  return base::Fail(Code::kInvalidParam, "worldTeam 0x{:x} is a sub-team; use the world team it was made of",
                    Bits(handle));
}

// --- Structures ------------------------------------------------------------------------------------------------------

constexpr std::size_t RoundUp(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

// Where the arrays of a team are behind its structure.
struct TeamLayout {
  explicit TeamLayout(std::size_t members)
      : ids(sizeof(HcommTeam)),
        counts(RoundUp(ids + members * sizeof(uint32_t))),
        mems(RoundUp(counts + members * sizeof(uint32_t))),
        bytes(mems + members * sizeof(CommMem)) {}
  std::size_t ids;
  std::size_t counts;
  std::size_t mems;
  std::size_t bytes;
};

template <typename T>
T* At(const Team& team, std::size_t offset) {
  return reinterpret_cast<T*>(team.entity->data() + offset);
}

CommMem ToMem(const transport::Region& region) {
  CommMem mem;
  std::memset(&mem, 0, sizeof mem);
  mem.type = region.space() == memory::Space::kHost ? COMM_MEM_TYPE_HOST : COMM_MEM_TYPE_DEVICE;
  mem.addr = region.data();
  mem.size = region.size();
  return mem;
}

template <typename Entity>
void SetHeader(Entity* entity) {
  entity->header.version = 1;
  entity->header.size = sizeof *entity;
}

// Into memory that is all 0.
void FillTeam(const Team& team, const HcclTeamCreateDesc& desc) {
  const TeamLayout layout(team.ranks.size());
  auto* entity = At<HcommTeam>(team, 0);
  SetHeader(entity);
  entity->engine = COMM_ENGINE_RESERVED;
  entity->memberNum = static_cast<uint32_t>(team.ranks.size());
  entity->selfMemberId = team.self;
  entity->netLayer = desc.netLayer;
  entity->channelNumPerMember = At<uint32_t>(team, layout.counts);
  entity->worldTeamIds = At<uint32_t>(team, layout.ids);
  std::copy(team.world_ids.begin(), team.world_ids.end(), entity->worldTeamIds);
  entity->syncMem.syncMemReq.signalCount = team.counts.signals;
  entity->syncMem.syncMemReq.counterCount = team.counts.counters;
  entity->syncMem.syncMemReq.barrierCount = team.counts.barriers;
  entity->syncMem.shadowMem.type = COMM_MEM_TYPE_DEVICE;
  if (team.sync.empty()) return;
  entity->syncMem.syncMemSize = team.sync[0]->size();
  entity->syncMem.shadowMem = ToMem(*team.shadow);
  entity->syncMem.remoteMemsNum = entity->memberNum;
  entity->syncMem.remoteMems = At<CommMem>(team, layout.mems);
  for (std::size_t i = 0; i < team.sync.size(); ++i) entity->syncMem.remoteMems[i] = ToMem(*team.sync[i]);
}

void FillWindow(const comm::TeamWindow& window) {
  auto* entity = reinterpret_cast<HcommWindow*>(window.entity->data());
  SetHeader(entity);
  entity->memsNum = static_cast<uint32_t>(window.pieces.size());
  entity->mems = reinterpret_cast<CommMem*>(window.entity->data() + sizeof *entity);
  entity->worldTeam = static_cast<HcommTeamHandle>(Handle(window.team->handle()));
  for (std::size_t i = 0; i < window.pieces.size(); ++i) entity->mems[i] = ToMem(*window.pieces[i]);
}

// --- Teams ---------------------------------------------------------------------------------------------------------

base::Result<std::shared_ptr<Team>> CreateTeam(Communicator& comm, std::shared_ptr<const Team> world,
                                               const HcclTeamCreateDesc& desc) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckHeader(desc, HCCL_TEAM_CREATE_DESC_MAGIC_WORD, "HcclTeamCreateDescInit"));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckProtocol(RawValue(desc.protocol)));
  if (desc.rankNum > comm.size()) {
    return base::FailResult(Code::kInvalidParam, "desc->rankNum {} is larger than the {} ranks of the communicator",
                            desc.rankNum, comm.size());
  }
  if (desc.rankNum != 0) SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(desc.rankIds, "desc->rankIds"));
  if (desc.rankNum == 0 && (world != nullptr || desc.rankIds != nullptr)) {
    return base::FailResult(Code::kInvalidParam, "desc->rankNum is 0; a team has at least one rank");
  }
  if (desc.selfRankId != comm.rank()) {
    return base::FailResult(Code::kInvalidParam, "desc->selfRankId {} is not the rank {} that calls", desc.selfRankId,
                            comm.rank());
  }
  auto layer = comm.rank_graph().Layer(desc.netLayer);
  if (!layer) return tl::unexpected(std::move(layer).error().While("reading desc->netLayer"));
  comm::Teams::Request request;
  request.world = std::move(world);
  request.ranks.assign(desc.rankIds, desc.rankIds + desc.rankNum);
  if (request.ranks.empty()) request.ranks = comm::AllRanks(comm.size());
  request.counts = {desc.requirement.signalCount, desc.requirement.counterCount, desc.requirement.barrierCount};
  request.entity_bytes = TeamLayout(request.ranks.size()).bytes;
  auto made = comm.CreateTeam(request);
  if (made) FillTeam(**made, desc);
  return made;
}

Status CreateChannels(Communicator& comm, Team& team, const HcclTeamCreateChannelsDesc& desc) {
  SOFTHCCL_RETURN_IF_ERROR(
      CheckHeader(desc, HCCL_TEAM_CREATE_CHANNELS_DESC_MAGIC_WORD, "HcclTeamCreateChannelsDescInit"));
  SOFTHCCL_ASSIGN(engine, engine::FindSupportedEngine(RawValue(desc.engine), "HcclTeamChannelsCreate"));
  const int protocol = RawValue(desc.protocol);
  SOFTHCCL_RETURN_IF_ERROR(CheckProtocol(protocol));
  if (protocol == COMM_PROTOCOL_RESERVED) return base::Fail(Code::kInvalidParam, "desc->protocol -1 is not chosen");
  if (desc.notifyNum > Communicator::kMaxChannelNotifies) {
    return base::Fail(Code::kInvalidParam, "desc->notifyNum {} is larger than the limit of {}", desc.notifyNum,
                      Communicator::kMaxChannelNotifies);
  }
  constexpr uint32_t kMostChannels = 64;
  if (desc.channelCnt == 0 || desc.channelCnt > kMostChannels) {
    return base::Fail(Code::kInvalidParam, "desc->channelCnt {} is out of range, use 1 to {} for each member",
                      desc.channelCnt, kMostChannels);
  }
  SOFTHCCL_RETURN_IF_ERROR(TeamTable::Get().CheckHasNoChannels(team));
  std::vector<comm::ChannelRequest> requests;
  for (const uint32_t rank : team.ranks) {
    if (rank == comm.rank()) continue;
    for (uint32_t i = 0; i < desc.channelCnt; ++i) requests.push_back({rank, protocol, desc.notifyNum});
  }
  SOFTHCCL_ASSIGN(handles, comm.AcquireChannels(engine->value, requests));
  const std::size_t bytes = std::max<std::size_t>(handles.size(), 1) * sizeof(ChannelHandle);
  SOFTHCCL_ASSIGN(block, transport::Region::Create(team.device, bytes, "the channels of a team"));
  if (handles.data() != nullptr) std::memcpy(block->data(), handles.data(), handles.size() * sizeof(ChannelHandle));
  SOFTHCCL_RETURN_IF_ERROR(TeamTable::Get().SetChannels(team, block));
  auto* entity = At<HcommTeam>(team, 0);
  for (uint32_t member = 0; member < entity->memberNum; ++member) {
    entity->channelNumPerMember[member] = member == team.self ? 0 : desc.channelCnt;
  }
  entity->channelsBaseAddr = Bits(block->data());
  entity->engine = static_cast<CommEngine>(engine->value);
  return {};
}

Status RegisterWindow(HcclComm comm, HcommTeamHandle worldTeam, const CommMem* localMem, HcommWindowHandle* window,
                      uint32_t flag) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclTeamWindowRegister"));
  SOFTHCCL_ASSIGN(found, FindTeamOf(comm, worldTeam, "worldTeam"));
  SOFTHCCL_REQUIRE(localMem);
  SOFTHCCL_REQUIRE(window);
  SOFTHCCL_RETURN_IF_ERROR(CheckIsWorld(*found.team, worldTeam));
  if (flag > 1) return base::Fail(Code::kInvalidParam, "flag {} is not known; use 0 or 1", flag);
  SOFTHCCL_ASSIGN(memory, ReadMemory(localMem, "localMem"));
  const std::size_t bytes = sizeof(HcommWindow) + found.team->ranks.size() * sizeof(CommMem);
  SOFTHCCL_ASSIGN(made, found.comm->RegisterTeamWindow(found.team, memory.space, memory.data, memory.size, bytes));
  FillWindow(*made);
  *window = static_cast<HcommWindowHandle>(Handle(made->handle()));
  return {};
}

}  // namespace

extern "C" HcclResult HcclWorldTeamCreate(HcclComm comm, const HcclTeamCreateDesc* desc, HcommTeamHandle* worldTeam) {
  return CallHccl("HcclWorldTeamCreate", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclWorldTeamCreate"));
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(desc);
    SOFTHCCL_REQUIRE(worldTeam);
    SOFTHCCL_ASSIGN(team, CreateTeam(*found, nullptr, *desc));
    *worldTeam = static_cast<HcommTeamHandle>(Handle(team->handle()));
    return {};
  });
}

extern "C" HcclResult HcclSubTeamCreate(HcommTeamHandle worldTeam, const HcclTeamCreateDesc* desc,
                                        HcommTeamHandle* team) {
  return CallHccl("HcclSubTeamCreate", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclSubTeamCreate"));
    SOFTHCCL_ASSIGN(found, FindTeam(worldTeam, "worldTeam"));
    SOFTHCCL_REQUIRE(desc);
    SOFTHCCL_REQUIRE(team);
    SOFTHCCL_RETURN_IF_ERROR(CheckIsWorld(*found.team, worldTeam));
    SOFTHCCL_ASSIGN(made, CreateTeam(*found.comm, found.team, *desc));
    *team = static_cast<HcommTeamHandle>(Handle(made->handle()));
    return {};
  });
}

extern "C" HcclResult HcclTeamDestroy(HcommTeamHandle team) {
  return CallHccl("HcclTeamDestroy", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclTeamDestroy"));
    SOFTHCCL_ASSIGN(found, FindTeam(team, "team"));
    return found.comm->DestroyTeam(found.team);
  });
}

extern "C" HcclResult HcclTeamWindowRegister(HcclComm comm, HcommTeamHandle worldTeam, const CommMem* localMem,
                                             HcommWindowHandle* window, uint32_t flag) {
  return CallHccl("HcclTeamWindowRegister", [&] { return RegisterWindow(comm, worldTeam, localMem, window, flag); });
}

extern "C" HcclResult HcclTeamWindowDeregister(HcommTeamHandle worldTeam, HcommWindowHandle window) {
  return CallHccl("HcclTeamWindowDeregister", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclTeamWindowDeregister"));
    SOFTHCCL_ASSIGN(found, FindTeam(worldTeam, "worldTeam"));
    SOFTHCCL_REQUIRE(window);
    SOFTHCCL_ASSIGN(registered, TeamTable::Get().FindWindow(Bits(window), "window"));
    if (registered->team != found.team) {
      return base::Fail(Code::kInvalidParam, "window 0x{:x} was registered with team 0x{:x}, not with worldTeam 0x{:x}",
                        Bits(window), registered->team->handle(), Bits(worldTeam));
    }
    return found.comm->DeregisterTeamWindow(registered);
  });
}

extern "C" HcclResult HcclTeamChannelsCreate(HcclComm comm, HcommTeamHandle team,
                                             const HcclTeamCreateChannelsDesc* desc) {
  return CallHccl("HcclTeamChannelsCreate", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclTeamChannelsCreate"));
    SOFTHCCL_ASSIGN(found, FindTeamOf(comm, team, "team"));
    SOFTHCCL_REQUIRE(desc);
    return CreateChannels(*found.comm, *found.team, *desc);
  });
}
