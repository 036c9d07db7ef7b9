// Allocation. Large allocations get an extent of their own and really leave on Free; small ones share extents with
// others of the same device, because a mapping for each would exhaust the system's limit of 65530 per process. The
// per-thread cache in front of the address map is what makes a range check affordable in every op.
#include "memory/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "event/ring.h"
#include "memory/memory_impl.h"

namespace softhccl::memory {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPage = 4096;                   // of the contract; the system's may be larger
constexpr std::size_t kGap = 64;                      // unallocated bytes behind every allocation
constexpr std::size_t kLarge = std::size_t{1} << 20;  // from here on an extent of its own
constexpr std::size_t kFirstExtent = std::size_t{4} << 20;
constexpr std::size_t kLargestExtent = std::size_t{16} << 20;
constexpr std::size_t kWorthDiscarding = std::size_t{64} << 10;

constexpr std::size_t RoundUp(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

std::size_t SystemPage() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// What a small allocation occupies, gap included.
std::size_t BlockSize(std::size_t size) { return RoundUp(size, kAlignment) + kGap; }

// Ranges that CheckRange found to be ok, valid for one epoch.
struct RangeCache {
  static constexpr std::size_t kEntries = 4;
  struct Entry {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };

  bool Covers(std::uintptr_t address, std::size_t size) const {
    for (const Entry& entry : entries) {
      if (address >= entry.begin && address < entry.end && size <= entry.end - address) return true;
    }
    return false;
  }
  void Insert(std::uint64_t now, Entry entry) {
    if (epoch != now) *this = RangeCache{};
    epoch = now;
    entries[next] = entry;
    next = (next + 1) % kEntries;
  }

  std::uint64_t epoch = 0;
  std::size_t next = 0;
  Entry entries[kEntries];
};
constinit thread_local RangeCache t_ranges __attribute__((tls_model("initial-exec")));

}  // namespace

void Memory::Impl::AddBlock(Extent extent, const Owner& owner, bool is_pooled) {
  const auto begin = reinterpret_cast<std::uintptr_t>(extent.mapping.data());
  addresses.AddRegion(begin, {extent.mapping.size(), owner.first, owner.second});
  blocks.emplace(begin, Block{std::move(extent), owner, is_pooled});
  BumpEpoch();  // threads may hold these addresses as ordinary host memory
}

void Memory::Impl::DropBlock(std::map<std::uintptr_t, Block>::iterator block, std::vector<Extent>* unused) {
  addresses.RemoveRegion(block->first);
  unused->push_back(std::move(block->second.extent));
  blocks.erase(block);
}

void Memory::Impl::Publish(const Allocation& allocation) {
  addresses.Add(allocation);
  AddUse({allocation.space, allocation.device}, allocation.size);
  event::Emit(event::Kind::kAlloc, event::kNoStream, static_cast<std::uint64_t>(allocation.device),
              reinterpret_cast<std::uintptr_t>(allocation.base), allocation.size);
}

base::Result<Allocation> Memory::Impl::AllocateLarge(const Allocation& wanted) {
  if (wanted.size > SIZE_MAX / 2) {
    return base::FailResult(base::Code::kOutOfMemory, "{} bytes do not fit into the {} bytes of an address space",
                            wanted.size, SIZE_MAX / 2);
  }
  const std::size_t guarded = RoundUp(wanted.size, SystemPage());
  base::Result<Extent> extent = DataArena().MapExtent(guarded + SystemPage());
  if (!extent.has_value()) return tl::unexpected<base::Status>(std::move(extent.error()));
  // Where the system refuses one more mapping, the page stays a gap that only range checks see.
  static_cast<void>(::mprotect(extent->mapping.data() + guarded, SystemPage(), PROT_NONE));
  Allocation allocation = wanted;
  allocation.base = extent->mapping.data();
  allocation.where = {DataArena().id(), extent->offset};
  std::unique_lock lock(mutex);
  AddBlock(std::move(*extent), PoolOf(wanted.space, wanted.device), false);
  Publish(allocation);
  return allocation;
}

base::Status Memory::Impl::GrowPool(const Owner& owner) {
  Pool& pool = pools[owner];
  const std::size_t size = std::min(kLargestExtent, kFirstExtent << std::min<std::size_t>(pool.extents, 2));
  base::Result<Extent> extent = DataArena().MapExtent(size);
  if (!extent.has_value()) return std::move(extent.error());
  pool.free.Give({reinterpret_cast<std::uintptr_t>(extent->mapping.data()), extent->mapping.size() - kGap});
  ++pool.extents;
  AddBlock(std::move(*extent), owner, true);
  return {};
}

base::Result<Allocation> Memory::Impl::AllocateSmall(const Allocation& wanted) {
  const std::size_t alignment = wanted.size >= kPage ? SystemPage() : kAlignment;
  const Owner owner = PoolOf(wanted.space, wanted.device);
  std::unique_lock lock(mutex);
  std::optional<std::uint64_t> address = pools[owner].free.Take(BlockSize(wanted.size), alignment);
  if (!address.has_value()) {
    base::Status grown = GrowPool(owner);
    if (!grown.ok()) return tl::unexpected<base::Status>(std::move(grown));
    address = pools[owner].free.Take(BlockSize(wanted.size), alignment);
    SOFTHCCL_CHECK(address.has_value());
  }
  Allocation allocation = wanted;
  allocation.base = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(*address));
  const auto block = BlockOf(allocation);
  allocation.where = {DataArena().id(), block->second.extent.offset + (*address - block->first)};
  Publish(allocation);
  return allocation;
}

