/**
 * @file acl_rt_event.h
 * Events, notifies, counting notifies and waits for values in memory. A notify is one bit that a task sets and one
 * waiting task consumes; an event marks a place in a stream and can be waited for many times. A part of acl_rt.h, which
 * says what all of its functions have in common.
 */
#ifndef ACL_ACL_RT_EVENT_H_
#define ACL_ACL_RT_EVENT_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a notify on the current device, in the cleared state.
 * @param flag ACL_NOTIFY_DEFAULT or ACL_NOTIFY_DEVICE_USE_ONLY; anything else is ACL_ERROR_RT_PARAM_INVALID.
 * @return ACL_ERROR_RT_NO_NOTIFY_RESOURCE when the device has no more.
 * Behaviour: ACL runtime, notifies.
 */
aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag);

/** Frees a notify. The caller makes sure that no queued task uses it. Behaviour: ACL runtime, notifies. */
aclError aclrtDestroyNotify(aclrtNotify notify);

/** Id of a notify, counted from 0 and unique on its device; kernels name it by this. Behaviour: ACL runtime, notifies.
 */
aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId);

/**
 * Asynchronous: sets the notify when the tasks queued before are done. Setting a set notify changes nothing.
 * @return ACL_ERROR_RT_STREAM_CONTEXT when the stream is of another device.
 * Behaviour: ACL runtime, notifies.
 */
aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/**
 * Asynchronous: later tasks of the stream wait until the notify is set, then it is cleared.
 * @param timeout seconds; 0 and UINT32_MAX are without limit. When it is over, the stream fails with
 *        ACL_ERROR_RT_TASK_TIMEOUT, seen at the next synchronise.
 * Behaviour: ACL runtime, notifies.
 */
aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

/**
 * Clears num notifies at once, for the host. It stops at the first that is not a notify.
 * @return ACL_ERROR_RT_PARAM_INVALID for num 0.
 * Behaviour: ACL runtime, notifies.
 */
aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num);

/**
 * Makes an event with every ability: streams can wait for it, and it has a time.
 * @return ACL_ERROR_RT_CONTEXT_NULL without a device, ACL_ERROR_RT_NO_EVENT_RESOURCE when there is no more.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtCreateEvent(aclrtEvent* event);

/**
 * Makes an event with the abilities in flag, a combination of ACL_EVENT_SYNC (streams can wait for it),
 * ACL_EVENT_TIME_LINE (it has a time), ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_DEVICE_USE_ONLY. With
 * ACL_EVENT_EXTERNAL alone it is a gate for graphs: a record opens it, a reset closes it, both when they run, and waits
 * pass when it is open.
 * @return ACL_ERROR_RT_PARAM_INVALID for 0 or other bits.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);

/**
 * As aclrtCreateEventWithFlag, and ACL_EVENT_IPC is known. Such an event counts as reached before its first record and
 * needs no reset.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);

/** Frees an event without waiting. Records and waits that are queued go on. Behaviour: ACL runtime, events. */
aclError aclrtDestroyEvent(aclrtEvent event);

/**
 * Asynchronous: the event is reached when the tasks queued before are done. Each record replaces the one before; waits
 * that were queued keep theirs. stream NULL is the default stream.
 * @return ACL_ERROR_RT_STREAM_CONTEXT when the stream is of another device or context.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/**
 * As aclrtRecordEvent.
 * @param flag ACL_EVENT_RECORD_DEFAULT, or ACL_EVENT_RECORD_EXTERNAL on a captured stream: each replay counts as a
 * record of the event, which aclrtCreateEventExWithFlag made with ACL_EVENT_SYNC and aclrtRecordEvent has not recorded.
 * @return ACL_ERROR_RT_STREAM_NOT_CAPTURED for an external one on another stream.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);

/**
 * Makes the event as if it had not been recorded, for later waits and queries.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an event of aclrtCreateEventExWithFlag.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/**
 * Asynchronous: later tasks of the stream wait until the last record of the event so far is reached; no wait when there
 * is none. The limit is that of aclrtSetOpWaitTimeout. When the recording stream fails, so does this one.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an event without ACL_EVENT_SYNC.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/**
 * As aclrtStreamWaitEventWithTimeout.
 * @param timeout seconds; 0 is without limit, and the only one for an external wait.
 * @param flag ACL_EVENT_WAIT_DEFAULT, or ACL_EVENT_WAIT_EXTERNAL on a captured stream: each replay waits for the newest
 * record of the event at that time; the event as for ACL_EVENT_RECORD_EXTERNAL.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag);

/**
 * As aclrtStreamWaitEvent, for at most timeout seconds; 0 is without limit. When it is over, the stream fails with
 * ACL_ERROR_RT_TASK_TIMEOUT, seen at its next synchronise.
 * @return ACL_ERROR_RT_PARAM_INVALID for a negative number.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);

/**
 * Blocks until the last record of the event is reached; returns at once when there is none.
 * @return the failure because of which it was not reached.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtSynchronizeEvent(aclrtEvent event);

/**
 * The same for at most timeout milliseconds; -1 is without limit.
 * @return ACL_ERROR_RT_EVENT_SYNC_TIMEOUT when the time is over, ACL_ERROR_RT_PARAM_INVALID for 0 and below -1.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/** ACL_EVENT_STATUS_COMPLETE or ACL_EVENT_STATUS_NOT_READY, without waiting. Behaviour: ACL runtime, events. */
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);

