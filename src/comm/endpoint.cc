// Describing memory to other endpoints, and the table of endpoints.
#include "comm/endpoint.h"

#include <cstring>

#include "comm/base_channels.h"
#include "memory/arena.h"

namespace softhccl::comm {

using base::Code;
using base::Status;

namespace {

constexpr std::uint64_t kDescription = 0x314D454D4C434853;  // "SHCLMEM1"

// The beginning of a description; the exporter's identity and the tag follow.
struct DescriptionHead {
  std::uint64_t mark = kDescription;
  std::uint64_t arena = 0;  // identifies the process
  std::uint64_t region = 0;
  std::uint64_t size = 0;  // of the memory
  std::uint64_t exporter_length = 0;
  std::uint64_t tag_length = 0;
};

}  // namespace

Endpoint::Endpoint(int device, std::string identity)
    : device_(device),
      identity_(std::move(identity)),
      no_buffer_(transport::Region::Lend(nullptr, 0, memory::Space::kDevice, "")),
      memories_("this endpoint") {}

base::Result<const std::string*> Endpoint::Export(std::uint64_t memory) {
  auto found = memories_.Find(memory, "memHandle");
  if (!found) return tl::unexpected(found.error());
  const std::lock_guard lock(mutex_);
  RegisteredMemory& registered = **found;
  if (registered.description.empty()) {
    DescriptionHead head;
    head.arena = memory::DataArena().id();
    head.region = registered.region->id();
    head.size = registered.region->size();
    head.exporter_length = identity_.size();
    head.tag_length = registered.region->tag().size();
    registered.description.assign(reinterpret_cast<const char*>(&head), sizeof head);
    registered.description += identity_ + registered.region->tag();
  }
  return &registered.description;
}

base::Result<Endpoint::Imported> Endpoint::Import(const std::string& description) {
  DescriptionHead head;
  if (description.size() >= sizeof head) std::memcpy(&head, description.data(), sizeof head);
  const std::size_t rest = description.size() < sizeof head ? 0 : description.size() - sizeof head;
  if (description.size() < sizeof head || head.mark != kDescription || head.exporter_length > rest ||
      head.tag_length != rest - head.exporter_length) {
    return base::FailResult(Code::kInvalidParam,
                            "memDesc: {} bytes that are no description of memory; pass what HcommMemExport gave, whole",
                            description.size());
  }
  if (head.arena != memory::DataArena().id()) {
    return base::FailResult(Code::kNotSupported, "memDesc describes memory of another process");
  }
  std::string exporter = description.substr(sizeof head, head.exporter_length);
  auto region = transport::Region::Find(head.region);
  if (region == nullptr) return base::FailResult(Code::kNotFound, "memDesc: the registration of the memory was ended");
  if (region->size() != head.size || region->tag() != description.substr(sizeof head + head.exporter_length)) {
    return base::FailResult(Code::kInvalidParam, "memDesc was changed: {} bytes, but {} were registered", head.size,
                            region->size());
  }
  const std::lock_guard lock(mutex_);
  Import_& import = imports_[description];
  const bool is_first = import.count++ == 0;
  import.region = region;
  import.exporter = exporter;
  return Imported{std::move(region), std::move(exporter), is_first};
}

base::Result<Endpoint::Unimported> Endpoint::Unimport(const std::string& description) {
  const std::lock_guard lock(mutex_);
  const auto found = imports_.find(description);
  if (found == imports_.end()) {
    return base::FailResult(Code::kNotFound, "memDesc: this endpoint has not imported the memory, or not any more");
  }
  Unimported result{found->second.region, found->second.exporter, --found->second.count == 0};
  if (result.is_last) imports_.erase(found);
  return result;
}

std::vector<std::shared_ptr<transport::Region>> Endpoint::ImportedFrom(const std::string& exporter) const {
  std::vector<std::shared_ptr<transport::Region>> regions;
  const std::lock_guard lock(mutex_);
  for (const auto& [description, import] : imports_) {
    if (import.exporter == exporter) regions.push_back(import.region);
  }
  return regions;
}

// --- Endpoints ---------------------------------------------------------------------------------------------------

Endpoints& Endpoints::Get() {
  static auto* endpoints = new Endpoints;
  return *endpoints;
}

base::Result<std::uint64_t> Endpoints::Create(int device, std::string identity) {
  const std::lock_guard lock(mutex_);
  std::uint64_t handle = 0;
  std::shared_ptr<Endpoint>* slot = slots_.Allocate(&handle);
  if (slot == nullptr) {
    return base::FailResult(Code::kUnavailable, "no endpoint handle left: {} are in use", slots_.live());
  }
  *slot = std::make_shared<Endpoint>(device, std::move(identity));
  slots_.Publish(handle);
  return handle;
}

base::Result<std::shared_ptr<Endpoint>> Endpoints::Find(std::uint64_t handle) const {
  const std::lock_guard lock(mutex_);
  auto slot = slots_.Get(handle, "endpointHandle");
  if (!slot) return tl::unexpected(slot.error());
  return **slot;
}

Status Endpoints::Destroy(std::uint64_t handle) {
  std::shared_ptr<Endpoint> doomed;  // goes after the lock
  const std::lock_guard lock(mutex_);
  auto slot = slots_.Get(handle, "endpointHandle");
  if (!slot) return slot.error();
  const std::size_t channels = BaseChannels::Get().CountOf((*slot)->get());
  if (channels > 0) {
    return base::Fail(Code::kAgain, "endpointHandle 0x{:x} still has {} channels; destroy them first", handle,
                      channels);
  }
  slots_.Retire(handle);
  doomed.swap(**slot);
  slots_.Recycle(handle);
  return {};
}

}  // namespace softhccl::comm
