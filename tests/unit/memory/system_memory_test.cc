// What is made of the texts in which the kernel describes memory.
#include "memory/system_memory.h"

#include <gtest/gtest.h>

namespace softhccl::memory {
namespace {

constexpr const char* kMachine = "MemTotal:       1000 kB\nMemFree:  10 kB\nMemAvailable:    600 kB\n";

TEST(SystemMemoryTest, NoGroupLimit_IsTheMachine) {
  for (const char* limit : {"", "max\n", "99999999999\n"}) {
    const auto memory = ParseSystemMemory(kMachine, limit, "5\n");
    ASSERT_TRUE(memory.has_value());
    EXPECT_EQ(memory->total, 1000u * 1024);
    EXPECT_EQ(memory->free, 600u * 1024);
  }
}

TEST(SystemMemoryTest, GroupLimit_IsTheTotalAndBoundsWhatIsFree) {
  const auto memory = ParseSystemMemory(kMachine, "500000\n", "100000\n");
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->total, 500000u);
  EXPECT_EQ(memory->free, 400000u);
  EXPECT_EQ(ParseSystemMemory(kMachine, "500000\n", "600000\n")->free, 0u);
}

TEST(SystemMemoryTest, LineMissing_IsNamed) {
  const auto memory = ParseSystemMemory("MemTotal: 5 kB\n", "", "");
  ASSERT_FALSE(memory.has_value());
  EXPECT_EQ(memory.error().message(), "/proc/meminfo has no MemAvailable line");
}

TEST(SystemMemoryTest, ThisMachine_HasMemory) {
  const auto memory = ReadSystemMemory();
  ASSERT_TRUE(memory.has_value());
  EXPECT_GT(memory->free, 0u);
  EXPECT_LE(memory->free, memory->total);
}

}  // namespace
}  // namespace softhccl::memory
