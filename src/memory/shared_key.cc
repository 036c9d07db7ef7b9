// Making and reading keys.
#include "memory/shared_key.h"

#include <unistd.h>

#include <charconv>

#include "memory/arena.h"

namespace softhccl::memory {

using base::Code;
using base::Fail;
using base::Status;

std::string MakeSharedKey(const char* kind, std::uint64_t number) {
  // The arena's random id makes keys of a process that has had the same number before unlike these.
  return fmt::format("softhccl-{}-{}-{}-{:016x}", kind, ::getpid(), number, DataArena().id());
}

bool IsSharedKey(const char* kind, const std::string& key, std::int32_t* process) {
  const std::string head = fmt::format("softhccl-{}-", kind);
  if (key.rfind(head, 0) != 0) return false;
  const auto parsed = std::from_chars(key.data() + head.size(), key.data() + key.size(), *process);
  return parsed.ec == std::errc() && parsed.ptr != key.data() + key.size() && *parsed.ptr == '-';
}

Status ExplainUnknownKey(const char* kind, const std::string& key, const char* closed) {
  std::int32_t process = 0;
  const std::string shown = key.substr(0, kSharedKeySize);
  if (!IsSharedKey(kind, key, &process)) {
    return Fail(Code::kInvalidParam, "key \"{}\" is none of this library; use the text of the export", shown);
  }
  if (process == ::getpid()) return Fail(Code::kInvalidParam, "key \"{}\" is not open: {}", shown, closed);
  return Fail(Code::kNotSupported,
              "key \"{}\" was exported by process {}; what other processes export cannot be imported, because nobody "
              "hands its file over",
              shown, process);
}

}  // namespace softhccl::memory
