// What the host part and the kernel agree on. Both are compiled from this file, so change it for both.
#ifndef SAMPLE_OP_COMMON_H
#define SAMPLE_OP_COMMON_H

#include <stdint.h>

#include "hccl/hccl_res.h"

namespace hccl_custom_sample_op {

constexpr uint32_t COMM_NAME_BYTES = 128;
constexpr uint32_t TAG_BYTES = 64;
constexpr uint32_t WAIT_SECONDS = 1800;  // limit of every wait

// Notifies of a channel, by what they say.
constexpr uint32_t NOTIFY_READY = 0;  // "my data lies in my buffer"
constexpr uint32_t NOTIFY_DONE = 1;   // "I have read yours"
constexpr uint32_t CHANNEL_NOTIFY_NUM = 2;

// The arguments of one launch, copied by value to the device.
struct OpParam {
  char commName[COMM_NAME_BYTES];
  char tag[TAG_BYTES];  // names the operation in messages: "HcclSampleOpCustom#3"
  uint32_t rankNum;
  ThreadHandle thread;   // what is queued on it runs in order
  ChannelHandle toNext;  // the same as toPrevious when there are two ranks
  ChannelHandle toPrevious;
  void* ownBuffer;       // this rank's HcclBuffer: peers can read it
  void* previousBuffer;  // that of the rank before
  void* sendBuf;
  void* recvBuf;
  uint64_t bytes;
  uint32_t startNotifyId;  // recorded by the host's stream, taken by the thread
  uint32_t endNotifyId;    // recorded by the thread, taken by the host's stream
};

}  // namespace hccl_custom_sample_op

#endif  // SAMPLE_OP_COMMON_H
