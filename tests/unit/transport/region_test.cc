// A region lives as long as somebody can reach it, and its memory is given back exactly then.
#include "transport/region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/memory.h"

namespace softhccl::transport {
namespace {

memory::Memory::Usage Used() { return memory::Memory::Process().UsageOf(memory::Space::kDevice, 0); }

TEST(RegionTest, Create_IsFoundByIdWhileHeld) {
  const auto before = Used();
  auto region = Region::Create(0, 8192, "a test region").value();
  EXPECT_EQ(region->size(), 8192u);
  std::memset(region->data(), 0x5A, region->size());
  EXPECT_EQ(Used().count, before.count + 1);
  EXPECT_EQ(Used().bytes, before.bytes + 8192);
  std::shared_ptr<Region> found = Region::Find(region->id());
  EXPECT_EQ(found, region);
  const std::uint64_t id = region->id();
  region.reset();
  EXPECT_EQ(Region::Find(id), found) << "the finder keeps it alive";
  found.reset();
  EXPECT_EQ(Region::Find(id), nullptr);
  EXPECT_EQ(Used().count, before.count);
  EXPECT_EQ(Used().bytes, before.bytes);
}

TEST(RegionTest, Ids_AreNeverReused) {
  const std::uint64_t first = Region::Create(0, 64, "a test region").value()->id();
  const std::uint64_t second = Region::Create(0, 64, "a test region").value()->id();
  EXPECT_NE(first, second);
  EXPECT_EQ(Region::Find(first), nullptr);
  EXPECT_EQ(Region::Find(0), nullptr);
}

TEST(RegionTest, Populate_KeepsWhatIsThereAndStaysInside) {
  const auto region = Region::Create(0, 3 * 4096, "a test region").value();
  region->data()[5] = std::byte{7};
  region->Populate(std::size_t{1} << 40);
  region->Populate(0);
  EXPECT_EQ(region->data()[5], std::byte{7});
}

TEST(RegionTest, BadSizes_AreRefused) {
  const auto empty = Region::Create(0, 0, "a test region");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code(), base::Code::kInvalidArgument);
  const auto huge = Region::Create(0, std::size_t{1} << 62, "a test region");
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code(), base::Code::kOutOfMemory);
}

TEST(RegionTest, Address_IsReportedWithItsPurpose) {
  const auto region = Region::Create(0, 128, "the buffer of a test").value();
  const base::Status past = memory::Memory::Process().CheckRange(region->data(), 129, "src");
  EXPECT_THAT(past.message(), ::testing::HasSubstr("the buffer of a test"));
}

}  // namespace
}  // namespace softhccl::transport
