// Argument checks that both operators share. They come before anything is acquired, so a wrong call changes nothing.
#ifndef HCCL_CUSTOM_P2P_CHECK_OP_H
#define HCCL_CUSTOM_P2P_CHECK_OP_H

#include <stdint.h>

#include "hccl/hccl_types.h"

namespace hccl_custom_p2p {

// Refuses null pointers (HCCL_E_PTR), unknown types and products above 64 bits (HCCL_E_PARA); sets *bytes otherwise.
HcclResult CheckBuffer(const char* opName, const void* buffer, const char* bufferName, HcclComm comm, uint64_t count,
                       HcclDataType dataType, uint64_t* bytes);

// Refuses a peer outside the communicator and the own rank.
HcclResult CheckPeer(const char* opName, const char* rankName, uint32_t peer, uint32_t ownRank, uint32_t rankSize);

}  // namespace hccl_custom_p2p

#endif  // HCCL_CUSTOM_P2P_CHECK_OP_H
