// The bounded memory of freed allocations, driven directly because Memory cannot choose addresses.
#include "memory/address_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softhccl::memory {
namespace {

using ::testing::HasSubstr;

constexpr std::uintptr_t kBase = 0x100000;

Allocation At(std::uintptr_t base, std::size_t size) {
  Allocation allocation;
  allocation.base = reinterpret_cast<std::byte*>(base);
  allocation.size = size;
  allocation.device = 1;
  allocation.purpose = "test";
  return allocation;
}

TEST(AddressMap, Remove_MoreThanItRemembers_OldestIsForgotten) {
  AddressMap map;
  map.AddRegion(kBase, {std::size_t{1} << 24, Space::kDevice, 1});
  for (std::uintptr_t i = 0; i <= AddressMap::kRememberedFrees; ++i) {
    map.Add(At(kBase + i * 256, 64));
    map.Remove(kBase + i * 256);
  }
  EXPECT_THAT(map.ExplainBadFree(Space::kDevice, kBase).message(), HasSubstr("no live allocation begins there"));
  EXPECT_THAT(map.ExplainBadFree(Space::kDevice, kBase + 256).message(), HasSubstr("was freed already"));
}

TEST(AddressMap, Add_OverFreedOnes_ForgetsExactlyThose) {
  AddressMap map;
  map.AddRegion(kBase, {std::size_t{1} << 20, Space::kDevice, 1});
  for (const std::uintptr_t offset : {0u, 256u, 512u, 1024u}) {
    map.Add(At(kBase + offset, 128));
    map.Remove(kBase + offset);
  }
  map.Add(At(kBase + 128, 400));  // over the second and the third
  map.Remove(kBase + 128);
  const auto message = [&](std::uintptr_t offset) {
    return map.ExplainBadFree(Space::kDevice, kBase + offset).message();
  };
  EXPECT_THAT(message(0), HasSubstr("was freed already"));
  EXPECT_THAT(message(128), HasSubstr("was freed already"));
  EXPECT_THAT(message(256), HasSubstr("no live allocation begins there"));
  EXPECT_THAT(message(512), HasSubstr("no live allocation begins there"));
  EXPECT_THAT(message(1024), HasSubstr("was freed already"));
}

TEST(AddressMap, Judge_GapBetweenRegions_EndsAtBoth) {
  AddressMap map;
  map.AddRegion(kBase, {0x1000, Space::kDevice, 1});
  map.AddRegion(kBase + 0x10000, {0x1000, Space::kHost, -1});
  const auto verdict = map.Judge(kBase + 0x2000, 16, "src");
  EXPECT_TRUE(verdict.status.ok());
  EXPECT_EQ(verdict.begin, kBase + 0x1000);
  EXPECT_EQ(verdict.end, kBase + 0x10000);
  EXPECT_EQ(map.Judge(kBase + 0xfff0, 17, "src").status.message(),
            "src: 17 bytes at 0x10fff0 begin in ordinary host memory and run into host memory after 16 bytes");
}

}  // namespace
}  // namespace softhccl::memory
