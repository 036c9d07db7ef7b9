// Device and host memory of this process: allocation, and the answer to "whose address is this?". All of it lives
// in the arenas (arena.h); pages are committed when they are first touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/status.h"
#include "memory/arena.h"

namespace softhccl::memory {

enum class Space : std::uint8_t { kDevice, kHost };

// One live allocation, or one that an address belongs to.
struct Allocation {
  std::byte* base = nullptr;
  std::size_t size = 0;  // bytes asked for; what is beyond is not the caller's
  Space space = Space::kDevice;
  int device = -1;                 // owner; for host memory the device that was current
  const char* purpose = "";        // "aclrtMalloc", "HcclBuffer of ...": static storage or never freed
  ArenaRef where;                  // of base, for peers that map it; page-aligned when size >= 4096
  const char* ended_by = nullptr;  // not null: memory that somebody else mapped; the call that ends it. Free refuses
  int pins = 0;                    // as long as there are some, Free refuses
};

// The memory of one process. Any thread. Created on first use, never destroyed.
class Memory {
 public:
  static Memory& Process();

  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // `size` bytes > 0, aligned to 64 (at least; to a page when size >= 4096). Contents are zero on first use of a
  // page, undefined otherwise. At least 64 bytes behind every allocation belong to nobody, and behind one of 1 MiB or
  // more an inaccessible page follows. Errors: kInvalidArgument for size 0, kOutOfMemory.
  base::Result<std::byte*> Allocate(Space space, int device, std::size_t size, const char* purpose);

  // Errors: kInvalidParam when `address` is not the base of a live allocation of that space; the message says
  // whether it is inside one, was freed already, belongs to the other space, or is unknown.
  base::Status Free(Space space, void* address);

  // Frees all allocations of `space` that belong to `device` (Space::kHost and -1: all host memory); returns how many
  // there were.
  std::size_t FreeAllOf(Space space, int device);

  // The live allocation that contains `address`.
  std::optional<Allocation> Resolve(const void* address) const;

  // Data-plane check, a few nanoseconds when a recent answer applies (per-thread cache, invalidated by any Free):
  // ok when [address, address + size) lies inside one live allocation, or is not arena memory at all (ordinary host
  // memory). kInvalidParam when it leaves its allocation, runs from host memory into the arena, or points to freed
  // memory; the message names `argument`, both sizes and the purpose of the allocation. `size` 0 is always ok.
  // The answer holds until somebody frees the allocation: keeping it alive during the copy is the caller's business.
  base::Status CheckRange(const void* address, std::size_t size, const char* argument) const;

  // The word at `address`, a multiple of 8, which stays mapped while it is read whatever others free. Errors:
  // kInvalidParam when it does not lie in a live allocation; the message names `argument`.
  base::Result<std::uint64_t> LoadWord(const void* address, const char* argument) const;

  // --- Memory that others map, and Memory only has to know

  // [base, base + size), where nothing is unless AddMapped puts it there; `lack` completes "lies in ...".
  void AddReserved(std::byte* base, std::size_t size, const char* lack);
  void RemoveReserved(std::byte* base);
  // An allocation in a reserved range, with ended_by set. What ends where the next begins is one range to CheckRange.
  void AddMapped(const Allocation& allocation);
  void RemoveMapped(std::byte* base);
  // Bytes in use that need not be mapped anywhere, for UsageOf: one allocation more (1) or less (-1).
  void NoteUse(Space space, int device, std::size_t size, int change);

  // The allocation that contains `address`, which cannot be freed until it is unpinned as often. Errors: kInvalidParam.
  base::Result<Allocation> Pin(const void* address);
  void Unpin(const std::byte* base);

  // Live bytes and count of one device (or of all host memory with Space::kHost and device -1).
  struct Usage {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
  };
  Usage UsageOf(Space space, int device) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace softhccl::memory
