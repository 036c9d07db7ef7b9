// What others map into the process and Memory has to know: reserved ranges and the mappings in them. Nothing here is
// allocated or freed.
#include <mutex>

#include "base/check.h"
#include "event/ring.h"
#include "memory/memory_impl.h"

namespace softhccl::memory {
namespace {

void EmitMapping(event::Kind kind, const Allocation& allocation) {
  event::Emit(kind, event::kNoStream, static_cast<std::uint64_t>(allocation.device),
              reinterpret_cast<std::uintptr_t>(allocation.base), allocation.size);
}

}  // namespace

void Memory::AddReserved(std::byte* base, std::size_t size, const char* lack) {
  const std::unique_lock lock(impl_->mutex);
  AddressMap::Region region;
  region.size = size;
  region.lack = lack;
  impl_->addresses.AddRegion(reinterpret_cast<std::uintptr_t>(base), region);
  impl_->BumpEpoch();  // threads may hold these addresses as ordinary host memory
}

void Memory::RemoveReserved(std::byte* base) {
  const std::unique_lock lock(impl_->mutex);
  impl_->addresses.RemoveRegion(reinterpret_cast<std::uintptr_t>(base));
}

void Memory::AddMapped(const Allocation& allocation) {
  SOFTHCCL_CHECK(allocation.ended_by != nullptr);
  const std::unique_lock lock(impl_->mutex);
  impl_->addresses.Add(allocation);
  EmitMapping(event::Kind::kAlloc, allocation);
}

void Memory::RemoveMapped(std::byte* base) {
  const std::unique_lock lock(impl_->mutex);
  const auto place = reinterpret_cast<std::uintptr_t>(base);
  const Allocation* const allocation = impl_->addresses.FindBase(place);
  SOFTHCCL_CHECK(allocation != nullptr && allocation->ended_by != nullptr);
  EmitMapping(event::Kind::kFree, *allocation);
  impl_->addresses.Remove(place);
  impl_->BumpEpoch();
}

void Memory::NoteUse(Space space, int device, std::size_t size, int change) {
  const std::unique_lock lock(impl_->mutex);
  if (change > 0) {
    impl_->AddUse({space, device}, size);
  } else {
    impl_->DropUse({space, device}, size);
  }
}

base::Result<Allocation> Memory::Pin(const void* address) {
  const std::unique_lock lock(impl_->mutex);
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  const Allocation* const allocation = impl_->addresses.FindContaining(place);
  if (allocation == nullptr) {
    return base::FailResult(base::Code::kInvalidParam, "0x{:x} does not lie in a live allocation of this library",
                            place);
  }
  impl_->addresses.Pin(reinterpret_cast<std::uintptr_t>(allocation->base), 1);
  return *allocation;
}

void Memory::Unpin(const std::byte* base) {
  const std::unique_lock lock(impl_->mutex);
  impl_->addresses.Pin(reinterpret_cast<std::uintptr_t>(base), -1);
}

}  // namespace softhccl::memory
