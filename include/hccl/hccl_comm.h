/**
 * @file hccl_comm.h
 * Life of a communicator: one rank makes a root information, everybody joins with it, asks who it is, and leaves. Calls
 * work on the device of the calling thread; without one they fail before they look at their arguments.
 */
#ifndef HCCL_HCCL_COMM_H_
#define HCCL_HCCL_COMM_H_

#include <stdbool.h>
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
 * Joins the communicator of all ranks that a rank table lists (formats 1.0, 1.2 and 2.0). clusterInfo is the path of
 * the table; rank must be listed there on the device that is set. Does not wait for the other ranks: they are needed
 * when the first channel to them is acquired. The name is hccl_world_group.
 * @return HCCL_E_PTR for NULL, HCCL_E_INTERNAL for a file that cannot be read or is no JSON, HCCL_E_PARA for what the
 * table says wrongly (with file, line and field), HCCL_E_UNAVAIL when the device has such a communicator already.
 * Behaviour: communicator lifecycle, rank tables.
 */
HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm);

/** The same with a configuration, which may also rename it. Behaviour: communicator lifecycle, rank tables. */
HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank, HcclCommConfig* config,
                                         HcclComm* comm);

/**
 * Joins a communicator of rankNum ranks of *comm, which is no sub-communicator itself. rankIds are ranks of *comm; the
 * place in the array is the new rank, and subCommRankId is the caller's. All members pass the same rankIds and
 * subCommId. Does not wait for them. The name is that of *comm, "_sub_" and subCommId. A rank that is no member passes
 * NULL as rankIds and 0xFFFFFFFF as subCommId, and gets success and no communicator.
 * @return HCCL_E_PTR for a NULL subComm, config or comm, else HCCL_E_PARA. Behaviour: communicator lifecycle,
 * sub-communicators.
 */
HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds, uint64_t subCommId,
                                   uint32_t subCommRankId, HcclCommConfig* config, HcclComm* subComm);

/**
 * Makes all ndev ranks of one communicator in this process: comms[i] is rank i on devices[i]. Blocks until they are
 * there. Every device is set once more until its communicator is destroyed, and devices[0] is set on the calling
 * thread.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for ndev 0 or a device named twice, HCCL_E_INTERNAL when a rank fails; then
 * none is left and comms is all NULL. Behaviour: communicator lifecycle, all ranks of a process.
 */
HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms);

/**
 * Leaves the communicator and frees everything it owns; the caller has synchronised its streams. Does not wait for the
 * peers.
 * @return success for NULL, HCCL_E_AGAIN while a kernel has it, HCCL_E_PARA for a handle that is not one of this
 * device. Behaviour: communicator lifecycle, destroy.
 */
HcclResult HcclCommDestroy(HcclComm comm);

/**
 * Lets the ranks wait for each other: what is queued on stream afterwards begins when every rank has come as far in its
 * own stream. The n-th call of every rank meets, whatever streams they are on. Returns at once.
 * @param stream of the communicator's device; not NULL, not captured into a graph.
 * @return success; HCCL_E_REMOTE when a rank has destroyed its communicator. What happens later (a rank that does not
 * come in time, or fails) is an error of the stream.
 */
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

/** Number of ranks. Behaviour: communicator lifecycle, queries. */
HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);

/** Own rank, counted from 0. Behaviour: communicator lifecycle, queries. */
HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);

/** Name, with its end; commName has room for COMM_NAME_MAX_LENGTH bytes. Behaviour: communicator lifecycle, queries. */
HcclResult HcclGetCommName(HcclComm comm, char* commName);

/**
 * The communicator of that name on the device that is set.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA when there is none. Behaviour: communicator lifecycle, queries.
 */
HcclResult HcclCommGetHandleWithName(const char* commName, HcclComm* comm);

/**
 * Whether the communicator of that name is ready, suspended, or of no use any more (it was aborted).
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA when there is none. Behaviour: communicator lifecycle, queries.
 */
HcclResult HcclCommGetStatus(const char* commId, HcclCommStatus* status);

/**
 * One setting of the communicator: HCCL_CONFIG_TYPE_OP_EXPANSION_MODE into infoLen = 4 bytes,
 * HCCL_CONFIG_TYPE_HCCL_ALGO as text into at least 1600 bytes.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for another type or length. Behaviour: communicator lifecycle, queries.
 */
HcclResult HcclConfigGetInfo(HcclComm comm, HcclConfigType cfgType, uint32_t infoLen, void* info);

/**
 * Process-wide switch. HCCL_DETERMINISTIC takes 0, 1 or 2 and changes nothing: results are always deterministic. Other
 * switches are accepted without effect. Behaviour: communicator lifecycle, queries.
 */
HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);

/** The value of a switch; HCCL_DETERMINISTIC is always 1. Behaviour: communicator lifecycle, queries. */
HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue);

/** A capability of HcclCommConfig is there when its number is below this one. Behaviour: communicator lifecycle,
 * queries. */
uint32_t HcclGetCommConfigCapability(void);

/**
 * From here on nothing can be acquired from the communicator on this rank, and kernels cannot acquire it:
 * HCCL_E_SUSPENDING. @return HCCL_E_PTR for NULL, HCCL_E_PARA when it is suspended. Behaviour: communicator lifecycle,
 * suspend.
 */
HcclResult HcclCommSuspend(HcclComm comm);

/**
 * Ends the suspension; state callbacks run before and after it. @return HCCL_E_PTR for NULL, HCCL_E_PARA when it is not
 * suspended, HCCL_E_REMOTE when it was aborted, what a callback returned. Behaviour: communicator lifecycle, suspend.
 */
HcclResult HcclCommResume(HcclComm comm);

/**
 * Registers a callback of the process for destroy and resume; a name that is used again gets the new one. Callbacks run
 * in the order of their names until one fails.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for an empty name or one of 160 characters and more. Behaviour: communicator
 * lifecycle, state callbacks.
 */
HcclResult HcclCommRegCommStateCallback(const char* regName, HcclCommStateCallback cb, void* args);

/** Chooses the network card of ranks; not supported. */
HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t* ranks, bool* useBackup, uint32_t nRanks);

/**
 * Begins a group of calls on this thread: creations and destructions of communicators are only noted, with the device
 * that is set, and run together when the group ends. Groups nest; the outermost end counts. Behaviour: communicator
 * lifecycle, groups.
 */
HcclResult HcclGroupStart(void);

/**
 * Runs the noted calls, all at the same time, and waits for them; outputs are set now.
 * @return HCCL_E_NOT_SUPPORT without a begin, else the first failure. Behaviour: communicator lifecycle, groups.
 */
HcclResult HcclGroupEnd(void);

/** Whether a group is open on this thread. @return HCCL_E_PTR for NULL. Behaviour: communicator lifecycle, groups. */
HcclResult HcclGroupStatusGet(bool* isGroupEnabled);

/**
 * Failure that happened outside of any call: HCCL_SUCCESS or HCCL_E_REMOTE in asyncError.
 * Behaviour: communicator lifecycle, queries.
 */
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError);

/**
 * Registers memory of this device as this rank's part of a window that all ranks of the communicator have together;
 * each can then address the memory of all. Collective: blocks until all ranks have called it, in the same order as
 * other registrations.
 * @param size in bytes, the same on all ranks; with the other windows at most hcclSymWinMaxMemSizePerRank GB.
 * @param flag 1.
 * @return HCCL_E_PTR for NULL; HCCL_E_PARA for size 0, another size than that of a peer, a range that leaves its
 * allocation or overlaps a window, memory of another device, or another flag; HCCL_E_UNAVAIL when windows become too
 * large; HCCL_E_TIMEOUT when a rank did not come within HCCL_CONNECT_TIMEOUT seconds. Behaviour: symmetric memory.
 */
HcclResult HcclCommSymWinRegister(HcclComm comm, void* addr, uint64_t size, HcclCommSymWindow* winHandle,
                                  uint32_t flag);

/**
 * Gives a window up. Collective: when it returns, no rank uses the window any more, and the memory may be freed.
 * Destroying the communicator does the same.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for a handle that is not a window, HCCL_E_TIMEOUT when a rank did not come;
 * the window is gone nevertheless. Behaviour: symmetric memory.
 */
HcclResult HcclCommSymWinDeregister(HcclCommSymWindow winHandle);

/**
 * The window that holds size bytes at ptr, which is memory of this rank, and where in the window they are, in bytes.
 * @return HCCL_E_NOT_FOUND when they are not inside of one window: the usual question of an operator, so this is not
 * logged as an error. Behaviour: symmetric memory.
 */
HcclResult HcclCommSymWinGet(HcclComm comm, void* ptr, size_t size, HcclCommSymWindow* winHandle, size_t* offset);

/** Not supported: it prepares memory for collectives, which do not exist here. Use symmetric windows. */
HcclResult HcclCommSetMemoryRange(HcclComm comm, void* baseVirPtr, size_t size, size_t alignment, uint64_t flags);
/** Not supported. */
HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void* baseVirPtr);
/** Not supported. */
HcclResult HcclCommActivateCommMemory(HcclComm comm, void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                      uint64_t flags);
/** Not supported. */
HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void* virPtr);

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
