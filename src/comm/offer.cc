// The bytes of an offer: counted parts in a fixed order.
#include "comm/offer.h"

#include <cstring>

namespace softhccl::comm {
namespace {

void Put(std::string* bytes, const std::string& part) {
  const std::uint64_t size = part.size();
  bytes->append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes->append(part);
}

// Takes a counted part off the front of `bytes`.
bool Take(std::string_view* bytes, std::string* part) {
  std::uint64_t size = 0;
  if (bytes->size() < sizeof size) return false;
  std::memcpy(&size, bytes->data(), sizeof size);
  bytes->remove_prefix(sizeof size);
  if (bytes->size() < size) return false;
  *part = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return true;
}

}  // namespace

std::string EncodeOffer(const ChannelOffer& offer) {
  std::string bytes;
  Put(&bytes, offer.link);
  Put(&bytes,
      std::string(reinterpret_cast<const char*>(offer.regions.data()), offer.regions.size() * sizeof(std::uint64_t)));
  if (offer.info) Put(&bytes, *offer.info);
  return bytes;
}

base::Result<ChannelOffer> DecodeOffer(const std::string& bytes) {
  ChannelOffer offer;
  std::string_view rest = bytes;
  std::string regions;
  std::string info;
  bool is_complete = Take(&rest, &offer.link) && Take(&rest, &regions) && regions.size() % sizeof(std::uint64_t) == 0;
  if (is_complete && !rest.empty()) {
    is_complete = Take(&rest, &info) && rest.empty();
    offer.info = std::move(info);
  }
  if (!is_complete) return base::FailResult(base::Code::kInternal, "the peer's offer of a channel is damaged");
  offer.regions.resize(regions.size() / sizeof(std::uint64_t));
  if (!offer.regions.empty()) std::memcpy(offer.regions.data(), regions.data(), regions.size());
  return offer;
}

std::vector<std::shared_ptr<transport::Region>> FindRegions(const std::vector<std::uint64_t>& ids) {
  std::vector<std::shared_ptr<transport::Region>> regions;
  for (const std::uint64_t id : ids) {
    if (auto region = transport::Region::Find(id)) regions.push_back(std::move(region));
  }
  return regions;
}

transport::Window WindowOf(const std::shared_ptr<transport::Region>& region) {
  transport::Window window;
  window.data = region->data();
  window.size = region->size();
  window.name = fmt::format("the memory \"{}\"", region->tag());
  window.owner = region;
  return window;
}

}  // namespace softhccl::comm
