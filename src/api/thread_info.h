// What HcclThreadResGetInfo and HcommThreadResGetInfo answer.
#pragma once

#include "api/objects.h"
#include "api/report.h"
#include "comm/objects.h"
#include "hccl/hccl_res.h"

namespace softhccl::api {

// Writes the thread's stream to *info. Errors: kNotSupported for another resource, kInvalidParam for another length.
inline base::Status GetThreadInfo(const comm::CommThread& thread, int resource, uint32_t length, void** info) {
  if (resource != THREAD_RES_TYPE_STREAM) {
    return base::Fail(base::Code::kNotSupported, "resType {} is not supported; use THREAD_RES_TYPE_STREAM {}", resource,
                      static_cast<int>(THREAD_RES_TYPE_STREAM));
  }
  if (length != sizeof(ThreadResTypeStream)) {
    return base::Fail(base::Code::kInvalidParam, "infoLen {} is not the {} bytes of ThreadResTypeStream", length,
                      sizeof(ThreadResTypeStream));
  }
  SOFTHCCL_ASSIGN(stream, thread.UsableStream());
  *info = Handle(stream->handle);
  return {};
}

}  // namespace softhccl::api
