// What one end of a channel tells the other before they connect: how a transport reaches it, which memory the user lets
// it reach beside its buffer, and the user's own data. One blob, so that it appears at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "comm/objects.h"
#include "transport/link.h"
#include "transport/region.h"

namespace softhccl::comm {

struct ChannelOffer {
  transport::Blob link;
  std::vector<std::uint64_t> regions;  // ids of the transport
  std::optional<std::string> info;     // see ExchangeInfo
};

std::string EncodeOffer(const ChannelOffer& offer);
// Errors: kInternal when the bytes are no offer.
base::Result<ChannelOffer> DecodeOffer(const std::string& bytes);

// The regions as a peer's memory; those whose owner is gone are left out.
std::vector<std::shared_ptr<transport::Region>> FindRegions(const std::vector<std::uint64_t>& ids);
// The range of a region for a link; the region stays alive with it.
transport::Window WindowOf(const std::shared_ptr<transport::Region>& region);

}  // namespace softhccl::comm
