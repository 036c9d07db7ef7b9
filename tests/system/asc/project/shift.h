// The operator "shift": every rank gets what the rank before it has.
#pragma once

#include <stdint.h>

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_res.h"

struct ShiftArgs {
  char comm[128];
  ThreadHandle thread;
  ChannelHandle to_next;
  ChannelHandle to_previous;
  void* buffer;           // of this rank
  void* previous_buffer;  // of the rank before it
  void* input;
  void* output;
  uint64_t bytes;
  uint32_t end_notify;
};

// Queues one call; needs three ranks or more. The notify is told when the result is there.
extern "C" int Shift(void* input, void* output, uint64_t bytes, HcclComm comm, aclrtNotify end, aclrtStream stream);
