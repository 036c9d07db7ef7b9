// A recording as Chrome trace JSON: opens in chrome://tracing and ui.perfetto.dev. One row per stream, one arrow
// from each record to the wait that took it; a record nobody took and one that was lost are named so.
#pragma once

#include <string>

#include "base/status.h"
#include "event/ring.h"

namespace softhccl::trace {

// The whole document. Times are microseconds since the first event. Rows: pid is the device or communicator rank's
// stream group, tid the stream; names come from the label table at the time of the call.
std::string ToChromeJson(const event::Recording& recording);

// Writes it to `path` (temporary file in the same folder, then rename). Errors: kFileError.
base::Status WriteChromeTrace(const event::Recording& recording, const std::string& path);

}  // namespace softhccl::trace
