// What a call has to ask before it copies or fills memory at once: a capture may forbid it.
#pragma once

#include "base/status.h"

namespace softhccl::api {

// Errors: kCaptureForbids. Without a capture: one load.
base::Status RefuseWhileCaptured(const char* call);
// The same for an asynchronous call that has to wait, because devices do not know its memory. Errors:
// kCaptureBlocksAsync.
base::Status RefuseToBlockWhileCaptured(const char* call);

}  // namespace softhccl::api
