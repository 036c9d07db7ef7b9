/**
 * @file hccl_custom_alltoall.h
 * The all-to-all (full mesh) as a custom operator.
 */
#ifndef HCCL_CUSTOM_ALLTOALL_H
#define HCCL_CUSTOM_ALLTOALL_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Block j of rank i becomes block i of rank j. Asynchronous on `stream`.
 * @param sendBuf, recvBuf device memory, count times the number of ranks elements each; not overlapping.
 * @return as HcclAllGatherCustom.
 */
HcclResult HcclAlltoAllCustom(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclComm comm,
                              aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_CUSTOM_ALLTOALL_H
