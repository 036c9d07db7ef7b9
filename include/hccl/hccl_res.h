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
 * The same with the kind of thread and its number of notifies in a structure (ThreadConfigInit fills it), which later
 * releases may extend.
 * @param engine COMM_ENGINE_CPU or COMM_ENGINE_AICPU; how the threads are executed is in type.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for another engine, a bad type, or a structure that was not initialised.
 * Behaviour: resources, threads.
 */
HcclResult HcclThreadAcquireWithConfig(HcclComm comm, CommEngine engine, uint32_t threadNum, ThreadType type,
                                       const ThreadConfig* config, ThreadHandle* threads);

/**
 * A stream of the caller as a thread: what is queued on the thread runs on the stream, in the order of the calls. The
 * same stream gives the same handle, with its notifies topped up to notifyNum.
 * @param engine COMM_ENGINE_CPU, COMM_ENGINE_CPU_TS or COMM_ENGINE_CCU.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for another engine or a stream that does not exist.
 * Behaviour: resources, threads.
 */
HcclResult HcclThreadAcquireWithStream(HcclComm comm, CommEngine engine, aclrtStream stream, uint32_t notifyNum,
                                       ThreadHandle* thread);

/**
 * A thread that the communicator keeps for one purpose, the same at each call. The two purposes of graph mode have
 * none: *thread is 0.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for a bad purpose.
 * Behaviour: resources, threads.
 */
HcclResult HcclDedicatedThreadAcquire(HcclComm comm, HcclDedicatedThreadType useType, uint32_t notifyNumPerThread,
                                      ThreadHandle* thread);

/**
 * What a thread is made of.
 * @param resType only THREAD_RES_TYPE_STREAM: *info is the thread's aclrtStream.
 * @param infoLen size of what *info will hold, in bytes: sizeof(ThreadResTypeStream).
 * @return HCCL_E_PTR for NULL, HCCL_E_NOT_SUPPORT for another resType, HCCL_E_NOT_FOUND for a thread that is not of
 * this communicator, HCCL_E_PARA for another infoLen. Behaviour: resources, threads.
 */
HcclResult HcclThreadResGetInfo(HcclComm comm, ThreadHandle thread, ThreadResType resType, uint32_t infoLen,
                                void** info);

/**
 * This rank's communication buffer, which its peers can read and write, and its size in bytes. Same answer at each
 * call; contents are not cleared. Behaviour: resources, HCCL buffer.
 */
HcclResult HcclGetHcclBuffer(HcclComm comm, void** buffer, uint64_t* size);

/** The same, and every byte of it is 0 when the call returns, at each call. */
HcclResult HcclGetHcclBufferCleared(HcclComm comm, void** buffer, uint64_t* size);

/**
 * Lets this communicator's peers reach a piece of memory of the caller. The handle goes into
 * HcclChannelDesc.memHandles; the peer finds the memory with HcclChannelGetRemoteMems when the channel is acquired. The
 * memory must outlive the communicator.
 * @param memTag 1 to 255 characters by which the peer knows the memory; one range per tag, and not beginning with a
 * name the library keeps for itself (__hccl_sym_win__, __hccl_team_syncmem__, __hccl_team_usermem__).
 * @return HCCL_E_PTR for NULL; HCCL_E_PARA for a bad tag, type, or size, or when the range is not memory of that type.
 * Behaviour: resources, memory registration.
 */
HcclResult HcclCommMemReg(HcclComm comm, const char* memTag, const CommMem* mem, HcclMemHandle* memHandle);

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

/**
 * Copies size bytes from srcCtx, host memory, into a context at dstCtxOffset; done when the call returns. The order of
 * the arguments differs from the other calls.
 * @return HCCL_E_PTR for NULL (ctxTag apart), HCCL_E_NOT_FOUND as HcclEngineCtxGet, HCCL_E_PARA for size 0 or when the
 * bytes do not fit. Behaviour: resources, engine context.
 */
HcclResult HcclEngineCtxCopy(HcclComm comm, CommEngine engine, const char* ctxTag, const void* srcCtx, uint64_t size,
                             uint64_t dstCtxOffset);

/**
 * Frees a context.
 * @return HCCL_E_PARA when there is none. Behaviour: resources, engine context.
 */
HcclResult HcclEngineCtxDestroy(HcclComm comm, const char* ctxTag, CommEngine engine);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_RES_H_
