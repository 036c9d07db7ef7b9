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

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag);
aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);
aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId);
aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo* info);
aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);
aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyWaitInfo* info);
aclError aclrtCreateEvent(aclrtEvent* event);
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);
aclError aclrtDestroyEvent(aclrtEvent event);
aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent);
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);
aclError aclrtGetEventAvailNum(uint32_t* eventCount);
aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId);
aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle);
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event);
aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num);
aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len, uint64_t flags);
aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags);
aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num);
aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify, aclrtServerPid* serverPids, size_t num);
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status);
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag);
aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);
aclError aclrtSynchronizeEvent(aclrtEvent event);
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);
aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);
aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_EVENT_H_
