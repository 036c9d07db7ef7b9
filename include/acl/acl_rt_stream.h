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

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);
aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr, const size_t infoSize);
aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr, const size_t infoSize);
aclError aclrtCreateLabel(aclrtLabel* label);
aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList);
aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void);
aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle);
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);
aclError aclrtDestroyLabel(aclrtLabel label);
aclError aclrtDestroyLabelList(aclrtLabelList labelList);
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle);
aclError aclrtDestroyStreamForce(aclrtStream stream);
aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value);
aclError aclrtGetStreamAvailableNum(uint32_t* streamCount);
aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag);
aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value);
aclError aclrtGetThreadLastTaskId(uint32_t* taskId);
aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream);
aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args);
aclError aclrtPersistentTaskClean(aclrtStream stream);
aclError aclrtProcessHostFunc(int32_t timeout);
aclError aclrtProcessReport(int32_t timeout);
aclError aclrtProfTrace(void* userdata, int32_t length, aclrtStream stream);
aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo, const aclrtStream stream, void* reserve);
aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args);
aclError aclrtResetStreamResLimit(aclrtStream stream);
aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);
aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value);
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* attrValue,
                                 size_t valueSize);
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);
aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);
aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);
aclError aclrtStreamAbort(aclrtStream stream);
aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags);
aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);
aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority);
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);
aclError aclrtStreamStop(aclrtStream stream);
aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);
aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);
aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream);
aclError aclrtSwitchStream(void* leftValue, aclrtCondition cond, void* rightValue, aclrtCompareDataType dataType,
                           aclrtStream trueStream, aclrtStream falseStream, aclrtStream stream);
aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId, aclrtTaskUpdateInfo* info,
                              aclrtStream execStream);
aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);
aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_STREAM_H_
