/**
 * @file hccl_custom_reduce_scatter.h
 * The reduce-scatter (full mesh, local reduction) as a custom operator.
 */
#ifndef HCCL_CUSTOM_REDUCE_SCATTER_H
#define HCCL_CUSTOM_REDUCE_SCATTER_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Rank r gets the reduction of block r of all sendBufs, in the order of ranks. Asynchronous on `stream`.
 * @param sendBuf device memory, recvCount times the number of ranks elements.
 * @param recvBuf device memory, recvCount elements.
 * @return as HcclAllGatherCustom; HCCL_E_PARA for an unknown op.
 */
HcclResult HcclReduceScatterCustom(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                                   HcclReduceOp op, HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_CUSTOM_REDUCE_SCATTER_H
