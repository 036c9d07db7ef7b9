// Handles given to C programs: index + generation + kind in 64 bits, never pointers, so that a stale, foreign or
// invented value is an answer with a name and not a crash. A Slab owns the objects; its memory is type-stable and
// never unmapped, so a lookup is one load and one compare and needs no lock and no reference count.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"

namespace softhccl::base {

// What a handle refers to. The value is the top byte of every handle, which no user-space pointer carries.
enum class HandleKind : std::uint8_t {
  kNone = 0,
  kStream = 0xA1,
  kNotify = 0xA2,
  kBinary = 0xA3,
  kFunction = 0xA4,
  kComm = 0xA5,
  kCommThread = 0xA6,
  kChannel = 0xA7,
  kEvent = 0xA8,
  kContext = 0xA9,
  kStreamConfig = 0xAA,
  kGraph = 0xB4,  // not 0xAB: memory filled with that byte should not look like a handle
  kGraphTask = 0xAC,
  kEndpoint = 0xAD,
  kMemory = 0xAE,
  kWindow = 0xAF,
  kTeam = 0xB0,
  kTaskGroup = 0xB1,
  kDataBuffer = 0xB2,
  kArguments = 0xB3,
  kChannelConfig = 0xB5,
  kCountNotify = 0xB6,
  kPhysicalMemory = 0xB7,
  kImportedNotify = 0xB8,
  kBinaryData = 0xB9,
};

std::string_view HandleKindName(HandleKind kind);

// kind:8 | generation:24 | index:32. Generation 0 is never given out.
struct HandleBits {
  std::uint64_t value;
  HandleKind kind() const { return static_cast<HandleKind>(value >> 56); }
  std::uint32_t generation() const { return static_cast<std::uint32_t>(value >> 32) & 0xFFFFFFu; }
  std::uint32_t index() const { return static_cast<std::uint32_t>(value); }
};

// Why `value` is not a live handle of kind `expected`: "was destroyed", "is a notify, not a stream", "is not a
// handle of this library". `generation_mismatch` says that index and kind fit but the generation does not.
std::string DescribeBadHandle(std::uint64_t value, HandleKind expected, bool generation_mismatch);

// Slots of T, created on demand and re-used, never freed. T must be default constructible; it is constructed once
// per slot and lives for ever, the owner resets it between uses. Create and Release: any thread, internally locked.
// Lookup: any thread, lock-free. Whether the object may still be used after a concurrent Release is T's business:
// the memory stays valid, the generation tells.
template <typename T, HandleKind kKind>
class Slab {
 public:
  static constexpr std::uint32_t kChunkSize = 256;
  static constexpr std::uint32_t kMaxChunks = 16384;

  // Hands out a free slot; *handle is its new handle. The slot is not visible to Lookup before Publish(handle).
  T* Allocate(std::uint64_t* handle) {
    std::lock_guard lock(mutex_);
    std::uint32_t index;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else {
      index = size_;
      const std::uint32_t chunk = index / kChunkSize;
      if (chunk >= kMaxChunks) return nullptr;
      if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
        storage_.push_back(std::make_unique<Chunk>());
        // Release: pairs with the acquire in Slot(); a reader that sees the chunk sees constructed slots.
        chunks_[chunk].store(storage_.back().get(), std::memory_order_release);
      }
      ++size_;
    }
    Entry* entry = Slot(index);
    entry->next_generation = (entry->next_generation % 0xFFFFFFu) + 1;
    ++live_;
    *handle =
        (static_cast<std::uint64_t>(kKind) << 56) | (static_cast<std::uint64_t>(entry->next_generation) << 32) | index;
    return &entry->object;
  }

  void Publish(std::uint64_t handle) {
    // Release: pairs with the acquire in Lookup; a reader that sees the generation sees the initialised object.
    Slot(HandleBits{handle}.index())->generation.store(HandleBits{handle}.generation(), std::memory_order_release);
  }

  // Makes the handle stale. False when it already was.
  bool Retire(std::uint64_t handle) {
    Entry* entry = Find(handle);
    // Generation 0 marks an empty slot: retiring "it" again must not look like a success.
    if (entry == nullptr || HandleBits{handle}.generation() == 0) return false;
    std::uint32_t expected = HandleBits{handle}.generation();
    return entry->generation.compare_exchange_strong(expected, 0);
  }

  // Gives a retired slot back for re-use.
  void Recycle(std::uint64_t handle) {
    std::lock_guard lock(mutex_);
    free_.push_back(HandleBits{handle}.index());
    --live_;
  }

  // The live object behind `handle`, or null.
  T* Lookup(std::uint64_t handle) const {
    Entry* entry = Find(handle);
    // Acquire: pairs with the release in Publish.
    if (entry == nullptr || entry->generation.load(std::memory_order_acquire) != HandleBits{handle}.generation() ||
        HandleBits{handle}.generation() == 0) {
      return nullptr;
    }
    return &entry->object;
  }

  // The object in slot `index`, live or not, or null when the slot was never created.
  T* At(std::uint32_t index) const {
    Entry* entry = index / kChunkSize < kMaxChunks ? SlotOrNull(index) : nullptr;
    return entry == nullptr ? nullptr : &entry->object;
  }

  // As Lookup, with the sentence that says why not.
  Result<T*> Get(std::uint64_t handle, std::string_view argument) const {
    if (T* object = Lookup(handle)) return object;
    return FailResult(Code::kInvalidHandle, "{} 0x{:x} {}", argument, handle,
                      DescribeBadHandle(handle, kKind, Find(handle) != nullptr));
  }

  // Calls visit(handle, object) for every live object. Objects created or retired meanwhile may be missed.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (std::uint32_t index = 0;; ++index) {
      if (index / kChunkSize >= kMaxChunks) return;
      Entry* entry = SlotOrNull(index);
      if (entry == nullptr) return;
      const std::uint32_t generation = entry->generation.load(std::memory_order_acquire);  // pairs with Publish
      if (generation == 0) continue;
      visit((static_cast<std::uint64_t>(kKind) << 56) | (static_cast<std::uint64_t>(generation) << 32) | index,
            entry->object);
    }
  }

  std::uint32_t live() const {
    std::lock_guard lock(mutex_);
    return live_;
  }

 private:
  struct Entry {
    std::atomic<std::uint32_t> generation{0};  // 0: not live
    std::uint32_t next_generation = 0;         // guarded by mutex_
    T object;
  };
  struct Chunk {
    std::array<Entry, kChunkSize> entries;
  };

  Entry* SlotOrNull(std::uint32_t index) const {
    Chunk* chunk = chunks_[index / kChunkSize].load(std::memory_order_acquire);  // pairs with Allocate
    return chunk == nullptr ? nullptr : &chunk->entries[index % kChunkSize];
  }
  Entry* Slot(std::uint32_t index) const { return SlotOrNull(index); }
  Entry* Find(std::uint64_t handle) const {
    const HandleBits bits{handle};
    if (bits.kind() != kKind || bits.index() / kChunkSize >= kMaxChunks) return nullptr;
    return SlotOrNull(bits.index());
  }

  mutable std::mutex mutex_;
  std::vector<std::uint32_t> free_;              // guarded by mutex_
  std::vector<std::unique_ptr<Chunk>> storage_;  // guarded by mutex_
  std::uint32_t size_ = 0;                       // guarded by mutex_
  std::uint32_t live_ = 0;                       // guarded by mutex_
  std::array<std::atomic<Chunk*>, kMaxChunks> chunks_{};
};

}  // namespace softhccl::base
