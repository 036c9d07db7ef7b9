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
    case HandleKind::kEvent: return "event";
    case HandleKind::kContext: return "context";
    case HandleKind::kStreamConfig: return "stream configuration";
    case HandleKind::kGraph: return "graph";
    case HandleKind::kGraphTask: return "graph task";
    case HandleKind::kEndpoint: return "endpoint";
    case HandleKind::kMemory: return "registered memory";
    case HandleKind::kWindow: return "window";
    case HandleKind::kTeam: return "team";
    case HandleKind::kTaskGroup: return "task group";
    case HandleKind::kDataBuffer: return "data buffer";
    case HandleKind::kArguments: return "argument list";
    case HandleKind::kChannelConfig: return "channel configuration";
    case HandleKind::kCountNotify: return "counting notify";
    case HandleKind::kPhysicalMemory: return "physical memory";
    case HandleKind::kImportedNotify: return "imported notify";
    case HandleKind::kBinaryData: return "kernel binary's data";
  }
  return "";
}

namespace {

// "a stream", "an event".
std::string WithArticle(std::string_view name) {
  const bool is_vowel = name.find_first_of("aeiou") == 0;
  return fmt::format("{} {}", is_vowel ? "an" : "a", name);
}

}  // namespace

std::string DescribeBadHandle(std::uint64_t value, HandleKind expected, bool generation_mismatch) {
  const std::string wanted = WithArticle(HandleKindName(expected));
  if (value == 0) return fmt::format("is null, expected {} (SH-A001)", wanted);
  if (generation_mismatch)
    return fmt::format("is {} that was destroyed; do not use a handle after its destroy (SH-H002)", wanted);
  const std::string_view found = HandleKindName(HandleBits{value}.kind());
  if (!found.empty() && HandleBits{value}.kind() != HandleKind::kNone && HandleBits{value}.kind() != expected) {
    return fmt::format("is {}, expected {} (SH-H003)", WithArticle(found), wanted);
  }
  return fmt::format("is not {} of this process; uninitialised or foreign value (SH-H001)", wanted);
}

}  // namespace softhccl::base
