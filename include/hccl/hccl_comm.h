/**
 * @file hccl_comm.h
 * Life of a communicator: one rank makes a root information, everybody joins with it, asks who it is, and leaves. Calls
 * work on the device of the calling thread; without one they fail before they look at their arguments.
 */
#ifndef HCCL_HCCL_COMM_H_
#define HCCL_HCCL_COMM_H_

#include <string.h>

#include "../acl/acl.h"
#include "hccl_res.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off: tables
/** Who expands an operation into tasks. */
typedef enum HcclOpExpansionMode {
  HCCL_OP_EXPANSION_MODE_INVALID = -1, HCCL_OP_EXPANSION_MODE_AI_CPU = 0, HCCL_OP_EXPANSION_MODE_AIV = 1,
  HCCL_OP_EXPANSION_MODE_HOST = 2, HCCL_OP_EXPANSION_MODE_HOST_TS = 3, HCCL_OP_EXPANSION_MODE_CCU_MS = 4,
  HCCL_OP_EXPANSION_MODE_CCU_SCHED = 5, HCCL_OP_EXPANSION_AIV_ONLY = 6
} HcclOpExpansionMode;

typedef enum HcclConfigType {
  HCCL_CONFIG_TYPE_INVALID = -1, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE = 0, HCCL_CONFIG_TYPE_HCCL_ALGO = 1
} HcclConfigType;
// clang-format on

typedef HcclOpExpansionMode HcclConfigTypeOpExpansionMode;

/** Called when a communicator changes its state; the last argument is the user's. */
typedef HcclResult (*HcclCommStateCallback)(HcclComm, HcclCommStatePhase, void*);

/**
 * Makes the root information on one rank; it returns at once. The caller brings its bytes to the other ranks. One root
 * information is for one communicator.
 * Behaviour: communicator lifecycle, root info.
 */
HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);

/**
 * Joins a communicator. Blocks until all nRanks ranks, the root's too, have called it.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for nRanks 0 or rank not below nRanks, HCCL_E_TIMEOUT when ranks are missing
 * after HCCL_CONNECT_TIMEOUT seconds (default 120). Behaviour: communicator lifecycle, init.
 */
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank, HcclComm* comm);

/**
 * As HcclCommInitRootInfo, with a configuration made by HcclCommConfigInit. It wins over environment variables.
 * @return also HCCL_E_PARA for a configuration that was not initialised, a value out of range, or a name in use.
 * Behaviour: communicator lifecycle, init and configuration.
 */
HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm);

/**
 * Leaves the communicator and frees everything it owns; the caller has synchronised its streams. Does not wait for the
 * peers.
 * @return success for NULL, HCCL_E_AGAIN while a kernel has it, HCCL_E_PARA for a handle that is not one of this
 * device. Behaviour: communicator lifecycle, destroy.
 */
HcclResult HcclCommDestroy(HcclComm comm);

/** Number of ranks. Behaviour: communicator lifecycle, queries. */
HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);

/** Own rank, counted from 0. Behaviour: communicator lifecycle, queries. */
HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);

/** Name, with its end; commName has room for COMM_NAME_MAX_LENGTH bytes. Behaviour: communicator lifecycle, queries. */
HcclResult HcclGetCommName(HcclComm comm, char* commName);

/**
 * Failure that happened outside of any call: HCCL_SUCCESS or HCCL_E_REMOTE in asyncError.
 * Behaviour: communicator lifecycle, queries.
 */
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError);

/** Text for a result, static; "unknown error" for a number that is none. Behaviour: communicator lifecycle, queries. */
const char* HcclGetErrorString(HcclResult code);

/**
 * Fills a configuration with "not set" in every field, and the head that proves it: size, magic word, version in the
 * first 24 bytes. Character arrays get an empty string, their other bytes stay as they are. NULL does nothing.
 * Behaviour: communicator lifecycle, configuration.
 */
static inline void HcclCommConfigInit(HcclCommConfig* config) {
  if (config == NULL) {
    return;
  }
  const uint64_t size = sizeof(HcclCommConfig);
  const uint32_t magicWord = HCCL_COMM_CONFIG_MAGIC_WORD;
  const uint32_t version = HCCL_COMM_CONFIG_VERSION;
  const uint64_t reserved = 0;
  memcpy(config->reserved, &size, sizeof(size));
  memcpy(config->reserved + 8, &magicWord, sizeof(magicWord));
  memcpy(config->reserved + 12, &version, sizeof(version));
  memcpy(config->reserved + 16, &reserved, sizeof(reserved));
  config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
  config->hcclDeterministic = HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET;
  config->hcclCommName[0] = '\0';
  config->hcclUdi[0] = '\0';
  config->hcclOpExpansionMode = HCCL_COMM_DEFAULT_OP_EXPANSION_MODE;
  config->hcclRdmaTrafficClass = HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET;
  config->hcclRdmaServiceLevel = HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET;
  config->hcclWorldRankID = 0;
  config->hcclJobID = 0;
  config->aclGraphZeroCopyEnable = 0;
  config->hcclExecTimeOut = HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET;
  config->hcclAlgo[0] = '\0';
  config->hcclRetryEnable[0] = '\0';
  config->hcclRetryParams[0] = '\0';
  config->hcclBufferName[0] = '\0';
  config->hcclQos = HCCL_COMM_QOS_CONFIG_NOT_SET;
  config->hcclSymWinMaxMemSizePerRank = HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE;
  config->hcclChannelSqDepth = HCCL_COMM_SQ_DEPTH_CONFIG_NOT_SET;
}

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_COMM_H_
