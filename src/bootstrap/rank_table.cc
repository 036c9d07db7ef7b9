// Which format it is, what holds for all formats, and the file.
#include "bootstrap/rank_table.h"

#include <fmt/ranges.h>

#include <climits>
#include <set>

#include "bootstrap/rank_table_formats.h"

namespace softhccl::bootstrap {
namespace {

using base::Code;
using base::Status;

// FNV-1a over what the table says.
class Fingerprint {
 public:
  void Add(std::string_view text) {
    for (const char character : text) AddByte(static_cast<unsigned char>(character));
    AddByte(0);
  }
  void Add(const RankEntry& entry) {
    Add(fmt::format("{}/{}", entry.rank, entry.device));
    for (const std::string* text : {&entry.server, &entry.super_pod, &entry.super_device, &entry.device_ip}) Add(*text);
    for (const RankLevel& level : entry.levels) {
      Add(fmt::format("level {} {} {} {}", level.layer, level.instance, level.type, level.attribute));
      for (const RankAddress& address : level.addresses) {
        Add(fmt::format("{} {} {} {}", address.type, address.address, address.plane, fmt::join(address.ports, ",")));
      }
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  void AddByte(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211u; }

  std::uint64_t value_ = 14695981039346656037u;
};

// Rank ids are 0 to n-1. Sorts the entries by them.
base::Result<std::vector<RankEntry>> InOrder(ReadRanks ranks) {
  const std::size_t count = ranks.entries.size();
  std::vector<RankEntry> ordered(count);
  std::vector<const Field*> place_of(count, nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t rank = ranks.entries[i].rank;
    if (rank >= count) {
      return tl::unexpected(
          BadValue(ranks.places[i],
                   fmt::format("is {}, but the table has {} ranks; use 0 to {} without gap", rank, count, count - 1)));
    }
    if (place_of[rank] != nullptr) {
      return tl::unexpected(BadValue(
          ranks.places[i], fmt::format("{} is in line {} already; rank ids differ", rank, place_of[rank]->line())));
    }
    place_of[rank] = &ranks.places[i];
    ordered[rank] = std::move(ranks.entries[i]);
  }
  return ordered;
}

Status CheckStatus(const Field& root, bool is_required) {
  if (!is_required && !Has(root, "status")) return {};
  auto status = Text(root, "status", 1, 64);
  if (!status) return status.error();
  if (*status == "completed") return {};
  return BadValue(*Member(root, "status"), *status == "initializing"
                                               ? "\"initializing\": the table is not finished; wait for \"completed\""
                                               : fmt::format("\"{}\" is not known; use \"completed\"", *status));
}

base::Result<ReadRanks> ReadFormat(const Field& root, const std::string& version) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckStatus(root, version != "2.0"));
  if (version == "2.0") return ReadRankList(root);
  return ReadServerList(root, version == "1.2");
}

}  // namespace

std::size_t RankTable::server_count() const {
  std::set<std::string_view> servers;
  for (const RankEntry& entry : ranks) servers.insert(entry.server);
  return servers.size();
}

std::string RankTable::PlaceOf(std::uint32_t rank) const {
  if (rank >= ranks.size()) return "";
  return fmt::format("server {}, device {}", ranks[rank].server, ranks[rank].device);
}

std::vector<std::string> RankTable::Places() const {
  std::vector<std::string> places;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) places.push_back(PlaceOf(rank));
  return places;
}

base::Result<RankTable> ParseRankTable(std::string_view text, const std::string& file) {
  auto root = base::JsonValue::Parse(text, file);
  if (!root) return base::FailResult(Code::kInternal, "EI0004 {}", root.error().message());
  if (Has(*root, "group_list") && !Has(*root, "version")) {
    return tl::unexpected(
        BadValue(*Member(*root, "group_list"), "tables of this old kind are not read; use version 1.0, 1.2 or 2.0"));
  }
  auto version = Text(*root, "version", 1, 64);
  if (!version) return tl::unexpected(version.error());
  if (*version != "1.0" && *version != "1.2" && *version != "2.0") {
    return tl::unexpected(BadValue(*Member(*root, "version"),
                                   fmt::format("\"{}\" is not known; use \"1.0\", \"1.2\" or \"2.0\"", *version)));
  }
  auto ranks = ReadFormat(*root, *version);
  if (!ranks) return tl::unexpected(ranks.error());
  auto ordered = InOrder(std::move(*ranks));
  if (!ordered) return tl::unexpected(ordered.error());
  Fingerprint fingerprint;
  fingerprint.Add(*version);
  for (const RankEntry& entry : *ordered) fingerprint.Add(entry);
  return RankTable{file, *version, std::move(*ordered), fingerprint.value()};
}

base::Result<RankTable> LoadRankTable(const std::string& path) {
  if (path.size() >= PATH_MAX) {
    return base::FailResult(Code::kInternal, "EI0004 the path of the rank table has {} characters; use at most {}",
                            path.size(), PATH_MAX - 1);
  }
  auto text = base::ReadTextFile(path);
  if (!text) return base::FailResult(Code::kInternal, "EI0004 rank table: {}", text.error().message());
  return ParseRankTable(*text, path);
}

}  // namespace softhccl::bootstrap
