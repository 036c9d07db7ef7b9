/**
 * @file hcomm_team_entity_defs.h
 * What kernels see of a team and of a window: the structures that HcommTeamHandle and HcommWindowHandle are the
 * addresses of. They are in device memory, belong to the library and must not be written.
 */
#ifndef HCOMM_HCOMM_TEAM_ENTITY_DEFS_H_
#define HCOMM_HCOMM_TEAM_ENTITY_DEFS_H_

#include <stdint.h>

#include "hcomm_res_defs.h"
#include "hcomm_team_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A window: memory of every member of a world team. */
typedef struct HcommWindow {
  CommAbiHeader header;
  uint32_t memsNum; /**< members of the world team */
  CommMem* mems;    /**< by member; addresses are good on this rank */
  HcommTeamHandle worldTeam;
  uint32_t reserved[8];
} HcommWindow;

/** What the members of a team synchronise with. */
typedef struct HcommTeamSyncMem {
  CommMem* remoteMems; /**< by member, this rank's own among them; NULL when nothing was asked for */
  uint32_t remoteMemsNum;
  CommMem shadowMem; /**< of the size of one of them, for this rank alone */
  HcommTeamSyncMemRequirement syncMemReq;
  uint64_t syncMemSize; /**< bytes of one: signals, then counters, then barriers */
  uint32_t reserved[5];
} HcommTeamSyncMem;

/** A team. */
typedef struct HcommTeam {
  CommAbiHeader header;
  CommEngine engine; /**< of its channels; COMM_ENGINE_RESERVED while it has none */
  uint32_t memberNum;
  uint32_t selfMemberId;
  uint64_t channelsBaseAddr;     /**< ChannelHandle[], member by member; 0 while it has none */
  uint32_t* channelNumPerMember; /**< by member; 0 for this rank */
  uint32_t netLayer;
  uint32_t* worldTeamIds; /**< by member: its number in the world team */
  HcommTeamSyncMem syncMem;
  uint32_t reserved[8];
} HcommTeam;

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_TEAM_ENTITY_DEFS_H_
