/**
 * @file hcomm_diag.h
 * What a kernel tells for diagnosis and profiling; see hccl_diag.h.
 */
#ifndef HCCL_HCOMM_DIAG_H_
#define HCCL_HCOMM_DIAG_H_

#include <stddef.h>
#include <stdint.h>

#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes a text about opInfo into outInfo, at most size bytes with the final 0. */
typedef void (*HcommGetOpInfoCallback)(const void* opInfo, char* outInfo, size_t size);

/**
 * Keeps a copy of size bytes that describe the operation of the own rank. With a function of HcommRegOpTaskException it
 * becomes a text, which reports about waits then show.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for 0 bytes or more than 64 KiB, HCCL_E_NOT_FOUND for an unknown
 * communicator.
 */
HcclResult HcommRegOpInfo(const char* commId, void* opInfo, size_t size);

/** Sets the function that turns a description into a text. @return as HcommRegOpInfo. */
HcclResult HcommRegOpTaskException(const char* commId, HcommGetOpInfoCallback callback);

/** Accept reports of a kernel and its operation; see HcclProfilingReportOp. @return HCCL_E_PTR, HCCL_E_NOT_FOUND,
 * HCCL_E_PARA for a bad thread. */
HcclResult HcommProfilingReportDeviceOp(const char* groupname);
HcclResult HcommProfilingReportKernelStartTask(uint64_t thread, const char* groupname);
HcclResult HcommProfilingReportKernelEndTask(uint64_t thread, const char* groupname);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCOMM_DIAG_H_
