/**
 * @file hccl_custom_barrier.h
 * The barrier (dissemination) as a custom operator.
 */
#ifndef HCCL_CUSTOM_BARRIER_H
#define HCCL_CUSTOM_BARRIER_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Later tasks of `stream` start only when every rank has come to its barrier. Asynchronous on `stream`.
 * @return HCCL_E_PTR for a null pointer, and what the calls inside answer.
 */
HcclResult HcclBarrierCustom(HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_CUSTOM_BARRIER_H
