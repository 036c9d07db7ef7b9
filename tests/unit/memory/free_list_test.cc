// Best fit, alignment, joining, and a random run against a plain bitmap.
#include "memory/free_list.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace softhccl::memory {
namespace {

TEST(FreeList, Take_TwoRangesFit_TheTighterIsUsed) {
  FreeList list;
  list.Give({1000, 500});
  list.Give({5000, 100});
  EXPECT_EQ(list.Take(100, 1), 5000u);
  EXPECT_EQ(list.free(), 500u);
}

TEST(FreeList, Take_Alignment_PaddingStaysFree) {
  FreeList list;
  list.Give({64, 8192});
  EXPECT_EQ(list.Take(4096, 4096), 4096u);
  EXPECT_EQ(list.free(), 4096u);
  EXPECT_EQ(list.Take(4032, 64), 64u);
}

TEST(FreeList, Take_NothingFits_NothingChanges) {
  FreeList list;
  list.Give({64, 4096});
  EXPECT_FALSE(list.Take(4097, 1).has_value());
  EXPECT_FALSE(list.Take(4096, 4096).has_value());
  EXPECT_EQ(list.free(), 4096u);
}

TEST(FreeList, Take_ManyMisalignedTightFits_TakesARoomyOne) {
  FreeList list;
  for (std::uint64_t i = 0; i < 100; ++i) list.Give({i * 16384 + 64, 4096});
  list.Give({4096 * 1000, 65536});
  EXPECT_EQ(list.Take(4096, 4096), 4096u * 1000);
}

TEST(FreeList, Give_BetweenTwoNeighbours_OneRangeRemains) {
  FreeList list;
  list.Give({0, 100});
  list.Give({200, 100});
  const Range joined = list.Give({100, 100});
  EXPECT_EQ(joined.begin, 0u);
  EXPECT_EQ(joined.size, 300u);
  EXPECT_EQ(list.largest(), 300u);
  list.Remove(joined);
  EXPECT_EQ(list.free(), 0u);
}

TEST(FreeListDeathTest, Give_OverlappingRange_IsOurBug) {
  FreeList list;
  list.Give({0, 100});
  EXPECT_DEATH(list.Give({50, 100}), "range.begin");
}

TEST(FreeList, TakeAndGive_RandomRun_NeverHandsOutTwice) {
  constexpr std::uint64_t kSpace = 1 << 14;
  FreeList list;
  list.Give({0, kSpace});
  std::vector<bool> used(kSpace, false);
  std::vector<Range> taken;
  std::mt19937 random(7);
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 2 == 0) {
      const std::uint64_t size = 1 + random() % 200;
      const std::uint64_t alignment = std::uint64_t{1} << random() % 8;
      const auto begin = list.Take(size, alignment);
      if (!begin.has_value()) continue;
      ASSERT_EQ(*begin % alignment, 0u);
      for (std::uint64_t i = *begin; i < *begin + size; ++i) {
        ASSERT_FALSE(used[i]);
        used[i] = true;
      }
      taken.push_back({*begin, size});
    } else if (!taken.empty()) {
      std::swap(taken[random() % taken.size()], taken.back());
      const Range range = taken.back();
      taken.pop_back();
      for (std::uint64_t i = range.begin; i < range.begin + range.size; ++i) used[i] = false;
      list.Give(range);
    }
  }
  for (const Range& range : taken) list.Give(range);
  EXPECT_EQ(list.largest(), kSpace);
}

}  // namespace
}  // namespace softhccl::memory
