/**
 * @file ccu_res_defs.h
 * Kinds of CCU resources.
 */
#ifndef HCOMM_CCU_CCU_RES_DEFS_H_
#define HCOMM_CCU_CCU_RES_DEFS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t HcommCcuResDescHandle;

typedef enum HcommCcuResType {
  HCOMM_CCU_RES_TYPE_INVALID = -1,
  HCOMM_CCU_RES_TYPE_LOOP = 0,
  HCOMM_CCU_RES_TYPE_CCU_BUF = 1,
  HCOMM_CCU_RES_TYPE_VARIABLE = 2,
  HCOMM_CCU_RES_TYPE_ADDRESS = 3,
  HCOMM_CCU_RES_TYPE_EVENT = 4,
  HCOMM_CCU_RES_TYPE_CCU_THREAD = 5,
  HCOMM_CCU_RES_TYPE_INSTRUCTION = 6
} HcommCcuResType;

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_CCU_CCU_RES_DEFS_H_