/**
 * Whether the last record is reached, without waiting; for an event that was not recorded NOT_READY, or COMPLETE when
 * aclrtCreateEventExWithFlag made it.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);

/** Whether all waits that were queued for the event have ended. Behaviour: ACL runtime, events. */
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status);

/**
 * Milliseconds between the moments at which two events were reached, measured.
 * @return ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID when one has no time (not recorded, not reached, made without
 * ACL_EVENT_TIME_LINE), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL when endEvent came first.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent);

/**
 * Moment at which the event was reached, in microseconds of a clock that only grows. Errors as aclrtEventElapsedTime.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);

/** Number of the event, different for all that exist. Behaviour: ACL runtime, events. */
aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId);

/** How many more events can be made. Behaviour: ACL runtime, events. */
aclError aclrtGetEventAvailNum(uint32_t* eventCount);

/**
 * Makes a counting notify, a number of 32 bits that begins with 0.
 * @param flag reserved, 0.
 * @return ACL_ERROR_RT_NO_NOTIFY_RESOURCE when there is no more.
 * Behaviour: ACL runtime, notifies.
 */
aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag);

/** Frees a counting notify. Streams that wait for it fail. Behaviour: ACL runtime, notifies. */
aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/** Number of a counting notify, different for all that exist. Behaviour: ACL runtime, notifies. */
aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId);

/**
 * Asynchronous: sets, adds to, or combines bits with the count, as info->mode says; a sum wraps around.
 * @return ACL_ERROR_RT_PARAM_INVALID for another mode. Behaviour: ACL runtime, notifies.
 */
aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo* info);

/** Asynchronous: sets the count to 0. Behaviour: ACL runtime, notifies. */
aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

/**
 * Asynchronous: later tasks of the stream wait until the count compares with info->value as info->mode says. Waits end
 * in the order in which they began, each at the record that reaches what it waits for.
 * @param info timeout in seconds, 0 and UINT32_MAX without limit; isClear 1 sets the count to 0 when the wait ends.
 * When the limit is over, the stream fails with ACL_ERROR_RT_TASK_TIMEOUT, seen at the next synchronise. Behaviour: ACL
 * runtime, notifies.
 */
aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyWaitInfo* info);

/**
 * Asynchronous: writes the 64-bit word at devAddr, device memory aligned to 8 bytes.
 * @param flag reserved, 0. Behaviour: ACL runtime, notifies.
 */
aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/**
 * Asynchronous: later tasks of the stream wait until the 64-bit word at devAddr compares with value, whoever writes it.
 * @param flag ACL_STREAM_WAIT_VALUE_GEQ (their signed distance is not negative), _EQ, _AND (a bit in common) or _NOR (a
 * bit clear in both). Behaviour: ACL runtime, notifies.
 */
aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/**
 * Writes the key by which others import the notify, at most 65 bytes with its zero.
 * @param len room at key; less than 65 is ACL_ERROR_RT_PARAM_INVALID.
 * @param flags ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT: only processes of aclrtNotifySetImportPid may import it;
 *        ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION: every process.
 * Behaviour: ACL runtime, notifies.
 */
aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len, uint64_t flags);

/** Adds num processes to those that may import an exported notify. Behaviour: ACL runtime, notifies. */
aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num);

/**
 * A handle of its own for an exported notify. Only streams of the device that made the notify may wait for it; it goes
 * when the last handle of it is destroyed.
 * @param flags ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT or ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS, which mean the same.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a key of another process. Behaviour: ACL runtime, notifies.
 */
aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags);

/**
 * What others open an event by.
 * @param event made by aclrtCreateEventExWithFlag with ACL_EVENT_IPC; else ACL_ERROR_RT_PARAM_INVALID.
 * Behaviour: ACL runtime, events.
 */
aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle);

/**
 * Another handle of the same event, to be destroyed with aclrtDestroyEvent.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a handle of another process. Behaviour: ACL runtime, events.
 */
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event);

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify, aclrtServerPid* serverPids, size_t num);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_EVENT_H_
