// The cluster that the devices of this process stand for: cards in servers, servers in pods, as many layers as its
// description has. Operators choose their algorithm by it, so it must be what they would be told on such a cluster. It
// comes from a file of our own (docs/topology.md), or from the rank table of a communicator.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bootstrap/rank_table.h"

namespace softhccl::comm {

// How the members of an instance are connected. The numbers are those of CommTopo.
enum class TopologyKind : int { kClos = 0, kMesh = 1, kA3 = 2, kCustom = 5 };

// What is the same for all instances of a layer.
struct TopologyLayer {
  std::string name;
  TopologyKind kind = TopologyKind::kCustom;         // what is answered for the layer
  TopologyKind instance_kind = TopologyKind::kMesh;  // what is answered for an instance of it
  int protocol = 0;                                  // CommProtocol
  std::uint32_t bandwidth = 1;                       // relative to other layers
};

// Where a card is.
struct CardPlace {
  std::uint32_t card = 0;        // within the server
  std::uint32_t super_card = 0;  // within the super pod
  std::uint32_t server = 0;
  std::uint32_t super_pod = 0;
  bool operator==(const CardPlace&) const = default;
};

// How a card is attached to a layer's network.
struct Attachment {
  int protocol = 0;                        // CommProtocol
  int address_type = 0;                    // CommAddrType
  std::array<std::uint8_t, 16> address{};  // an IPv4 address, a number or an EID, in the byte order of its type
  std::string plane;                       // cards are connected by attachments of one plane
};

// Immutable; any thread.
class Topology {
 public:
  static constexpr std::uint32_t kMaxCards = 65536;
  static constexpr std::size_t kMaxLayers = 8;
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  static constexpr const char* kOnlyPlane = "0";  // of attachments whose plane nobody tells

  // Reads a description. What it leaves open is that of the product named by `soc`. Errors: kInvalidParam,
  // "<source>:<line>: <field>: <what>".
  static base::Result<Topology> Parse(std::string_view text, const std::string& source, const std::string& soc);
  // One server in which every card is connected with every other.
  static Topology OneServer(std::uint32_t cards, const std::string& soc);
  // The servers, super pods or levels of a rank table; rank r is card r.
  static Topology OfTable(const bootstrap::RankTable& table, const std::string& soc);
  // That of SOFTHCCL_TOPOLOGY, else one server. Read once. Errors: kFileError, kInvalidParam, the same at every call.
  static const base::Result<Topology>& OfProcess();

  std::size_t layer_count() const { return layers_.size(); }
  // What the layer is for the card's instance of it.
  const TopologyLayer& LayerOf(std::uint32_t card, std::size_t layer) const;
  std::uint32_t cards() const { return cards_; }
  // A device of this process is the card of that number. Errors: kInvalidParam when the cluster has fewer.
  base::Status CheckCard(int device) const;
  // Which instance of `layer` the card stands in, counted over the whole cluster; kNowhere when it is not on the layer.
  std::uint32_t InstanceOf(std::uint32_t card, std::size_t layer) const { return instances_[layer][card]; }
  CardPlace PlaceOf(std::uint32_t card) const;
  // One at least, when the card is on the layer. Addresses are unique in the cluster.
  std::vector<Attachment> AttachmentsOf(std::uint32_t card, std::size_t layer) const;
  // The products before Ascend950: two cards have a link on the lowest layer they share, and on no other.
  bool legacy() const { return legacy_; }

 private:
  // What a rank table says of a card, beyond the instances it is in.
  struct Entry {
    CardPlace place;
    std::vector<TopologyLayer> layers;                 // by layer
    std::vector<std::vector<Attachment>> attachments;  // by layer; nothing: it has the address of any card
  };
  class TableReader;

  // Without cards.
  static Topology OfProduct(const std::string& soc, std::size_t layer_count);
  // The card's number among the cards of its instance.
  std::uint32_t IndexIn(std::uint32_t card, std::size_t layer) const;

  std::string source_;  // for messages
  bool legacy_ = false;
  std::uint32_t cards_ = 0;
  std::vector<TopologyLayer> layers_;
  std::vector<std::vector<std::uint32_t>> instances_;  // by layer, by card
  std::vector<Entry> entries_;                         // by card; empty without a rank table
};

}  // namespace softhccl::comm
