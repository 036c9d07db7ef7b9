// State callbacks as the C functions see them: a failing callback's own number is what the function answers.
#pragma once

#include <string>

#include "base/status.h"
#include "comm/state_callbacks.h"
#include "hccl/hccl_types.h"

namespace softhccl::api {

// Runs the callbacks of a phase. When one fails *number is its answer and the status names it.
base::Status RunCallbacks(HcclComm comm, comm::StateCallbacks::Phase phase, const std::string& name, int* number);

// The result for `status`; `number`, if not 0, came from a callback.
HcclResult ReportWithCallback(const char* call, const base::Status& status, int number) noexcept;

}  // namespace softhccl::api
