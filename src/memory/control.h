// Control memory: the words that streams and ranks synchronise on, one per 128 bytes so that no two of them share a
// cache line or an adjacent-line prefetch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "memory/arena.h"

namespace softhccl::memory {

inline constexpr std::size_t kControlStride = 128;

// A single synchronisation word in the control arena. Zero when handed out.
struct alignas(kControlStride) ControlSlot {
  std::atomic<std::uint64_t> word;
};
static_assert(sizeof(ControlSlot) == kControlStride);

// Any thread. The slot's memory stays mapped for the life of the process; a freed slot is re-used, the longest freed
// one first, so that a late record of a peer meets a new owner as seldom as possible. Errors: kOutOfMemory.
base::Result<ControlSlot*> AllocateControlSlot();
void FreeControlSlot(ControlSlot* slot);

// Position of a slot for another process, and back. Any thread. Locate returns null for a reference to
// another arena, to no slot, or to a slot that is free.
ArenaRef ControlSlotRef(const ControlSlot* slot);
ControlSlot* LocateControlSlot(ArenaRef ref);

}  // namespace softhccl::memory
