// The contract between the kernel library and the tests: a kernel that calls back into the test with the data-plane
// functions that the kernel library is linked to. A test can so write the body of a kernel where it is needed, and
// what it calls is what libccl_kernel.so exports.
#pragma once

#include <cstdint>

#include "hcomm/hcomm_primitives_expt.h"
#include "hcomm_primitives.h"

namespace softhccl::conformance {

// The functions of the data plane, without the Hcomm of their names.
#define CONFORMANCE_DATA_PLANE(X)                \
  X(AcquireComm)                                 \
  X(ReleaseComm)                                 \
  X(BatchModeStart)                              \
  X(BatchModeEnd)                                \
  X(AicpuTsTaskCacheLookup)                      \
  X(AicpuTsTaskCacheStart)                       \
  X(AicpuTsTaskCacheEnd)                         \
  X(AicpuTsTaskCacheExecute)                     \
  X(AicpuTsTaskCacheClear)                       \
  X(SetNotifyWaitTimeOut)                        \
  X(ThreadResAcquireTimeOut)                     \
  X(LocalCopyOnThread)                           \
  X(LocalReduceOnThread)                         \
  X(WriteOnThread)                               \
  X(WriteReduceOnThread)                         \
  X(WriteWithNotifyOnThread)                     \
  X(WriteReduceWithNotifyOnThread)               \
  X(ReadOnThread)                                \
  X(ReadReduceOnThread)                          \
  X(BatchTransferOnThread)                       \
  X(WriteNbiOnThread)                            \
  X(WriteNbi)                                    \
  X(WriteWithNotifyNbiOnThread)                  \
  X(WriteWithNotifyNbi)                          \
  X(ReadNbiOnThread)                             \
  X(ReadNbi)                                     \
  X(ChannelNotifyRecordOnThread)                 \
  X(ChannelNotifyRecord)                         \
  X(ChannelNotifyWaitOnThread)                   \
  X(ChannelNotifyWaitOnThreadWithDefaultTimeout) \
  X(ChannelNotifyWait)                           \
  X(ChannelNotifyWaitWithDefaultTimeout)         \
  X(ThreadNotifyRecordOnThread)                  \
  X(ThreadNotifyWaitOnThread)                    \
  X(ThreadNotifyWaitOnThreadWithDefaultTimeout)  \
  X(AclrtNotifyWaitOnThread)                     \
  X(AclrtNotifyRecordOnThread)                   \
  X(FenceOnThread)                               \
  X(ChannelFenceOnThread)                        \
  X(ChannelFence)                                \
  X(ChannelDrainOnThread)                        \
  X(Flush)                                       \
  X(ThreadSynchronize)                           \
  X(ThreadJoin)

// The data plane as a kernel sees it.
struct Hcomm {
#define CONFORMANCE_MEMBER(name) decltype(&::Hcomm##name) name;
  CONFORMANCE_DATA_PLANE(CONFORMANCE_MEMBER)
#undef CONFORMANCE_MEMBER
};

// Arguments of the kernel "CallBack": it returns what `body` returns.
struct CallBackArgs {
  uint32_t (*body)(const Hcomm& hcomm, void* data);
  void* data;
};

// What the caller of HcclAicpuKernelLaunch passes to the kernel "CallBackP2p", which gets it behind the thread.
struct CallBackP2pArgs {
  uint32_t (*body)(const Hcomm& hcomm, ThreadHandle thread, void* data);
  void* data;
};

// Arguments of the kernels "Inspect", which copies `size` bytes that follow this struct without a gap to `out`, and
// "FollowPointer", which copies them from the address that follows it.
struct InspectArgs {
  unsigned char* out;
  uint64_t size;
};

}  // namespace softhccl::conformance
