// The frame of a collective kernel: it takes the communicator, opens a batch, orders the thread after the host's
// stream, runs the algorithm, and gives everything back on every path.
#ifndef HCCL_CUSTOM_COLLECTIVE_KERNEL_H
#define HCCL_CUSTOM_COLLECTIVE_KERNEL_H

#include "collective_args.h"

namespace hccl_custom {

// Queues the tasks of one operation; 0 or the code of the call that failed.
using Algorithm = int (*)(const CollectiveParam& param, const CollectiveContext& context);

// Returns what the kernel function returns: 0, or 1 after a failure that was printed.
unsigned int RunKernel(const CollectiveParam* param, Algorithm algorithm);

// --- Steps that algorithms are made of. All queue on the context's thread. ---

// Tells every other rank that this one may be written to, or waits until every other rank has said so.
int RecordReadyToAll(const CollectiveParam& param, const CollectiveContext& context);
// Copies within this rank, or to a peer with a DATA notify; nothing to copy is still a notify.
int CopyLocal(const CollectiveParam& param, const CollectiveContext& context, void* dst, const void* src,
              uint64_t bytes);
int RecordReady(const CollectiveParam& param, const CollectiveContext& context, uint32_t rank);
int WaitReady(const CollectiveParam& param, const CollectiveContext& context, uint32_t rank);
int WriteData(const CollectiveParam& param, const CollectiveContext& context, uint32_t rank, void* dst, const void* src,
              uint64_t bytes, uint32_t step);
int WaitData(const CollectiveParam& param, const CollectiveContext& context, uint32_t rank, uint32_t step);

// The exchange that three of the operators share: block r of `blocks` (with `strideBytes` from one to the next; 0: the
// same block for all) goes to rank r, and what comes from rank r lies in this rank's HcclBuffer at r * blockBytes
// afterwards, the own block included.
int ExchangeBlocks(const CollectiveParam& param, const CollectiveContext& context, const void* blocks,
                   uint64_t strideBytes, uint64_t blockBytes);
// Reduces the blocks that ExchangeBlocks left in the HcclBuffer into `dst`, in the order of ranks.
int ReduceBlocks(const CollectiveParam& param, const CollectiveContext& context, void* dst, uint64_t blockBytes);

// `base` plus `bytes`.
inline void* At(void* base, uint64_t bytes) { return static_cast<char*>(base) + bytes; }
inline const void* At(const void* base, uint64_t bytes) { return static_cast<const char*>(base) + bytes; }

}  // namespace hccl_custom

#endif  // HCCL_CUSTOM_COLLECTIVE_KERNEL_H
