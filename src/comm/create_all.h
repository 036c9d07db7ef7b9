// All ranks of one communicator at once, on the devices of this process: what a program with a single thread asks for.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "comm/communicator.h"

namespace softhccl::comm {

// Rank i on devices[i], which stays set once more until that communicator is destroyed; devices[0] becomes the calling
// thread's. Blocks until all are there. Errors: kInvalidParam for no or repeated devices, kInvalidDevice, kInternal
// when a rank fails; then none is left.
base::Result<std::vector<std::uint64_t>> CreateAll(const std::vector<int>& devices,
                                                   const Communicator::Options& options);

}  // namespace softhccl::comm
