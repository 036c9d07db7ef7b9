/**
 * @file acl_rt_kernel.h
 * Kernels: binaries, functions, argument lists, launches.
 * A part of acl_rt.h, which says what all of its functions have in common.
 */
#ifndef ACL_ACL_RT_KERNEL_H_
#define ACL_ACL_RT_KERNEL_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/**
 * Makes a binary from the bytes of a kernel library, which are copied. Name its kernels with aclrtRegisterCpuFunc.
 * @param options ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE with 2; NULL is an AI-core binary, which is not supported.
 * @return ACL_ERROR_INVALID_PARAM for NULL or length 0, ACL_ERROR_RT_PARAM_INVALID for another mode or bytes that are
 * no library for this machine. Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle);

/**
 * Unloads a binary. Its handle and those of its functions are stale then; launches that are queued still run.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/**
 * Makes function funcName of a binary of aclrtBinaryLoadFromData known as kernelName. A kernelName that is known
 * already gives the first handle. A missing function shows at the launch.
 * @return ACL_ERROR_RT_PARAM_INVALID for a binary with a description. Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char* funcName, const char* kernelName,
                              aclrtFuncHandle* funcHandle);

/**
 * Address and size in bytes of a variable that the binary's library exports, as it is on the current device.
 * @return ACL_ERROR_RT_PARAM_INVALID when there is none. Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char* name, void** dptr, size_t* size);

/** The binary that a function belongs to. Behaviour: ACL runtime, kernel loading. */
aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle* binHandle);

/**
 * Name of a kernel.
 * @param maxLen room at name in bytes, its zero included; too little is ACL_ERROR_RT_PARAM_INVALID.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name);

/**
 * An attribute of a kernel. ACL_FUNC_ATTR_KERNEL_TYPE is ACL_KERNEL_TYPE_AICPU; the others are
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for AICPU kernels. Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, int64_t* attrValue);

/**
 * Begins an argument list in memory of the program.
 * @param argsHandle memory of aclrtKernelArgsGetHandleMemSize bytes; its address is the handle of the list.
 * @param userHostMem memory of actualArgsSize bytes (aclrtKernelArgsGetMemSize) for the arguments, used until the last
 *        launch of the list has returned.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void* userHostMem,
                                      size_t actualArgsSize);

/** Bytes of memory that names a list of the program's own. Behaviour: ACL runtime, kernel loading. */
aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize);

/** Bytes that a list needs for arguments of userArgsSize bytes, placeholders and their data included. Behaviour: ACL
 * runtime, kernel loading. */
aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t* actualArgsSize);

/**
 * Appends an address of 8 bytes, which the launch sets to the data of aclrtKernelArgsGetPlaceHolderBuffer.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle* paramHandle);

/**
 * Memory of dataSize bytes for the data of a placeholder; fill it before the launch. Parameters cannot be appended
 * after the first call. Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void** bufferAddr);

/**
 * Replaces a parameter by one of the same size. Finalize the list again before the next launch.
 * Behaviour: ACL runtime, kernel loading.
 */
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void* param,
                                   size_t paramSize);

/**
 * As aclrtLaunchKernel, with launch attributes. Arguments in device memory are used where they are, when the kernel
 * runs. Behaviour: ACL runtime, kernel launch.
 */
aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                             aclrtLaunchKernelCfg* cfg, aclrtStream stream);

/**
 * As aclrtLaunchKernelV2, with arguments on the host, which are copied now.
 * @param placeHolderArray per placeholder where in the arguments an address belongs and where the data is that it shall
 *        point to; outside of argsSize is ACL_ERROR_RT_PARAM_INVALID.
 * Behaviour: ACL runtime, kernel launch.
 */
aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum);

/** For AI-core kernels; an AICPU kernel is ACL_ERROR_RT_FEATURE_NOT_SUPPORT. Behaviour: ACL runtime, kernel launch. */
aclError aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg* cfg,
                                        void** args);

/**
 * Keeps a copy of the bytes of a kernel library for aclrtBinaryLoad. NULL when it cannot.
 * Behaviour: ACL runtime, kernels.
 */
aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen);

/** Frees the copy; binaries that were loaded from it stay. Behaviour: ACL runtime, kernels. */
aclError aclrtDestroyBinary(aclrtBinary binary);

/**
 * A binary of AICPU kernels from a library for this machine; its kernels are the functions that the library exports.
 * @return ACL_ERROR_RT_PARAM_INVALID for AI-core code. Behaviour: ACL runtime, kernels.
 */
aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle);

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void** binAddr, size_t* binSize);
aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle* funcHandle);
aclError aclrtFunctionGetAvailDynUbufPerBlock(void* func, uint32_t flags, size_t* dynamicUbufSize);
aclError aclrtFunctionGetParamCount(const void* func, size_t* paramCount);
aclError aclrtFunctionGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset, size_t* paramSize);
aclError aclrtGetFuncBySymbol(const void* symbol, aclrtFuncHandle* funcHandle);
aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr, void** aivAddr);
aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t* aicSize, size_t* aivSize);
aclError aclrtGetHardwareSyncAddr(void** addr);
aclError aclrtGetSymbolAddress(const void* symbol, void** devPtr);
aclError aclrtGetSymbolSize(const void* symbol, size_t* size);
aclError aclrtLaunchSIMTKernelWithArgsArray(void* func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
                                            aclrtStream stream, aclrtLaunchKernelCfg* cfg, void** args);
aclError aclrtLaunchSIMTKernelWithHostArgs(void* func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
                                           aclrtStream stream, aclrtLaunchKernelCfg* cfg, void* hostArgs,
                                           size_t argsSize, aclrtPlaceHolderInfo* placeHolderArray,
                                           size_t placeHolderNum);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_KERNEL_H_
