/**
 * @file rt_external_base.h
 * Task numbers, and being told of tasks that failed.
 */
#ifndef RUNTIME_RT_EXTERNAL_BASE_H_
#define RUNTIME_RT_EXTERNAL_BASE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result of an rt call: 0 is success, the other numbers are those of acl/error_codes/rt_error_codes.h. */
typedef int32_t rtError_t;
typedef void* rtStream_t;

/** What a task failed of; ask the aclrtGet...FromExceptionInfo functions. Valid inside the callback only. */
typedef struct rtExceptionInfo rtExceptionInfo_t;
typedef void (*rtTaskFailCallback)(rtExceptionInfo_t* exceptionInfo);

/**
 * The task that the calling thread queued last: its number on its stream, from 1, and the number of the stream.
 * @return ACL_ERROR_RT_PARAM_INVALID when the thread has queued none.
 * Behaviour: ACL runtime, streams.
 */
rtError_t rtGetTaskIdAndStreamID(uint32_t* taskId, uint32_t* streamId);

/**
 * callback is called when a task fails, on a thread of the library, before the synchronise that tells it returns.
 * @param moduleName name of the registration; another one with the same name replaces it, callback NULL removes it.
 * Behaviour: ACL runtime, errors and messages.
 */
rtError_t rtRegTaskFailCallbackByModule(const char* moduleName, rtTaskFailCallback callback);

#ifdef __cplusplus
}
#endif

#endif  // RUNTIME_RT_EXTERNAL_BASE_H_
