// A reserved range is an inaccessible mapping of the process, and a mapping of physical memory replaces part of it;
// unmapping puts the inaccessible pages back, so that nobody else gets the addresses in between.
#include "memory/virtual_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "memory/arena.h"

namespace softhccl::memory {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

namespace {

std::uintptr_t Number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
void* Pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

constexpr std::size_t RoundUp(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

// Numbers of shared memory: a mark, the process, and a count within it.
constexpr std::uint64_t kSharedMark = 0x5348;
std::uint64_t SharedNumber(std::int32_t process, std::uint32_t count) {
  return (kSharedMark << 48) | ((static_cast<std::uint64_t>(process) & 0xFFFFFF) << 24) | (count & 0xFFFFFF);
}
std::int32_t ProcessOf(std::uint64_t shared) { return static_cast<std::int32_t>((shared >> 24) & 0xFFFFFF); }

// Inaccessible addresses, aligned to `alignment`.
base::Result<std::byte*> ReserveAnywhere(std::size_t size, std::size_t alignment) {
  const std::size_t padded = size + alignment;
  void* const found = ::mmap(nullptr, padded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) {
    return FailResult(Code::kOutOfMemory, "no room for {} bytes of addresses: {}; reserve less", size,
                      std::strerror(errno));
  }
  const std::uintptr_t begin = RoundUp(Number(found), alignment);
  if (begin != Number(found)) ::munmap(found, begin - Number(found));
  const std::uintptr_t end = begin + size;
  if (end != Number(found) + padded) ::munmap(Pointer(end), Number(found) + padded - end);
  return static_cast<std::byte*>(Pointer(begin));
}

base::Result<std::byte*> ReserveAt(std::size_t size, void* wanted) {
  void* const found =
      ::mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (found == wanted) return static_cast<std::byte*>(found);
  const int error = found == MAP_FAILED ? errno : EEXIST;
  if (found != MAP_FAILED) ::munmap(found, size);  // a kernel that takes the address as a hint
  return FailResult(Code::kOutOfMemory, "the {} bytes of addresses at 0x{:x} are not free: {}", size, Number(wanted),
                    std::strerror(error));
}

}  // namespace

VirtualMemory& VirtualMemory::Process() {
  static auto* const memory = new VirtualMemory;
  return *memory;
}

// --- Physical memory

VirtualMemory::Backing::~Backing() {
  DataArena().Release(offset, size);
  Memory::Process().NoteUse(space, device, size, -1);
}

base::Result<VirtualMemory::Physical*> VirtualMemory::Find(std::uint64_t physical) {
  return physical_.Get(physical, "handle");
}

base::Result<std::uint64_t> VirtualMemory::Add(Physical physical) {
  std::uint64_t handle = 0;
  Physical* const slot = physical_.Allocate(&handle);
  if (slot == nullptr) {
    return FailResult(Code::kUnavailable, "no handle of physical memory left: {} are in use", physical_.live());
  }
  *slot = std::move(physical);
  physical_.Publish(handle);
  return handle;
}

void VirtualMemory::DropUnused(std::uint64_t physical) {
  Physical* const found = physical_.Lookup(physical);
  SOFTHCCL_CHECK(found != nullptr);
  if (found->references != 0 || found->mappings != 0) return;
  physical_.Retire(physical);
  if (found->exported_as != 0) shared_.erase(found->exported_as);  // who has imported it keeps it
  *found = Physical();
  physical_.Recycle(physical);
}

base::Result<std::uint64_t> VirtualMemory::Allocate(std::size_t size, const PhysicalProperties& properties) {
  if (size == 0 || size % properties.granularity != 0) {
    return FailResult(Code::kInvalidParam,
                      "size {} is not a positive multiple of {}; aclrtMemGetAllocationGranularity tells the unit", size,
                      properties.granularity);
  }
  auto offset = DataArena().Reserve(size);
  if (!offset)
    return tl::unexpected(std::move(offset).error().While(fmt::format("allocating {} physical bytes", size)));
  Memory::Process().NoteUse(properties.space, properties.device, size, 1);
  Physical physical;
  physical.backing = std::make_shared<Backing>(*offset, size, properties.space, properties.device);
  physical.properties = properties;
  const std::lock_guard lock(mutex_);
  return Add(std::move(physical));
}

Status VirtualMemory::Free(std::uint64_t physical) {
  const std::lock_guard lock(mutex_);
  auto found = Find(physical);
  if (!found) return std::move(found).error();
  if ((*found)->references == 0) {
    return Fail(Code::kInvalidParam, "handle 0x{:x} was freed already; its memory stays until it is unmapped",
                physical);
  }
  --(*found)->references;
  DropUnused(physical);
  return {};
}

base::Result<PhysicalProperties> VirtualMemory::PropertiesOf(std::uint64_t physical) {
  const std::lock_guard lock(mutex_);
  auto found = Find(physical);
  if (!found) return tl::unexpected(std::move(found).error());
  return (*found)->properties;
}

// --- Addresses

base::Result<std::byte*> VirtualMemory::Reserve(std::size_t size, void* wanted) {
  if (size == 0) return FailResult(Code::kInvalidArgument, "size 0; reserve at least one byte");
  if (size > SIZE_MAX / 4) return FailResult(Code::kOutOfMemory, "{} bytes are more than an address space", size);
  const std::size_t rounded = RoundUp(size, kGranularity);
  auto reserved = wanted == nullptr ? ReserveAnywhere(rounded, kGranularity) : ReserveAt(rounded, wanted);
  if (!reserved) return reserved;
  Memory::Process().AddReserved(*reserved, rounded,
                                "reserved virtual memory where nothing is mapped; map memory there with aclrtMapMem");
  const std::lock_guard lock(mutex_);
  reservations_[Number(*reserved)].size = rounded;
  return reserved;
}

Status VirtualMemory::Release(void* address) {
  std::size_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = reservations_.find(Number(address));
    if (found == reservations_.end()) {
      return Fail(Code::kInvalidParam,
                  "no reserved range begins at 0x{:x}; release what aclrtReserveMemAddress returned", Number(address));
    }
    if (!found->second.mappings.empty()) {
      return Fail(Code::kInvalidParam, "{} parts of the reserved range at 0x{:x} are still mapped; unmap them first",
                  found->second.mappings.size(), Number(address));
    }
    size = found->second.size;
    reservations_.erase(found);
  }
  Memory::Process().RemoveReserved(static_cast<std::byte*>(address));
  ::munmap(address, size);
  return {};
}

base::Result<VirtualMemory::Reservation*> VirtualMemory::FindReservation(std::uintptr_t address, std::size_t size) {
  const auto after = reservations_.upper_bound(address);
  if (after == reservations_.begin() || address - std::prev(after)->first >= std::prev(after)->second.size) {
    return FailResult(Code::kInvalidParam, "virPtr 0x{:x} does not lie in a range of aclrtReserveMemAddress", address);
  }
  auto& [begin, reservation] = *std::prev(after);
  if (size <= reservation.size - (address - begin)) return &reservation;
  return FailResult(Code::kInvalidParam, "{} bytes at offset {} leave the reserved range of {} bytes", size,
                    address - begin, reservation.size);
}

// --- Mappings

Status VirtualMemory::CheckMapping(const Reservation& reservation, std::uintptr_t address, std::size_t size,
                                   const Physical& physical) {
  if (address % kGranularity != 0) {
    return Fail(Code::kInvalidParam, "virPtr 0x{:x} is not aligned to {} bytes", address, kGranularity);
  }
  if (size != physical.backing->size) {
    return Fail(Code::kInvalidParam, "size {} must be that of the physical memory, {}", size, physical.backing->size);
  }
  auto next = reservation.mappings.upper_bound(address);
  if (next != reservation.mappings.begin() && std::prev(next)->first + std::prev(next)->second.size > address) --next;
  if (next != reservation.mappings.end() && next->first < address + size) {
    return Fail(Code::kInvalidParam,
                "{} bytes at 0x{:x} overlap the {} bytes that are mapped at 0x{:x}; unmap them first", size, address,
                next->second.size, next->first);
  }
  if (reservation.mappings.empty()) return {};
  const Physical& other = *physical_.Lookup(reservation.mappings.begin()->second.physical);
  if (other.properties.device != physical.properties.device) {
    return Fail(Code::kInvalidParam,
                "the reserved range holds memory of device {} already; memory of device {} needs a range of its own",
                other.properties.device, physical.properties.device);
  }
  if (other.is_imported == physical.is_imported) return {};
  return Fail(Code::kInvalidParam, "the reserved range holds {} memory already; {} memory needs a range of its own",
              other.is_imported ? "imported" : "own", physical.is_imported ? "imported" : "own");
}

Status VirtualMemory::Map(void* address, std::size_t size, std::uint64_t physical) {
  const std::lock_guard lock(mutex_);
  auto found = Find(physical);
  if (!found) return std::move(found).error();
  auto reservation = FindReservation(Number(address), size);
  if (!reservation) return std::move(reservation).error();
  SOFTHCCL_RETURN_IF_ERROR(CheckMapping(**reservation, Number(address), size, **found));
  const Backing& backing = *(*found)->backing;
  auto mapped = DataArena().MapAt(backing.offset, size, address);
  if (!mapped) return std::move(mapped).error();
  Mapping mapping{size, physical, {(*found)->properties.device}};
  (*reservation)->mappings.emplace(Number(address), std::move(mapping));
  ++(*found)->mappings;
  Allocation allocation;
  allocation.base = static_cast<std::byte*>(address);
  allocation.size = size;
  allocation.space = backing.space;
  allocation.device = backing.device;
  allocation.purpose = "physical memory mapped with aclrtMapMem";
  allocation.where = {DataArena().id(), backing.offset};
  allocation.ended_by = "aclrtUnmapMem";
  Memory::Process().AddMapped(allocation);
  return {};
}

base::Result<VirtualMemory::Mapping*> VirtualMemory::FindMapping(std::uintptr_t address, Reservation** reservation) {
  auto within = FindReservation(address, 0);
  if (!within) return tl::unexpected(std::move(within).error());
  const auto found = (*within)->mappings.find(address);
  if (found == (*within)->mappings.end()) {
    return FailResult(Code::kInvalidParam, "no mapping begins at virPtr 0x{:x}; use the address given to aclrtMapMem",
                      address);
  }
  *reservation = *within;
  return &found->second;
}

Status VirtualMemory::Unmap(void* address) {
  const std::lock_guard lock(mutex_);
  Reservation* reservation = nullptr;
  auto mapping = FindMapping(Number(address), &reservation);
  if (!mapping) return std::move(mapping).error();
  if (const auto allocation = Memory::Process().Resolve(address); allocation && allocation->pins != 0) {
    return Fail(Code::kInvalidParam,
                "the mapping at 0x{:x} is shared by {} keys; close them with aclrtIpcMemClose first", Number(address),
                allocation->pins);
  }
  const std::size_t size = (*mapping)->size;
  const std::uint64_t physical = (*mapping)->physical;
  Memory::Process().RemoveMapped(static_cast<std::byte*>(address));
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  SOFTHCCL_CHECK(::mmap(address, size, PROT_NONE, kFlags, -1, 0) == address);
  reservation->mappings.erase(Number(address));
  --physical_.Lookup(physical)->mappings;
  DropUnused(physical);
  return {};
}

base::Result<std::uint64_t> VirtualMemory::Retain(void* address) {
  const std::lock_guard lock(mutex_);
  Reservation* reservation = nullptr;
  auto mapping = FindMapping(Number(address), &reservation);
  if (!mapping) return tl::unexpected(std::move(mapping).error());
  ++physical_.Lookup((*mapping)->physical)->references;
  return (*mapping)->physical;
}

Status VirtualMemory::Grant(void* address, std::size_t size, const std::vector<Accessor>& accessors) {
  const std::lock_guard lock(mutex_);
  Reservation* reservation = nullptr;
  auto mapping = FindMapping(Number(address), &reservation);
  if (!mapping) return std::move(mapping).error();
  if (size != (*mapping)->size) {
    return Fail(Code::kInvalidParam, "size {} must be that of the mapping, {}", size, (*mapping)->size);
  }
  (*mapping)->accessors.insert(accessors.begin(), accessors.end());
  return {};
}

base::Result<bool> VirtualMemory::IsGranted(void* address, Accessor accessor) {
  const std::lock_guard lock(mutex_);
  Reservation* reservation = nullptr;
  auto mapping = FindMapping(Number(address), &reservation);
  if (!mapping) return tl::unexpected(std::move(mapping).error());
  return (*mapping)->accessors.count(accessor) != 0;
}

// --- Sharing

base::Result<std::uint64_t> VirtualMemory::Export(std::uint64_t physical, bool checks_pids) {
  const std::lock_guard lock(mutex_);
  auto found = Find(physical);
  if (!found) return tl::unexpected(std::move(found).error());
  Physical& memory = **found;
  if (memory.is_imported || memory.exported_as != 0) {
    return FailResult(Code::kInvalidParam, "handle 0x{:x} {}; export the handle of aclrtMallocPhysical, once", physical,
                      memory.is_imported ? "was imported" : "was exported already");
  }
  memory.exported_as = SharedNumber(::getpid(), ++last_shared_);
  shared_[memory.exported_as] = Shared{memory.backing, memory.properties, checks_pids, {}};
  return memory.exported_as;
}

namespace {

Status Unknown(std::uint64_t shared) {
  if (shared >> 48 != kSharedMark) {
    return Fail(Code::kInvalidParam, "shareableHandle 0x{:x} is none of aclrtMemExportToShareableHandle", shared);
  }
  if (ProcessOf(shared) == ::getpid()) {
    return Fail(Code::kInvalidParam, "shareableHandle 0x{:x} stands for memory that was freed", shared);
  }
  return Fail(
      Code::kNotSupported,
      "shareableHandle 0x{:x} was exported by process {}; memory of other processes cannot be imported, because "
      "nobody hands its file over",
      shared, ProcessOf(shared));
}

}  // namespace

Status VirtualMemory::Allow(std::uint64_t shared, const std::vector<std::int32_t>& pids) {
  const std::lock_guard lock(mutex_);
  const auto found = shared_.find(shared);
  if (found == shared_.end()) return Unknown(shared);
  found->second.pids.insert(pids.begin(), pids.end());
  return {};
}

base::Result<std::uint64_t> VirtualMemory::Import(std::uint64_t shared) {
  const std::lock_guard lock(mutex_);
  const auto found = shared_.find(shared);
  if (found == shared_.end()) return tl::unexpected(Unknown(shared));
  const Shared& offer = found->second;
  Physical physical;
  physical.backing = offer.backing.lock();
  SOFTHCCL_CHECK(physical.backing != nullptr);  // the exported handle keeps it
  if (offer.checks_pids && offer.pids.count(::getpid()) == 0) {
    return FailResult(Code::kInvalidParam,
                      "process {} is not among the {} that may import shareableHandle 0x{:x}; name it with "
                      "aclrtMemSetPidToShareableHandle",
                      ::getpid(), offer.pids.size(), shared);
  }
  physical.properties = offer.properties;
  physical.is_imported = true;
  return Add(std::move(physical));
}

}  // namespace softhccl::memory
