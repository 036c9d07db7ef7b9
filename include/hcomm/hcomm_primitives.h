/**
 * @file hcomm_primitives.h
 * The data plane: what a communication kernel may do. Every ...OnThread function is asynchronous: it appends a task to
 * a thread, a queue that works in order, and returns; 0 means "queued". A task that fails later makes the stream that
 * launched the kernel fail. All functions return a number of HcclResult: HCCL_E_PTR for a null pointer or a handle of
 * 0, HCCL_E_PARA for another bad value. A thread is driven by one caller at a time.
 */
#ifndef HCOMM_HCOMM_PRIMITIVES_H_
#define HCOMM_HCOMM_PRIMITIVES_H_

#include <arpa/inet.h>

#include "../acl/acl_rt.h"
#include "../securec.h"
#include "hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off: tables
/** Reduction; the numbers are those of HcclReduceOp. */
typedef enum HcommReduceOp {
  HCOMM_REDUCE_SUM = 0, HCOMM_REDUCE_PROD = 1, HCOMM_REDUCE_MAX = 2, HCOMM_REDUCE_MIN = 3, HCOMM_REDUCE_RESERVED = 255
} HcommReduceOp;

/** Element type; the numbers are those of HcclDataType. */
typedef enum HcommDataType {
  HCOMM_DATA_TYPE_INT8 = 0, HCOMM_DATA_TYPE_INT16 = 1, HCOMM_DATA_TYPE_INT32 = 2, HCOMM_DATA_TYPE_FP16 = 3,
  HCOMM_DATA_TYPE_FP32 = 4, HCOMM_DATA_TYPE_INT64 = 5, HCOMM_DATA_TYPE_UINT64 = 6, HCOMM_DATA_TYPE_UINT8 = 7,
  HCOMM_DATA_TYPE_UINT16 = 8, HCOMM_DATA_TYPE_UINT32 = 9, HCOMM_DATA_TYPE_FP64 = 10, HCOMM_DATA_TYPE_BFP16 = 11,
  HCOMM_DATA_TYPE_INT128 = 12, HCOMM_DATA_TYPE_HIF8 = 14, HCOMM_DATA_TYPE_FP8E4M3 = 15, HCOMM_DATA_TYPE_FP8E5M2 = 16,
  HCOMM_DATA_TYPE_FP8E8M0 = 17, HCOMM_DATA_TYPE_RESERVED = 255
} HcommDataType;

/** Kinds of a batch entry. */
typedef enum HcommTransferType {
  HCOMM_TRANSFER_TYPE_INVALID = -1, HCOMM_TRANSFER_TYPE_WRITE = 0, HCOMM_TRANSFER_TYPE_WRITE_REDUCE = 1,
  HCOMM_TRANSFER_TYPE_WRITE_WITH_NOTIFY = 2, HCOMM_TRANSFER_TYPE_WRITE_REDUCE_WITH_NOTIFY = 3,
  HCOMM_TRANSFER_TYPE_READ = 4, HCOMM_TRANSFER_TYPE_READ_REDUCE = 5, HCOMM_TRANSFER_TYPE_NOTIFY_RECORD = 6
} HcommTransferType;
// clang-format on

/** One entry of a batch; transType says which member counts. len in bytes, count in elements. */
typedef struct HcommBatchTransferDesc {
  HcommTransferType transType;
  uint8_t reserved[4];
  union {
    uint8_t raws[56];
    struct {
      uint64_t len;
      void* dst;
      void* src;
    } write;
    struct {
      uint64_t len;
      void* dst;
      void* src;
    } read;
    struct {
      uint64_t count;
      void* dst;
      void* src;
      HcommReduceOp reduceOp;
      HcommDataType dataType;
    } reduce;
    struct {
      uint32_t notifyIdx;
    } notifyRecord;
    struct {
      uint64_t len;
      void* dst;
      void* src;
      uint32_t notifyIdx;
    } writeWithNotify;
    struct {
      uint64_t count;
      void* dst;
      void* src;
      HcommReduceOp reduceOp;
      HcommDataType dataType;
      uint32_t notifyIdx;
    } writeReduceWithNotify;
  } transferInfo;
} HcommBatchTransferDesc;

