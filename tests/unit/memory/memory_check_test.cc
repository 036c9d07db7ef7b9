// CheckRange: what passes, every sentence it refuses with, and that its cache never outlives a Free.
#include <sys/mman.h>

#include <vector>

#include "memory/memory.h"
#include "memory_fixture.h"

namespace softhccl::memory {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;

class CheckRangeTest : public MemoryFixture {
 protected:
  std::byte* Make(std::size_t size, const char* purpose = "aclrtMalloc") {
    auto made = memory_.Allocate(Space::kDevice, 7, size, purpose);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return made.value_or(nullptr);
  }
  std::string Refusal(const void* address, std::size_t size) {
    const base::Status status = memory_.CheckRange(address, size, "dst");
    EXPECT_EQ(status.code(), base::Code::kInvalidParam);
    const std::string id = " (SH-M001)";
    EXPECT_THAT(status.message(), ::testing::EndsWith(id)) << "softhccl explain needs it";
    return status.message().substr(0, status.message().size() - id.size());
  }
  bool Passes(const void* address, std::size_t size) { return memory_.CheckRange(address, size, "dst").ok(); }
  Memory memory_;
};

TEST_F(CheckRangeTest, Range_InsideItsAllocation_Passes) {
  std::byte* base = Make(1000);
  for (int repeat = 0; repeat < 2; ++repeat) {  // second round from the cache
    EXPECT_TRUE(Passes(base, 1000));
    EXPECT_TRUE(Passes(base + 999, 1));
    EXPECT_TRUE(Passes(base + 10, 500));
    EXPECT_TRUE(Passes(base + 5000, 0));
  }
}

TEST_F(CheckRangeTest, Range_LeavesItsAllocation_NamesSizesOffsetAndPurpose) {
  std::byte* base = Make(2 * kMiB, "HcclBuffer of rank 0");
  EXPECT_EQ(Refusal(base, 2 * kMiB + 4),
            "dst: 2097156 bytes at offset 0 do not fit into the 2097152 bytes of HcclBuffer of rank 0; 2097156 bytes "
            "would be needed");
  EXPECT_TRUE(Passes(base, 2 * kMiB));  // now cached
  EXPECT_EQ(Refusal(base + 2 * kMiB - 4, 8),
            "dst: 8 bytes at offset 2097148 do not fit into the 2097152 bytes of HcclBuffer of rank 0; 2097156 bytes "
            "would be needed");
}

TEST_F(CheckRangeTest, Range_AddressPlusSizeOverflows_IsRefusedNotWrapped) {
  std::byte* base = Make(100);
  EXPECT_TRUE(Passes(base, 100));
  EXPECT_EQ(Refusal(base, SIZE_MAX),
            fmt::format("dst: 18446744073709551615 bytes at address {} run past the end of the address space",
                        static_cast<void*>(base)));
  int on_stack = 0;
  EXPECT_TRUE(Passes(&on_stack, sizeof on_stack));
  EXPECT_THAT(Refusal(&on_stack, SIZE_MAX - 8), HasSubstr("run past the end of the address space"));
}

TEST_F(CheckRangeTest, Address_BetweenAllocations_SaysHowFarBehind) {
  std::byte* base = Make(100);
  Make(100);
  EXPECT_EQ(Refusal(base + 110, 4),
            fmt::format("dst: {} points to freed or unallocated device memory of device 7 (10 bytes past the end of "
                        "the 100 bytes of aclrtMalloc)",
                        static_cast<void*>(base + 110)));
}

TEST_F(CheckRangeTest, Address_GuardPageOfALargeOne_IsRefused) {
  std::byte* base = Make(2 * kMiB);
  EXPECT_THAT(Refusal(base + 2 * kMiB, 1), HasSubstr("(0 bytes past the end of the 2097152 bytes of aclrtMalloc)"));
}

TEST_F(CheckRangeTest, Address_FreedSmallOne_IsRefusedEvenWhenCached) {
  Make(64);  // keeps the extent
  std::byte* base = Make(256);
  EXPECT_TRUE(Passes(base, 256));
  EXPECT_TRUE(Passes(base, 256));
  EXPECT_TRUE(memory_.Free(Space::kDevice, base).ok());
  EXPECT_EQ(Refusal(base + 8, 4), fmt::format("dst: {} points to freed or unallocated device memory of device 7 "
                                              "(offset 8 of the 256 bytes of aclrtMalloc that were freed)",
                                              static_cast<void*>(base + 8)));
}

TEST_F(CheckRangeTest, Address_FreedLargeOne_IsRefusedUntilTheSystemReusesIt) {
  std::byte* base = Make(3 * kMiB);
  EXPECT_TRUE(Passes(base, 3 * kMiB));
  EXPECT_TRUE(memory_.Free(Space::kDevice, base).ok());
  const std::string expected = fmt::format(
      "dst: {} points to freed device memory of device 7 (offset 0 of the 3145728 bytes of aclrtMalloc that were "
      "freed)",
      static_cast<void*>(base));
  EXPECT_EQ(Refusal(base, 4), expected);
  int on_stack = 0;
  EXPECT_TRUE(Passes(&on_stack, sizeof on_stack));  // its cached gap must not hide the freed range
  EXPECT_EQ(Refusal(base, 4), expected);

  void* host = ::mmap(base, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(host, base);
  EXPECT_TRUE(Passes(base, 4096));
  EXPECT_TRUE(Passes(base, 4096));
  ::munmap(host, 4096);
}

TEST_F(CheckRangeTest, Address_OrdinaryHostMemory_Passes) {
  static int in_data = 0;
  std::vector<int> on_heap(10'000);
  int on_stack = 0;
  Make(64);
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_TRUE(Passes(&in_data, sizeof in_data));
    EXPECT_TRUE(Passes(on_heap.data(), 40'000));
    EXPECT_TRUE(Passes(&on_stack, sizeof on_stack));
    EXPECT_TRUE(Passes(nullptr, 1));  // null is the caller's check
  }
}

TEST_F(CheckRangeTest, Address_CachedAsHostMemory_IsJudgedAnewWhenAnExtentComesThere) {
  // The kernel tends to give the addresses of an unmapped range to the next mapping of its size.
  void* host = ::mmap(nullptr, 8 * kMiB + 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(host, MAP_FAILED);
  EXPECT_TRUE(Passes(host, 8 * kMiB + 4096));
  ::munmap(host, 8 * kMiB + 4096);
  std::byte* base = Make(8 * kMiB);
  if (base != host) GTEST_SKIP() << "the kernel chose another address";
  EXPECT_THAT(Refusal(base, 8 * kMiB + 1), HasSubstr("do not fit into the 8388608 bytes of aclrtMalloc"));
}

TEST_F(CheckRangeTest, Range_FromHostMemoryIntoAnExtent_IsRefused) {
  std::byte* base = Make(2 * kMiB);
  Memory other;
  const base::Status status = other.CheckRange(base - 16, 32, "src");
  EXPECT_TRUE(status.ok());  // to another Memory all of it is host memory
  EXPECT_EQ(Refusal(base - 16, 32), fmt::format("dst: 32 bytes at {} begin in ordinary host memory and run into device "
                                                "memory of device 7 after 16 bytes",
                                                static_cast<void*>(base - 16)));
}

TEST_F(CheckRangeTest, Cache_TwoMemories_DoNotAnswerForEachOther) {
  std::byte* base = Make(100);
  Memory other;
  EXPECT_TRUE(other.CheckRange(base, 1000, "src").ok());
  EXPECT_THAT(Refusal(base, 1000), EndsWith("1000 bytes would be needed"));
}

TEST_F(CheckRangeTest, Cache_MoreAllocationsThanEntries_StaysRight) {
  std::vector<std::byte*> made;
  for (std::size_t i = 0; i < 20; ++i) made.push_back(Make(100 + i));
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      EXPECT_TRUE(Passes(made[i], 100 + i));
      EXPECT_FALSE(Passes(made[i], 101 + i));
    }
  }
}

}  // namespace
}  // namespace softhccl::memory