void Memory::Impl::Withdraw(Allocation allocation, std::vector<Extent>* unused) {
  const auto base = reinterpret_cast<std::uintptr_t>(allocation.base);
  event::Emit(event::Kind::kFree, event::kNoStream, static_cast<std::uint64_t>(allocation.device), base,
              allocation.size);
  addresses.Remove(base);
  DropUse({allocation.space, allocation.device}, allocation.size);
  BumpEpoch();
  const auto block = BlockOf(allocation);
  if (block->second.is_pooled) {
    ReturnToPool(allocation, block, unused);
  } else {
    DropBlock(block, unused);
  }
}

void Memory::Impl::ReturnToPool(const Allocation& allocation, std::map<std::uintptr_t, Block>::iterator block,
                                std::vector<Extent>* unused) {
  const auto base = reinterpret_cast<std::uintptr_t>(allocation.base);
  const Extent& extent = block->second.extent;
  const std::size_t size = BlockSize(allocation.size);
  const std::uintptr_t first_page = RoundUp(base, SystemPage());
  const std::uintptr_t end_page = (base + size) / SystemPage() * SystemPage();
  if (end_page > first_page && end_page - first_page >= kWorthDiscarding) {
    DataArena().Discard(extent.offset + (first_page - block->first), end_page - first_page);
  } else {
    block->second.dirty += size;
  }

  Pool& pool = pools[block->second.owner];
  const Range joined = pool.free.Give({base, size});
  if (joined.size != extent.mapping.size() - kGap) return;
  // The whole extent is free. The last one of a pool stays, or a program that allocates and frees one buffer in turn
  // would map and unmap each time.
  if (pool.extents > 1) {
    pool.free.Remove(joined);
    --pool.extents;
    DropBlock(block, unused);
  } else if (block->second.dirty >= kWorthDiscarding) {
    DataArena().Discard(extent.offset, extent.mapping.size());
    block->second.dirty = 0;
  }
}

void Memory::Impl::Trim(const Owner& owner, std::vector<Extent>* unused) {
  const Owner key = PoolOf(owner.first, owner.second);
  const auto pool = pools.find(key);
  if (pool == pools.end()) return;
  std::uint64_t pooled = 0;
  for (const auto& [begin, block] : blocks) {
    if (block.is_pooled && block.owner == key) pooled += block.extent.mapping.size() - kGap;
  }
  if (pool->second.free.free() != pooled) return;
  for (auto block = blocks.begin(); block != blocks.end();) {
    const auto current = block++;
    if (current->second.is_pooled && current->second.owner == key) DropBlock(current, unused);
  }
  pools.erase(pool);
}

Memory& Memory::Process() {
  static auto* const memory = new Memory;
  return *memory;
}

Memory::Memory() : impl_(std::make_unique<Impl>()) {}

Memory::~Memory() {
  for (auto& [begin, block] : impl_->blocks) DataArena().ReleaseExtent(std::move(block.extent));
}

