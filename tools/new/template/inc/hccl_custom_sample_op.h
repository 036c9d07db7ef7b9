/**
 * @file hccl_custom_sample_op.h
 * What programs call: every rank gets what the rank before it has.
 */
#ifndef HCCL_CUSTOM_SAMPLE_OP_H
#define HCCL_CUSTOM_SAMPLE_OP_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sends `count` elements to the next rank and receives as many from the one before; the last rank's go to rank 0.
 * Asynchronous on `stream`. The first call of a communicator connects the ranks and blocks until both neighbours have
 * come. One host thread at a time per communicator.
 * @param sendBuf device memory of `count` elements.
 * @param recvBuf device memory of `count` elements, other than sendBuf.
 * @return HCCL_E_PTR for a null argument, HCCL_E_NOT_SUPPORT for an unknown data type, HCCL_E_PARA for a count whose
 * bytes do not fit 64 bits, and what the calls inside answer. The reason is printed.
 */
HcclResult HcclSampleOpCustom(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclComm comm,
                              aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_CUSTOM_SAMPLE_OP_H
