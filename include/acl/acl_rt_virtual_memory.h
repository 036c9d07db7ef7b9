/**
 * @file acl_rt_virtual_memory.h
 * Virtual memory: physical memory without address, reserved addresses without memory, and mappings that bring both
 * together; sharing of memory by keys and handles. A part of acl_rt.h, which says what all of its functions have in
 * common.
 */
#ifndef ACL_ACL_RT_VIRTUAL_MEMORY_H_
#define ACL_ACL_RT_VIRTUAL_MEMORY_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Bytes of which sizes and addresses of physical memory are multiples.
 * @param prop as in aclrtMallocPhysical. @param option minimum or recommended, which are the same.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option,
                                          size_t* granularity);

/**
 * Physical memory, which has no address until aclrtMapMem gives it one. It begins with zeros.
 * @param size a multiple of the granularity.
 * @param prop handleType ACL_MEM_HANDLE_TYPE_NONE, allocationType ACL_MEM_ALLOCATION_TYPE_PINNED, on a device or the
 * host.
 * @param flags reserved, 0.
 * @return ACL_ERROR_RT_MEMORY_ALLOCATION when there is no more.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t flags);

/**
 * Gives a handle back, as often as it was made or retained. The memory stays as long as it is mapped.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/** The properties that the memory was allocated with. Behaviour: ACL runtime, memory. */
aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop);

/**
 * Reserves addresses, aligned to 2 MiB, that nothing is mapped to.
 * @param alignment reserved, 0. @param flags 0 or 1 (huge pages), which mean the same.
 * @param expectPtr NULL, or the wanted address, a multiple of 1 GiB; ACL_ERROR_RT_MEMORY_ALLOCATION when it is taken.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr, uint64_t flags);

/**
 * Gives reserved addresses back.
 * @return ACL_ERROR_RT_PARAM_INVALID while memory is mapped there. Behaviour: ACL runtime, memory.
 */
aclError aclrtReleaseMemAddress(void* virPtr);

/**
 * Maps physical memory at an address of a reserved range, readable and writable for its device. Mappings side by side
 * are one range to copies and tasks. All memory of a range is of one device.
 * @param size that of the physical memory. @param offset,flags reserved, 0.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/**
 * Ends the mapping that begins at virPtr. Tasks that still use it fail; a kernel that does so faults.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtUnmapMem(void* virPtr);

/**
 * The handle of the memory that is mapped at virPtr, which has to be freed once more.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle);

/**
 * Lets others access the mapping at virPtr, too. It is kept and told; here every device may access all memory.
 * @param size that of the mapping. @param desc flags ACL_RT_MEM_ACCESS_FLAGS_READWRITE; a device or the host.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count);

/**
 * ACL_RT_MEM_ACCESS_FLAGS_READWRITE when location may access the mapping at virPtr, else _NONE.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag);

/**
 * A number by which others import the physical memory, once per handle.
 * @param handleType ACL_MEM_HANDLE_TYPE_NONE.
 * @param flags ACL_RT_VMM_EXPORT_FLAG_DEFAULT: only processes of aclrtMemSetPidToShareableHandle may import it;
 *        ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION: every process.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags,
                                         uint64_t* shareableHandle);

/** Adds pidNum processes to those that may import. Behaviour: ACL runtime, memory. */
aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum);

/**
 * A handle of its own for shared physical memory.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for memory of another process. Behaviour: ACL runtime, memory.
 */
aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle* handle);

/**
 * As aclrtMemExportToShareableHandle.
 * @param shareableHandle receives a uint64_t (ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT) or an aclrtMemFabricHandle (_FABRIC).
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType,
                                           void* shareableHandle);

/** As aclrtMemSetPidToShareableHandle. Behaviour: ACL runtime, memory. */
aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType, int32_t* pid,
                                           size_t pidNum);

/**
 * As aclrtMemImportFromShareableHandle.
 * @param flags reserved, 0. Behaviour: ACL runtime, memory.
 */
aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags,
                                             aclrtDrvMemHandle* handle);

/**
 * Writes the key by which others import size bytes at devPtr, at most 65 bytes with its zero. Their allocation cannot
 * be freed before aclrtIpcMemClose.
 * @param len room at key; less than 65 is ACL_ERROR_RT_PARAM_INVALID.
 * @param flags ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT: only processes of aclrtIpcMemSetImportPid may import it;
 *        ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION: every process.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags);

/** Adds num processes to those that may import by this key. Behaviour: ACL runtime, memory. */
aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num);

/**
 * The memory of a key at an address of its own.
 * @param flags ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT or ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS, which mean the
 * same.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a key of another process. Behaviour: ACL runtime, memory.
 */
aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags);

/**
 * Ends an import of the key, or its export when there is no import any more: whoever imports closes first.
 * Behaviour: ACL runtime, memory.
 */
aclError aclrtIpcMemClose(const char* key);

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtIpcMemImportPidInterServer(const char* key, aclrtServerPid* serverPids, size_t num);
aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr);
aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);
aclError aclrtMemMapSelectedLink(void* virPtrDst, size_t size, void* virPtrSrc, uint32_t linkIdx);
aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle, aclrtMemLinkType adviceLink);
aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                          uint64_t flags);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_VIRTUAL_MEMORY_H_
