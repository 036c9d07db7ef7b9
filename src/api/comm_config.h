// The configuration of a communicator as a C program passes it: read by size and version, every field checked, and
// joined with the environment into what the communicator module understands.
#pragma once

#include "base/status.h"
#include "comm/communicator.h"
#include "hccl/hccl_types.h"

namespace softhccl::api {

// What the environment says, and over it what `config` says (null: nothing). Errors: kInvalidParam with EI0001 for a
// bad variable, with EI0003 for a configuration that was not initialised or a bad field.
base::Result<comm::Communicator::Options> ReadCommOptions(const HcclCommConfig* config);

}  // namespace softhccl::api
