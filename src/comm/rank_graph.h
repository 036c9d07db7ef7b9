// What a communicator's ranks are to each other in the cluster that they stand for: layers, instances, links,
// endpoints. It is the topology restricted to the ranks of one communicator and seen by one of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "comm/topology.h"

namespace softhccl::comm {

// Where a rank is attached to a layer's network.
struct GraphEndpoint {
  int protocol = 0;  // see Attachment
  int address_type = 0;
  std::array<std::uint8_t, 16> address{};
  CardPlace place;
  bool operator==(const GraphEndpoint&) const = default;
};

struct GraphLink {
  GraphEndpoint source;
  GraphEndpoint destination;
  int protocol = 0;
};

// Immutable; any thread.
class RankGraph {
 public:
  // `cards` by rank, numbers in the cluster. Errors: kInvalidParam for a card that the cluster does not have.
  static base::Result<RankGraph> Create(std::shared_ptr<const Topology> topology, std::uint32_t own_rank,
                                        const std::vector<int>& cards);

  // The layers that own_rank is on, servers first, up to the lowest that holds all ranks: those above add nothing.
  std::vector<std::uint32_t> Layers() const;
  // Of the instance that own_rank is in. Errors of these: kInvalidParam for a layer that does not exist.
  base::Result<std::vector<std::uint32_t>> RanksOn(std::uint32_t layer) const;
  // Ranks in each instance of the layer, by lowest rank.
  base::Result<std::vector<std::uint32_t>> InstanceSizes(std::uint32_t layer) const;
  base::Result<TopologyLayer> Layer(std::uint32_t layer) const;
  // The same for an instance of the layer that own_rank is in; there is one, 0.
  base::Result<TopologyLayer> Instance(std::uint32_t layer, std::uint32_t instance) const;
  // Where `rank` is attached to the layer: one at least, or none when it is not on the layer.
  base::Result<std::vector<GraphEndpoint>> Endpoints(std::uint32_t rank, std::uint32_t layer) const;
  // The layer on which `rank` has an endpoint with that protocol and address. Errors: kInvalidParam when it has none.
  base::Result<std::uint32_t> FindLayer(std::uint32_t rank, const GraphEndpoint& endpoint) const;
  // Links between two ranks on one layer, one for each plane to which both are attached. Errors: also kInvalidParam for
  // a rank that does not exist, and, as the product has it, for a rank and itself.
  base::Result<std::vector<GraphLink>> Links(std::uint32_t layer, std::uint32_t source,
                                             std::uint32_t destination) const;

 private:
  base::Status CheckLayer(std::uint32_t layer) const;
  base::Status CheckRank(std::uint32_t rank, const char* argument) const;
  GraphEndpoint ToEndpoint(std::uint32_t rank, const Attachment& attachment) const;
  bool MeetOn(std::uint32_t layer, std::uint32_t one, std::uint32_t other) const;

  std::shared_ptr<const Topology> topology_;
  std::uint32_t own_rank_ = 0;
  std::vector<std::vector<std::uint32_t>> instances_;  // by layer, by rank; layers of this communicator
  std::vector<std::uint32_t> cards_;                   // by rank: number in the cluster
};

// Arrays that C callers were given. They live as long as the communicator, which keeps this, and nothing in the library
// reads them: a caller that writes into one spoils its own copy. Any thread.
class KeptArrays {
 public:
  // The array under `key`, with these values the first time; null for no values.
  template <typename T>
  T* Keep(const std::string& key, std::vector<T> values) {
    if (values.empty()) return nullptr;
    const std::lock_guard lock(mutex_);
    std::shared_ptr<void>& kept = arrays_[key];
    if (kept == nullptr) kept = std::make_shared<std::vector<T>>(std::move(values));
    return static_cast<std::vector<T>*>(kept.get())->data();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<void>> arrays_;  // guarded by mutex_
};

}  // namespace softhccl::comm
