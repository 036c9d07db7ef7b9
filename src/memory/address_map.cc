// Lookups by address and the messages about bad ones. A freed large allocation is unmapped, so that the system may
// give its addresses to ordinary host memory; such an address is therefore called freed only while nothing is mapped
// there.
#include "memory/address_map.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/check.h"

namespace softhccl::memory {
namespace {

std::string DescribeAllocation(const Allocation& allocation) {
  return fmt::format("{} bytes of {}", allocation.size, allocation.purpose);
}

std::uintptr_t BaseOf(const Allocation& allocation) { return reinterpret_cast<std::uintptr_t>(allocation.base); }

// The last entry that begins at or before `address`, or end().
template <typename Map>
typename Map::const_iterator LastAtOrBefore(const Map& map, std::uintptr_t address) {
  const auto after = map.upper_bound(address);
  return after == map.begin() ? map.end() : std::prev(after);
}

bool IsMapped(std::uintptr_t address) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return ::mincore(reinterpret_cast<void*>(address & ~(page - 1)), 1, &resident) == 0 || errno != ENOMEM;
}

}  // namespace

std::string DescribeOwner(Space space, int device) {
  return space == Space::kHost ? "host memory" : fmt::format("device memory of device {}", device);
}

void AddressMap::AddRegion(std::uintptr_t base, const Region& region) { regions_.emplace(base, region); }

void AddressMap::RemoveRegion(std::uintptr_t base) { SOFTHCCL_CHECK(regions_.erase(base) == 1); }

void AddressMap::Add(const Allocation& allocation) {
  const std::uintptr_t base = BaseOf(allocation);
  ForgetFreed(base, base + allocation.size);
  SOFTHCCL_CHECK(live_.emplace(base, allocation).second);
}

void AddressMap::Remove(std::uintptr_t base) {
  const auto position = live_.find(base);
  SOFTHCCL_CHECK(position != live_.end());
  freed_[base] = {position->second, next_order_};
  freed_order_.emplace_back(base, next_order_++);
  live_.erase(position);
  if (freed_order_.size() > kRememberedFrees) {
    const auto [oldest, order] = freed_order_.front();
    freed_order_.pop_front();
    const auto record = freed_.find(oldest);
    if (record != freed_.end() && record->second.order == order) freed_.erase(record);
  }
}

void AddressMap::Pin(std::uintptr_t base, int change) {
  const auto position = live_.find(base);
  SOFTHCCL_CHECK(position != live_.end());
  position->second.pins += change;
}

void AddressMap::ForgetFreed(std::uintptr_t begin, std::uintptr_t end) {
  auto record = LastAtOrBefore(freed_, begin);
  if (record == freed_.end()) record = freed_.begin();
  while (record != freed_.end() && record->first < end) {
    const bool overlaps = record->first + record->second.allocation.size > begin;
    record = overlaps ? freed_.erase(record) : std::next(record);
  }
}

const Allocation* AddressMap::FindBase(std::uintptr_t base) const {
  const auto position = live_.find(base);
  return position == live_.end() ? nullptr : &position->second;
}

const Allocation* AddressMap::FindContaining(std::uintptr_t address) const {
  const auto position = LastAtOrBefore(live_, address);
  return position != live_.end() && address - position->first < position->second.size ? &position->second : nullptr;
}

const Allocation* AddressMap::FindFreed(std::uintptr_t address) const {
  const auto record = LastAtOrBefore(freed_, address);
  if (record == freed_.end() || address - record->first >= record->second.allocation.size) return nullptr;
  return &record->second.allocation;
}

const std::pair<const std::uintptr_t, AddressMap::Region>* AddressMap::FindRegion(std::uintptr_t address) const {
  const auto position = LastAtOrBefore(regions_, address);
  return position != regions_.end() && address - position->first < position->second.size ? &*position : nullptr;
}

AddressMap::Verdict AddressMap::Judge(std::uintptr_t address, std::size_t size, const char* argument) const {
  if (size > UINTPTR_MAX - address) {
    return {base::Fail(base::Code::kInvalidParam,
                       "{}: {} bytes at address 0x{:x} run past the end of the address space", argument, size,
                       address)};
  }
  if (const Allocation* allocation = FindContaining(address)) {
    const std::uintptr_t base = BaseOf(*allocation);
    const std::size_t offset = address - base;
    if (size <= allocation->size - offset) return {base::Status(), base, base + allocation->size};
    const std::uintptr_t end = EndOf(*allocation);
    if (size <= end - address) return {base::Status(), base, end};
    if (end != base + allocation->size) {
      return {base::Fail(base::Code::kInvalidParam,
                         "{}: {} bytes at 0x{:x} leave the mapped virtual memory after {} bytes", argument, size,
                         address, end - address)};
    }
    return {base::Fail(base::Code::kInvalidParam,
                       "{}: {} bytes at offset {} do not fit into the {}; {} bytes would be needed", argument, size,
                       offset, DescribeAllocation(*allocation), offset + size)};
  }
  if (const auto* region = FindRegion(address)) return JudgeUnallocated(address, region->second, argument);
  return JudgeOutside(address, size, argument);
}

