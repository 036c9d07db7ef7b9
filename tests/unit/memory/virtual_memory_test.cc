// Virtual memory under the range check: mappings are one range, what is cached of them ends with them, and physical
// memory goes back to the arena with its last owner. Arguments that are refused are in the conformance tests.
#include "memory/virtual_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "memory/memory.h"

namespace softhccl::memory {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kUnit = VirtualMemory::kGranularity;

class VirtualMemoryTest : public ::testing::Test {
 protected:
  std::uint64_t Physical(std::size_t size = kUnit) {
    return virtual_memory_.Allocate(size, {Space::kDevice, 5, 0, kUnit}).value();
  }
  std::byte* Reserve(std::size_t size) { return virtual_memory_.Reserve(size, nullptr).value(); }
  void Map(std::byte* address, std::uint64_t physical, std::size_t size = kUnit) {
    const base::Status mapped = virtual_memory_.Map(address, size, physical);
    EXPECT_TRUE(mapped.ok()) << mapped.message();
  }
  void Unmap(std::byte* address) { EXPECT_TRUE(virtual_memory_.Unmap(address).ok()); }
  void Free(std::uint64_t physical) { EXPECT_TRUE(virtual_memory_.Free(physical).ok()); }
  void Release(std::byte* address) { EXPECT_TRUE(virtual_memory_.Release(address).ok()); }
  std::string Refusal(const std::byte* address, std::size_t size) {
    return Memory::Process().CheckRange(address, size, "dst").message();
  }

  VirtualMemory& virtual_memory_ = VirtualMemory::Process();
};

TEST_F(VirtualMemoryTest, Mappings_ThatTouch_AreOneRangeUntilOneGoes) {
  std::byte* const address = Reserve(4 * kUnit);
  const std::uint64_t first = Physical();
  const std::uint64_t second = Physical();
  const std::uint64_t last = Physical();
  Map(address, first);
  Map(address + kUnit, second);
  Map(address + 3 * kUnit, last);
  for (int repeat = 0; repeat < 2; ++repeat) {  // second round from the cache
    EXPECT_EQ(Refusal(address, 2 * kUnit), "");
    EXPECT_EQ(Refusal(address + kUnit - 1, 2), "");
    EXPECT_EQ(Refusal(address + 3 * kUnit, kUnit), "");
  }
  EXPECT_THAT(Refusal(address + 1, 2 * kUnit), HasSubstr("leave the mapped virtual memory after 4194303 bytes"));
  EXPECT_THAT(Refusal(address + 2 * kUnit, 1), HasSubstr("lies in reserved virtual memory where nothing is mapped"));
  Unmap(address + kUnit);
  EXPECT_THAT(Refusal(address, 2 * kUnit), HasSubstr("do not fit into the 2097152 bytes of physical memory"));
  EXPECT_THAT(Refusal(address + kUnit - 1, 2), HasSubstr("do not fit"));
  EXPECT_EQ(Refusal(address, kUnit), "");
  Unmap(address);
  Unmap(address + 3 * kUnit);
  Release(address);
  for (const std::uint64_t physical : {first, second, last}) Free(physical);
}

TEST_F(VirtualMemoryTest, TwoReservations_AreNeverOneRange) {
  std::byte* const low = Reserve(kUnit);
  std::byte* const high = Reserve(kUnit);
  const std::uint64_t physical = Physical();
  Map(low, physical);
  Map(high, physical);
  // Wherever the kernel put them.
  EXPECT_NE(Refusal(low, kUnit + 1), "");
  EXPECT_NE(Refusal(high, kUnit + 1), "");
  Unmap(low);
  Unmap(high);
  Release(low);
  Release(high);
  Free(physical);
}

TEST_F(VirtualMemoryTest, Remapped_ShowsTheOtherMemory) {
  std::byte* const address = Reserve(kUnit);
  const std::uint64_t first = Physical();
  const std::uint64_t second = Physical();
  Map(address, first);
  std::memset(address, 7, kUnit);
  Unmap(address);
  Map(address, second);
  EXPECT_EQ(address[0], std::byte{0});
  Unmap(address);
  Map(address, first);
  EXPECT_EQ(address[kUnit - 1], std::byte{7}) << "contents stay with the physical memory";
  Unmap(address);
  Release(address);
  Free(first);
  Free(second);
}

TEST_F(VirtualMemoryTest, LastOwnerGone_BytesAreNotInUseAnyMore) {
  const auto before = Memory::Process().UsageOf(Space::kDevice, 5);
  const std::uint64_t physical = Physical(3 * kUnit);
  EXPECT_EQ(Memory::Process().UsageOf(Space::kDevice, 5).bytes, before.bytes + 3 * kUnit);
  std::byte* const address = Reserve(3 * kUnit);
  Map(address, physical, 3 * kUnit);
  EXPECT_EQ(Memory::Process().UsageOf(Space::kDevice, 5).bytes, before.bytes + 3 * kUnit) << "mapping uses nothing";
  Free(physical);
  EXPECT_EQ(Memory::Process().UsageOf(Space::kDevice, 5).count, before.count + 1) << "the mapping owns it now";
  Unmap(address);
  EXPECT_EQ(Memory::Process().UsageOf(Space::kDevice, 5).count, before.count);
  Release(address);
}

TEST_F(VirtualMemoryTest, LoadWord_UnmappedMeanwhile_IsAnError) {
  std::byte* const address = Reserve(kUnit);
  const std::uint64_t physical = Physical();
  EXPECT_FALSE(Memory::Process().LoadWord(address, "devAddr").has_value());
  Map(address, physical);
  EXPECT_EQ(Memory::Process().LoadWord(address, "devAddr").value(), 0u);
  Unmap(address);
  EXPECT_THAT(Memory::Process().LoadWord(address, "devAddr").error().message(), HasSubstr("where nothing is mapped"));
  Release(address);
  Free(physical);
}

TEST_F(VirtualMemoryTest, MappedAndUnmapped_WhileOthersRead_NobodyFaults) {
  std::byte* const address = Reserve(kUnit);
  const std::uint64_t physical = Physical();
  std::atomic<bool> done{false};
  std::atomic<int> seen{0};
  std::thread reader([&] {
    while (!done.load()) {
      if (Memory::Process().LoadWord(address, "devAddr")) seen.fetch_add(1);
    }
  });
  for (int i = 0; i < 200 || seen.load() == 0; ++i) {
    Map(address, physical);
    Unmap(address);
    ASSERT_LT(i, 1000000);
  }
  done.store(true);
  reader.join();
  Release(address);
  Free(physical);
}

}  // namespace
}  // namespace softhccl::memory
