/**
 * @file hcomm_team_defs.h
 * What teams are made of: handles, and the synchronisation memory that a team asks for.
 */
#ifndef HCOMM_HCOMM_TEAM_DEFS_H_
#define HCOMM_HCOMM_TEAM_DEFS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t* HcommTeamHandle;
typedef uint64_t* HcommWindowHandle;

/** How many signals, counters and barriers a team needs. */
typedef struct HcommTeamSyncMemRequirement {
  uint32_t signalCount;
  uint32_t counterCount;
  uint32_t barrierCount;
  uint32_t reserved[5];
} HcommTeamSyncMemRequirement;

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_TEAM_DEFS_H_
