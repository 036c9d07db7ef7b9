/**
 * @file hccl_launch.h
 * Launch of the kernel of a point-to-point operation through a communicator, which finds it by the names of its library
 * and function. Other kernels are launched with aclrtLaunchKernelWithConfig.
 */
#ifndef HCCL_HCCL_LAUNCH_H_
#define HCCL_HCCL_LAUNCH_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../acl/acl_rt.h"
#include "../hcomm/hcomm_res_defs.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes in bytes, and what the headers of the two descriptions hold. */
static const uint32_t P2P_MAX_ARG_SIZE = 8192;
static const uint32_t HCCL_OP_DESC_OP_NAME_MAX_LEN = 256;
static const uint32_t HCCL_OPDESC_MAGIC_WORD = 0x0f0f0f0f;
static const uint32_t HCCL_OPDESC_VERSION = 1;
static const uint32_t HCCL_KERNEL_SO_NAME_MAX_LEN = 256;
static const uint32_t HCCL_KERNEL_FUNC_NAME_MAX_LEN = 256;
static const uint32_t HCCL_KERNEL_LAUNCH_CFG_MAGIC_WORD = 0x0f0f0f0f;
static const uint32_t HCCL_KERNEL_LAUNCH_CFG_VERSION = 1;

/**
 * What the kernel of HcclAicpuKernelLaunch gets: the thread that its tasks belong on, and a copy of the caller's
 * arguments with 0 behind them. opParams: P2P_MAX_ARG_SIZE bytes.
 */
typedef struct HcclP2pKernelParam {
  ThreadHandle sendRecvThread;
  uint8_t opParams[8192];
} HcclP2pKernelParam;

/**
 * A point-to-point operation: cmdType HCCL_CMD_SEND or HCCL_CMD_RECEIVE, count in elements. The kernel runs on
 * unfoldStream, or on the user's stream if that is NULL. buffer is for information.
 */
typedef struct HcclOpP2pDesc {
  void* buffer;
  uint8_t reserved[8];
  HcclCMDType cmdType;
  HcclDataType dataType;
  uint64_t count;
  uint32_t remoteRank;
  void* unfoldStream;
} HcclOpP2pDesc;

/** An operation. opDescType 1: p2p is valid; there is no other. opName may be left as HcclOpDescInit sets it. */
typedef struct HcclOpDesc {
  CommAbiHeader header;
  uint32_t opDescType;
  char opName[256];
  union {
    uint8_t raws[76];
    HcclOpP2pDesc p2p;
  };
} HcclOpDesc;

/** A kernel function: library file name, function name, arguments of at most P2P_MAX_ARG_SIZE bytes. */
typedef struct HcclKernelFuncInfo {
  char kernelSoName[256];
  char kernelFuncName[256];
  void* args;
  uint32_t argSize;
} HcclKernelFuncInfo;

/** How to launch. timeOut: seconds that the kernel may run, 0: for ever; as the initialiser leaves it: the default. */
typedef struct HcclKernelLaunchCfg {
  CommAbiHeader header;
  uint64_t timeOut;
  uint8_t reserved[104];
} HcclKernelLaunchCfg;

/** Sets a description to "nothing given": valid header, all other bytes 0xFF. @return HCCL_E_PTR for NULL. */
static inline HcclResult HcclOpDescInit(HcclOpDesc* opDesc) {
  if (opDesc == NULL) {
    return HCCL_E_PTR;
  }
  memset((void*)opDesc, 0xFF, sizeof(*opDesc));
  opDesc->header.version = HCCL_OPDESC_VERSION;
  opDesc->header.magicWord = HCCL_OPDESC_MAGIC_WORD;
  opDesc->header.size = (uint32_t)sizeof(*opDesc);
  opDesc->header.reserved = 0;
  return HCCL_SUCCESS;
}

/** The same for a launch configuration. @return HCCL_E_PTR for NULL. */
static inline HcclResult HcclKernelLaunchCfgInit(HcclKernelLaunchCfg* kernelLaunchCfg) {
  if (kernelLaunchCfg == NULL) {
    return HCCL_E_PTR;
  }
  memset((void*)kernelLaunchCfg, 0xFF, sizeof(*kernelLaunchCfg));
  kernelLaunchCfg->header.version = HCCL_KERNEL_LAUNCH_CFG_VERSION;
  kernelLaunchCfg->header.magicWord = HCCL_KERNEL_LAUNCH_CFG_MAGIC_WORD;
  kernelLaunchCfg->header.size = (uint32_t)sizeof(*kernelLaunchCfg);
  kernelLaunchCfg->header.reserved = 0;
  return HCCL_SUCCESS;
}

/**
 * Queues the kernel after what is on userStream (NULL: the default stream), which goes on when everything is done that
 * the kernel has queued on its thread. That thread is aicpuThreadHandle (of COMM_ENGINE_AICPU or COMM_ENGINE_AICPU_TS),
 * except in a group (HcclGroupStart): there each peer and direction has a thread of its own, so that the launches do
 * not wait for each other, and nothing is queued before HcclGroupEnd. The library is looked for in the packages of the
 * installed operators whose description names it, then in those that conf/ascend_package_load.ini lists. opInfo counts
 * as the kernel's HcclDfxRegOpInfoByCommId. Host only.
 * @return HCCL_E_PTR, HCCL_E_PARA; HCCL_E_NOT_SUPPORT for another opDescType; HCCL_E_RUNTIME when the kernel is not
 * found; HCCL_E_REMOTE for an aborted communicator.
 */
HcclResult HcclAicpuKernelLaunch(HcclComm comm, const HcclOpDesc* opInfo, const HcclKernelFuncInfo* funcInfo,
                                 ThreadHandle aicpuThreadHandle, aclrtStream userStream,
                                 const HcclKernelLaunchCfg* kernelLaunchCfg);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_LAUNCH_H_
