// The sentences about handles that are not what they should be.
#include "base/handle.h"

namespace softhccl::base {

std::string_view HandleKindName(HandleKind kind) {
  switch (kind) {
    case HandleKind::kNone: return "null";
    case HandleKind::kStream: return "stream";
    case HandleKind::kNotify: return "notify";
    case HandleKind::kBinary: return "kernel binary";
    case HandleKind::kFunction: return "kernel function";
    case HandleKind::kComm: return "communicator";
    case HandleKind::kCommThread: return "thread";
    case HandleKind::kChannel: return "channel";
  }
  return "";
}

std::string DescribeBadHandle(std::uint64_t value, HandleKind expected, bool generation_mismatch) {
  const std::string_view wanted = HandleKindName(expected);
  if (value == 0) return fmt::format("is null, expected a {}", wanted);
  if (generation_mismatch)
    return fmt::format("is a {} that was destroyed; do not use a handle after its destroy", wanted);
  const std::string_view found = HandleKindName(HandleBits{value}.kind());
  if (!found.empty() && HandleBits{value}.kind() != HandleKind::kNone && HandleBits{value}.kind() != expected) {
    return fmt::format("is a {}, expected a {}", found, wanted);
  }
  return fmt::format("is not a {} of this process; uninitialised or foreign value", wanted);
}

}  // namespace softhccl::base
