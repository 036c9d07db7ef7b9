/**
 * @file ccu_launch.h
 * Registration and launch of CCU kernels.
 * A program that names these functions links; every one of them answers "not supported" and says its name.
 */
#ifndef HCOMM_CCU_CCU_LAUNCH_H_
#define HCOMM_CCU_CCU_LAUNCH_H_

#include "../hcomm_res_defs.h"
#include "ccu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

CcuResult HcommCcuKernelRegisterStart(CcuInsHandle insHandle);
CcuResult HcommCcuKernelRegister(CcuInsHandle insHandle, uint32_t dieId, const char* kernelFuncName,
                                 const void* kernelFunc, const void** kernelArgs, uint32_t argNum,
                                 CcuKernelHandle* kernelHandle);
CcuResult HcommCcuKernelRegisterEnd(CcuInsHandle insHandle);
CcuResult HcommCcuGetTaskArgsNum(CcuKernelHandle kernelHandle, uint32_t* taskArgsNum);
CcuResult HcommCcuKernelLaunch(ThreadHandle threadHandle, CcuKernelHandle kernelHandle, const void* taskArgs,
                               uint32_t argNum);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_CCU_CCU_LAUNCH_H_
