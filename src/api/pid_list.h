// Lists of processes that may import what this one exports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/report.h"

namespace softhccl::api {

// `count` is the argument called `argument`. Errors: kNullPointer, kInvalidParam.
inline base::Result<std::vector<std::int32_t>> ReadPids(const std::int32_t* pid, std::size_t count,
                                                        const char* argument) {
  constexpr std::size_t kMostPids = 65536;  // a greater number was never initialised
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(pid, "pid"));
  if (count == 0 || count > kMostPids) {
    return base::FailResult(base::Code::kInvalidParam, "{} {} is out of range, use 1 to {}", argument, count,
                            kMostPids);
  }
  return std::vector<std::int32_t>(pid, pid + count);
}

}  // namespace softhccl::api
