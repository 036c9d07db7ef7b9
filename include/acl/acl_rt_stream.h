/**
 * @file acl_rt_stream.h
 * Streams, host callbacks on streams, labels and per-task attributes. A stream is an ordered queue of tasks;
 * "asynchronous" means queued on a stream and done later, with a failure that shows at its next synchronise. A part of
 * acl_rt.h, which says what all of its functions have in common.
 */
#ifndef ACL_ACL_RT_STREAM_H_
#define ACL_ACL_RT_STREAM_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a stream, an ordered queue of tasks, on the current device.
 * @return ACL_ERROR_RT_CONTEXT_NULL without a device, ACL_ERROR_RT_NO_STREAM_RESOURCE when the device has no more.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtCreateStream(aclrtStream* stream);

/**
 * Waits for the tasks of the stream, then frees it. NULL and the default stream are errors.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtDestroyStream(aclrtStream stream);

/**
 * Blocks until all tasks queued so far are done, without limit. NULL is the default stream of the current device.
 * @return the stored failure of a task of this stream, which is cleared by that: a second call returns 0.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtSynchronizeStream(aclrtStream stream);

/**
 * As aclrtSynchronizeStream, for at most timeout milliseconds; -1 is without limit.
 * @return ACL_ERROR_RT_STREAM_SYNC_TIMEOUT when the time is over (the tasks go on), ACL_ERROR_RT_PARAM_INVALID for 0
 * and for numbers below -1. Behaviour: ACL runtime, streams.
 */
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/**
 * As aclrtCreateStream.
 * @param priority 0 (most urgent) to 7; it is kept and has no effect here.
 * @param flag ACL_STREAM_... bits. A PERSISTENT, CPU_SCHEDULE or DEVICE_USE_ONLY stream is never waited for by a
 * synchronise; the others have no effect.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);

/**
 * Makes a configuration with default values; NULL when the host is out of memory. Behaviour: ACL runtime, streams.
 */
aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void);

/**
 * Sets one value of a configuration.
 * @param valueSize size in bytes of the value: 8 for the address, the size and the flags, 4 for the priority.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* attrValue,
                                 size_t valueSize);

/** Frees a configuration; streams made with it stay. Behaviour: ACL runtime, streams. */
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle);

/**
 * As aclrtCreateStreamWithConfig with the values of a configuration; NULL for the defaults. Behaviour: ACL runtime,
 * streams.
 */
aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle);

/**
 * As aclrtDestroyStream without waiting for the tasks: waits end, the rest is not run. Behaviour: ACL runtime, streams.
 */
aclError aclrtDestroyStreamForce(aclrtStream stream);

/**
 * Ends a wait of the stream and drops what is queued; returns when a kernel that is running has returned.
 * The next synchronise answers ACL_ERROR_RT_STREAM_ABORT, then the stream can be used again.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtStreamAbort(aclrtStream stream);

/**
 * ACL_STREAM_STATUS_COMPLETE when nothing is queued or running, else ACL_STREAM_STATUS_NOT_READY. Behaviour: ACL
 * runtime, streams.
 */
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);

/** Number of the stream, different for all that exist; reports and logs use it. Behaviour: ACL runtime, streams. */
aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);

/** The priority that the stream was made with or given. Behaviour: ACL runtime, streams. */
aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority);

/** The flags that the stream was made with. Behaviour: ACL runtime, streams. */
aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags);

/**
 * @param mode ACL_STOP_ON_FAILURE: when a task of this stream fails, every stream of its context fails and stays
 * failed, and later calls that queue something on one answer that failure. It cannot be taken back.
 * ACL_CONTINUE_ON_FAILURE: the default. Behaviour: ACL runtime, streams.
 */
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/** Sets an attribute: the failure mode has effect, the others are kept. Behaviour: ACL runtime, streams. */
aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value);

/** The value of an attribute, 0 unless it was set. Behaviour: ACL runtime, streams. */
aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value);

/** Keeps the switch; no arithmetic here looks at it. Behaviour: ACL runtime, streams. */
aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

/** The value kept by aclrtSetStreamOverflowSwitch. Behaviour: ACL runtime, streams. */
aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag);

