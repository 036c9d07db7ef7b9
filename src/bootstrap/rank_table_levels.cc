// Rank tables 2.0: every rank with its network levels and its addresses on them.
#include <map>

#include "base/hccl_syntax.h"
#include "bootstrap/rank_table_formats.h"

namespace softhccl::bootstrap {
namespace {

using base::Status;

constexpr std::uint32_t kMaxLocalId = 64;
constexpr std::size_t kMaxLevels = 8;
constexpr std::size_t kMaxAddresses = 24;
constexpr std::size_t kMaxPorts = 16;

bool IsDiePort(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && base::IsNumber(text.substr(0, slash), 0, 255) &&
         base::IsNumber(text.substr(slash + 1), 0, 255);
}

Status ReadPorts(const Field& object, RankAddress* address) {
  if (!Has(object, "ports")) return {};
  const Field field = *Member(object, "ports");
  auto ports = field.Elements();
  if (!ports) return BadValue(field, "is not an array of \"die/port\"");
  if (ports->size() > kMaxPorts) {
    return BadValue(field, fmt::format("has {} elements; use at most {}", ports->size(), kMaxPorts));
  }
  for (const Field& port : *ports) {
    auto text = port.String();
    if (!text || !IsDiePort(*text)) return BadValue(port, "is not \"die/port\", as \"0/3\"");
    address->ports.push_back(*text);
  }
  return {};
}

Status ReadAddress(const Field& object, RankAddress* address) {
  auto type = Text(object, "addr_type", 1, 16);
  if (!type) return type.error();
  if (*type != "EID" && *type != "IPV4" && *type != "IPV6") {
    return BadValue(*Member(object, "addr_type"), fmt::format("\"{}\" is not known; use EID, IPV4 or IPV6", *type));
  }
  auto text = Text(object, "addr", 1, 256);
  if (!text) return text.error();
  if (*type != "EID" && !base::IsIpAddress(*text)) {
    return BadValue(*Member(object, "addr"), fmt::format("\"{}\" is not an {} address", *text, *type));
  }
  address->type = *type;
  address->address = *text;
  address->plane = "0";
  if (Has(object, "plane_id")) {
    auto plane = Text(object, "plane_id", 1, 256);
    if (!plane) return plane.error();
    address->plane = *plane;
  }
  return ReadPorts(object, address);
}

Status ReadLevelKind(const Field& object, RankLevel* level) {
  auto instance = Text(object, "net_instance_id", 1, 1024);
  if (!instance) return instance.error();
  level->instance = *instance;
  auto type = Text(object, "net_type", 1, 64);
  if (!type) return type.error();
  if (*type != "TOPO_FILE_DESC" && *type != "CLOS") {
    return BadValue(*Member(object, "net_type"),
                    fmt::format("\"{}\" is not known; use TOPO_FILE_DESC for layer 0, CLOS above", *type));
  }
  level->type = *type;
  if (!Has(object, "net_attr")) return {};
  auto attribute = Text(object, "net_attr", 0, 1024);
  if (!attribute) return attribute.error();
  level->attribute = *attribute;
  return {};
}

Status ReadLevel(const Field& object, std::vector<RankLevel>* levels) {
  RankLevel level;
  auto layer = Number(object, "net_layer", false, 0, kMaxLevels - 1);
  if (!layer) return layer.error();
  level.layer = *layer;
  const bool follows = levels->empty() ? *layer == 0 : *layer > levels->back().layer;
  if (!follows) {
    return BadValue(*Member(object, "net_layer"),
                    levels->empty() ? fmt::format("is {}; the first level of a rank is layer 0", *layer)
                                    : fmt::format("is {} after {}; layers ascend", *layer, levels->back().layer));
  }
  SOFTHCCL_RETURN_IF_ERROR(ReadLevelKind(object, &level));
  auto addresses = Objects(object, "rank_addr_list", 0, kMaxAddresses);
  if (!addresses) return addresses.error();
  for (const Field& address : *addresses) {
    SOFTHCCL_RETURN_IF_ERROR(ReadAddress(address, &level.addresses.emplace_back()));
  }
  levels->push_back(std::move(level));
  return {};
}

Status ReadRank(const Field& object, RankEntry* entry) {
  auto rank = Number(object, "rank_id", false, 0, kMaxRanks - 1);
  if (!rank) return rank.error();
  entry->rank = *rank;
  if (Has(object, "local_id")) {
    auto local = Number(object, "local_id", false, 0, kMaxLocalId);
    if (!local) return local.error();
  }
  auto device = Number(object, "device_id", false, 0, kMaxLocalId);
  if (!device) return device.error();
  entry->device = *device;
  SOFTHCCL_RETURN_IF_ERROR(CheckOptionalPort(object, "device_port", false));
  SOFTHCCL_RETURN_IF_ERROR(CheckOptionalPort(object, "host_port", false));
  auto levels = Objects(object, "level_list", 1, kMaxLevels);
  if (!levels) return levels.error();
  for (const Field& level : *levels) SOFTHCCL_RETURN_IF_ERROR(ReadLevel(level, &entry->levels));
  entry->server = entry->levels.front().instance;
  return {};
}

}  // namespace

base::Result<ReadRanks> ReadRankList(const Field& root) {
  ReadRanks ranks;
  auto list = Objects(root, "rank_list", 1, kMaxRanks);
  if (!list) return tl::unexpected(list.error());
  auto count = Number(root, "rank_count", false, 1, kMaxRanks);
  if (!count) return tl::unexpected(count.error());
  if (*count != list->size()) {
    return tl::unexpected(
        BadValue(*Member(root, "rank_count"), fmt::format("is {}, but rank_list has {} ranks", *count, list->size())));
  }
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> devices;
  for (std::size_t i = 0; i < list->size(); ++i) {
    RankEntry entry;
    SOFTHCCL_RETURN_RESULT_IF_ERROR(ReadRank((*list)[i], &entry));
    const auto [other, is_new] = devices.emplace(std::pair(entry.server, entry.device), i);
    if (!is_new) {
      return tl::unexpected(
          BadValue(*Member((*list)[i], "device_id"),
                   fmt::format("{} is also the device of rank {} (line {}) in \"{}\"", entry.device,
                               ranks.entries[other->second].rank, ranks.places[other->second].line(), entry.server)));
    }
    ranks.places.push_back(*Member((*list)[i], "rank_id"));
    ranks.entries.push_back(std::move(entry));
  }
  return ranks;
}

}  // namespace softhccl::bootstrap