std::uintptr_t AddressMap::EndOf(const Allocation& allocation) const {
  std::uintptr_t end = BaseOf(allocation) + allocation.size;
  if (allocation.ended_by == nullptr) return end;
  const auto* region = FindRegion(BaseOf(allocation));
  for (auto next = live_.find(end); next != live_.end() && FindRegion(end) == region; next = live_.find(end)) {
    end += next->second.size;
  }
  return end;
}

AddressMap::Verdict AddressMap::JudgeUnallocated(std::uintptr_t address, const Region& region,
                                                 const char* argument) const {
  if (region.lack != nullptr) {
    return {base::Fail(base::Code::kInvalidParam, "{}: 0x{:x} lies in {}", argument, address, region.lack)};
  }
  std::string detail;
  const auto before = LastAtOrBefore(live_, address);
  if (const Allocation* freed = FindFreed(address)) {
    detail =
        fmt::format(" (offset {} of the {} that were freed)", address - BaseOf(*freed), DescribeAllocation(*freed));
  } else if (before != live_.end() && FindRegion(before->first) == FindRegion(address)) {
    detail = fmt::format(" ({} bytes past the end of the {})", address - before->first - before->second.size,
                         DescribeAllocation(before->second));
  }
  return {base::Fail(base::Code::kInvalidParam, "{}: 0x{:x} points to freed or unallocated {}{}", argument, address,
                     DescribeOwner(region.space, region.device), detail)};
}

AddressMap::Verdict AddressMap::JudgeOutside(std::uintptr_t address, std::size_t size, const char* argument) const {
  const auto next = regions_.upper_bound(address);
  if (next != regions_.end() && size > next->first - address) {
    return {base::Fail(
        base::Code::kInvalidParam,
        "{}: {} bytes at 0x{:x} begin in ordinary host memory and run into {} after {} bytes", argument, size, address,
        next->second.lack != nullptr ? next->second.lack : DescribeOwner(next->second.space, next->second.device),
        next->first - address)};
  }
  if (const Allocation* freed = FindFreed(address)) {
    if (IsMapped(address)) return {base::Status(), address, address + size};
    return {base::Fail(base::Code::kInvalidParam, "{}: 0x{:x} points to freed {} (offset {} of the {} that were freed)",
                       argument, address, DescribeOwner(freed->space, freed->device), address - BaseOf(*freed),
                       DescribeAllocation(*freed))};
  }
  // The gap between the neighbours, freed ones included: an address inside a freed one must come here again.
  std::uintptr_t begin = 0;
  std::uintptr_t end = next == regions_.end() ? UINTPTR_MAX : next->first;
  if (next != regions_.begin()) begin = std::prev(next)->first + std::prev(next)->second.size;
  const auto next_freed = freed_.upper_bound(address);
  if (next_freed != freed_.end()) end = std::min(end, next_freed->first);
  if (next_freed != freed_.begin()) {
    const auto previous = std::prev(next_freed);
    begin = std::max(begin, previous->first + previous->second.allocation.size);
  }
  if (size > end - address) return {base::Status(), address, address + size};
  return {base::Status(), begin, end};
}

base::Status AddressMap::ExplainBadFree(Space space, std::uintptr_t address) const {
  using base::Code;
  using base::Fail;
  if (address == 0) return Fail(Code::kInvalidParam, "null is not the address of an allocation");
  if (const Allocation* live = FindContaining(address)) {
    const std::uintptr_t base = BaseOf(*live);
    if (base != address) {
      return Fail(Code::kInvalidParam, "0x{:x} points {} bytes into the {}; free their first address 0x{:x}", address,
                  address - base, DescribeAllocation(*live), base);
    }
    if (live->ended_by != nullptr) {
      return Fail(Code::kInvalidParam, "0x{:x} is {}; end it with {}", address, DescribeAllocation(*live),
                  live->ended_by);
    }
    if (live->space == space && live->pins != 0) {
      return Fail(Code::kInvalidParam,
                  "0x{:x} ({}) is shared by {} keys of aclrtIpcMemGetExportKey; close them with aclrtIpcMemClose first",
                  address, DescribeAllocation(*live), live->pins);
    }
    return Fail(Code::kInvalidParam, "0x{:x} is {} ({}), not {} memory; free it with {}", address,
                DescribeOwner(live->space, live->device), DescribeAllocation(*live),
                space == Space::kHost ? "host" : "device", live->space == Space::kHost ? "aclrtFreeHost" : "aclrtFree");
  }
  if (const auto record = freed_.find(address); record != freed_.end()) {
    const Allocation& freed = record->second.allocation;
    return Fail(Code::kInvalidParam, "0x{:x} was freed already; it was {} ({})", address,
                DescribeOwner(freed.space, freed.device), DescribeAllocation(freed));
  }
  if (const auto* region = FindRegion(address)) {
    if (region->second.lack != nullptr) {
      return Fail(Code::kInvalidParam, "0x{:x} lies in {}", address, region->second.lack);
    }
    return Fail(Code::kInvalidParam, "0x{:x} lies in {} but no live allocation begins there", address,
                DescribeOwner(region->second.space, region->second.device));
  }
  return Fail(Code::kInvalidParam, "0x{:x} is not memory of this library; free it where it was allocated", address);
}

}  // namespace softhccl::memory
