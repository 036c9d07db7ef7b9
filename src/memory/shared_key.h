// Keys of what is shared under a name: memory, notifies. A key tells its kind and the process that made it, so that a
// wrong one is answered with what it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"

namespace softhccl::memory {

inline constexpr std::size_t kSharedKeySize = 65;  // of a key with its final zero, at most

// "softhccl-mem-4711-1-0123456789abcdef": kind, process, number, and a random number of the process.
std::string MakeSharedKey(const char* kind, std::uint64_t number);
// Whether `key` looks like one of that kind, and which process made it.
bool IsSharedKey(const char* kind, const std::string& key, std::int32_t* process);
// Why nothing is behind `key`; `closed` says what became of it when it was made by this process. kNotSupported for one
// of another process, else kInvalidParam.
base::Status ExplainUnknownKey(const char* kind, const std::string& key, const char* closed);

}  // namespace softhccl::memory
