// What kernels.cc of the test program and probe_kernel.cc agree on: the argument block of the misbehaving kernels.
#ifndef SOFTHCCL_TESTS_SYSTEM_PROBE_PROBE_H
#define SOFTHCCL_TESTS_SYSTEM_PROBE_PROBE_H

#include <stdint.h>

#include "hccl/hccl_res.h"

struct ProbeParam {
  char commName[128];
  ThreadHandle thread;
  ChannelHandle channel;
};

#endif  // SOFTHCCL_TESTS_SYSTEM_PROBE_PROBE_H
