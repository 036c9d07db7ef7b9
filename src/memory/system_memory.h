// How much memory the machine has for this process. Devices have none of their own: they share it.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace softhccl::memory {

struct SystemMemory {
  std::uint64_t free = 0;   // bytes that could be used now without swapping
  std::uint64_t total = 0;  // bytes of the machine, or of the control group that limits this process to less
};

// Errors: kInternal when /proc/meminfo cannot be read.
base::Result<SystemMemory> ReadSystemMemory();

// The same from texts: /proc/meminfo, and memory.max and memory.current of the control group ("" when there is none).
base::Result<SystemMemory> ParseSystemMemory(const std::string& meminfo, const std::string& group_limit,
                                             const std::string& group_use);

}  // namespace softhccl::memory
