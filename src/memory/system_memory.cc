// Reads what the kernel says about memory: the machine as a whole and the control group of this process.
#include "memory/system_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace softhccl::memory {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// The value of a "name:  number kB" line, in bytes.
std::optional<std::uint64_t> Line(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = ParseNumber(text.substr(at + name.size()));
  return number ? std::optional(*number * 1024) : std::nullopt;
}

}  // namespace

base::Result<SystemMemory> ParseSystemMemory(const std::string& meminfo, const std::string& group_limit,
                                             const std::string& group_use) {
  const auto total = Line(meminfo, "MemTotal:");
  const auto available = Line(meminfo, "MemAvailable:");
  if (!total || !available) {
    return base::FailResult(base::Code::kInternal, "/proc/meminfo has no {} line", total ? "MemAvailable" : "MemTotal");
  }
  SystemMemory memory{*available, *total};
  const auto limit = ParseNumber(group_limit);  // "max": no limit
  if (limit && *limit < memory.total) {
    memory.total = *limit;
    memory.free = std::min(memory.free, *limit - std::min(ParseNumber(group_use).value_or(0), *limit));
  }
  return memory;
}

base::Result<SystemMemory> ReadSystemMemory() {
  // "0::/path" names the group of the unified hierarchy.
  const std::string groups = ReadAll("/proc/self/cgroup");
  std::string folder = "/sys/fs/cgroup";
  if (const auto at = groups.find("0::"); at != std::string::npos) {
    folder += groups.substr(at + 3, groups.find('\n', at) - at - 3);
  }
  return ParseSystemMemory(ReadAll("/proc/meminfo"), ReadAll(folder + "/memory.max"),
                           ReadAll(folder + "/memory.current"));
}

}  // namespace softhccl::memory
