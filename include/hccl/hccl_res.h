/**
 * @file hccl_res.h
 * Resources of a communicator that an operator asks for: threads, its communication buffer, and contexts, which are
 * named pieces of memory that survive from one call of the operator to the next. The communicator owns all of them;
 * they go with HcclCommDestroy. Channels are in hccl_channel.h, which comes with this header.
 */
#ifndef HCCL_HCCL_RES_H_
#define HCCL_HCCL_RES_H_

#include <arpa/inet.h>

#include "../acl/acl_rt.h"
#include "../hcomm/hcomm_res_defs.h"
#include "../securec.h"
#include "hccl_channel.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef aclrtStream ThreadResTypeStream;

/** Longest tag of a context, in characters without the end. */
static const uint32_t HCCL_RES_TAG_MAX_LEN = 255;

// clang-format off: tables
/** Threads that the library keeps for its own launch order. */
typedef enum HcclDedicatedThreadType {
  HCCL_DED_THREAD_TYPE_INVALID = -1, HCCL_DED_THREAD_TYPE_AICPU_LAUNCH = 0, HCCL_DED_THREAD_TYPE_AICPU_LAUNCH_GE = 1,
  HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_OPBASE = 2, HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_ACLGRAPH = 3,
  HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_GE = 4, HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_DEVICE = 5
} HcclDedicatedThreadType;
// clang-format on

/**
 * Threads of an engine, each with notifyNumPerThread notifies.
 * @param threads room for threadNum handles. For the AI CPU engines they are for kernels; the host only passes them on.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for 0 threads or a bad engine, HCCL_E_UNAVAIL when the communicator has no
 * more. Behaviour: resources, threads.
 */
HcclResult HcclThreadAcquire(HcclComm comm, CommEngine engine, uint32_t threadNum, uint32_t notifyNumPerThread,
                             ThreadHandle* threads);

/**
 * This rank's communication buffer, which its peers can read and write, and its size in bytes. Same answer at each
 * call; contents are not cleared. Behaviour: resources, HCCL buffer.
 */
HcclResult HcclGetHcclBuffer(HcclComm comm, void** buffer, uint64_t* size);

/**
 * Memory of size bytes under (communicator, ctxTag, engine): device memory for the AI CPU and vector engines, zeroed
 * host memory for the others. Local and not blocking.
 * @param ctxTag at most 255 characters; NULL is the empty tag.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for size 0, a tag that is too long, a bad engine, or a context that exists.
 * Behaviour: resources, engine context.
 */
HcclResult HcclEngineCtxCreate(HcclComm comm, const char* ctxTag, CommEngine engine, uint64_t size, void** ctx);

/**
 * The context that HcclEngineCtxCreate made, and the size it was made with.
 * @return HCCL_E_NOT_FOUND when there is none: the usual first step of an operator, so this is not logged as an error.
 * Behaviour: resources, engine context.
 */
HcclResult HcclEngineCtxGet(HcclComm comm, const char* ctxTag, CommEngine engine, void** ctx, uint64_t* size);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_RES_H_