/* --- The calling kernel or host thread ------------------------------------------------------------------------- */

/**
 * Takes the communicator for this kernel; waits, without limit, while another kernel has it. Not re-entrant. A kernel
 * that returns without HcommReleaseComm leaves it taken.
 * @param commId name of the communicator. HCCL_E_PTR when there is none of that name.
 * Behaviour: data plane, communicator locking.
 */
int32_t HcommAcquireComm(const char* commId);

/** Gives the communicator back; an unknown name is no error. Behaviour: data plane, communicator locking. */
int32_t HcommReleaseComm(const char* commId);

/**
 * Begins to collect the tasks that this caller appends; HcommBatchModeEnd submits them. Some may start before. No
 * nesting.
 * @param batchTag a label, may be NULL; it is not compared with that of the end.
 * Behaviour: data plane, batch mode.
 */
int32_t HcommBatchModeStart(const char* batchTag);

/** Submits what was collected, in the order of first use of the threads. Behaviour: data plane, batch mode. */
int32_t HcommBatchModeEnd(const char* batchTag);

/** The time limits below are floating-point numbers. For a short time they were uint32_t, under the same names. */
#define HCOMM_TIMEOUT_FLOAT_TYPE 1

/**
 * The limit of this caller's later waits ...WithDefaultTimeout.
 * @param timeOut seconds, of which the fraction is dropped; 0 is without limit. HCCL_E_PARA for NaN, negative numbers
 *        and more than UINT32_MAX.
 * Behaviour: data plane, time-outs.
 */
int32_t HcommSetNotifyWaitTimeOut(float timeOut);

/**
 * How long this caller's later calls may wait for room in a full thread before they answer HCCL_E_AGAIN.
 * @param timeOut as above.
 * Behaviour: data plane, time-outs.
 */
int32_t HcommThreadResAcquireTimeOut(float timeOut);

/* --- Within this rank ------------------------------------------------------------------------------------------ */

/**
 * Asynchronous: copies len bytes between addresses of this rank. 0 bytes is success without a task; overlap is
 * undefined. Behaviour: data plane, primitives.
 */
int32_t HcommLocalCopyOnThread(ThreadHandle thread, void* dst, const void* src, uint64_t len);

/**
 * Asynchronous: dst[i] = dst[i] op src[i] for count elements of this rank. HCCL_E_PARA for a type or operator that does
 * not exist. Behaviour: data plane, primitives.
 */
int32_t HcommLocalReduceOnThread(ThreadHandle thread, void* dst, const void* src, uint64_t count,
                                 HcommDataType dataType, HcommReduceOp reduceOp);

/* --- To and from the peer -------------------------------------------------------------------------------------- */
/* The address on the peer's side comes from HcclChannelGetHcclBuffer or HcclChannelGetRemoteMems; the other one is any
 * memory of this rank. Sizes are bytes (len) or elements (count). Behaviour: data plane, primitives. */

/** Asynchronous: copies local memory src to the peer's memory dst. */
int32_t HcommWriteOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src, uint64_t len);

/** Asynchronous: combines the peer's memory dst with local memory src, element by element, at the peer. */
int32_t HcommWriteReduceOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src, uint64_t count,
                                 HcommDataType dataType, HcommReduceOp reduceOp);

/** HcommWriteOnThread, then sets the peer's notify remoteNotifyIdx of this channel, when the data is there. */
int32_t HcommWriteWithNotifyOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                     uint64_t len, uint32_t remoteNotifyIdx);

/** HcommWriteReduceOnThread, then sets the peer's notify remoteNotifyIdx of this channel. */
int32_t HcommWriteReduceWithNotifyOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                           uint64_t count, HcommDataType dataType, HcommReduceOp reduceOp,
                                           uint32_t remoteNotifyIdx);

/** Asynchronous: copies the peer's memory src to local memory dst. */
int32_t HcommReadOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src, uint64_t len);

/** Asynchronous: combines local memory dst with the peer's memory src. */
int32_t HcommReadReduceOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src, uint64_t count,
                                HcommDataType dataType, HcommReduceOp reduceOp);

