// The topology seen by one rank. Who meets whom is looked up in a table made at the start: instance by layer and rank.
#include "comm/rank_graph.h"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;

}  // namespace

base::Result<RankGraph> RankGraph::Create(std::shared_ptr<const Topology> topology, std::uint32_t own_rank,
                                          const std::vector<int>& cards) {
  RankGraph graph;
  graph.topology_ = std::move(topology);
  graph.own_rank_ = own_rank;
  for (const int card : cards) {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(graph.topology_->CheckCard(card));
    graph.cards_.push_back(static_cast<std::uint32_t>(card));
  }
  for (std::size_t layer = 0; layer < graph.topology_->layer_count(); ++layer) {
    std::vector<std::uint32_t> instances;
    for (const std::uint32_t card : graph.cards_) instances.push_back(graph.topology_->InstanceOf(card, layer));
    const std::set<std::uint32_t> different(instances.begin(), instances.end());
    graph.instances_.push_back(std::move(instances));
    if (different.size() == 1 && *different.begin() != Topology::kNowhere) break;
  }
  return graph;
}

Status RankGraph::CheckLayer(std::uint32_t layer) const {
  if (layer < instances_.size() && instances_[layer][own_rank_] != Topology::kNowhere) return {};
  const std::vector<std::uint32_t> layers = Layers();
  const bool has_gap = layers.back() + 1 != layers.size();
  return base::Fail(Code::kInvalidParam, "netLayer {} is out of range, rank {} is on the layers {}", layer, own_rank_,
                    has_gap ? fmt::format("{}", fmt::join(layers, ", ")) : fmt::format("0 to {}", layers.back()));
}

Status RankGraph::CheckRank(std::uint32_t rank, const char* argument) const {
  if (rank < cards_.size()) return {};
  return base::Fail(Code::kInvalidParam, "{} {} is out of range, the communicator has {} ranks", argument, rank,
                    cards_.size());
}

std::vector<std::uint32_t> RankGraph::Layers() const {
  std::vector<std::uint32_t> layers;
  for (std::uint32_t layer = 0; layer < instances_.size(); ++layer) {
    if (instances_[layer][own_rank_] != Topology::kNowhere) layers.push_back(layer);
  }
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
    if (instance == Topology::kNowhere) continue;
    const auto [found, is_new] = position.emplace(instance, sizes.size());
    if (is_new) sizes.push_back(0);
    ++sizes[found->second];
  }
  return sizes;
}

base::Result<TopologyLayer> RankGraph::Layer(std::uint32_t layer) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  return topology_->LayerOf(cards_[own_rank_], layer);
}

base::Result<TopologyLayer> RankGraph::Instance(std::uint32_t layer, std::uint32_t instance) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  if (instance != 0) {
    return base::FailResult(Code::kInvalidParam,
                            "topoInstId {} does not exist on layer {}; rank {} is in one instance there, 0", instance,
                            layer, own_rank_);
  }
  return topology_->LayerOf(cards_[own_rank_], layer);
}

GraphEndpoint RankGraph::ToEndpoint(std::uint32_t rank, const Attachment& attachment) const {
  return {attachment.protocol, attachment.address_type, attachment.address, topology_->PlaceOf(cards_[rank])};
}

base::Result<std::vector<GraphEndpoint>> RankGraph::Endpoints(std::uint32_t rank, std::uint32_t layer) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRank(rank, "rank"));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  std::vector<GraphEndpoint> endpoints;
  if (instances_[layer][rank] == Topology::kNowhere) return endpoints;
  for (const Attachment& attachment : topology_->AttachmentsOf(cards_[rank], layer)) {
    endpoints.push_back(ToEndpoint(rank, attachment));
  }
  return endpoints;
}

base::Result<std::uint32_t> RankGraph::FindLayer(std::uint32_t rank, const GraphEndpoint& endpoint) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRank(rank, "rankId"));
  for (std::uint32_t layer = 0; layer < instances_.size(); ++layer) {
    if (instances_[layer][rank] == Topology::kNowhere) continue;
    for (const Attachment& own : topology_->AttachmentsOf(cards_[rank], layer)) {
      if (own.protocol == endpoint.protocol && own.address_type == endpoint.address_type &&
          own.address == endpoint.address) {
        return layer;
      }
    }
  }
  return base::FailResult(Code::kInvalidParam,
                          "endpointDesc (protocol {}, address type {}) is no endpoint of rank {}; take it from "
                          "HcclRankGraphGetEndpointDesc or from a link",
                          endpoint.protocol, endpoint.address_type, rank);
}

bool RankGraph::MeetOn(std::uint32_t layer, std::uint32_t one, std::uint32_t other) const {
  const std::vector<std::uint32_t>& instances = instances_[layer];
  return instances[one] != Topology::kNowhere && instances[one] == instances[other];
}

base::Result<std::vector<GraphLink>> RankGraph::Links(std::uint32_t layer, std::uint32_t source,
                                                      std::uint32_t destination) const {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckLayer(layer));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRank(source, "srcRank"));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRank(destination, "dstRank"));
  std::vector<GraphLink> links;
  if (source == destination) {
    if (topology_->legacy()) return links;
    return base::FailResult(Code::kInvalidParam, "srcRank and dstRank are both {}; a link leads to another rank",
                            source);
  }
  if (!MeetOn(layer, source, destination)) return links;
  for (std::uint32_t lower = 0; lower < layer && topology_->legacy(); ++lower) {
    if (MeetOn(lower, source, destination)) return links;
  }
  std::set<std::string> planes;
  const std::vector<Attachment> others = topology_->AttachmentsOf(cards_[destination], layer);
  for (const Attachment& from : topology_->AttachmentsOf(cards_[source], layer)) {
    const auto to = std::find_if(others.begin(), others.end(), [&](const Attachment& other) {
      return other.plane == from.plane && other.protocol == from.protocol;
    });
    if (to == others.end() || !planes.insert(from.plane).second) continue;
    links.push_back({ToEndpoint(source, from), ToEndpoint(destination, *to), from.protocol});
  }
  return links;
}

}  // namespace softhccl::comm
