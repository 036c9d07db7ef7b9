// What one rank of one communicator needs for the operator, acquired at its first call.
#ifndef SAMPLE_OP_RESOURCES_H
#define SAMPLE_OP_RESOURCES_H

#include "acl/acl_rt.h"
#include "common.h"

namespace hccl_custom_sample_op {

struct Resources {
  uint32_t rankNum;
  aclrtFuncHandle kernel;
  ThreadHandle thread;
  ChannelHandle toNext;
  ChannelHandle toPrevious;
  void* ownBuffer;
  void* previousBuffer;
  uint64_t bufferBytes;
  aclrtNotify start;
  aclrtNotify end;
  uint32_t startNotifyId;
  uint32_t endNotifyId;
  uint64_t calls;
  aclrtStream lastStream;
};

// The communicator keeps them, and frees them with itself.
HcclResult GetResources(HcclComm comm, Resources** resources);

}  // namespace hccl_custom_sample_op

#endif  // SAMPLE_OP_RESOURCES_H
