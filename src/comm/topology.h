// The cluster that the devices of this process stand for: cards in servers, servers in pods, as many layers as its
// description has. Operators choose their algorithm by it, so it must be what they would be told on such a cluster.
// docs/topology.md describes the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

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

// Immutable; any thread.
class Topology {
 public:
  static constexpr std::uint32_t kMaxCards = 65536;
  static constexpr std::size_t kMaxLayers = 8;

  // Reads a description. What it leaves open is that of the product named by `soc`. Errors: kInvalidParam,
  // "<source>:<line>: <field>: <what>".
  static base::Result<Topology> Parse(std::string_view text, const std::string& source, const std::string& soc);
  // One server in which every card is connected with every other.
  static Topology OneServer(std::uint32_t cards, const std::string& soc);
  // That of SOFTHCCL_TOPOLOGY, else one server. Read once. Errors: kFileError, kInvalidParam, the same at every call.
  static const base::Result<Topology>& OfProcess();

  const std::vector<TopologyLayer>& layers() const { return layers_; }
  std::uint32_t cards() const { return cards_; }
  // A device of this process is the card of that number. Errors: kInvalidParam when the cluster has fewer.
  base::Status CheckCard(int device) const;
  // Which instance of `layer` the card stands in, counted over the whole cluster.
  std::uint32_t InstanceOf(std::uint32_t card, std::size_t layer) const { return instances_[layer][card]; }
  // The card's number among the cards of its instance.
  std::uint32_t IndexIn(std::uint32_t card, std::size_t layer) const;
  // The products before Ascend950: two cards have a link on the lowest layer they share, and on no other.
  bool legacy() const { return legacy_; }

 private:
  std::string source_;  // for messages
  bool legacy_ = false;
  std::uint32_t cards_ = 0;
  std::vector<TopologyLayer> layers_;
  std::vector<std::vector<std::uint32_t>> instances_;  // by layer, by card
};

}  // namespace softhccl::comm
