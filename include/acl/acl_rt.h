/**
 * @file acl_rt.h
 * The functions of the ACL runtime that SoftHCCL implements: start and end, devices, streams, notifies, memory,
 * kernels. Only implemented functions are declared, so that a missing one is found by the compiler and not at run time.
 * All of them may be called from any thread; the current device is a property of the calling thread. "Asynchronous"
 * means: queued on a stream, done later; a failure then shows at the next synchronise of that stream.
 *
 * Two layers answer errors. Wrong pointers, zero sizes and bad enumerators give ACL_ERROR_INVALID_PARAM (100000) and
 * its family; everything that needs the device gives the numbers of error_codes/rt_error_codes.h. aclGetRecentErrMsg()
 * has the text. Outputs are written only on success.
 */
#ifndef ACL_ACL_RT_H_
#define ACL_ACL_RT_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- start and end ---- */

/**
 * Starts the runtime of this process.
 * @param configPath file with a JSON object, or NULL for none.
 * @return ACL_ERROR_REPEAT_INITIALIZE when it runs already (harmless; the call is counted), ACL_ERROR_INVALID_FILE or
 *         ACL_ERROR_PARSE_FILE for a bad configuration.
 * Behaviour: ACL runtime, initialise and finalise.
 */
aclError aclInit(const char* configPath);

/**
 * Ends the runtime and frees what is left, however often aclInit was called.
 * @return ACL_ERROR_REPEAT_FINALIZE when it was ended before and not started again.
 * Behaviour: ACL runtime, initialise and finalise.
 */
aclError aclFinalize(void);

/**
 * Text of the errors of this thread since the last call, newest first; reading clears it.
 * @return NULL when there is none. Valid until the next call on the same thread; not to be freed.
 * Behaviour: ACL runtime, errors and messages.
 */
const char* aclGetRecentErrMsg(void);

/**
 * Version of an installed package as one number: major * 10000000 + minor * 100000 + patch * 1000 for "9.2.0" =
 * 90200000.
 * @param pkgName name of the package, for example "hcomm".
 * @return ACL_ERROR_INVALID_PARAM for a NULL pointer or an unknown package.
 * Behaviour: ACL runtime, package versions.
 */
aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum);

/* ---- devices ---- */

/**
 * Selects the device of the calling thread and opens it if needed; threads that select the same device share it.
 * Counted: each call wants one aclrtResetDevice.
 * @return ACL_ERROR_RT_INVALID_DEVICEID when deviceId is not below the device count.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtSetDevice(int32_t deviceId);

/**
 * Gives back one aclrtSetDevice. The last one waits for outstanding work and frees the device's streams.
 * @return ACL_ERROR_RT_CONTEXT_RELEASE_ERROR when the device is not set.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtResetDevice(int32_t deviceId);

/**
 * Device of the calling thread.
 * @return ACL_ERROR_RT_CONTEXT_NULL when the thread has none.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetDevice(int32_t* deviceId);

/**
 * Number of devices that the process can see.
 * @return ACL_ERROR_RT_NO_DEVICE when the list of visible devices is not valid.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetDeviceCount(uint32_t* count);

/* ---- streams ---- */

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

/* ---- notifies: one bit that a task sets and one waiting task consumes ---- */

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

/* ---- memory ---- */

/**
 * Device memory, size bytes, aligned to 64 bytes, contents undefined.
 * @return ACL_ERROR_INVALID_PARAM for NULL or size 0, ACL_ERROR_RT_CONTEXT_NULL without a device,
 *         ACL_ERROR_RT_MEMORY_ALLOCATION when there is no more.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

/** Frees device memory at once, without waiting for tasks that use it. Behaviour: ACL runtime, memory. */
aclError aclrtFree(void* devPtr);

/** Host memory that devices can reach; arguments and errors as aclrtMalloc. Behaviour: ACL runtime, memory. */
aclError aclrtMallocHost(void** hostPtr, size_t size);

/** Frees memory of aclrtMallocHost; a device address is ACL_ERROR_RT_PARAM_INVALID. Behaviour: ACL runtime, memory. */
aclError aclrtFreeHost(void* hostPtr);

/**
 * Copies count bytes and returns when they are there. It does not wait for tasks that are queued on streams.
 * @param destMax room at dst in bytes; less than count is ACL_ERROR_RT_PARAM_INVALID and nothing is copied.
 * @param kind direction; the addresses decide, so a wrong but known direction is not an error.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind);

/* ---- kernels ---- */

/**
 * Loads a description of kernels (.json) for the AI CPU.
 * @param options one option ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE: 0 takes the library from the installed packages, 1
 * from the file of the same name beside the description.
 * @return ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a missing file, bad JSON or bad option.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options, aclrtBinHandle* binHandle);

/**
 * Looks up a kernel by its name in the description.
 * @return ACL_ERROR_RT_PARAM_INVALID when there is none of that name or its library cannot be loaded.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName, aclrtFuncHandle* funcHandle);

/**
 * Begins an argument list. A thread has one: a second call starts it anew.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle);

/**
 * Appends paramSize bytes to the list. They are copied now, so param may be reused at once. At most 128 parameters.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT after aclrtKernelArgsFinalize.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                               aclrtParamHandle* paramHandle);

/** Closes the list; it can be launched then. Behaviour: ACL runtime, kernel loading. */
aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/**
 * Asynchronous: runs the kernel numBlocks times on the device. The kernel gets the address of a device copy of argsSize
 * bytes. Behaviour: ACL runtime, kernel launch.
 */
aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                           aclrtStream stream);

/**
 * Asynchronous: as aclrtLaunchKernel, with an argument list and launch attributes. The kernel gets one pointer to a
 * device copy of the list. A kernel that returns other than 0 makes the stream fail.
 * @param cfg attributes, or NULL. ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT is in seconds, 0 is without limit.
 * @param reserve NULL.
 * @return ACL_ERROR_INVALID_PARAM for NULL, 0 blocks or a non-NULL reserve; ACL_ERROR_RT_PARAM_INVALID for an open list
 * or a bad attribute; ACL_ERROR_RT_STREAM_CONTEXT for a stream of another device. Behaviour: ACL runtime, kernel
 * launch.
 */
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_H_
