// The contract between the kernel library and the tests: a kernel that calls back into the test with the data-plane
// functions that the kernel library is linked to. A test can so write the body of a kernel where it is needed, and
// what it calls is what libccl_kernel.so exports.
#pragma once

#include <cstdint>

#include "hcomm_primitives.h"

namespace softhccl::conformance {

// The data plane as a kernel sees it.
struct Hcomm {
  decltype(&::HcommAcquireComm) AcquireComm;
  decltype(&::HcommReleaseComm) ReleaseComm;
  decltype(&::HcommBatchModeStart) BatchModeStart;
  decltype(&::HcommBatchModeEnd) BatchModeEnd;
  decltype(&::HcommAclrtNotifyWaitOnThread) AclrtNotifyWaitOnThread;
  decltype(&::HcommAclrtNotifyRecordOnThread) AclrtNotifyRecordOnThread;
  decltype(&::HcommChannelNotifyRecordOnThread) ChannelNotifyRecordOnThread;
  decltype(&::HcommChannelNotifyWaitOnThread) ChannelNotifyWaitOnThread;
  decltype(&::HcommLocalCopyOnThread) LocalCopyOnThread;
  decltype(&::HcommReadOnThread) ReadOnThread;
};

// Arguments of the kernel "CallBack": it returns what `body` returns.
struct CallBackArgs {
  uint32_t (*body)(const Hcomm& hcomm, void* data);
  void* data;
};

// Arguments of the kernel "Inspect": it copies `size` bytes that follow this struct without a gap to `out`.
struct InspectArgs {
  unsigned char* out;
  uint64_t size;
};

}  // namespace softhccl::conformance
