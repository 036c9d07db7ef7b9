// The inside of Memory, for the files that make it up: what is mapped, what is allocated, and the lock over both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "base/status.h"
#include "memory/address_map.h"
#include "memory/free_list.h"
#include "memory/memory.h"

namespace softhccl::memory {

// Values are never repeated in the process, so an epoch names one state of one Memory.
inline std::uint64_t NextEpoch() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1) + 1;
}

// The failure with the entry of the error catalogue that explains it.
inline base::Status WithId(const base::Status& failure, const char* id) {
  return base::Status(failure.code(), fmt::format("{} ({})", failure.message(), id));
}

// All members but epoch are guarded by mutex: shared to look, exclusive to change.
class Memory::Impl {
 public:
  using Owner = std::pair<Space, int>;

  // A mapped extent: one large allocation, or part of the pool of its owner.
  struct Block {
    Extent extent;
    Owner owner;
    bool is_pooled = false;
    std::size_t dirty = 0;  // freed bytes whose pages were not given back yet
  };
  // Small allocations of one owner. `free` counts in addresses; the last kGap bytes of every extent are never in it,
  // so ranges of adjacent extents do not join.
  struct Pool {
    FreeList free;
    std::size_t extents = 0;
  };

  base::Result<Allocation> AllocateLarge(const Allocation& wanted);
  base::Result<Allocation> AllocateSmall(const Allocation& wanted);
  void Publish(const Allocation& allocation);
  // Takes a live allocation out; extents that nobody needs any more go to `unused`, to be released without the lock.
  void Withdraw(Allocation allocation, std::vector<Extent>* unused);
  // Gives up the empty extents of a pool that Withdraw keeps for the next allocation.
  void Trim(const Owner& owner, std::vector<Extent>* unused);
  void AddUse(const Owner& owner, std::size_t bytes) {
    Usage& sum = usage[owner];
    sum.bytes += bytes;
    ++sum.count;
  }
  void DropUse(const Owner& owner, std::size_t bytes) {
    const auto sum = usage.find(owner);
    sum->second.bytes -= bytes;
    if (--sum->second.count == 0) usage.erase(sum);
  }
  void BumpEpoch() {
    // Release: pairs with the acquire in CheckRange; a thread that learnt of the Free also sees the new epoch.
    epoch.store(NextEpoch(), std::memory_order_release);
  }

  mutable std::shared_mutex mutex;
  AddressMap addresses;
  std::map<std::uintptr_t, Block> blocks;
  std::map<Owner, Pool> pools;
  std::map<Owner, Usage> usage;  // by the device of the allocation, also for host memory
  std::atomic<std::uint64_t> epoch{NextEpoch()};

 private:
  static Owner PoolOf(Space space, int device) { return {space, space == Space::kHost ? -1 : device}; }
  std::map<std::uintptr_t, Block>::iterator BlockOf(const Allocation& allocation) {
    return std::prev(blocks.upper_bound(reinterpret_cast<std::uintptr_t>(allocation.base)));
  }
  base::Status GrowPool(const Owner& owner);
  void AddBlock(Extent extent, const Owner& owner, bool is_pooled);
  void DropBlock(std::map<std::uintptr_t, Block>::iterator block, std::vector<Extent>* unused);
  void ReturnToPool(const Allocation& allocation, std::map<std::uintptr_t, Block>::iterator block,
                    std::vector<Extent>* unused);
};

}  // namespace softhccl::memory
