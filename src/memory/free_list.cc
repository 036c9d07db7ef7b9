// Best fit with two indices over the same ranges: by begin to join neighbours, by size to find the tightest fit.
// Alignment is why the tightest range may not do; after a few misses the search takes one that must fit.
#include "memory/free_list.h"

#include <iterator>

#include "base/check.h"

namespace softhccl::memory {
namespace {

constexpr int kTightFits = 8;

std::uint64_t PaddingTo(std::uint64_t begin, std::uint64_t alignment) { return (0 - begin) & (alignment - 1); }

}  // namespace

std::optional<std::uint64_t> FreeList::Take(std::uint64_t size, std::uint64_t alignment) {
  SOFTHCCL_CHECK(size > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0);
  auto candidate = by_size_.lower_bound({size, 0});
  const auto fits = [&] {
    const std::uint64_t padding = PaddingTo(candidate->second, alignment);
    return padding <= candidate->first && size <= candidate->first - padding;
  };
  for (int misses = 0; candidate != by_size_.end() && !fits(); ++misses) {
    if (misses == kTightFits && size <= UINT64_MAX - alignment) {
      const auto roomy = by_size_.lower_bound({size + alignment, 0});
      if (roomy != by_size_.end()) {
        candidate = roomy;
        continue;
      }
    }
    ++candidate;
  }
  if (candidate == by_size_.end()) return std::nullopt;

  const Range whole{candidate->second, candidate->first};
  Erase(by_begin_.find(whole.begin));
  const std::uint64_t padding = PaddingTo(whole.begin, alignment);
  const std::uint64_t begin = whole.begin + padding;
  if (padding > 0) Insert({whole.begin, padding});
  if (whole.size - padding > size) Insert({begin + size, whole.size - padding - size});
  return begin;
}

Range FreeList::Give(Range range) {
  SOFTHCCL_CHECK(range.size > 0 && range.size <= UINT64_MAX - range.begin);
  auto next = by_begin_.lower_bound(range.begin);
  SOFTHCCL_CHECK(next == by_begin_.end() || range.begin + range.size <= next->first);
  if (next != by_begin_.begin()) {
    const auto previous = std::prev(next);
    SOFTHCCL_CHECK(previous->first + previous->second <= range.begin);
    if (previous->first + previous->second == range.begin) {
      range = {previous->first, previous->second + range.size};
      Erase(previous);
    }
  }
  if (next != by_begin_.end() && range.begin + range.size == next->first) {
    range.size += next->second;
    Erase(next);
  }
  Insert(range);
  return range;
}

void FreeList::Remove(Range range) {
  const auto position = by_begin_.find(range.begin);
  SOFTHCCL_CHECK(position != by_begin_.end() && position->second == range.size);
  Erase(position);
}

void FreeList::Insert(Range range) {
  by_begin_.emplace(range.begin, range.size);
  by_size_.emplace(range.size, range.begin);
  free_ += range.size;
}

void FreeList::Erase(std::map<std::uint64_t, std::uint64_t>::iterator position) {
  free_ -= position->second;
  by_size_.erase({position->second, position->first});
  by_begin_.erase(position);
}

}  // namespace softhccl::memory