/** How many more streams the current device can have. Behaviour: ACL runtime, streams. */
aclError aclrtGetStreamAvailableNum(uint32_t* streamCount);

/**
 * Number, counted on its stream from 1, of the task that the calling thread queued last.
 * @return ACL_ERROR_RT_PARAM_INVALID when it has queued none.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtGetThreadLastTaskId(uint32_t* taskId);

/**
 * callback is called on the thread that makes a stream, afterwards, and on the one that destroys it, before.
 * @param regName name of the registration; another one with the same name replaces it, callback NULL removes it.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args);

/**
 * Asynchronous: has fn(userData) called, when the tasks queued before are done, by the thread of
 * aclrtSubscribeReport. Behind a failed task it is not called.
 * @param blockType ACL_CALLBACK_BLOCK: later tasks of the stream wait until it has returned.
 * @return ACL_ERROR_RT_STREAM_NO_CB_REG when the stream has no thread.
 * Behaviour: ACL runtime, callbacks.
 */
aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream);

/**
 * Asynchronous: has fn(args) called by a thread of the library; later tasks of the stream wait until it has returned.
 * It must not wait for streams.
 * Behaviour: ACL runtime, callbacks.
 */
aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args);

/**
 * Makes a thread of the program the one that runs the callbacks of a stream.
 * @param threadId what pthread_self gives there. @return ACL_ERROR_RT_STREAM_SUBSCRIBE when the stream has one already.
 * Behaviour: ACL runtime, callbacks.
 */
aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/**
 * Waits for one callback for the calling thread, at most timeout milliseconds (-1: without limit), and runs it.
 * @return ACL_ERROR_RT_REPORT_TIMEOUT, or ACL_ERROR_RT_THREAD_SUBSCRIBE when no stream has this thread.
 * Behaviour: ACL runtime, callbacks.
 */
aclError aclrtProcessReport(int32_t timeout);

/**
 * Ends aclrtSubscribeReport. A callback that has not been run fails its stream.
 * @return ACL_ERROR_RT_THREAD_SUBSCRIBE when this is not the thread of the stream.
 * Behaviour: ACL runtime, callbacks.
 */
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/**
 * Keeps the number of AI cores that a stream is to use; it has no effect here. Behaviour: ACL runtime, device and
 * context.
 */
aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);

/** The number that was kept, 0 unless it was set. Behaviour: ACL runtime, device and context. */
aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value);

/** Forgets what aclrtSetStreamResLimit kept. Behaviour: ACL runtime, device and context. */
aclError aclrtResetStreamResLimit(aclrtStream stream);

/**
 * aclrtGetResInCurrentThread answers for this stream in the calling thread. Behaviour: ACL runtime, device and context.
 */
aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

/** Takes aclrtUseStreamResInCurrentThread back. Behaviour: ACL runtime, device and context. */
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/**
 * Holds a stream back: its tasks stay queued and none of them begins, until aclrtStreamAbort or destroying the stream
 * drops them. A kernel that runs goes on until it returns.
 * @return ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a default stream.
 * Behaviour: ACL runtime, streams.
 */
aclError aclrtStreamStop(aclrtStream stream);

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);
aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr, const size_t infoSize);
aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr, const size_t infoSize);
aclError aclrtCreateLabel(aclrtLabel* label);
aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList);
aclError aclrtDestroyLabel(aclrtLabel label);
aclError aclrtDestroyLabelList(aclrtLabelList labelList);
aclError aclrtPersistentTaskClean(aclrtStream stream);
aclError aclrtProcessHostFunc(int32_t timeout);
aclError aclrtProfTrace(void* userdata, int32_t length, aclrtStream stream);
aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo, const aclrtStream stream, void* reserve);
aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);
aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);
aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream);
aclError aclrtSwitchStream(void* leftValue, aclrtCondition cond, void* rightValue, aclrtCompareDataType dataType,
                           aclrtStream trueStream, aclrtStream falseStream, aclrtStream stream);
aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId, aclrtTaskUpdateInfo* info,
                              aclrtStream execStream);
aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_STREAM_H_
