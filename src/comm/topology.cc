// Reads the description of a cluster: nested lists whose innermost numbers are servers. The depth of the nesting is the
// number of layers.
#include "comm/topology.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/config.h"
#include "base/json.h"

namespace softhccl::comm {
namespace {

using base::JsonValue;
using base::Status;

constexpr std::uint32_t kMostDevices = 1024;  // SOFTHCCL_DEVICES
constexpr std::uint32_t kMaxBandwidth = 1'000'000;
constexpr int kHccs = 0;
constexpr int kRoce = 1;
constexpr int kUbCtp = 4;

// The names of CommProtocol without their prefix.
constexpr std::array<std::pair<std::string_view, int>, 10> kProtocols = {{{"HCCS", kHccs},
                                                                          {"ROCE", kRoce},
                                                                          {"PCIE", 2},
                                                                          {"SIO", 3},
                                                                          {"UB_CTP", kUbCtp},
                                                                          {"UBC_TP", 5},
                                                                          {"UB_MEM", 6},
                                                                          {"UBOE", 7},
                                                                          {"HCCS_ONLY", 8},
                                                                          {"UB_RTP", 9}}};

enum class Product { kA2, kA3, k950 };

Product ProductOf(std::string_view soc) {
  if (soc.starts_with("Ascend910_93")) return Product::kA3;
  return soc.starts_with("Ascend910") ? Product::kA2 : Product::k950;
}

// CommAddrType.
constexpr int kIpv4 = 0;
constexpr int kNumber = 2;
constexpr int kEid = 3;

// CommProtocol: those that run over Ethernet, and those of the older products' own links.
bool IsEthernet(int protocol) { return protocol == 1 || protocol == 7; }
bool IsNumbered(int protocol) { return protocol == 0 || protocol == 2 || protocol == 3 || protocol == 8; }

// Unique in the cluster: 10.<layer>.<card>, <layer> << 24 | <card> + 1, or an EID that ends with these.
void SetAddress(std::uint32_t layer, std::uint32_t card, Attachment* attachment) {
  const auto byte = [](std::uint32_t value) { return static_cast<std::uint8_t>(value); };
  std::array<std::uint8_t, 16>& address = attachment->address;
  if (IsEthernet(attachment->protocol)) {
    attachment->address_type = kIpv4;
    address = {10, byte(layer), byte(card >> 8), byte(card)};
  } else if (IsNumbered(attachment->protocol)) {
    attachment->address_type = kNumber;
    const std::uint32_t number = (layer << 24) | (card + 1);
    address = {byte(number), byte(number >> 8), byte(number >> 16), byte(number >> 24)};
  } else {
    attachment->address_type = kEid;
    address[0] = 0xFD;
    address[11] = byte(layer);
    for (int i = 0; i < 4; ++i) address[static_cast<std::size_t>(15 - i)] = byte((card + 1) >> (8 * i));
  }
}

// What a layer is when the description does not say.
TopologyLayer DefaultLayer(Product product, std::size_t layer) {
  static constexpr const char* kNames[] = {"server", "pod", "cluster"};
  TopologyLayer made;
  made.name = layer < std::size(kNames) ? kNames[layer] : fmt::format("layer {}", layer);
  const bool is_server = layer == 0;
  made.instance_kind = is_server ? TopologyKind::kMesh : TopologyKind::kClos;
  made.kind = TopologyKind::kClos;
  switch (product) {
    case Product::kA2:
      if (is_server) made.kind = TopologyKind::kMesh;
      made.protocol = is_server ? kHccs : kRoce;
      break;
    case Product::kA3:
      if (is_server) made.kind = TopologyKind::kA3;
      made.protocol = layer < 2 ? kHccs : kRoce;
      break;
    case Product::k950:
      if (is_server) made.kind = TopologyKind::kCustom;
      made.protocol = layer < 2 ? kUbCtp : kRoce;
      break;
  }
  return made;
}

// The shape of the cluster while it is read.
struct Shape {
  std::size_t depth = 0;  // of the lists around the servers; 0: not known yet
  bool has_server = false;
  std::uint32_t cards = 0;
  std::vector<std::vector<std::uint32_t>> instances;  // by nesting, outermost first, the servers last; by card
  std::vector<std::uint32_t> next;                    // next instance number, by nesting
};

Status ReadServer(const JsonValue& server, std::size_t nesting, Shape* shape) {
  if (shape->has_server && nesting != shape->depth) {
    return server.Bad(
        fmt::format("is a server inside of {} lists, but an earlier server is inside of {}; all servers "
                    "are nested alike",
                    nesting, shape->depth));
  }
  auto count = server.Unsigned(1, Topology::kMaxCards);
  if (!count) return count.error();
  if (*count > Topology::kMaxCards - shape->cards) {
    return server.Bad(fmt::format("{} more cards make {}, at most {} are possible", *count, shape->cards + *count,
                                  Topology::kMaxCards));
  }
  shape->has_server = true;
  shape->depth = nesting;
  shape->instances.resize(nesting + 1);
  shape->next.resize(nesting + 1);
  for (std::uint64_t i = 0; i < *count; ++i) {
    for (std::size_t level = 0; level <= nesting; ++level) shape->instances[level].push_back(shape->next[level]);
  }
  ++shape->next[nesting];
  shape->cards += static_cast<std::uint32_t>(*count);
  return {};
}

Status ReadGroup(const JsonValue& value, std::size_t nesting, Shape* shape) {
  if (!value.IsArray()) return ReadServer(value, nesting, shape);
  if (nesting + 1 >= Topology::kMaxLayers) {
    return value.Bad(fmt::format("is nested too deep; a cluster has at most {} layers", Topology::kMaxLayers));
  }
  auto members = value.Elements();
  if (!members) return members.error();
  if (members->empty()) return value.Bad("is empty; a group has at least one server");
  shape->next.resize(std::max(shape->next.size(), nesting + 1));
  for (const JsonValue& member : *members) SOFTHCCL_RETURN_IF_ERROR(ReadGroup(member, nesting + 1, shape));
  ++shape->next[nesting];
  return {};
}

Status ReadKind(const JsonValue& value, Product product, bool is_server, TopologyLayer* layer) {
  auto text = value.String();
  if (!text) return text.error();
  if (*text == "mesh") {
    layer->instance_kind = TopologyKind::kMesh;
    layer->kind = is_server ? DefaultLayer(product, 0).kind : TopologyKind::kMesh;
  } else if (*text == "clos") {
    layer->kind = layer->instance_kind = TopologyKind::kClos;
  } else {
    return value.Bad(fmt::format("is \"{}\", expected mesh or clos", text->substr(0, 80)));
  }
  return {};
}

Status ReadProtocol(const JsonValue& value, int* protocol) {
  auto text = value.String();
  if (!text) return text.error();
  std::string known;
  for (const auto& [name, number] : kProtocols) {
    if (name == *text) {
      *protocol = number;
      return {};
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  return value.Bad(fmt::format("is \"{}\", expected one of {}", text->substr(0, 80), known));
}

Status ReadLayer(const JsonValue& value, Product product, bool is_server, TopologyLayer* layer) {
  SOFTHCCL_RETURN_IF_ERROR(value.OnlyMembers({"name", "topology", "protocol", "bandwidth"}));
  if (const auto name = *value.Find("name")) {
    auto text = name->String();
    if (!text) return text.error();
    layer->name = *text;
  }
  if (const auto kind = *value.Find("topology")) {
    SOFTHCCL_RETURN_IF_ERROR(ReadKind(*kind, product, is_server, layer));
  }
  if (const auto protocol = *value.Find("protocol")) {
    SOFTHCCL_RETURN_IF_ERROR(ReadProtocol(*protocol, &layer->protocol));
  }
  if (const auto bandwidth = *value.Find("bandwidth")) {
    auto number = bandwidth->Unsigned(1, kMaxBandwidth);
    if (!number) return number.error();
    layer->bandwidth = static_cast<std::uint32_t>(*number);
  }
  return {};
}

Status ReadLayers(const JsonValue& value, Product product, std::vector<TopologyLayer>* layers) {
  auto elements = value.Elements();
  if (!elements) return elements.error();
  if (elements->size() != layers->size()) {
    return value.Bad(
        fmt::format("has {} entries, but the cluster has {} layers; give one entry per layer, servers "
                    "first",
                    elements->size(), layers->size()));
  }
  for (std::size_t i = 0; i < layers->size(); ++i) {
    SOFTHCCL_RETURN_IF_ERROR(ReadLayer((*elements)[i], product, i == 0, &(*layers)[i]));
  }
  return {};
}

}  // namespace

base::Result<Topology> Topology::Parse(std::string_view text, const std::string& source, const std::string& soc) {
  auto parsed = JsonValue::Parse(text, source);
  if (!parsed) return tl::unexpected(parsed.error());
  SOFTHCCL_RETURN_RESULT_IF_ERROR(parsed->OnlyMembers({"cluster", "layers"}));
  auto cluster = parsed->Member("cluster");
  if (!cluster) return tl::unexpected(cluster.error());
  Shape shape;
  SOFTHCCL_RETURN_RESULT_IF_ERROR(ReadGroup(*cluster, 0, &shape));
  Topology topology = OfProduct(soc, shape.depth + 1);
  topology.source_ = source;
  topology.cards_ = shape.cards;
  topology.instances_.assign(shape.instances.rbegin(), shape.instances.rend());
  if (const auto layers = *parsed->Find("layers")) {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(ReadLayers(*layers, ProductOf(soc), &topology.layers_));
  }
  return topology;
}

Topology Topology::OfProduct(const std::string& soc, std::size_t layer_count) {
  const Product product = ProductOf(soc);
  Topology topology;
  topology.legacy_ = product != Product::k950;
  for (std::size_t i = 0; i < layer_count; ++i) topology.layers_.push_back(DefaultLayer(product, i));
  return topology;
}

Topology Topology::OneServer(std::uint32_t cards, const std::string& soc) {
  Topology topology = OfProduct(soc, 1);
  topology.source_ = "one server";
  topology.cards_ = cards;
  topology.instances_ = {std::vector<std::uint32_t>(cards, 0)};
  return topology;
}

const base::Result<Topology>& Topology::OfProcess() {
  static const auto* topology = new base::Result<Topology>([]() -> base::Result<Topology> {
    const base::Config& config = base::ProcessConfig();
    if (config.topology.empty()) return OneServer(kMostDevices, config.soc_name);
    auto text = base::ReadTextFile(config.topology);
    if (!text) return tl::unexpected(Status(text.error()).While("reading the file of SOFTHCCL_TOPOLOGY"));
    return Parse(*text, config.topology, config.soc_name);
  }());
  return *topology;
}

Status Topology::CheckCard(int device) const {
  if (device >= 0 && static_cast<std::uint32_t>(device) < cards_) return {};
  return base::Fail(base::Code::kInvalidParam,
                    "device {} is not in the cluster that {} describes, which has the cards 0 to {}; describe more "
                    "servers or use fewer devices",
                    device, source_, cards_ - 1);
}

const TopologyLayer& Topology::LayerOf(std::uint32_t card, std::size_t layer) const {
  return entries_.empty() ? layers_[layer] : entries_[card].layers[layer];
}

std::uint32_t Topology::IndexIn(std::uint32_t card, std::size_t layer) const {
  const std::vector<std::uint32_t>& instances = instances_[layer];
  return static_cast<std::uint32_t>(std::count(instances.begin(), instances.begin() + card, instances[card]));
}

CardPlace Topology::PlaceOf(std::uint32_t card) const {
  if (!entries_.empty()) return entries_[card].place;
  const std::size_t super_pod = std::min<std::size_t>(1, layers_.size() - 1);
  return {IndexIn(card, 0), IndexIn(card, super_pod), InstanceOf(card, 0), InstanceOf(card, super_pod)};
}

std::vector<Attachment> Topology::AttachmentsOf(std::uint32_t card, std::size_t layer) const {
  if (!entries_.empty() && !entries_[card].attachments[layer].empty()) return entries_[card].attachments[layer];
  Attachment attachment;
  attachment.plane = kOnlyPlane;
  attachment.protocol = LayerOf(card, layer).protocol;
  SetAddress(static_cast<std::uint32_t>(layer), card, &attachment);
  return {attachment};
}

}  // namespace softhccl::comm
