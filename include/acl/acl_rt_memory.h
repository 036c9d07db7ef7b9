/**
 * @file acl_rt_memory.h
 * Memory: allocation, copies, filling, reductions, registration of host memory.
 * A part of acl_rt.h, which says what all of its functions have in common.
 */
#ifndef ACL_ACL_RT_MEMORY_H_
#define ACL_ACL_RT_MEMORY_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/**
 * Filling and copies of this header in common: a length of 0 succeeds before anything else is looked at. Forms with a
 * stream are asynchronous. Where one end is host memory that devices do not know (not from aclrtMallocHost, not
 * registered), the call returns when the copy is done, after everything that was queued before it.
 */

/** As aclrtMalloc, aligned to 32 bytes at least. Behaviour: ACL runtime, memory. */
aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

/** As aclrtMalloc, in memory that the device caches. Behaviour: ACL runtime, memory. */
aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

/**
 * As aclrtMalloc, with attributes.
 * @param cfg attributes, or NULL. An unknown attribute is ACL_ERROR_RT_PARAM_INVALID.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg);

/** As aclrtMallocWithCfg, for memory that the task scheduler reads. Behaviour: ACL runtime, memory. */
aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg);

/** As aclrtMallocHost, with attributes as in aclrtMallocWithCfg. Behaviour: ACL runtime, memory. */
aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg);

/**
 * As aclrtFree, after everything that is queued on the streams of the memory's device is done. Not from kernels.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtFreeWithDevSync(void* devPtr);

/** As aclrtFreeHost, waiting as aclrtFreeWithDevSync does. Behaviour: ACL runtime, memory. */
aclError aclrtFreeHostWithDevSync(void* hostPtr);

/**
 * Bytes of memory that are free and that there are in all.
 * @param attr kind of memory; unknown is ACL_ERROR_INVALID_PARAM.
 * @return ACL_ERROR_RT_CONTEXT_NULL without a device.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total);

/**
 * Where an address lies: device memory with its device, host memory that devices know, or neither
 * (ACL_MEM_LOCATION_TYPE_UNREGISTERED). pageSize is in bytes, 0 for the last. Needs no device.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes);

/**
 * First address and size in bytes of the device allocation that ptr lies in.
 * @return ACL_ERROR_RT_PARAM_INVALID when it lies in none. Behaviour: ACL runtime, memory.
 */
aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize);

/**
 * Whether all addresses are memory of one of the given types.
 * @param size number of addresses, at least 1.
 * @param memType bits ACL_RT_MEM_TYPE_DEV, _DVPP, _RSVD.
 * @param checkResult 1 when all are, else 0.
 * @param reserve 0.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult, uint32_t reserve);

/**
 * Makes ordinary host memory known to devices, until aclrtHostUnregister.
 * @param size bytes, at least 1; the range must not overlap a registered one or memory of this library.
 * @param type ACL_HOST_REGISTER_MAPPED or ACL_HOST_REGISTER_READONLY.
 * @param devPtr receives the address by which devices reach it.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for ACL_HOST_REGISTER_IOMEMORY. Behaviour: ACL runtime, memory.
 */
aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr);

/** The same with bits ACL_HOST_REG_MAPPED, _READONLY, _PINNED. Behaviour: ACL runtime, memory. */
aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag);

/** Ends a registration; ptr is its first address. Behaviour: ACL runtime, memory. */
aclError aclrtHostUnregister(void* ptr);

/**
 * The address by which devices reach registered memory or memory of aclrtMallocHost.
 * @param flag 0.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag);

/** Whether an engine of a device reaches registered host memory. Behaviour: ACL runtime, memory. */
aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability* capabilities);

/**
 * Copies count bytes when the tasks queued before are done. Arguments as aclrtMemcpy.
 * @return also ACL_ERROR_RT_FEATURE_NOT_SUPPORT for ACL_MEMCPY_HOST_TO_HOST, ACL_ERROR_RT_STREAM_CONTEXT for a stream
 *         of another device.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream);

/** As aclrtMemcpyAsync. Behaviour: ACL runtime, memory. */
aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream);

/**
 * Copies count bytes from *src + srcDataOffset to *dst + dstDataOffset. Addresses in memory that devices know are read
 * when the copy begins, others at the call.
 * @param destMax bytes at *dst; less than dstDataOffset + count is ACL_ERROR_RT_PARAM_INVALID.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset, const void** src, size_t count,
                                    size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream);

/**
 * Copies height rows of width bytes.
 * @param dpitch,spitch bytes from one row to the next; less than width is ACL_ERROR_RT_PARAM_INVALID.
 * @return ACL_ERROR_INVALID_PARAM for a width or height of 0. Behaviour: ACL runtime, memory.
 */
aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind);

/** The same on a stream. Behaviour: ACL runtime, memory. */
aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream);

/**
 * numBatches copies, all of them or, when one is refused, none.
 * @param attrs,attrsIndexes attrs[k] holds for the copies from attrsIndexes[k] on; the first index is 0, they ascend.
 * @param failIndex receives, also when the call fails, the number of the refused copy, or SIZE_MAX when none is to
 *        blame alone.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex);

/** The same without failIndex. Behaviour: ACL runtime, memory. */
aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs);

