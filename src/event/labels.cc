// The label table of labels.h. It is written when objects are made and read when a person must be told something, so
// one mutex is enough; it is never destroyed, because reports are also printed while static objects go away.
#include "event/labels.h"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace softhccl::event {
namespace {

constexpr std::size_t kKinds = 3;

struct Table {
  std::mutex mutex;
  std::array<std::unordered_map<std::uint64_t, std::string>, kKinds> labels;
  std::deque<std::string> names;  // name id - 1 -> text; a deque, since ids point into it
  std::unordered_map<std::string_view, std::uint64_t> ids;
  std::uint64_t recent_count = 0;   // how many RecentNameId has given out
  std::vector<std::string> recent;  // text of the n-th at n % kRecentNames
};

constexpr std::uint64_t kRecentBit = std::uint64_t{1} << 63;  // tells the two kinds of name ids apart

// Under the table's mutex.
std::string RecentName(const Table& table, std::uint64_t id) {
  const std::uint64_t number = id & ~kRecentBit;
  if (number >= table.recent_count) return fmt::format("#{}", number);
  if (table.recent_count - number > kRecentNames) return "an earlier operation";
  return table.recent[number % kRecentNames];
}

Table& TheTable() {
  static auto* table = new Table;
  return *table;
}

}  // namespace

void SetLabel(LabelKind kind, std::uint64_t id, std::string label) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  table.labels[static_cast<std::size_t>(kind)].insert_or_assign(id, std::move(label));
}

void DropLabel(LabelKind kind, std::uint64_t id) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  table.labels[static_cast<std::size_t>(kind)].erase(id);
}

std::string GetLabel(LabelKind kind, std::uint64_t id) {
  {
    Table& table = TheTable();
    std::lock_guard lock(table.mutex);
    if (kind == LabelKind::kName && (id & kRecentBit) != 0) return RecentName(table, id);
    const auto& labels = table.labels[static_cast<std::size_t>(kind)];
    if (const auto found = labels.find(id); found != labels.end()) return found->second;
    if (kind == LabelKind::kName && id >= 1 && id <= table.names.size()) return table.names[id - 1];
  }
  switch (kind) {
    case LabelKind::kStream: return fmt::format("stream {}", id);
    case LabelKind::kNotify: return fmt::format("notify {}", id);
    case LabelKind::kName: break;
  }
  return fmt::format("#{}", id);
}

std::uint64_t NameId(const std::string& text) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  if (const auto found = table.ids.find(text); found != table.ids.end()) return found->second;
  table.names.push_back(text);
  const std::uint64_t id = table.names.size();
  table.ids.emplace(table.names.back(), id);
  return id;
}

const char* KeepText(const std::string& text) {
  const std::uint64_t id = NameId(text);
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  return table.names[id - 1].c_str();
}

std::uint64_t RecentNameId(const std::string& text) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  const std::uint64_t number = table.recent_count++;
  if (number < kRecentNames) {
    table.recent.push_back(text);
  } else {
    table.recent[number % kRecentNames] = text;
  }
  return number | kRecentBit;
}

}  // namespace softhccl::event
