/**
 * @file hccl_diag.h
 * What an operator tells for diagnosis and profiling. Reports of run times are accepted and not kept: the trace has its
 * own record of everything that ran (SOFTHCCL_TRACE). What an operation is called appears in reports about waits.
 */
#ifndef HCCL_HCCL_DIAG_H_
#define HCCL_HCCL_DIAG_H_

#include <stdint.h>

#include "../hcomm/hcomm_res_defs.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An operation as its library describes it. algTag is its name; opType (HcclCMDType), dataType (HcclDataType) and
 * dataCount (elements) say what a send or receive moves. The other fields have no effect.
 */
typedef struct HcclDfxOpInfo {
  CommAbiHeader header;
  uint64_t beginTime;
  uint64_t endTime;
  uint32_t opMode;
  uint32_t opType;
  uint32_t reduceOp;
  uint32_t dataType;
  uint32_t outputType;
  uint64_t dataCount;
  uint32_t root;
  char algTag[288];
  CommEngine engine;
  uint64_t cpuTsThread;
  uint32_t cpuWaitAicpuNotifyIdx;
  uint32_t cpuWaitAicpuNotifyId;
  uint64_t inputMemAddr;
  uint64_t inputMemSize;
  uint64_t outputMemAddr;
  uint64_t outputMemSize;
  int8_t reserve[96];
} HcclDfxOpInfo;

/** Accepts the report of an operation that began at beginTime. @return HCCL_E_PTR, HCCL_E_PARA for a bad communicator.
 */
HcclResult HcclProfilingReportOp(HcclComm comm, uint64_t beginTime);

/** The same for a kernel. @return also HCCL_E_PTR for a NULL name. */
HcclResult HcclReportAicpuKernel(HcclComm comm, uint64_t beginTime, char* kernelName);

/** Not supported: there is no AIV engine. */
HcclResult HcclReportAivKernel(HcclComm comm, uint64_t beginTime);

/** A clock for beginTime: nanoseconds that only grow, from an unspecified start. */
uint64_t HcommGetProfilingSysCycleTime(void);

/**
 * Says what the own rank of the communicator does next; hcclDfxOpInfo is a HcclDfxOpInfo. It holds for what the calling
 * kernel queues from now on until it says something else or returns; on a host thread it ends with the open or next
 * batch, too. When the n-th HCCL_CMD_SEND of a rank to a peer and the n-th HCCL_CMD_RECEIVE of that peer were both
 * described, they are compared as soon as one of them takes a notify that the other recorded through their channel:
 * other sizes fail both, another type of the same size is a warning.
 * @return HCCL_E_PTR for NULL, HCCL_E_NOT_FOUND for an unknown communicator. Host or kernel.
 */
HcclResult HcclDfxRegOpInfoByCommId(char* commId, void* hcclDfxOpInfo);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_DIAG_H_
