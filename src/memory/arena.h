// An arena: one sealed memfd, sparse and lazily committed, from which extents are mapped. Per process there are two,
// data and control, so that a stray write cannot tear the words that ranks synchronise on. What crosses a process
// boundary is {arena, offset}, never a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/os.h"
#include "base/status.h"

namespace softhccl::memory {

// A position that means the same in every process that has mapped the arena.
struct ArenaRef {
  std::uint64_t arena = 0;   // Arena::id()
  std::uint64_t offset = 0;  // bytes
};

// One mapped range of an arena. Unmaps on destruction; the arena must outlive it.
struct Extent {
  base::Mapping mapping;
  std::uint64_t offset = 0;
};

// Any thread.
class Arena {
 public:
  // `capacity` is the sparse size of the file (no memory is used); it is sealed against resizing.
  static base::Result<std::unique_ptr<Arena>> Create(const char* name, std::uint64_t capacity);

  std::uint64_t id() const { return id_; }  // unique on this host for the life of the process
  int fd() const { return fd_.get(); }

  // Reserves and maps `size` bytes (rounded up to pages); the kernel picks the address.
  base::Result<Extent> MapExtent(std::size_t size);
  // Unmaps, gives the pages back to the system and the offsets to later extents.
  void ReleaseExtent(Extent extent);
  // Gives the pages of [offset, offset + size) back; the range reads as zero afterwards.
  void Discard(std::uint64_t offset, std::size_t size);

 private:
  Arena(base::UniqueFd fd, std::uint64_t capacity);

  base::UniqueFd fd_;
  std::uint64_t id_;
  std::uint64_t capacity_;
  std::mutex mutex_;
  std::uint64_t next_ = 0;                               // guarded by mutex_: first offset never used
  std::multimap<std::size_t, std::uint64_t> free_;       // guarded by mutex_: released extents by size
};

// The data arena and the control arena of this process; created on first use, never destroyed.
Arena& DataArena();
Arena& ControlArena();

}  // namespace softhccl::memory
