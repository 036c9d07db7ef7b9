/**
 * @file ccu_types.h
 * Types of the CCU engine. There is no CCU engine here: the types exist so that programs compile.
 */
#ifndef HCOMM_CCU_CCU_TYPES_H_
#define HCOMM_CCU_CCU_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handles of CCU objects. */
typedef uint64_t CcuLoop;
typedef uint64_t CcuLoopGroup;
typedef uint64_t CcuLoopExecutors;
typedef uint64_t CcuInsHandle;
typedef uint64_t CcuKernelHandle;
typedef uint64_t CcuVariableHandle;
typedef uint64_t CcuAddressHandle;
typedef uint64_t CcuEventHandle;
typedef uint64_t CcuBufferHandle;
typedef uint64_t CcuLocalAddrHandle;
typedef uint64_t CcuRemoteAddrHandle;
typedef void* CcuKernelArg;

/** Result of a CCU call. */
typedef enum CcuResult {
  CCU_SUCCESS = 0,
  CCU_E_PARA = 1,
  CCU_E_PTR = 2,
  CCU_E_INTERNAL = 4,
  CCU_E_NOT_SUPPORT = 5,
  CCU_E_NOT_FOUND = 6,
  CCU_E_UNAVAIL = 7,
  CCU_E_RUNTIME = 15,
  CCU_E_DRV_START = 4096,
  CCU_E_DRV_INIT_FAILED = 4097,
  CCU_E_DRV_BUSY = 4098,
  CCU_E_DRV_END = 4224,
  CCU_E_RESERVED = 9216
} CcuResult;

/** How a condition compares two variables. */
typedef enum CcuConditionType {
  CCU_CONDITION_EQ = 0,
  CCU_CONDITION_NE = 1,
  CCU_CONDITION_LT = 2,
  CCU_CONDITION_LE = 3,
  CCU_CONDITION_GT = 4,
  CCU_CONDITION_GE = 5
} CcuConditionType;

/** A loop without header: iterations and the step of addresses in bytes. */
typedef struct CcuLoopConfig {
  uint64_t addrOffset;
  uint64_t iterNum;
} CcuLoopConfig;

/** A group of loops without header: how often it is cloned and the offsets between clones. */
typedef struct CcuLoopGroupConfig {
  uint32_t cloneNum;
  uint32_t cloneLoopOffset;
  uint32_t addrOffset;
  uint32_t ccuBufferOffset;
  uint32_t eventOffset;
} CcuLoopGroupConfig;

#define CCU_CFG_MAGIC_WORD 0xCC0CF000u
#define CCU_LOOP_CFG_VERSION 1u
#define CCU_LOOPGROUP_CFG_VERSION 1u

/** Says which revision of a configuration follows. size: bytes of the whole structure. */
typedef struct CcuCfgHeader {
  uint32_t magic;
  uint32_t version;
  uint32_t size;
  uint32_t reserved;
} CcuCfgHeader;

typedef struct CcuLoopCfg {
  CcuCfgHeader header;
  uint64_t addrOffset;
  uint64_t iterNum;
  uint64_t reserved[4];
} CcuLoopCfg;

typedef struct CcuLoopGroupCfg {
  CcuCfgHeader header;
  uint32_t cloneNum;
  uint32_t cloneLoopOffset;
  uint32_t addrOffset;
  uint32_t ccuBufferOffset;
  uint32_t eventOffset;
  uint32_t varOffset;
  uint32_t reserved[8];
} CcuLoopGroupCfg;

/** Writes the header of a loop configuration; the other fields stay as they are. NULL is ignored. */
static inline void CcuLoopCfgInit(CcuLoopCfg* cfg) {
  if (cfg != NULL) {
    cfg->header.magic = CCU_CFG_MAGIC_WORD;
    cfg->header.version = CCU_LOOP_CFG_VERSION;
    cfg->header.size = (uint32_t)sizeof(CcuLoopCfg);
    cfg->header.reserved = 0;
  }
}

/** Writes the header of a loop group configuration; the other fields stay as they are. NULL is ignored. */
static inline void CcuLoopGroupCfgInit(CcuLoopGroupCfg* cfg) {
  if (cfg != NULL) {
    cfg->header.magic = CCU_CFG_MAGIC_WORD;
    cfg->header.version = CCU_LOOPGROUP_CFG_VERSION;
    cfg->header.size = (uint32_t)sizeof(CcuLoopGroupCfg);
    cfg->header.reserved = 0;
  }
}

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_CCU_CCU_TYPES_H_
