// "Whose address is this?": every mapped extent, every live allocation and a bounded memory of freed ones, ordered by
// address; and the sentences that explain a bad address. Memory (memory.h) owns it together with the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "base/status.h"
#include "memory/memory.h"

namespace softhccl::memory {

// "device memory of device 3", "host memory".
std::string DescribeOwner(Space space, int device);

// Not thread-safe: const members under a shared lock, the others under an exclusive one.
class AddressMap {
 public:
  static constexpr std::size_t kRememberedFrees = 4096;

  // An extent. No two overlap.
  struct Region {
    std::size_t size = 0;
    Space space = Space::kDevice;
    int device = -1;
    // Not null: nothing is allocated here by Memory. What an address is that no mapping covers, after "lies in".
    const char* lack = nullptr;
  };
  void AddRegion(std::uintptr_t base, const Region& region);
  void RemoveRegion(std::uintptr_t base);

  // A live allocation inside a region. Removing it makes it a freed one.
  void Add(const Allocation& allocation);
  void Remove(std::uintptr_t base);

  // `change` more pins on the allocation, which exists.
  void Pin(std::uintptr_t base, int change);

  const Allocation* FindBase(std::uintptr_t base) const;
  const Allocation* FindContaining(std::uintptr_t address) const;
  const std::map<std::uintptr_t, Allocation>& allocations() const { return live_; }

  // Whether a range may be accessed; when ok, also [begin, end) around it in which every range is ok until the next
  // region is added or the next allocation removed.
  struct Verdict {
    base::Status status;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };
  Verdict Judge(std::uintptr_t address, std::size_t size, const char* argument) const;

  // Why `address`, which FindBase does not know or knows in another space, cannot be freed as memory of `space`.
  base::Status ExplainBadFree(Space space, std::uintptr_t address) const;

 private:
  struct Freed {
    Allocation allocation;
    std::uint64_t order = 0;
  };

  const std::pair<const std::uintptr_t, Region>* FindRegion(std::uintptr_t address) const;
  const Allocation* FindFreed(std::uintptr_t address) const;
  void ForgetFreed(std::uintptr_t begin, std::uintptr_t end);
  // Where memory ends that begins with `allocation`: a mapping goes on in the next one of its range.
  std::uintptr_t EndOf(const Allocation& allocation) const;
  Verdict JudgeUnallocated(std::uintptr_t address, const Region& region, const char* argument) const;
  Verdict JudgeOutside(std::uintptr_t address, std::size_t size, const char* argument) const;

  std::map<std::uintptr_t, Region> regions_;
  std::map<std::uintptr_t, Allocation> live_;
  std::map<std::uintptr_t, Freed> freed_;                             // disjoint from each other and from live_
  std::deque<std::pair<std::uintptr_t, std::uint64_t>> freed_order_;  // (base, order), oldest first
  std::uint64_t next_order_ = 0;
};

}  // namespace softhccl::memory
