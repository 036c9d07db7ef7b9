/**
 * @file hccl_custom_allgather.h
 * The all-gather (full mesh, write with notify) as a custom operator.
 */
#ifndef HCCL_CUSTOM_ALLGATHER_H
#define HCCL_CUSTOM_ALLGATHER_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every rank gets the blocks of all ranks, in the order of ranks. Asynchronous on `stream`.
 * @param sendBuf device memory, sendCount elements.
 * @param recvBuf device memory, sendCount times the number of ranks elements.
 * @param dataType any type of HcclDataType.
 * @return HCCL_E_PTR for a null pointer with a count, HCCL_E_NOT_SUPPORT for an unknown type, HCCL_E_PARA for a count
 * that does not fit 64 bits of bytes, and what the calls inside answer.
 */
HcclResult HcclAllGatherCustom(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_CUSTOM_ALLGATHER_H
