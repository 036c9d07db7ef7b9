// An arena: one sealed memfd, sparse and lazily committed, from which extents are mapped. Per process there are two,
// data and control, so that a stray write cannot tear the words that ranks synchronise on. What crosses a process
// boundary is {arena, offset}, never a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/os.h"
#include "base/status.h"
#include "memory/free_list.h"

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
  // `capacity` is the sparse size of the file (no memory is used), rounded up to pages; the file is sealed against
  // resizing. Errors: kInvalidArgument for capacity 0, kOutOfMemory when the system refuses the file.
  static base::Result<std::unique_ptr<Arena>> Create(const char* name, std::uint64_t capacity);

  std::uint64_t id() const { return id_; }  // never 0; random, hence unique on this host also across containers
  int fd() const { return fd_.get(); }
  std::uint64_t capacity() const { return capacity_; }

  // Reserves and maps `size` bytes (rounded up to pages); the kernel picks the address. The bytes read as zero.
  // Errors: kInvalidArgument for size 0; kOutOfMemory when the capacity or the address space is exhausted.
  base::Result<Extent> MapExtent(std::size_t size);
  // Unmaps, gives the pages back to the system and the offsets to later extents.
  void ReleaseExtent(Extent extent);

  // The same in parts, for memory that is mapped elsewhere or more than once. Reserves `size` bytes (rounded up to
  // pages) that nobody has mapped. Errors as of MapExtent.
  base::Result<std::uint64_t> Reserve(std::size_t size);
  // Maps part of the file, whole pages, over what is at `address`, or where the kernel picks when null. The caller
  // unmaps. Errors: kOutOfMemory.
  base::Result<std::byte*> MapAt(std::uint64_t offset, std::size_t size, void* address);
  // Gives reserved bytes that nobody maps any more back.
  void Release(std::uint64_t offset, std::size_t size);
  // Gives the pages of [offset, offset + size) back; the range reads as zero afterwards.
  void Discard(std::uint64_t offset, std::size_t size);

 private:
  friend Arena& DataArena();
  friend Arena& ControlArena();

  Arena(const char* name, base::UniqueFd fd, std::uint64_t capacity);
  // An arena without a file, which answers every MapExtent with `refusal`.
  Arena(const char* name, base::Status refusal);
  // The arena of the process: never fails, but may be one that refuses.
  static Arena* CreateForProcess(const char* name, std::uint64_t capacity);

  const std::string name_;
  const base::UniqueFd fd_;
  const std::uint64_t id_;
  const std::uint64_t capacity_;
  const base::Status refusal_;
  std::mutex mutex_;
  FreeList offsets_;  // guarded by mutex_: offsets that no extent uses
};

// The data arena and the control arena of this process; created on first use, never destroyed. Where the system does
// not grant the file (no descriptors left, a file-size limit), MapExtent says so.
Arena& DataArena();
Arena& ControlArena();

}  // namespace softhccl::memory
