// What a collective operator keeps on the host for one rank of one communicator: the kernel, the thread, a channel to
// every other rank, and the order of the operations. An operator is its kernel and a few lines of argument checks.
#ifndef HCCL_CUSTOM_COLLECTIVE_HOST_H
#define HCCL_CUSTOM_COLLECTIVE_HOST_H

#include <stdint.h>

#include "collective_args.h"

namespace hccl_custom {

// An operator: its name as users call it, and where its kernel is.
struct CollectiveOperator {
  const char* name;         // "HcclAllGatherCustom"
  const char* kernel;       // function of the kernel library
  const char* description;  // file name of the kernel's description
};

// One call, in elements per rank. It is cut into launches when the blocks of all ranks do not fit the HcclBuffer.
struct CollectiveCall {
  void* sendBuf;
  void* recvBuf;
  uint64_t count;           // of one block
  uint32_t blocksInBuffer;  // of `count` elements that the kernel keeps in the HcclBuffer at the same time
  HcclDataType dataType;
  HcclReduceOp reduceOp;
  uint32_t root;
  uint32_t variant;  // which of its algorithms the kernel runs
  aclrtStream stream;
};

// Size of an element in bytes, 0 for a type that does not exist.
uint32_t ElementBytes(HcclDataType dataType);

// Refuses, with a sentence on standard error: null communicator or stream, null buffer with a count, an unknown data
// type, a count whose bytes do not fit 64 bits.
HcclResult CheckCall(const CollectiveOperator& op, HcclComm comm, const CollectiveCall& call);
// The same for an operator that reduces.
HcclResult CheckReduction(const CollectiveOperator& op, const CollectiveCall& call);

// Rank and size of the communicator, for argument checks.
HcclResult GetPlace(HcclComm comm, uint32_t* rank, uint32_t* rankNum);

// Acquires what is missing (the first call of a communicator connects all ranks and blocks until they have come) and
// queues the operation on the stream. A stream other than that of the call before is made to wait for that one here, on
// the host. Any host thread, one at a time per communicator.
HcclResult RunCollective(const CollectiveOperator& op, HcclComm comm, const CollectiveCall& call);

}  // namespace hccl_custom

#endif  // HCCL_CUSTOM_COLLECTIVE_HOST_H
