/**
 * @file ccu_res.h
 * Resources of a CCU instance.
 * A program that names these functions links; every one of them answers "not supported" and says its name.
 */
#ifndef HCOMM_CCU_CCU_RES_H_
#define HCOMM_CCU_CCU_RES_H_

#include "ccu_res_defs.h"
#include "ccu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

CcuResult HcommCcuVariableAlloc(CcuInsHandle insHandle, uint8_t dieId, uint32_t num, CcuVariableHandle* varHandle);
CcuResult HcommCcuEventAlloc(CcuInsHandle insHandle, uint8_t dieId, uint32_t num, CcuEventHandle* eventHandle);
CcuResult HcommCcuVariableGetAddr(CcuVariableHandle varHandle, uint32_t index, uint64_t* va);
CcuResult HcommCcuEventGetAddr(CcuEventHandle eventHandle, uint32_t index, uint64_t* va);
CcuResult HcommCcuInsResDescCreate(uint32_t dieId, HcommCcuResDescHandle* resDesc);
CcuResult HcommCcuInsResDescDestroy(HcommCcuResDescHandle resDesc);
CcuResult HcommCcuInsResDescQueryDieId(HcommCcuResDescHandle resDesc, uint32_t* dieId);
CcuResult HcommCcuInsResDescSetNum(HcommCcuResDescHandle resDesc, HcommCcuResType resType, uint32_t resNum);
CcuResult HcommCcuInsResDescQueryNum(HcommCcuResDescHandle resDesc, HcommCcuResType resType, uint32_t* resNum);
CcuResult HcommCcuInsCreate(const HcommCcuResDescHandle* resDescs, uint32_t resDescNum, CcuInsHandle* ccuInsHandle);
CcuResult HcommCcuInsCreateDefault(const uint32_t* dieIds, uint32_t dieNum, CcuInsHandle* ccuInsHandle);
CcuResult HcommCcuInsDestroy(CcuInsHandle ccuInsHandle);
CcuResult HcommCcuInsQueryResDesc(CcuInsHandle ccuInsHandle, HcommCcuResDescHandle resDesc);
CcuResult HcommCcuQueryRemainResDesc(HcommCcuResDescHandle resDesc);
CcuResult HcommCcuKernelQueryResReq(const void* kernelFunc, const void** kernelArgs, uint32_t argNum,
                                    HcommCcuResDescHandle resDesc);
CcuResult HcommCcuGetMemToken(uint64_t srcVa, uint64_t size, uint64_t* tokenInfo);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_CCU_CCU_RES_H_
