/**
 * @file hccl_mc2.h
 * Argument blocks of operators that fuse computation and communication (MC2).
 * A program that names these functions links; every one of them answers "not supported" and says its name.
 */
#ifndef HCCL_HCCL_MC2_H_
#define HCCL_HCCL_MC2_H_

#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

HcclResult HcclKfcAllocOpArgs(void** opArgs);
HcclResult HcclKfcFreeOpArgs(void* opArgs);
HcclResult HcclKfcOpArgsSetSrcDataType(void* opArgs, uint8_t srcDataType);
HcclResult HcclKfcOpArgsSetDstDataType(void* opArgs, uint8_t dstDataType);
HcclResult HcclKfcOpArgsSetReduceType(void* opArgs, uint32_t reduceType);
HcclResult HcclKfcOpArgsSetCount(void* opArgs, uint64_t count);
HcclResult HcclKfcOpArgsSetAlgConfig(void* opArgs, char* algConfig);
HcclResult HcclKfcOpArgsSetCommEngine(void* opArgs, uint8_t commEngine);
HcclResult HcclCreateOpResCtx(HcclComm comm, uint8_t opType, void* opArgs, void** opResCtx);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_MC2_H_