/** As aclrtMemcpyBatch, on a stream, in order. Behaviour: ACL runtime, memory. */
aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                               aclrtStream stream);

/** The same without failIndex. Behaviour: ACL runtime, memory. */
aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                 aclrtStream stream);

/**
 * Fills count bytes with the low byte of value, at once, without waiting for streams.
 * @param devPtr device memory, or host memory that devices know; other memory is ACL_ERROR_RT_PARAM_INVALID.
 * @param maxCount room at devPtr in bytes; less than count is ACL_ERROR_RT_PARAM_INVALID.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count);

/** The same on a stream. Behaviour: ACL runtime, memory. */
aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream);

/**
 * Stores N values of 32 bits at ptr, which is aligned to 4 bytes.
 * @param memSize room at ptr in bytes; less than 4 * N is ACL_ERROR_RT_PARAM_INVALID.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N);

/** The same on a stream. Behaviour: ACL runtime, memory. */
aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream);

/**
 * Asynchronous: combines count bytes at src with those at dst, element by element.
 * @param kind ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, _MAX or _MIN.
 * @param type ACL_INT8, ACL_INT16, ACL_INT32, ACL_UINT32, ACL_FLOAT16, ACL_FLOAT or ACL_BF16.
 * @param reserve NULL. Both ranges are memory of the stream's device.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                          aclrtStream stream, void* reserve);

/**
 * Bytes of device memory that the description of a copy needs.
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, as in the next two. Behaviour: ACL runtime, memory.
 */
aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize);

/**
 * Describes a copy of count bytes in the device memory at desc.
 * @param config NULL. Behaviour: ACL runtime, memory.
 */
aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr, void* dstAddr, size_t count, void* config);

/** Asynchronous: copies what desc describes when the copy begins. Behaviour: ACL runtime, memory. */
aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream);

/**
 * Asynchronous: a hint to the cache, which changes no result; the range is checked.
 * @param cmoType ACL_RT_CMO_TYPE_PREFETCH; anything else is ACL_ERROR_RT_PARAM_INVALID. Behaviour: ACL runtime, memory.
 */
aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType, aclrtStream stream);

/** Bytes of device memory that the description of a cache hint needs. Behaviour: ACL runtime, memory. */
aclError aclrtCmoGetDescSize(size_t* size);

/** Describes the range of a cache hint in the device memory at cmoDesc. Behaviour: ACL runtime, memory. */
aclError aclrtCmoSetDesc(void* cmoDesc, void* src, size_t size);

/**
 * As aclrtCmoAsync, for the range that cmoDesc describes when the task begins.
 * @param reserve NULL. Behaviour: ACL runtime, memory.
 */
aclError aclrtCmoAsyncWithDesc(void* cmoDesc, aclrtCmoType cmoType, aclrtStream stream, const void* reserve);

/** Checks the range; caches are coherent, so that there is nothing to write back. Behaviour: ACL runtime, memory. */
aclError aclrtMemFlush(void* devPtr, size_t size);

/** Checks the range; caches are coherent, so that nothing in them is stale. Behaviour: ACL runtime, memory. */
aclError aclrtMemInvalidate(void* devPtr, size_t size);

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtAllocBuf(aclrtMbuf* buf, size_t size);
aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);
aclError aclrtCmoAsyncWithBarrier(void* src, size_t size, aclrtCmoType cmoType, uint32_t barrierId, aclrtStream stream);
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo* taskInfo, aclrtStream stream, uint32_t flag);
aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf* newBuf);
aclError aclrtFreeBuf(aclrtMbuf buf);
aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t* num);
aclError aclrtGetBufData(const aclrtMbuf buf, void** dataPtr, size_t* size);
aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t* len);
aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf* buf);
aclError aclrtGetBufUserData(const aclrtMbuf buf, void* dataPtr, size_t size, size_t offset);
aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize, size_t* retSize);
aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum, size_t* outputNum);
aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag);
aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size, aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location);
aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr, size_t size, void* data,
                                size_t dataSize);
aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes, size_t numAttributes, const void* ptr,
                                 size_t size, void** data, size_t* dataSizes);
aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size, aclrtMemManagedLocation location, uint32_t flags,
                                      aclrtStream stream);
aclError aclrtMemManagedPrefetchBatchAsync(const void** ptrs, size_t* sizes, size_t count,
                                           aclrtMemManagedLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                           size_t numPrefetchLocs, uint64_t flags, aclrtStream stream);
aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags);
aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize);
aclError aclrtMemcpyFromSymbol(void* dst, size_t dstMax, const void* symbol, size_t count, size_t offset,
                               aclrtMemcpyKind kind);
aclError aclrtMemcpyFromSymbolAsync(void* dst, size_t dstMax, const void* symbol, size_t count, size_t offset,
                                    aclrtMemcpyKind kind, aclrtStream stream);
aclError aclrtMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset, aclrtMemcpyKind kind);
aclError aclrtMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                  aclrtMemcpyKind kind, aclrtStream stream);
aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);
aclError aclrtSetBufUserData(aclrtMbuf buf, const void* dataPtr, size_t size, size_t offset);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_MEMORY_H_
