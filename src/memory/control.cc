// Hands out control slots. They are carved from chunks of the control arena that are never unmapped: a recorder may
// still touch a slot whose owner has just given it up, and must then find memory.
#include "memory/control.h"

#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "base/check.h"

namespace softhccl::memory {
namespace {

constexpr std::size_t kSlotsPerChunk = 8192;  // 1 MiB, committed page by page

struct Chunk {
  Extent extent;
  std::vector<bool> live = std::vector<bool>(kSlotsPerChunk, false);
};

struct SlotPosition {
  Chunk* chunk;
  std::size_t index;
};

// The slots of this process. Any thread.
class SlotTable {
 public:
  base::Result<ControlSlot*> Allocate() {
    std::lock_guard lock(mutex_);
    ControlSlot* slot = nullptr;
    if (!free_.empty()) {
      slot = free_.front();
      free_.pop_front();
      slot->word.store(0);
    } else {
      if (newest_ == nullptr || carved_ == kSlotsPerChunk) {
        base::Result<Extent> extent = ControlArena().MapExtent(kSlotsPerChunk * kControlStride);
        if (!extent.has_value()) {
          return tl::unexpected<base::Status>(std::move(extent.error()).While("adding control slots"));
        }
        AddChunk(std::move(*extent));
      }
      slot = new (newest_->extent.mapping.data() + carved_ * kControlStride) ControlSlot{};
      ++carved_;
    }
    const SlotPosition position = Find(slot);
    position.chunk->live[position.index] = true;
    return slot;
  }

  void Free(ControlSlot* slot) {
    std::lock_guard lock(mutex_);
    const SlotPosition position = FindLive(slot);
    position.chunk->live[position.index] = false;
    free_.push_back(slot);
  }

  ArenaRef RefOf(const ControlSlot* slot) {
    std::lock_guard lock(mutex_);
    const SlotPosition position = FindLive(slot);
    return {ControlArena().id(), position.chunk->extent.offset + position.index * kControlStride};
  }

  ControlSlot* Locate(ArenaRef ref) {
    if (ref.arena != ControlArena().id()) return nullptr;
    std::lock_guard lock(mutex_);
    auto after = by_offset_.upper_bound(ref.offset);
    if (after == by_offset_.begin()) return nullptr;
    Chunk* chunk = std::prev(after)->second;
    const std::uint64_t inside = ref.offset - chunk->extent.offset;
    const std::uint64_t index = inside / kControlStride;
    if (inside % kControlStride != 0 || index >= kSlotsPerChunk || !chunk->live[index]) return nullptr;
    return reinterpret_cast<ControlSlot*>(chunk->extent.mapping.data() + inside);
  }

 private:
  void AddChunk(Extent extent) {
    const auto address = reinterpret_cast<std::uintptr_t>(extent.mapping.data());
    Chunk& chunk = by_address_[address];
    chunk.extent = std::move(extent);
    by_offset_[chunk.extent.offset] = &chunk;
    newest_ = &chunk;
    carved_ = 0;
  }

  // Null chunk when the address is not that of a slot.
  SlotPosition Find(const ControlSlot* slot) {
    const auto address = reinterpret_cast<std::uintptr_t>(slot);
    auto after = by_address_.upper_bound(address);
    if (after == by_address_.begin()) return {nullptr, 0};
    const auto chunk = std::prev(after);
    const std::uintptr_t inside = address - chunk->first;
    if (inside % kControlStride != 0 || inside / kControlStride >= kSlotsPerChunk) return {nullptr, 0};
    return {&chunk->second, inside / kControlStride};
  }

  SlotPosition FindLive(const ControlSlot* slot) {
    const SlotPosition position = Find(slot);
    SOFTHCCL_CHECK(position.chunk != nullptr && position.chunk->live[position.index]);
    return position;
  }

  // All guarded by mutex_.
  std::mutex mutex_;
  std::map<std::uintptr_t, Chunk> by_address_;  // never erased
  std::map<std::uint64_t, Chunk*> by_offset_;   // the same chunks
  Chunk* newest_ = nullptr;
  std::size_t carved_ = 0;  // slots of newest_ that were handed out at least once
  std::deque<ControlSlot*> free_;
};

SlotTable& Slots() {
  static auto* const table = new SlotTable;
  return *table;
}

}  // namespace

base::Result<ControlSlot*> AllocateControlSlot() { return Slots().Allocate(); }
void FreeControlSlot(ControlSlot* slot) { Slots().Free(slot); }
ArenaRef ControlSlotRef(const ControlSlot* slot) { return Slots().RefOf(slot); }
ControlSlot* LocateControlSlot(ArenaRef ref) { return Slots().Locate(ref); }

}  // namespace softhccl::memory
