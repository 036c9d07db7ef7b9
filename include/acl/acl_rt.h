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

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void* userData);
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc);
aclError aclFinalizeReference(uint64_t* refCount);
aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData);
aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);
aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void* userData);
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);
aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr, uint32_t* devArgsLen);
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info);
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info);
aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo);
aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info, aclrtFuncHandle* func);
aclError aclrtGetLastError(aclrtLastErrLevel level);
aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs);
aclError aclrtGetOpTimeOutInterval(uint64_t* interval);
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info);
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info);
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info);
aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion);
aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream);
aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr, uint64_t outputSize, uint32_t checkMode, aclrtStream stream);
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);
aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo);
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);
aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout);
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);
aclError aclrtSetOpWaitTimeout(uint32_t timeout);
aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version);
aclError aclsysGetVersionStr(char* pkgName, char* versionStr);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_H_
