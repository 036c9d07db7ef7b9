// The grammars, written over one pair of tools: split at a character, look up in a list.
#include "base/hccl_syntax.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <initializer_list>
#include <string>
#include <vector>

namespace softhccl::base {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

bool EqualIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char left, char right) {
    return (left >= 'A' && left <= 'Z' ? static_cast<char>(left + ('a' - 'A')) : left) == right;
  });
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool ParsePort(std::string_view text, unsigned* port) {
  if (!IsNumber(text, 1, 65535)) return false;
  std::from_chars(text.data(), text.data() + text.size(), *port);
  return true;
}

// "key:value" items separated by commas; every key at most once, every item as `accepts` says.
template <typename Accepts>
bool IsKeyedList(std::string_view text, Accepts accepts) {
  std::vector<std::string_view> seen;
  for (const std::string_view item : Split(text, ',')) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view key = item.substr(0, colon);
    if (std::find(seen.begin(), seen.end(), key) != seen.end() || !accepts(key, item.substr(colon + 1))) return false;
    seen.push_back(key);
  }
  return true;
}

bool IsModuleList(std::string_view text, std::initializer_list<std::string_view> upper,
                  std::initializer_list<std::string_view> lower) {
  if (!text.empty() && text.front() == '^') text.remove_prefix(1);
  const std::vector<std::string_view> modules = Split(text, ',');
  const auto all_in = [&](std::initializer_list<std::string_view> words) {
    return std::all_of(modules.begin(), modules.end(), [&](std::string_view module) { return IsOneOf(module, words); });
  };
  return all_in(upper) || all_in(lower);
}

// "level0:NA;level1:ring"
bool IsLevelList(std::string_view text) {
  for (const std::string_view item : Split(text, ';')) {
    const bool named = item.size() > 7 && item.substr(0, 5) == "level" && item[5] >= '0' && item[5] <= '3';
    if (!named || item[6] != ':') return false;
  }
  return true;
}

}  // namespace

bool IsNumber(std::string_view text, unsigned long long low, unsigned long long high) {
  unsigned long long value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return text.size() <= 10 && parsed.ec == std::errc() && parsed.ptr == end && value >= low && value <= high;
}

bool IsTrafficClass(std::string_view text) {
  unsigned value = 0;
  if (!IsNumber(text, 0, 255)) return false;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value % 4 == 0;
}

bool IsIpAddress(std::string_view text) {
  if (text.size() > 64) return false;
  unsigned char address[16];
  const std::string terminated(text);
  return ::inet_pton(AF_INET, terminated.c_str(), address) == 1 ||
         ::inet_pton(AF_INET6, terminated.c_str(), address) == 1;
}

bool IsScopedAddress(std::string_view text) {
  const std::size_t percent = text.find('%');
  if (percent == std::string_view::npos) return IsIpAddress(text);
  return percent + 1 < text.size() && IsIpAddress(text.substr(0, percent));
}

bool IsInterfaceList(std::string_view text) {
  if (!text.empty() && text.front() == '^') text.remove_prefix(1);
  if (!text.empty() && text.front() == '=') text.remove_prefix(1);
  const std::vector<std::string_view> names = Split(text, ',');
  return std::none_of(names.begin(), names.end(), [](std::string_view name) { return name.empty(); });
}

bool IsSocketFamily(std::string_view text) { return IsOneOf(text, {"AF_INET", "AF_INET6"}); }

bool IsPortRanges(std::string_view text) {
  if (text == "auto") return true;
  std::vector<std::pair<unsigned, unsigned>> ranges;
  for (const std::string_view item : Split(text, ',')) {
    const std::size_t dash = item.find('-');
    unsigned low = 0;
    if (!ParsePort(item.substr(0, dash), &low)) return false;
    unsigned high = low;
    if (dash != std::string_view::npos && !ParsePort(item.substr(dash + 1), &high)) return false;
    if (high < low) return false;
    for (const auto& [other_low, other_high] : ranges) {
      if (low <= other_high && other_low <= high) return false;
    }
    ranges.emplace_back(low, high);
  }
  return true;
}

bool IsDeterminism(std::string_view text) { return IsTrueOrFalse(text) || EqualIgnoringCase(text, "strict"); }

bool IsTrueOrFalse(std::string_view text) {
  return EqualIgnoringCase(text, "true") || EqualIgnoringCase(text, "false");
}

bool IsExpansionMode(std::string_view text) {
  return IsOneOf(text, {"HOST", "HOST_TS", "AI_CPU", "AICPU_TS", "AICPU_CacheDisable", "AIV", "CCU_MS", "CCU_SCHED"});
}

bool IsAlgorithm(std::string_view text) {
  if (text.size() >= 1600) return false;
  for (const std::string_view part : Split(text, '/')) {
    const std::size_t equals = part.find('=');
    if (equals == 0) return false;
    if (!IsLevelList(equals == std::string_view::npos ? part : part.substr(equals + 1))) return false;
  }
  return true;
}

bool IsRetrySwitches(std::string_view text) {
  return IsKeyedList(text, [](std::string_view key, std::string_view value) {
    return IsOneOf(key, {"L0", "L1", "L2"}) && IsOneOf(value, {"0", "1"});
  });
}

bool IsRetryParameters(std::string_view text) {
  return IsKeyedList(text, [](std::string_view key, std::string_view value) {
    if (key == "MaxCnt") return IsNumber(value, 1, 10);
    return IsOneOf(key, {"HoldTime", "IntervalTime"}) && IsNumber(value, 0, 60000);
  });
}

bool IsFaultDetection(std::string_view text) {
  return IsKeyedList(text, [](std::string_view key, std::string_view value) {
    if (key == "connection_fault_detection_time") return value == "0" || IsNumber(value, 20, 7200);
    if (key == "inconsistent_check") return IsOneOf(value, {"on", "first", "off"});
    if (key == "task_monitor_interval") return IsNumber(value, 0, 7200000);
    return IsOneOf(key, {"cluster_heartbeat", "stuck_detection", "task_exception"}) && IsOneOf(value, {"on", "off"});
  });
}

bool IsDebugModules(std::string_view text) {
  return IsModuleList(text, {"ALG", "TASK", "RESOURCE"}, {"alg", "task", "resource"});
}

bool IsDataDebugModules(std::string_view text) { return IsModuleList(text, {"TASK", "DATA_OP"}, {"task", "data_op"}); }

bool IsShortName(std::string_view text) { return text.size() < 128; }

bool IsPath(std::string_view text) { return text.size() < PATH_MAX; }

}  // namespace softhccl::base
