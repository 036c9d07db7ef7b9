// Reducing into memory is split into pieces; no split may be visible in the result, and pieces that several reductions
// work on at the same time must hold the contribution of each.
#include "transport/accumulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace softhccl::transport {
namespace {

using exec::OpOutcome;
using ::testing::Each;

constexpr int kInt32 = 2;  // HCCL_DATA_TYPE_INT32
constexpr int kSum = 0;    // HCCL_REDUCE_SUM
constexpr std::size_t kPiece = 16 * 1024;

void AccumulateAll(std::byte* to, const std::byte* from, std::size_t size) {
  const Reduction& sum = **FindReduction(kInt32, kSum);
  std::uint64_t done = 0;
  for (;;) {
    const std::uint64_t before = done;
    const OpOutcome outcome = AccumulateQuantum(to, from, size, sum, &done);
    ASSERT_LE(done, size);
    ASSERT_LE(done - before, kPiece + sizeof(int));
    if (outcome == OpOutcome::kDone) break;
    ASSERT_EQ(outcome, OpOutcome::kAgain);
  }
  EXPECT_EQ(done, size);
}

TEST(AccumulateQuantumTest, AnySizeAndAlignment_EveryElementOnceAndNothingBeyond) {
  for (const std::size_t count : {0u, 1u, 5u, 4095u, 4096u, 4097u, 20'001u}) {
    for (const std::size_t shift : {0u, 1u, 4u, 4094u, 16381u}) {
      std::vector<std::byte> memory(count * sizeof(int) + shift + 8, std::byte{0});
      const std::vector<int> from(count, 3);
      auto* const to = memory.data() + shift;
      const auto* const source = reinterpret_cast<const std::byte*>(from.data());
      AccumulateAll(to, source, count * sizeof(int));
      AccumulateAll(to, source, count * sizeof(int));
      std::vector<int> values(count);
      std::copy_n(to, count * sizeof(int), reinterpret_cast<std::byte*>(values.data()));
      EXPECT_THAT(values, Each(6)) << count << " elements at " << shift;
      EXPECT_EQ(to[count * sizeof(int)], std::byte{0});
    }
  }
}

TEST(AccumulateQuantumTest, SeveralThreadsIntoOneTarget_EveryContributionCounts) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20;
  constexpr std::size_t kCount = 30'000;
  std::vector<int> target(kCount + 1, 0);
  auto* const to = reinterpret_cast<std::byte*>(target.data()) + 1;  // elements straddle the pieces
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([to, i] {
      const std::vector<int> from(kCount, i + 1);
      for (int round = 0; round < kRounds; ++round) {
        AccumulateAll(to, reinterpret_cast<const std::byte*>(from.data()), kCount * sizeof(int));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int> values(kCount);
  std::copy_n(to, kCount * sizeof(int), reinterpret_cast<std::byte*>(values.data()));
  EXPECT_THAT(values, Each(kRounds * (1 + 2 + 3 + 4)));
}

}  // namespace
}  // namespace softhccl::transport
