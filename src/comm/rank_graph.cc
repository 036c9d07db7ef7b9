// The topology seen by one rank. Everything is looked up in two tables made at the start: instance by layer and rank.
#include "comm/rank_graph.h"

#include <algorithm>
#include <set>

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;

// CommAddrType.
constexpr int kIpv4 = 0;
constexpr int kNumber = 2;
constexpr int kEid = 3;

// CommProtocol: those that run over Ethernet, and those of the older products' own links.
bool IsEthernet(int protocol) { return protocol == 1 || protocol == 7; }
bool IsNumbered(int protocol) { return protocol == 0 || protocol == 2 || protocol == 3 || protocol == 8; }

// Unique in the cluster: 10.<layer>.<card>, <layer> << 24 | <card> + 1, or an EID that ends with these.
void SetAddress(std::uint32_t layer, std::uint32_t card, GraphEndpoint* endpoint) {
  const auto byte = [](std::uint32_t value) { return static_cast<std::uint8_t>(value); };
  std::array<std::uint8_t, 16>& address = endpoint->address;
  if (IsEthernet(endpoint->protocol)) {
    endpoint->address_type = kIpv4;
    address = {10, byte(layer), byte(card >> 8), byte(card)};
  } else if (IsNumbered(endpoint->protocol)) {
    endpoint->address_type = kNumber;
    const std::uint32_t number = (layer << 24) | (card + 1);
    address = {byte(number), byte(number >> 8), byte(number >> 16), byte(number >> 24)};
  } else {
    endpoint->address_type = kEid;
    address[0] = 0xFD;
    address[11] = byte(layer);
    for (int i = 0; i < 4; ++i) address[static_cast<std::size_t>(15 - i)] = byte((card + 1) >> (8 * i));
  }
}

}  // namespace

base::Result<RankGraph> RankGraph::Create(const Topology& topology, std::uint32_t own_rank,
                                          const std::vector<int>& devices) {
  RankGraph graph;
  graph.legacy_ = topology.legacy();
  graph.own_rank_ = own_rank;
  for (const int device : devices) {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(topology.CheckCard(device));
    const auto card = static_cast<std::uint32_t>(device);
    const std::size_t super_pod = std::min<std::size_t>(1, topology.layers().size() - 1);
    GraphEndpoint place;
    place.card = topology.IndexIn(card, 0);
    place.super_card = topology.IndexIn(card, super_pod);
    place.server = topology.InstanceOf(card, 0);
    place.super_pod = topology.InstanceOf(card, super_pod);
    graph.places_.push_back(place);
    graph.cards_.push_back(card);
  }
  for (std::size_t layer = 0; layer < topology.layers().size(); ++layer) {
    graph.layers_.push_back(topology.layers()[layer]);
    std::vector<std::uint32_t> instances;
    for (const std::uint32_t card : graph.cards_) instances.push_back(topology.InstanceOf(card, layer));
    const bool holds_all = std::set<std::uint32_t>(instances.begin(), instances.end()).size() == 1;
    graph.instances_.push_back(std::move(instances));
    if (holds_all) break;
  }
  return graph;
}

Status RankGraph::CheckLayer(std::uint32_t layer) const {
  if (layer < layers_.size()) return {};
  return base::Fail(Code::kInvalidParam, "netLayer {} is out of range, rank {} is on the layers 0 to {}", layer,
                    own_rank_, layers_.size() - 1);
}

Status RankGraph::CheckRank(std::uint32_t rank, const char* argument) const {
  if (rank < places_.size()) return {};
  return base::Fail(Code::kInvalidParam, "{} {} is out of range, the communicator has {} ranks", argument, rank,
                    places_.size());
}

std::vector<std::uint32_t> RankGraph::Layers() const {
  std::vector<std::uint32_t> layers;
  for (std::uint32_t layer = 0; layer < layers_.size(); ++layer) layers.push_back(layer);
  return layers;
}

base::Result<std::vector<std::uint32_t>> RankGraph::RanksOn(std::uint32_t layer) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  const std::vector<std::uint32_t>& instances = instances_[layer];
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < instances.size(); ++rank) {
    if (instances[rank] == instances[own_rank_]) ranks.push_back(rank);
  }
  return ranks;
}

base::Result<std::vector<std::uint32_t>> RankGraph::InstanceSizes(std::uint32_t layer) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  std::vector<std::uint32_t> sizes;
  std::map<std::uint32_t, std::size_t> position;
  for (const std::uint32_t instance : instances_[layer]) {
    const auto [found, is_new] = position.emplace(instance, sizes.size());
    if (is_new) sizes.push_back(0);
    ++sizes[found->second];
  }
  return sizes;
}

base::Result<TopologyLayer> RankGraph::Layer(std::uint32_t layer) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  return layers_[layer];
}

base::Result<TopologyLayer> RankGraph::Instance(std::uint32_t layer, std::uint32_t instance) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  if (instance != 0) {
    return base::FailResult(Code::kInvalidParam,
                            "topoInstId {} does not exist on layer {}; rank {} is in one instance there, 0", instance,
                            layer, own_rank_);
  }
  return layers_[layer];
}

GraphEndpoint RankGraph::EndpointOf(std::uint32_t rank, std::uint32_t layer) const {
  GraphEndpoint endpoint = places_[rank];
  endpoint.protocol = layers_[layer].protocol;
  SetAddress(layer, cards_[rank], &endpoint);
  return endpoint;
}

base::Result<GraphEndpoint> RankGraph::Endpoint(std::uint32_t rank, std::uint32_t layer) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRank(rank, "rank"));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  return EndpointOf(rank, layer);
}

base::Result<std::uint32_t> RankGraph::FindLayer(std::uint32_t rank, const GraphEndpoint& endpoint) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRank(rank, "rankId"));
  for (std::uint32_t layer = 0; layer < layers_.size(); ++layer) {
    const GraphEndpoint own = EndpointOf(rank, layer);
    if (own.protocol == endpoint.protocol && own.address_type == endpoint.address_type &&
        own.address == endpoint.address) {
      return layer;
    }
  }
  return base::FailResult(Code::kInvalidParam,
                          "endpointDesc (protocol {}, address type {}) is no endpoint of rank {}; take it from "
                          "HcclRankGraphGetEndpointDesc or from a link",
                          endpoint.protocol, endpoint.address_type, rank);
}

base::Result<std::vector<GraphLink>> RankGraph::Links(std::uint32_t layer, std::uint32_t source,
                                                      std::uint32_t destination) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRank(source, "srcRank"));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRank(destination, "dstRank"));
  if (source == destination) {
    if (legacy_) return std::vector<GraphLink>();
    return base::FailResult(Code::kInvalidParam, "srcRank and dstRank are both {}; a link leads to another rank",
                            source);
  }
  const auto meet_on = [&](std::uint32_t where) { return instances_[where][source] == instances_[where][destination]; };
  if (!meet_on(layer) || (legacy_ && layer > 0 && meet_on(layer - 1))) return std::vector<GraphLink>();
  return std::vector<GraphLink>{
      GraphLink{EndpointOf(source, layer), EndpointOf(destination, layer), layers_[layer].protocol}};
}

}  // namespace softhccl::comm
