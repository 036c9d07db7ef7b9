// Reading tags and ranges of memory that C programs describe, alike for communicators and endpoints.
#pragma once

#include <cstring>
#include <string>

#include "api/objects.h"
#include "api/report.h"
#include "comm/memories.h"
#include "hcomm/hcomm_res_defs.h"

namespace softhccl::api {

// Errors: kInvalidParam for no character or too many.
inline base::Result<std::string> ReadMemoryTag(const char* tag) {
  constexpr std::size_t kMaxTag = comm::MemoryRegistry::kMaxTag;
  std::string text(tag, ::strnlen(tag, kMaxTag + 1));
  if (!text.empty() && text.size() <= kMaxTag) return text;
  return base::FailResult(base::Code::kInvalidParam, "memTag \"{}\" has {} characters; use 1 to {}", text.substr(0, 32),
                          text.size() > kMaxTag ? "too many" : "no", kMaxTag);
}

struct MemoryRange {
  memory::Space space = memory::Space::kDevice;
  std::byte* data = nullptr;
  std::size_t size = 0;
};

// `argument` names it in messages. Errors: kNullPointer, kInvalidParam for a bad type.
inline base::Result<MemoryRange> ReadMemory(const CommMem* mem, const std::string& argument) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(mem, argument.c_str()));
  const int type = RawValue(mem->type);
  if (type != COMM_MEM_TYPE_DEVICE && type != COMM_MEM_TYPE_HOST) {
    return base::FailResult(base::Code::kInvalidParam,
                            "{}->type {} is not known; use COMM_MEM_TYPE_DEVICE {} or COMM_MEM_TYPE_HOST {}", argument,
                            type, static_cast<int>(COMM_MEM_TYPE_DEVICE), static_cast<int>(COMM_MEM_TYPE_HOST));
  }
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(mem->addr, (argument + "->addr").c_str()));
  return MemoryRange{type == COMM_MEM_TYPE_HOST ? memory::Space::kHost : memory::Space::kDevice,
                     static_cast<std::byte*>(mem->addr), mem->size};
}

}  // namespace softhccl::api
