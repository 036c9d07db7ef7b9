// Virtual memory: physical memory that has no address, reserved addresses that have no memory, and the mappings that
// bring both together. Physical memory is a range of the data arena that nobody has mapped; what is mapped is known to
// Memory as an allocation, so that copies and checks treat it like any other, across the borders of mappings too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "memory/memory.h"

namespace softhccl::memory {

struct PhysicalProperties {
  Space space = Space::kDevice;
  int device = -1;              // -1: host memory
  int attribute = 0;            // the caller's name for its kind, kept for its questions
  std::size_t granularity = 0;  // of its size and its addresses
};

// Who may access a mapping: a device, or the host (-1).
using Accessor = int;

// Any thread. Created on first use, never destroyed.
class VirtualMemory {
 public:
  static constexpr std::size_t kGranularity = std::size_t{2} << 20;

  static VirtualMemory& Process();

  // --- Physical memory, by handle

  // `size` is a multiple of the granularity. Errors: kInvalidParam, kOutOfMemory, kUnavailable.
  base::Result<std::uint64_t> Allocate(std::size_t size, const PhysicalProperties& properties);
  // Gives one reference back; the memory goes with the last one and the last mapping. Errors: kInvalidHandle;
  // kInvalidParam when there is no reference left.
  base::Status Free(std::uint64_t physical);
  base::Result<PhysicalProperties> PropertiesOf(std::uint64_t physical);

  // --- Addresses

  // Reserves `size` bytes (rounded up to the granularity) at `wanted`, or anywhere when null. Errors: kInvalidArgument
  // for size 0, kOutOfMemory when the addresses are taken or there are no more.
  base::Result<std::byte*> Reserve(std::size_t size, void* wanted);
  // Errors: kInvalidParam when nothing reserved begins there, or parts are still mapped.
  base::Status Release(void* address);

  // --- Mappings

  // Maps all of `physical` at `address` in a reserved range; readable and writable for its own device. Errors:
  // kInvalidParam: not reserved, not aligned, not the size of `physical`, overlapping a mapping, or beside memory of
  // another device or origin in the same range; kInvalidHandle; kOutOfMemory.
  base::Status Map(void* address, std::size_t size, std::uint64_t physical);
  // Errors: kInvalidParam when no mapping begins there.
  base::Status Unmap(void* address);
  // One more reference of the physical memory that is mapped at `address`. Errors: kInvalidParam.
  base::Result<std::uint64_t> Retain(void* address);
  // Notes that others may access the mapping, too. Here they could anyway. Errors: kInvalidParam.
  base::Status Grant(void* address, std::size_t size, const std::vector<Accessor>& accessors);
  base::Result<bool> IsGranted(void* address, Accessor accessor);

  // --- Sharing

  // A number under which the memory can be imported, once per handle. With `checks_pids` only processes that Allow
  // names may import it. Errors: kInvalidHandle; kInvalidParam when it was exported already, or imported itself.
  base::Result<std::uint64_t> Export(std::uint64_t physical, bool checks_pids);
  base::Status Allow(std::uint64_t shared, const std::vector<std::int32_t>& pids);
  // A handle of its own for shared memory. Errors: kInvalidParam: no such number, its memory is gone, or this process
  // is not allowed; kNotSupported for memory of another process.
  base::Result<std::uint64_t> Import(std::uint64_t shared);

 private:
  // The bytes themselves: a range of the data arena, given back with the last owner.
  struct Backing {
    Backing(std::uint64_t begin, std::size_t bytes, Space where, int owner)
        : offset(begin), size(bytes), space(where), device(owner) {}
    ~Backing();
    Backing(const Backing&) = delete;
    Backing& operator=(const Backing&) = delete;
    const std::uint64_t offset;
    const std::size_t size;
    const Space space;
    const int device;
  };
  // What one handle stands for.
  struct Physical {
    std::shared_ptr<Backing> backing;
    PhysicalProperties properties;
    bool is_imported = false;
    std::uint64_t exported_as = 0;  // 0: not
    int references = 1;
    int mappings = 0;
  };
  struct Mapping {
    std::size_t size = 0;
    std::uint64_t physical = 0;
    std::set<Accessor> accessors;
  };
  struct Reservation {
    std::size_t size = 0;
    std::map<std::uintptr_t, Mapping> mappings;
  };
  struct Shared {
    std::weak_ptr<Backing> backing;
    PhysicalProperties properties;
    bool checks_pids = true;
    std::set<std::int32_t> pids;
  };

  VirtualMemory() = default;
  // All need mutex_ held.
  base::Result<Physical*> Find(std::uint64_t physical);
  base::Result<std::uint64_t> Add(Physical physical);
  void DropUnused(std::uint64_t physical);
  base::Result<Reservation*> FindReservation(std::uintptr_t address, std::size_t size);
  base::Status CheckMapping(const Reservation& reservation, std::uintptr_t address, std::size_t size,
                            const Physical& physical);
  // *base is where its reservation begins.
  base::Result<Mapping*> FindMapping(std::uintptr_t address, Reservation** reservation);

  std::mutex mutex_;
  base::Slab<Physical, base::HandleKind::kPhysicalMemory> physical_;  // guarded by mutex_
  std::map<std::uintptr_t, Reservation> reservations_;                // guarded by mutex_: by first address
  std::map<std::uint64_t, Shared> shared_;                            // guarded by mutex_: by number
  std::uint32_t last_shared_ = 0;                                     // guarded by mutex_
};

}  // namespace softhccl::memory