/**
 * Asynchronous: transferDescNum transfers of this channel in the order of the array. All are checked before the first
 * is queued. HCCL_E_PTR for NULL, HCCL_E_PARA for 0 entries and for a bad entry.
 */
int32_t HcommBatchTransferOnThread(ThreadHandle thread, ChannelHandle channel,
                                   const HcommBatchTransferDesc* transferDescs, uint32_t transferDescNum);

/* --- Posted forms: success means that the transfer was accepted; a fence tells that it is complete --------------- */
/* On a thread they keep the thread's order. Without one, the posts of one channel keep the order of posting. A length
 * of 0 is HCCL_E_PARA. Behaviour: data plane, fence and Nbi. */

int32_t HcommWriteNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src, uint64_t len);
int32_t HcommWriteNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len);
int32_t HcommWriteWithNotifyNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                        uint64_t len, uint32_t remoteNotifyIdx);
int32_t HcommWriteWithNotifyNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len,
                                uint32_t remoteNotifyIdx);
int32_t HcommReadNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src, uint64_t len);
int32_t HcommReadNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len);

/* --- Notifies of a channel ------------------------------------------------------------------------------------- */
/* One bit each: two records before a wait count once. An index is below the notifyNum that the channel was acquired
 * with; that of a record is the peer's, that of a wait is this end's. A wait whose limit is over makes the stream that
 * launched the kernel fail and aborts the communicator. Behaviour: data plane, notify semantics and time-outs. */

/**
 * Asynchronous: sets the peer's notify, after everything queued before on this thread is complete and visible to the
 * peer.
 */
int32_t HcommChannelNotifyRecordOnThread(ThreadHandle thread, ChannelHandle channel, uint32_t remoteNotifyIdx);

/** Posted: sets the peer's notify after everything posted before through this channel. */
int32_t HcommChannelNotifyRecord(ChannelHandle channel, uint32_t remoteNotifyIdx);

/**
 * Asynchronous: the thread waits until the peer has set notify localNotifyIdx of this end, then clears it.
 * @param timeOut seconds, 0 is without limit.
 */
int32_t HcommChannelNotifyWaitOnThread(ThreadHandle thread, ChannelHandle channel, uint32_t localNotifyIdx,
                                       uint32_t timeOut);

/** The same with the caller's default limit: HcommSetNotifyWaitTimeOut, or else HCCL_EXEC_TIMEOUT. */
int32_t HcommChannelNotifyWaitOnThreadWithDefaultTimeout(ThreadHandle thread, ChannelHandle channel,
                                                         uint32_t localNotifyIdx);

/** Blocks the caller until the peer has set the notify, then clears it. HCCL_E_TIMEOUT after timeOut seconds. */
int32_t HcommChannelNotifyWait(ChannelHandle channel, uint32_t localNotifyIdx, uint32_t timeOut);

/** The same with the caller's default limit. Not in the vendor's headers, but looked up by its clients. */
int32_t HcommChannelNotifyWaitWithDefaultTimeout(ChannelHandle channel, uint32_t localNotifyIdx);

/* --- Notifies of a thread, and of the ACL runtime ---------------------------------------------------------------- */
/* An index is below the notifyNumPerThread that the thread was acquired with, otherwise HCCL_E_PTR. Behaviour: data
 * plane, notify semantics and time-outs. */

/** Asynchronous: sets notify dstNotifyIdx of the thread dstThread. */
int32_t HcommThreadNotifyRecordOnThread(ThreadHandle thread, ThreadHandle dstThread, uint32_t dstNotifyIdx);

/** Asynchronous: the thread waits for its own notify and clears it. timeOut in seconds, 0 is without limit. */
int32_t HcommThreadNotifyWaitOnThread(ThreadHandle thread, uint32_t notifyIdx, uint32_t timeOut);

/** The same with the caller's default limit. */
int32_t HcommThreadNotifyWaitOnThreadWithDefaultTimeout(ThreadHandle thread, uint32_t notifyIdx);

