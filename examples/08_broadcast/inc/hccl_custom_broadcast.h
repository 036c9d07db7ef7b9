/**
 * @file hccl_custom_broadcast.h
 * The broadcast (binomial tree) as a custom operator.
 */
#ifndef HCCL_CUSTOM_BROADCAST_H
#define HCCL_CUSTOM_BROADCAST_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every rank gets what `buf` of rank `root` holds. Asynchronous on `stream`.
 * @param buf device memory, count elements; read on the root, written on the others.
 * @return as HcclAllGatherCustom; HCCL_E_PARA for a root that is not a rank.
 */
HcclResult HcclBroadcastCustom(void* buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_CUSTOM_BROADCAST_H