base::Result<std::byte*> Memory::Allocate(Space space, int device, std::size_t size, const char* purpose) {
  if (size == 0) {
    return base::FailResult(base::Code::kInvalidArgument, "size of {} on device {} is 0, must be at least 1", purpose,
                            device);
  }
  Allocation wanted;
  wanted.size = size;
  wanted.space = space;
  wanted.device = device;
  wanted.purpose = purpose;
  base::Result<Allocation> made = size >= kLarge ? impl_->AllocateLarge(wanted) : impl_->AllocateSmall(wanted);
  if (made.has_value()) return made->base;
  return tl::unexpected<base::Status>(
      std::move(made.error())
          .While(fmt::format("allocating {} bytes of {} for {}", size, DescribeOwner(space, device), purpose)));
}

base::Status Memory::Free(Space space, void* address) {
  std::vector<Extent> unused;
  {
    std::unique_lock lock(impl_->mutex);
    const auto base = reinterpret_cast<std::uintptr_t>(address);
    const Allocation* allocation = impl_->addresses.FindBase(base);
    const bool is_free = allocation != nullptr && allocation->ended_by == nullptr && allocation->pins == 0;
    if (!is_free || allocation->space != space) {
      return WithId(impl_->addresses.ExplainBadFree(space, base), "SH-M003");
    }
    impl_->Withdraw(*allocation, &unused);
  }
  // Giving back hundreds of megabytes takes milliseconds; range checks must not wait for it.
  for (Extent& extent : unused) DataArena().ReleaseExtent(std::move(extent));
  return {};
}

std::size_t Memory::FreeAllOf(Space space, int device) {
  std::vector<Extent> unused;
  std::vector<Allocation> doomed;
  {
    std::unique_lock lock(impl_->mutex);
    const bool all = space == Space::kHost && device == -1;
    for (const auto& [base, allocation] : impl_->addresses.allocations()) {
      if (allocation.ended_by != nullptr || allocation.pins != 0) continue;
      if (allocation.space == space && (all || allocation.device == device)) doomed.push_back(allocation);
    }
    for (const Allocation& allocation : doomed) impl_->Withdraw(allocation, &unused);
    impl_->Trim({space, device}, &unused);
  }
  for (Extent& extent : unused) DataArena().ReleaseExtent(std::move(extent));
  return doomed.size();
}

std::optional<Allocation> Memory::Resolve(const void* address) const {
  std::shared_lock lock(impl_->mutex);
  const Allocation* allocation = impl_->addresses.FindContaining(reinterpret_cast<std::uintptr_t>(address));
  return allocation == nullptr ? std::nullopt : std::optional(*allocation);
}

base::Status Memory::CheckRange(const void* address, std::size_t size, const char* argument) const {
  if (size == 0) return {};
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  // Acquire: pairs with the release in BumpEpoch.
  if (t_ranges.epoch == impl_->epoch.load(std::memory_order_acquire) && t_ranges.Covers(begin, size)) return {};

  std::shared_lock lock(impl_->mutex);
  AddressMap::Verdict verdict = impl_->addresses.Judge(begin, size, argument);
  // Relaxed: the epoch changes under the exclusive lock only, which we exclude.
  if (verdict.status.ok()) {
    t_ranges.Insert(impl_->epoch.load(std::memory_order_relaxed), {verdict.begin, verdict.end});
    return {};
  }
  return WithId(verdict.status, "SH-M001");
}

base::Result<std::uint64_t> Memory::LoadWord(const void* address, const char* argument) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  SOFTHCCL_CHECK(begin % sizeof(std::uint64_t) == 0);
  std::shared_lock lock(impl_->mutex);  // extents are released by those who have withdrawn them exclusively
  const AddressMap::Verdict verdict = impl_->addresses.Judge(begin, sizeof(std::uint64_t), argument);
  if (!verdict.status.ok()) return tl::unexpected<base::Status>(WithId(verdict.status, "SH-M001"));
  if (impl_->addresses.FindContaining(begin) == nullptr) {
    return base::FailResult(base::Code::kInvalidParam,
                            "{}: 0x{:x} is not memory of this library; use memory from aclrtMalloc", argument, begin);
  }
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(begin)).load();
}

Memory::Usage Memory::UsageOf(Space space, int device) const {
  std::shared_lock lock(impl_->mutex);
  Usage sum;
  for (const auto& [owner, usage] : impl_->usage) {
    if (owner.first != space || !(owner.second == device || (space == Space::kHost && device == -1))) continue;
    sum.bytes += usage.bytes;
    sum.count += usage.count;
  }
  return sum;
}

}  // namespace softhccl::memory
