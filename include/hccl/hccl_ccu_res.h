/**
 * @file hccl_ccu_res.h
 * CCU instances of a communicator. There is no CCU engine here.
 * A program that names these functions links; every one of them answers "not supported" and says its name.
 */
#ifndef HCCL_HCCL_CCU_RES_H_
#define HCCL_HCCL_CCU_RES_H_

#include "../hcomm/ccu/ccu_types.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

HcclResult HcclCommAssignCcuIns(HcclComm comm, CcuInsHandle insHandle);
HcclResult HcclCommQueryCcuIns(HcclComm comm, CcuInsHandle* insHandles, uint32_t* insNum);
HcclResult HcclCommQueryAssignedCcuIns(HcclComm comm, CcuInsHandle* insHandles, uint32_t* insNum);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_CCU_RES_H_
