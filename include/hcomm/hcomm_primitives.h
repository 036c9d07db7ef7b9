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

/**
 * Asynchronous: the thread waits for a runtime notify and clears it.
 * @param notifyId from aclrtGetNotifyId.
 * @param timeOut seconds, 0 is without limit. When it is over, the launching stream fails.
 * Behaviour: data plane, notify semantics.
 */
int32_t HcommAclrtNotifyWaitOnThread(ThreadHandle thread, uint64_t notifyId, uint32_t timeOut);

/** Asynchronous: sets the runtime notify dstNotifyId. Behaviour: data plane, notify semantics. */
int32_t HcommAclrtNotifyRecordOnThread(ThreadHandle thread, uint64_t dstNotifyId);

/**
 * Asynchronous: sets notify remoteNotifyIdx of the peer's end of the channel, after everything queued before on this
 * thread is complete and visible to the peer. One bit: two records before a wait count once.
 * @param remoteNotifyIdx below the notifyNum that the channel was acquired with.
 * Behaviour: data plane, notify semantics.
 */
int32_t HcommChannelNotifyRecordOnThread(ThreadHandle thread, ChannelHandle channel, uint32_t remoteNotifyIdx);

/**
 * Asynchronous: the thread waits until the peer has set notify localNotifyIdx of this end, then clears it.
 * @param timeOut seconds, 0 is without limit. When it is over, the launching stream fails.
 * Behaviour: data plane, notify semantics and time-outs.
 */
int32_t HcommChannelNotifyWaitOnThread(ThreadHandle thread, ChannelHandle channel, uint32_t localNotifyIdx,
                                       uint32_t timeOut);

/**
 * Asynchronous: copies len bytes between addresses of this rank. 0 bytes is success without a task; overlap is
 * undefined. Behaviour: data plane, primitives.
 */
int32_t HcommLocalCopyOnThread(ThreadHandle thread, void* dst, const void* src, uint64_t len);

/**
 * Asynchronous: copies len bytes from the peer's memory src, an address from HcclChannelGetHcclBuffer, to dst of this
 * rank. Behaviour: data plane, primitives.
 */
int32_t HcommReadOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src, uint64_t len);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_PRIMITIVES_H_
