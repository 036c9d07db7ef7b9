/**
 * @file hcomm_team_defs.h
 * Another spelling of hcomm/hcomm_team_defs.h: sources of different releases include the same header by different
 * paths.
 */
#ifndef HCCL_HCOMM_TEAM_DEFS_H_
#define HCCL_HCOMM_TEAM_DEFS_H_

#include "../hcomm/hcomm_team_defs.h"

#endif  // HCCL_HCOMM_TEAM_DEFS_H_
