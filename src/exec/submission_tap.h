// Where the recording of graphs meets the scheduler: while somebody records, every submission is offered to it before
// it is queued. Without a recording a submission pays one load for this.
#pragma once

#include <atomic>
#include <span>

#include "base/status.h"
#include "exec/op.h"

namespace softhccl::exec {

class Stream;

class SubmissionTap {
 public:
  // True: it took the ops over, what they own included, and `answer` is what Submit returns. Any thread.
  virtual bool Offer(Stream& stream, std::span<const Op> ops, base::Status* answer) = 0;
  // The stream is being destroyed; its handle is stale already.
  virtual void Forget(const Stream& stream) = 0;

 protected:
  ~SubmissionTap() = default;
};

// Null while nobody records. What it points to lives for ever.
extern std::atomic<SubmissionTap*> g_submission_tap;

}  // namespace softhccl::exec
