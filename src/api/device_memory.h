// Addresses that only devices may be told: memory that this library has allocated, checked as a range.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "memory/memory.h"

namespace softhccl::api {

// Errors: kInvalidParam naming the argument.
inline base::Result<memory::Allocation> FindDeviceMemory(const void* address, std::size_t size, const char* argument) {
  const memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_RESULT_IF_ERROR(memory.CheckRange(address, size, argument));
  auto allocation = memory.Resolve(address);
  if (allocation) return *std::move(allocation);
  return base::FailResult(base::Code::kInvalidParam, "{} {} is not device memory; use memory from aclrtMalloc",
                          argument, fmt::ptr(address));
}

}  // namespace softhccl::api
