// Which parts of a numbered space are free. The arena keeps the offsets of its file in one, and every pool of small
// allocations keeps its addresses in one, so that both re-use, split and join ranges by the same rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace softhccl::memory {

// A half-open range [begin, begin + size).
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

// Disjoint free ranges, best fit, neighbours joined. Not thread-safe; the owner locks.
class FreeList {
 public:
  // The begin of `size` free units, a multiple of `alignment` (a power of two); nothing when no range is large enough.
  std::optional<std::uint64_t> Take(std::uint64_t size, std::uint64_t alignment);
  // Makes a range free; it must not overlap a free one. Returns the joined range it is part of now.
  Range Give(Range range);
  // Takes a range out as a whole; it must be exactly one of the free ranges.
  void Remove(Range range);

  std::uint64_t free() const { return free_; }
  std::uint64_t largest() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }

 private:
  void Insert(Range range);
  void Erase(std::map<std::uint64_t, std::uint64_t>::iterator position);

  std::map<std::uint64_t, std::uint64_t> by_begin_;            // begin -> size
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // (size, begin)
  std::uint64_t free_ = 0;
};

}  // namespace softhccl::memory
