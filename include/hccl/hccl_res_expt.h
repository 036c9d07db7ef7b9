/**
 * @file hccl_res_expt.h
 * Resources of a communicator whose interface may still change: threads for the other side, the communication buffer of
 * a peer without a channel, named device memory, and small data that travel with the acquiring of channels.
 */
#ifndef HCCL_HCCL_RES_EXPT_H_
#define HCCL_HCCL_RES_EXPT_H_

#include "hccl_res.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Work that a kernel asks the host to do; the numbers are the request's handle and its state. */
typedef int32_t(Callback)(uint64_t, int32_t);

/**
 * Handles by which the other side, host or AI CPU, can name threads: as the target of thread notifies.
 * @param threadNum 1 to 40.
 * @param exportedThreads room for threadNum handles.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for a bad number or engine, or a thread that is not of this communicator.
 * Behaviour: resources, threads.
 */
HcclResult HcclThreadExportToCommEngine(HcclComm comm, uint32_t threadNum, const ThreadHandle* threads,
                                        CommEngine dstCommEngine, ThreadHandle* exportedThreads);

/**
 * Communication buffer of any rank as this rank addresses it, without a channel, and its size in bytes.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for a rank out of range, HCCL_E_REMOTE when the rank has destroyed its
 * communicator.
 */
HcclResult HcclGetRemoteIpcHcclBuf(HcclComm comm, uint64_t remoteRank, void** addr, uint64_t* size);

/**
 * Device memory that the communicator keeps under memTag: made by the first call, found by later ones.
 * @param size in: bytes wanted; out: bytes there are.
 * @param newCreated whether this call made it; then its contents are 0.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for size 0, a bad tag, or memory that exists and is smaller.
 */
HcclResult HcclDevMemAcquire(HcclComm comm, const char* memTag, uint64_t* size, void** addr, bool* newCreated);

/**
 * Data that every peer gets with the next channel that is acquired to it. Once per acquire; afterwards the communicator
 * forgets it.
 * @param length bytes, at least 1.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for length 0 or when data is waiting already.
 * Behaviour: resources, channels.
 */
HcclResult HcclCommAddExchangeInfo(HcclComm comm, const void* data, uint32_t length);

/**
 * What remoteRank had added when the last channel to it was acquired; can be read once.
 * @param length room in data, in bytes.
 * @param actualLength bytes written.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA when the room is too small or the rank is out of range, HCCL_E_NOT_FOUND
 * when there is nothing to read. Behaviour: resources, channels.
 */
HcclResult HcclCommGetExchangeInfo(HcclComm comm, uint32_t remoteRank, uint32_t length, void* data,
                                   uint32_t* actualLength);

/** Forgets what was added and what peers sent. */
HcclResult HcclCommResetExchangeInfo(HcclComm comm);

/** Registers host work that a kernel can ask for by name. No declared function asks for it. */
int32_t HcclTaskRegister(HcclComm comm, const char* msgTag, Callback cb);
int32_t HcclTaskUnRegister(HcclComm comm, const char* msgTag);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_RES_EXPT_H_
