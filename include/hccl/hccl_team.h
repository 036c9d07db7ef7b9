/**
 * @file hccl_team.h
 * Teams: ranks of a communicator that kernels address as a group, with windows and channels of their own.
 */
#ifndef HCCL_HCCL_TEAM_H_
#define HCCL_HCCL_TEAM_H_

#include "../hcomm/hcomm_res_defs.h"
#include "../hcomm/hcomm_team_defs.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t HCCL_TEAM_CREATE_DESC_MAGIC_WORD = 0x0fcf0f14;
static const uint32_t HCCL_TEAM_CREATE_DESC_VERSION = 1;
static const uint32_t HCCL_TEAM_CREATE_CHANNELS_DESC_MAGIC_WORD = 0x0fcf0f15;
static const uint32_t HCCL_TEAM_CREATE_CHANNELS_DESC_VERSION = 1;

/** Which ranks, on which layer and protocol, and what they synchronise with. */
typedef struct HcclTeamCreateDesc {
  CommAbiHeader header;
  const uint32_t* rankIds;
  uint32_t rankNum;
  uint32_t selfRankId;
  uint32_t netLayer;
  CommProtocol protocol;
  HcommTeamSyncMemRequirement requirement;
  uint32_t reserved[4];
} HcclTeamCreateDesc;

/** Channels between the ranks of a team. */
typedef struct HcclTeamCreateChannelsDesc {
  CommAbiHeader header;
  CommEngine engine;
  uint32_t notifyNum;
  CommProtocol protocol;
  uint32_t channelCnt;
  uint32_t reserved[4];
} HcclTeamCreateChannelsDesc;

/**
 * Sets a description to "nothing chosen": valid header, no ranks, layer 0, no protocol, no synchronisation memory.
 * @return HCCL_E_PTR for NULL.
 */
static inline HcclResult HcclTeamCreateDescInit(HcclTeamCreateDesc* desc) {
  if (desc == NULL) {
    return HCCL_E_PTR;
  }
  memset(desc, 0xFF, sizeof(*desc));
  desc->header.version = HCCL_TEAM_CREATE_DESC_VERSION;
  desc->header.magicWord = HCCL_TEAM_CREATE_DESC_MAGIC_WORD;
  desc->header.size = (uint32_t)sizeof(*desc);
  desc->header.reserved = 0;
  desc->rankIds = NULL;
  desc->rankNum = 0;
  desc->selfRankId = 0;
  desc->netLayer = 0;
  desc->protocol = COMM_PROTOCOL_RESERVED;
  desc->requirement.signalCount = 0;
  desc->requirement.counterCount = 0;
  desc->requirement.barrierCount = 0;
  memset(desc->reserved, 0, sizeof(desc->reserved));
  return HCCL_SUCCESS;
}

/**
 * Sets a description to "nothing chosen": valid header, no engine, no protocol, no notifies, no channels.
 * @return HCCL_E_PTR for NULL.
 */
static inline HcclResult HcclTeamCreateChannelsDescInit(HcclTeamCreateChannelsDesc* desc) {
  if (desc == NULL) {
    return HCCL_E_PTR;
  }
  memset(desc, 0xFF, sizeof(*desc));
  desc->header.version = HCCL_TEAM_CREATE_CHANNELS_DESC_VERSION;
  desc->header.magicWord = HCCL_TEAM_CREATE_CHANNELS_DESC_MAGIC_WORD;
  desc->header.size = (uint32_t)sizeof(*desc);
  desc->header.reserved = 0;
  desc->engine = COMM_ENGINE_RESERVED;
  desc->notifyNum = 0;
  desc->protocol = COMM_PROTOCOL_RESERVED;
  desc->channelCnt = 0;
  memset(desc->reserved, 0, sizeof(desc->reserved));
  return HCCL_SUCCESS;
}

/**
 * Makes a team of ranks of a communicator. Collective: blocks until every rank of the team has called it with the same
 * ranks and requirement, in the same order as other collective calls about teams.
 * @param desc rankIds: ranks of the communicator, in the order of the members; NULL with rankNum 0: all. selfRankId:
 * own rank in the communicator. netLayer: one that the rank graph has. requirement: how much memory to synchronise in
 * every member gets; it is 0 at the beginning.
 * @param worldTeam the address of a HcommTeam (hcomm/hcomm_team_entity_defs.h) in device memory, for kernels to read.
 * @return HCCL_E_PTR for NULL; HCCL_E_PARA for another header, ranks that do not fit, an unknown layer or protocol, or
 * members that ask for different things; HCCL_E_TIMEOUT when a member did not come within HCCL_CONNECT_TIMEOUT seconds;
 * HCCL_E_REMOTE when one has destroyed its communicator.
 */
HcclResult HcclWorldTeamCreate(HcclComm comm, const HcclTeamCreateDesc* desc, HcommTeamHandle* worldTeam);

/**
 * Makes a team of some ranks of a world team, as HcclWorldTeamCreate; desc->rankIds are ranks of the communicator here,
 * too, and must not be NULL.
 */
HcclResult HcclSubTeamCreate(HcommTeamHandle worldTeam, const HcclTeamCreateDesc* desc, HcommTeamHandle* team);

/**
 * Gives a team up. Collective: when it returns no member uses it. Channels stay; destroying the communicator takes
 * teams along.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for a handle that is no team, HCCL_E_AGAIN while sub-teams or windows need
 * it; HCCL_E_TIMEOUT when a member did not come; the team is gone nevertheless.
 */
HcclResult HcclTeamDestroy(HcommTeamHandle team);

/**
 * Registers memory of this rank as its part of a window of a world team. Collective, as HcclWorldTeamCreate. Sizes may
 * differ between members.
 * @param localMem device memory or host memory; the caller frees it after HcclTeamWindowDeregister.
 * @param window the address of a HcommWindow in device memory, which tells where the memory of every member is.
 * @param flag 0 or 1, without effect.
 * @return HCCL_E_PARA also for memory that is not of its type or leaves its allocation, and for a sub-team.
 */
HcclResult HcclTeamWindowRegister(HcclComm comm, HcommTeamHandle worldTeam, const CommMem* localMem,
                                  HcommWindowHandle* window, uint32_t flag);

/** Gives a window up. Collective, as HcclTeamDestroy: afterwards the memory may be freed. */
HcclResult HcclTeamWindowDeregister(HcommTeamHandle worldTeam, HcommWindowHandle window);

/**
 * Acquires desc->channelCnt channels to every other member, as HcclChannelAcquire would, and tells kernels of them in
 * the team's structure. Every member calls it. Once for each team.
 * @return HCCL_E_PTR, HCCL_E_PARA, HCCL_E_NOT_SUPPORT for an engine that does not exist here (AIV, CCU),
 * HCCL_E_TIMEOUT, HCCL_E_REMOTE.
 */
HcclResult HcclTeamChannelsCreate(HcclComm comm, HcommTeamHandle team, const HcclTeamCreateChannelsDesc* desc);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_TEAM_H_
