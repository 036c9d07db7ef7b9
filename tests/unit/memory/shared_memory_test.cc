// Memory under a key: an import is the same bytes at other addresses, exactly as long as it is open, and the exported
// allocation stays.
#include "memory/shared_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "memory/memory.h"
#include "memory/shared_key.h"
#include "memory/virtual_memory.h"

namespace softhccl::memory {
namespace {

using base::Code;
using ::testing::HasSubstr;

class SharedMemoriesTest : public ::testing::Test {
 protected:
  std::byte* Allocate(std::size_t size) {
    return Memory::Process().Allocate(Space::kDevice, 6, size, "a test's allocation").value();
  }
  base::Status Free(std::byte* address) { return Memory::Process().Free(Space::kDevice, address); }
  void Close(const std::string& key) { EXPECT_TRUE(shared_.Close(key).ok()); }

  SharedMemories& shared_ = SharedMemories::Process();
};

TEST_F(SharedMemoriesTest, Imported_SmallAndLarge_IsTheSameMemoryElsewhere) {
  for (const std::size_t size : {std::size_t{40}, std::size_t{5000}, std::size_t{3} << 20}) {
    std::byte* const own = Allocate(size);
    const std::string key = shared_.Export(own + 8, size - 16, false).value();
    std::byte* const imported = shared_.Import(key).value();
    EXPECT_NE(imported, own + 8);
    own[8] = std::byte{1};
    imported[size - 17] = std::byte{2};
    EXPECT_EQ(imported[0], std::byte{1});
    EXPECT_EQ(own[size - 9], std::byte{2});
    const auto allocation = Memory::Process().Resolve(imported);
    ASSERT_TRUE(allocation.has_value());
    EXPECT_EQ(allocation->device, 6);
    EXPECT_EQ(allocation->size, size - 16);
    EXPECT_EQ(allocation->where.offset, Memory::Process().Resolve(own)->where.offset + 8);
    EXPECT_TRUE(Memory::Process().CheckRange(imported, size - 16, "dst").ok());
    EXPECT_FALSE(Memory::Process().CheckRange(imported, size - 15, "dst").ok());
    EXPECT_FALSE(Memory::Process().CheckRange(imported - 1, 1, "dst").ok());
    Close(key);
    EXPECT_FALSE(Memory::Process().Resolve(imported).has_value());
    EXPECT_FALSE(Memory::Process().CheckRange(imported, 1, "dst").ok()) << "unmapped, and remembered";
    Close(key);
    EXPECT_TRUE(Free(own).ok());
  }
}

TEST_F(SharedMemoriesTest, Exported_CannotBeFreedBeforeItIsClosed) {
  std::byte* const own = Allocate(100);
  const std::string key = shared_.Export(own, 100, true).value();
  EXPECT_THAT(Free(own).message(), HasSubstr("is shared by 1 keys of aclrtIpcMemGetExportKey; close them"));
  Close(key);
  EXPECT_TRUE(Free(own).ok());
  EXPECT_THAT(shared_.Import(key).error().message(), HasSubstr("is not open: its export was closed"));
}

TEST_F(SharedMemoriesTest, Pids_AreCheckedUnlessSwitchedOff) {
  std::byte* const own = Allocate(100);
  const std::string key = shared_.Export(own, 100, true).value();
  EXPECT_TRUE(shared_.Allow(key, {1}).ok());
  EXPECT_THAT(shared_.Import(key).error().message(), HasSubstr("is not among the 1 that may import"));
  EXPECT_TRUE(shared_.Allow(key, {::getpid()}).ok());
  EXPECT_TRUE(shared_.Import(key).has_value());
  Close(key);
  Close(key);
  EXPECT_TRUE(Free(own).ok());
}

TEST_F(SharedMemoriesTest, BadRange_IsRefusedAndPinsNothing) {
  std::byte* const own = Allocate(100);
  EXPECT_THAT(shared_.Export(own + 50, 51, true).error().message(),
              HasSubstr("51 bytes at offset 50 are not in the 100 bytes of a test's allocation"));
  EXPECT_FALSE(shared_.Export(own, 0, true).has_value());
  int on_the_stack = 0;
  EXPECT_THAT(shared_.Export(&on_the_stack, 4, true).error().message(), HasSubstr("does not lie in a live allocation"));
  EXPECT_TRUE(Free(own).ok());
}

TEST_F(SharedMemoriesTest, ImportedMemory_FreedOrExportedAgain) {
  std::byte* const own = Allocate(100);
  const std::string key = shared_.Export(own, 100, false).value();
  std::byte* const imported = shared_.Import(key).value();
  EXPECT_THAT(Free(imported).message(), HasSubstr("end it with aclrtIpcMemClose"));
  Close(key);
  Close(key);
  EXPECT_TRUE(Free(own).ok());
}

TEST_F(SharedMemoriesTest, MappedPhysicalMemory_CanBeSharedAndStaysMapped) {
  VirtualMemory& virtual_memory = VirtualMemory::Process();
  constexpr std::size_t kUnit = VirtualMemory::kGranularity;
  const std::uint64_t physical = virtual_memory.Allocate(kUnit, {Space::kDevice, 6, 0, kUnit}).value();
  std::byte* const address = virtual_memory.Reserve(kUnit, nullptr).value();
  ASSERT_TRUE(virtual_memory.Map(address, kUnit, physical).ok());
  const std::string key = shared_.Export(address + 100, 4, false).value();
  std::byte* const imported = shared_.Import(key).value();
  address[100] = std::byte{9};
  EXPECT_EQ(imported[0], std::byte{9});
  EXPECT_THAT(virtual_memory.Unmap(address).message(), HasSubstr("is shared by 1 keys; close them"));
  Close(key);
  Close(key);
  EXPECT_TRUE(virtual_memory.Unmap(address).ok());
  EXPECT_TRUE(virtual_memory.Release(address).ok());
  EXPECT_TRUE(virtual_memory.Free(physical).ok());
}

TEST(SharedKeyTest, Keys_AreRecognisedByKindAndProcess) {
  const std::string key = MakeSharedKey("mem", 7);
  EXPECT_LT(key.size(), kSharedKeySize);
  std::int32_t process = 0;
  EXPECT_TRUE(IsSharedKey("mem", key, &process));
  EXPECT_EQ(process, ::getpid());
  EXPECT_FALSE(IsSharedKey("notify", key, &process));
  for (const char* bad : {"", "softhccl-mem-", "softhccl-mem-x-1", "softhccl-mem-12", "something else"}) {
    EXPECT_FALSE(IsSharedKey("mem", bad, &process)) << bad;
    EXPECT_THAT(ExplainUnknownKey("mem", bad, "").message(), HasSubstr("is none of this library"));
  }
  const base::Status foreign = ExplainUnknownKey("mem", "softhccl-mem-1-7-0", "");
  EXPECT_EQ(foreign.code(), Code::kNotSupported);
  EXPECT_THAT(foreign.message(),
              HasSubstr("was exported by process 1; what other processes export cannot be imported"));
}

}  // namespace
}  // namespace softhccl::memory
