// The copy loop is split into quanta so that nobody holds an executor for long; no split may be visible in the result,
// also where source and target overlap.
#include "transport/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softhccl::transport {
namespace {

using exec::OpOutcome;

constexpr std::size_t kQuantum = 256 * 1024;

std::vector<std::byte> Pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 131 + i / 251) & 0xFF);
  return bytes;
}

// Copies to the end; the number of turns it took.
int CopyAll(std::byte* to, const std::byte* from, std::size_t size) {
  std::uint64_t done = 0;
  for (int turns = 1;; ++turns) {
    const std::uint64_t before = done;
    const OpOutcome outcome = CopyQuantum(to, from, size, &done);
    EXPECT_LE(done - before, kQuantum);
    EXPECT_LE(done, size);
    if (outcome == OpOutcome::kDone) {
      EXPECT_EQ(done, size);
      return turns;
    }
    EXPECT_EQ(outcome, OpOutcome::kAgain);
    EXPECT_GT(done, before) << "a turn without progress";
    if (done <= before) return -1;
  }
}

class CopySizeTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(CopySizeTest, Bytes_ArriveInWholeQuantaAndNothingBeyond) {
  const std::size_t size = GetParam();
  const std::vector<std::byte> from = Pattern(size + 1);
  std::vector<std::byte> to(size + 64, std::byte{0xEE});
  const int turns = CopyAll(to.data(), from.data(), size);
  EXPECT_EQ(turns, std::max<int>(1, static_cast<int>((size + kQuantum - 1) / kQuantum)));
  EXPECT_TRUE(std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(size), to.begin()));
  for (std::size_t i = size; i < to.size(); ++i) ASSERT_EQ(to[i], std::byte{0xEE}) << i - size << " bytes beyond";
}

TEST_P(CopySizeTest, CopyToItself_ProgressesAndChangesNothing) {
  const std::size_t size = GetParam();
  std::vector<std::byte> bytes = Pattern(size + 1);
  CopyAll(bytes.data(), bytes.data(), size);
  EXPECT_EQ(bytes, Pattern(size + 1));
}

TEST_P(CopySizeTest, OverlappingRanges_CopyAsIfThroughABuffer) {
  const std::size_t size = GetParam();
  for (const std::size_t shift : {std::size_t{1}, std::size_t{4096}, kQuantum}) {
    const std::vector<std::byte> pattern = Pattern(size + shift);
    std::vector<std::byte> up = pattern;
    CopyAll(up.data() + shift, up.data(), size);
    EXPECT_EQ(std::memcmp(up.data() + shift, pattern.data(), size), 0) << "upwards by " << shift;
    std::vector<std::byte> down = pattern;
    CopyAll(down.data(), down.data() + shift, size);
    EXPECT_EQ(std::memcmp(down.data(), pattern.data() + shift, size), 0) << "downwards by " << shift;
  }
}

INSTANTIATE_TEST_SUITE_P(AroundTheQuantum, CopySizeTest,
                         ::testing::Values(0u, 1u, kQuantum - 1, kQuantum, kQuantum + 1, 3 * kQuantum + 5));

}  // namespace
}  // namespace softhccl::transport
