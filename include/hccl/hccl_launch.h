/**
 * @file hccl_launch.h
 * Launch of a kernel through a communicator, and its descriptions. The structures and their initialisers exist;
 * HcclAicpuKernelLaunch answers "not supported": launch with aclrtLaunchKernelWithConfig.
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

/** What a point-to-point kernel gets. opParams: P2P_MAX_ARG_SIZE bytes. */
typedef struct HcclP2pKernelParam {
  ThreadHandle sendRecvThread;
  uint8_t opParams[8192];
} HcclP2pKernelParam;

/** A point-to-point operation. count is in elements. */
typedef struct HcclOpP2pDesc {
  void* buffer;
  uint8_t reserved[8];
  HcclCMDType cmdType;
  HcclDataType dataType;
  uint64_t count;
  uint32_t remoteRank;
  void* unfoldStream;
} HcclOpP2pDesc;

/** An operation, for diagnostics. */
typedef struct HcclOpDesc {
  CommAbiHeader header;
  uint32_t opDescType;
  char opName[256];
  union {
    uint8_t raws[76];
    HcclOpP2pDesc p2p;
  };
} HcclOpDesc;

/** A kernel function: library, name, arguments of argSize bytes. */
typedef struct HcclKernelFuncInfo {
  char kernelSoName[256];
  char kernelFuncName[256];
  void* args;
  uint32_t argSize;
} HcclKernelFuncInfo;

/** How to launch. */
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

/** Not supported. */
HcclResult HcclAicpuKernelLaunch(HcclComm comm, const HcclOpDesc* opInfo, const HcclKernelFuncInfo* funcInfo,
                                 ThreadHandle aicpuThreadHandle, aclrtStream userStream,
                                 const HcclKernelLaunchCfg* kernelLaunchCfg);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_LAUNCH_H_
