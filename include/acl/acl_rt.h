/**
 * @file acl_rt.h
 * The ACL runtime: start and end, errors and exceptions here, the rest in the headers of this folder that it includes.
 * A declared function without implementation answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name; the list is in
 * docs/compat.md. All of them may be called from any thread; the current device is a property of the calling thread.
 * "Asynchronous" means: queued on a stream, done later; a failure then shows at the next synchronise of that stream.
 *
 * Two layers answer errors. Wrong pointers, zero sizes and bad enumerators give ACL_ERROR_INVALID_PARAM (100000) and
 * its family; everything that needs the device gives the numbers of error_codes/rt_error_codes.h. aclGetRecentErrMsg()
 * has the text. Outputs are written only on success.
 */
#ifndef ACL_ACL_RT_H_
#define ACL_ACL_RT_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_device.h"
#include "acl_rt_event.h"
#include "acl_rt_kernel.h"
#include "acl_rt_memory.h"
#include "acl_rt_model.h"
#include "acl_rt_stream.h"
#include "acl_rt_structs.h"
#include "acl_rt_virtual_memory.h"

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

/* ---- exceptions, versions, time limits ---- */

/**
 * Takes back one aclInit; the last one does what aclFinalize does.
 * @param refCount how many are left.
 * @return ACL_ERROR_REPEAT_FINALIZE when there was none.
 * Behaviour: ACL runtime, initialise and finalise.
 */
aclError aclFinalizeReference(uint64_t* refCount);

/**
 * cbFunc(configuration, its length in bytes, userData) is called by the aclInit that starts the runtime, or at once
 * when it runs already. What it answers is the answer of that call.
 * @param type which part of CANN it belongs to.
 * Behaviour: ACL runtime, initialise and finalise.
 */
aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData);

/**
 * Ends aclInitCallbackRegister; ACL_ERROR_INVALID_PARAM when it is not registered. Behaviour: ACL runtime, initialise
 * and finalise.
 */
aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);

/**
 * cbFunc(userData) is called when the runtime ends, the last registered first. Behaviour: ACL runtime, initialise and
 * finalise.
 */
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void* userData);

/** Ends aclFinalizeCallbackRegister. Behaviour: ACL runtime, initialise and finalise. */
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc);

/**
 * Number of the last failure of the calling thread that the runtime layer found (107000 to 107999, 207..., 507...), and
 * forgets it; 0 when there is none.
 * @param level ACL_RT_THREAD_LEVEL.
 * Behaviour: ACL runtime, errors and messages.
 */
aclError aclrtGetLastError(aclrtLastErrLevel level);

/** The same without forgetting it. Behaviour: ACL runtime, errors and messages. */
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/**
 * Version of a package as text, at most ACL_PKG_VERSION_MAX_SIZE bytes with the terminating zero. Behaviour: ACL
 * runtime, package versions.
 */
aclError aclsysGetVersionStr(char* pkgName, char* versionStr);

/** Version of a package as text, whole and in parts. Behaviour: ACL runtime, package versions. */
aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version);

/**
 * Version of this interface: ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION. Behaviour: ACL runtime, package
 * versions.
 */
aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion);

/**
 * Seconds that a kernel without a limit of its own may run; 0 is without limit. The default is 1091. Behaviour: ACL
 * runtime, time limits.
 */
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/** The same in milliseconds. Behaviour: ACL runtime, time limits. */
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/**
 * The same in microseconds.
 * @param actualTimeout what it was rounded up to, a multiple of aclrtGetOpTimeOutInterval.
 * Behaviour: ACL runtime, time limits.
 */
aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout);

/** The limit in milliseconds; 0 is without limit. Behaviour: ACL runtime, time limits. */
aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs);

/** Precision of limits in microseconds. Behaviour: ACL runtime, time limits. */
aclError aclrtGetOpTimeOutInterval(uint64_t* interval);

/**
 * Seconds that later calls of aclrtStreamWaitEvent let a stream wait; 0, the default, is without limit. Behaviour: ACL
 * runtime, time limits.
 */
aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/**
 * callback is called when a task fails, on a thread of the library, before the synchronise that tells the failure
 * returns. It replaces the one before; NULL for none. A callback must not wait for streams.
 * Behaviour: ACL runtime, errors and messages.
 */
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/**
 * The same for any number of callbacks; registering one again changes nothing.
 * @return ACL_ERROR_RT_PARAM_INVALID for NULL.
 * Behaviour: ACL runtime, errors and messages.
 */
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/**
 * Ends aclrtExceptionInfoCallbackRegister.
 * @return ACL_ERROR_RT_PARAM_INVALID for NULL and for what is not registered.
 * Behaviour: ACL runtime, errors and messages.
 */
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/** The same for failures of kernels of one binary. Behaviour: ACL runtime, errors and messages. */
aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void* userData);

/**
 * Number of the task on its stream, from 1; UINT32_MAX for anything but what a callback got. Behaviour: ACL runtime,
 * errors and messages.
 */
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info);

/** Number of its stream, as aclrtStreamGetId answers; else as above. Behaviour: ACL runtime, errors and messages. */
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info);

/**
 * Kernel number (gettid) of the thread that queued last on that stream; else as above. Behaviour: ACL runtime, errors
 * and messages.
 */
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info);

/** Its device; else as above. Behaviour: ACL runtime, errors and messages. */
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info);

/** Number of the failure, as synchronise answers it; else as above. Behaviour: ACL runtime, errors and messages. */
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info);

/**
 * Arguments of a kernel that failed; valid inside the callback.
 * @param devArgsLen their size in bytes. @return ACL_ERROR_RT_PARAM_INVALID when the task is no kernel.
 * Behaviour: ACL runtime, errors and messages.
 */
aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr, uint32_t* devArgsLen);

/**
 * The function of a kernel that failed. Errors as aclrtGetArgsFromExceptionInfo. Behaviour: ACL runtime, errors and
 * messages.
 */
aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info, aclrtFuncHandle* func);

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo);
aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream);
aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr, uint64_t outputSize, uint32_t checkMode, aclrtStream stream);
aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_H_