/**
 * Asynchronous: the thread waits for a runtime notify and clears it.
 * @param notifyId from aclrtGetNotifyId.
 * @param timeOut seconds, 0 is without limit.
 */
int32_t HcommAclrtNotifyWaitOnThread(ThreadHandle thread, uint64_t notifyId, uint32_t timeOut);

/** Asynchronous: sets the runtime notify dstNotifyId. */
int32_t HcommAclrtNotifyRecordOnThread(ThreadHandle thread, uint64_t dstNotifyId);

/* --- Completion ------------------------------------------------------------------------------------------------ */
/* Behaviour: data plane, fence, drain and flush. */

/**
 * What the thread does later begins after what it was given before is complete. On a thread of engine CPU the call
 * itself returns only then.
 */
int32_t HcommFenceOnThread(ThreadHandle thread);

/** Asynchronous: later transfers of the thread through this channel begin after the earlier ones are complete. */
int32_t HcommChannelFenceOnThread(ThreadHandle thread, ChannelHandle channel);

/** Blocks the caller until everything posted through the channel is complete; answers the first failure of a post. */
int32_t HcommChannelFence(ChannelHandle channel);

/** Asynchronous: the thread waits until all its earlier transfers through the channel are complete at both ends. */
int32_t HcommChannelDrainOnThread(ThreadHandle thread, ChannelHandle channel);

/** Of early releases: submits this caller's batch and blocks until everything that it has posted is complete. */
int32_t HcommFlush();

/** Of early releases: blocks the caller until the thread has done everything; answers the thread's failure. */
int32_t HcommThreadSynchronize(ThreadHandle thread);

/* --- Task cache ------------------------------------------------------------------------------------------------ */
/* A kernel that queues the same tasks at every launch, with other buffers, asks for its tag; when there is nothing, it
 * queues its tasks between Start and End, which records them; otherwise it replays them. A tag belongs to a device.
 * HCCL_E_PTR for null pointers, HCCL_E_INTERNAL for a call at the wrong time. Behaviour: data plane, task cache. */

/** *isHit: whether there are tasks for the tag; also no, when a thread, channel or notify that they use is gone. */
HcommResult HcommAicpuTsTaskCacheLookup(const char* tag, bool* isHit);

/**
 * Begins to record the tasks that this caller queues on threads; they run as usual.
 * @param addrs,sizes the buffers, in bytes, that a replay may replace: an address of a task that lies in one of them
 *        moves with it, any other stays. May be null when count is 0.
 * @param count at most 4096.
 * HCCL_E_INTERNAL when the tag is recorded already, HCCL_E_PARA when this caller is recording already.
 */
HcommResult HcommAicpuTsTaskCacheStart(const char* tag, void** addrs, uint64_t* sizes, uint64_t count);

/**
 * Ends the recording and keeps it, if the device's 10 MiB suffice and if nothing was posted, waited for or failed in
 * between; otherwise a lookup says no, and that is no error. HCCL_E_PARA for another tag than that of the start,
 * HCCL_E_INTERNAL without a start.
 */
HcommResult HcommAicpuTsTaskCacheEnd(const char* tag);

/**
 * Asynchronous: queues the recorded tasks again, with these buffers in place of the recorded ones.
 * @param sizes,count must be those of the start.
 * HCCL_E_INTERNAL for a tag without tasks, HCCL_E_PARA when buffers do not fit or an object is gone: then the threads
 * of the tasks fail. HCCL_E_AGAIN when a thread is full and nothing was queued.
 */
HcommResult HcommAicpuTsTaskCacheExecute(const char* tag, void** addrs, uint64_t* sizes, uint64_t count);

/** Forgets the tasks of the tag; success also when there are none. */
HcommResult HcommAicpuTsTaskCacheClear(const char* tag);

/* --- Requests to a host task, of early releases ------------------------------------------------------------------ */

typedef uint64_t MsgHandle;

int32_t HcommSendRequest(MsgHandle handle, const char* msgTag, const void* src, size_t sizeByte, uint32_t* msgId);
int32_t HcommWaitResponse(MsgHandle handle, void* dst, size_t sizeByte, uint32_t* msgId);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_PRIMITIVES_H_
