/**
 * @file hccl_custom_allreduce.h
 * The all-reduce (one-shot mesh for small, ring for large data) as a custom operator.
 */
#ifndef HCCL_CUSTOM_ALLREDUCE_H
#define HCCL_CUSTOM_ALLREDUCE_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every rank gets the reduction of all sendBufs, element by element. Asynchronous on `stream`. Up to 512 KiB in all it
 * is one exchange (reduced in the order of ranks, so that all ranks get the same bits); above that a ring, in which the
 * order of the additions of an element depends on its place.
 * @param sendBuf, recvBuf device memory, count elements each; may be the same.
 * @return as HcclAllGatherCustom; HCCL_E_PARA for an unknown op.
 */
HcclResult HcclAllReduceCustom(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                               HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_CUSTOM_ALLREDUCE_H
