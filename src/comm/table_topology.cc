// The cluster that a rank table tells of. Ranks are its cards. Tables 1.0 and 1.2 have servers, and super pods of
// servers; tables 2.0 have levels, of which a rank may have some only. How the members of a server are connected is in
// no table: that is the product's.
#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "comm/topology.h"

namespace softhccl::comm {
namespace {

using bootstrap::RankAddress;
using bootstrap::RankEntry;
using bootstrap::RankLevel;
using bootstrap::RankTable;

// CommAddrType and CommProtocol.
constexpr int kIpv4 = 0;
constexpr int kIpv6 = 1;
constexpr int kEid = 3;
constexpr int kRoce = 1;
constexpr int kUbCtp = 4;
constexpr int kUboe = 7;

bool IsEthernet(int protocol) { return protocol == kRoce || protocol == kUboe; }
bool IsUb(int protocol) { return protocol >= kUbCtp && protocol != kUboe && protocol != 8; }

// An IPv4 or IPv6 address as text.
bool ReadIp(const std::string& text, Attachment* attachment) {
  attachment->address_type = kIpv4;
  if (::inet_pton(AF_INET, text.c_str(), attachment->address.data()) == 1) return true;
  attachment->address_type = kIpv6;
  return ::inet_pton(AF_INET6, text.c_str(), attachment->address.data()) == 1;
}

// 32 hexadecimal digits, also with colons between, or written like an IPv6 address.
bool ReadEid(const std::string& text, Attachment* attachment) {
  attachment->address_type = kEid;
  std::string digits = text;
  std::erase(digits, ':');
  if (digits.size() != 2 * attachment->address.size()) {
    return ::inet_pton(AF_INET6, text.c_str(), attachment->address.data()) == 1;
  }
  for (std::size_t i = 0; i < attachment->address.size(); ++i) {
    const char* begin = digits.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, attachment->address[i], 16).ptr != begin + 2) return false;
  }
  return true;
}

std::optional<Attachment> ReadAddress(const RankAddress& address, int layer_protocol) {
  Attachment attachment;
  attachment.plane = address.plane;
  const bool is_eid = address.type == "EID";
  if (is_eid) attachment.protocol = IsUb(layer_protocol) ? layer_protocol : kUbCtp;
  if (!is_eid) attachment.protocol = IsEthernet(layer_protocol) ? layer_protocol : kRoce;
  const bool is_read = is_eid ? ReadEid(address.address, &attachment) : ReadIp(address.address, &attachment);
  return is_read ? std::optional(attachment) : std::nullopt;
}

// Numbers instances in the order in which the ranks name them.
class Numbering {
 public:
  std::uint32_t Of(const std::string& name) {
    return numbers_.emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace

class Topology::TableReader {
 public:
  TableReader(const RankTable& table, const std::string& soc) : table_(table) {
    topology_ = OfProduct(soc, LayerCount(table));
    topology_.source_ = table.file;
    topology_.cards_ = static_cast<std::uint32_t>(table.ranks.size());
    topology_.instances_.assign(topology_.layers_.size(), std::vector<std::uint32_t>(table.ranks.size(), kNowhere));
    Entry entry;
    entry.layers = topology_.layers_;
    entry.attachments.resize(topology_.layers_.size());
    topology_.entries_.assign(table.ranks.size(), entry);
  }

  Topology Read() {
    if (table_.version == "2.0") {
      ReadLevels();
    } else {
      ReadServers();
    }
    for (std::uint32_t card = 0; card < topology_.cards_; ++card) Place(card);
    return std::move(topology_);
  }

 private:
  static std::size_t LayerCount(const RankTable& table) {
    if (table.version != "2.0") return table.version == "1.2" ? 3 : 2;
    std::uint32_t highest = 0;
    for (const RankEntry& rank : table.ranks) highest = std::max(highest, rank.levels.back().layer);
    return highest + 1;
  }

  void ReadServers() {
    Numbering servers;
    Numbering pods;
    for (std::size_t card = 0; card < table_.ranks.size(); ++card) {
      const RankEntry& rank = table_.ranks[card];
      topology_.instances_[0][card] = servers.Of(rank.server);
      if (topology_.instances_.size() == 3) topology_.instances_[1][card] = pods.Of(rank.super_pod);
      topology_.instances_.back()[card] = 0;  // the cluster
      for (std::size_t layer = 0; layer < topology_.layers_.size(); ++layer) {
        Attachment attachment;
        attachment.plane = kOnlyPlane;
        attachment.protocol = topology_.layers_[layer].protocol;
        if (!IsEthernet(attachment.protocol) || !ReadIp(rank.device_ip, &attachment)) continue;
        topology_.entries_[card].attachments[layer] = {attachment};
      }
    }
  }

  void ReadLevels() {
    std::vector<Numbering> instances(topology_.layers_.size());
    for (std::size_t card = 0; card < table_.ranks.size(); ++card) {
      Entry& entry = topology_.entries_[card];
      for (const RankLevel& level : table_.ranks[card].levels) {
        TopologyLayer& layer = entry.layers[level.layer];
        topology_.instances_[level.layer][card] = instances[level.layer].Of(level.instance);
        if (level.type == "CLOS") layer.kind = layer.instance_kind = TopologyKind::kClos;
        for (const RankAddress& address : level.addresses) {
          if (auto read = ReadAddress(address, layer.protocol)) entry.attachments[level.layer].push_back(*read);
        }
        if (!entry.attachments[level.layer].empty()) layer.protocol = entry.attachments[level.layer][0].protocol;
      }
    }
  }

  void Place(std::uint32_t card) {
    const RankEntry& rank = table_.ranks[card];
    CardPlace& place = topology_.entries_[card].place;
    const std::size_t pod = std::min<std::size_t>(1, topology_.layers_.size() - 1);
    const bool has_pod = topology_.instances_[pod][card] != kNowhere;
    place.card = rank.device;
    place.server = topology_.instances_[0][card];
    place.super_pod = has_pod ? topology_.instances_[pod][card] : 0;
    place.super_card = has_pod ? topology_.IndexIn(card, pod) : rank.device;
    const std::string& number = rank.super_device;
    std::from_chars(number.data(), number.data() + number.size(), place.super_card);
  }

  const RankTable& table_;
  Topology topology_;
};

Topology Topology::OfTable(const RankTable& table, const std::string& soc) { return TableReader(table, soc).Read(); }

}  // namespace softhccl::comm
