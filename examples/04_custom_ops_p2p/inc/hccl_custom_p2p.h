// Public interface of the custom point-to-point operator: one rank sends, one rank receives. Installed into
// opp/vendors/<vendor>/include; the library is libhccl_custom_p2p.so. The sources use only the public headers of CANN,
// so they build against SoftHCCL and against a real CANN alike.
#ifndef HCCL_CUSTOM_P2P_H
#define HCCL_CUSTOM_P2P_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Queues on `stream` (null: the default stream) the sending of `count` elements of `sendBuf` (device memory) to
// `destRank`, which must call HcclRecvCustom with the same count and type. Returns when the work is queued; the
// operation has ended on `stream` when the receiver has read everything.
//
// The first call between two ranks connects them and blocks the host until the peer makes its first call with this
// rank. First calls must therefore come in an order that can meet: in a ring, let the even ranks send first and the odd
// ranks receive first. Later calls never block the host.
//
// The sends of a rank happen in the order of the host calls, whatever the streams, because they share one staging
// buffer; receives from one rank likewise. Calls may come from any host thread that has the communicator's device set.
//
// Errors (each with one line on standard error): HCCL_E_PTR for a null buffer or communicator; HCCL_E_PARA for a rank
// out of range or equal to the own one, an unknown data type, a size that overflows or does not fit the HcclBuffer;
// HCCL_E_AGAIN when the stream changes while 8 or more operations of the same direction are outstanding;
// HCCL_E_OPEN_FILE_FAILURE when the kernel is not installed; what the runtime answers otherwise.
HcclResult HcclSendCustom(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                          aclrtStream stream);

// The other half: queues the receiving of `count` elements from `srcRank` into `recvBuf` (device memory). Blocking,
// order and errors as above.
HcclResult HcclRecvCustom(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_CUSTOM_P2P_H
