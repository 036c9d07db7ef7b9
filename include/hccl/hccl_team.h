/**
 * @file hccl_team.h
 * Teams: ranks of a communicator that kernels address as a group, with windows and channels of their own. Programs that
 * use them compile and link; every function but the two initialisers answers HCCL_E_NOT_SUPPORT.
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

/** Not supported. */
HcclResult HcclWorldTeamCreate(HcclComm comm, const HcclTeamCreateDesc* desc, HcommTeamHandle* worldTeam);
/** Not supported. */
HcclResult HcclSubTeamCreate(HcommTeamHandle worldTeam, const HcclTeamCreateDesc* desc, HcommTeamHandle* team);
/** Not supported. */
HcclResult HcclTeamDestroy(HcommTeamHandle team);
/** Not supported. */
HcclResult HcclTeamWindowRegister(HcclComm comm, HcommTeamHandle worldTeam, const CommMem* localMem,
                                  HcommWindowHandle* window, uint32_t flag);
/** Not supported. */
HcclResult HcclTeamWindowDeregister(HcommTeamHandle worldTeam, HcommWindowHandle window);
/** Not supported. */
HcclResult HcclTeamChannelsCreate(HcclComm comm, HcommTeamHandle team, const HcclTeamCreateChannelsDesc* desc);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_TEAM_H_
