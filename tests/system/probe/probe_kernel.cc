// Kernels that do what a kernel must not do: crash, exit, never return, fail, overflow, record a notify twice. Built
// like any AICPU kernel of a user, so that the tests see what such a user sees.
#include <stdint.h>
#include <stdlib.h>

#include "hccl/hcomm_primitives.h"
#include "probe.h"

#define PROBE_KERNEL extern "C" __attribute__((visibility("default"))) unsigned int

namespace {

// Runs `body`, which returns 0 or a code, between acquiring and releasing the communicator.
template <typename Body>
unsigned int WithComm(const ProbeParam& param, Body body) {
  if (HcommAcquireComm(param.commName) != 0) return 1;
  int result = HcommBatchModeStart("probe");
  if (result == 0) result = body();
  const int ended = HcommBatchModeEnd("probe");
  const int released = HcommReleaseComm(param.commName);
  return result == 0 && ended == 0 && released == 0 ? 0 : 1;
}

constexpr uint32_t kWaitSeconds = 20;

}  // namespace

PROBE_KERNEL ProbeReturnsZero(ProbeParam*) { return 0; }

PROBE_KERNEL ProbeReturnsOne(ProbeParam*) { return 1; }

PROBE_KERNEL ProbeDereferencesNull(ProbeParam*) {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
  return 0;
}

PROBE_KERNEL ProbeCallsExit(ProbeParam*) {
  exit(3);
  return 0;
}

PROBE_KERNEL ProbeAborts(ProbeParam*) {
  abort();
  return 0;
}

PROBE_KERNEL ProbeNeverReturns(ProbeParam*) {
  volatile uint64_t turns = 0;
  for (;;) turns = turns + 1;
  return 0;
}

PROBE_KERNEL ProbeOverflows(ProbeParam*) {
  volatile uint8_t* volatile const small = static_cast<uint8_t*>(malloc(16));
  small[16] = 1;
  free(const_cast<uint8_t*>(small));
  return 0;
}

PROBE_KERNEL ProbeRecordsTwice(ProbeParam* param) {
  return WithComm(*param, [param] {
    const int first = HcommChannelNotifyRecordOnThread(param->thread, param->channel, 0);
    return first != 0 ? first : HcommChannelNotifyRecordOnThread(param->thread, param->channel, 0);
  });
}

PROBE_KERNEL ProbeWaitsTwice(ProbeParam* param) {
  return WithComm(*param, [param] {
    const int first = HcommChannelNotifyWaitOnThread(param->thread, param->channel, 0, kWaitSeconds);
    return first != 0 ? first : HcommChannelNotifyWaitOnThread(param->thread, param->channel, 0, kWaitSeconds);
  });
}
