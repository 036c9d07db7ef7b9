// Allocation and release as a program sees them: alignment, laziness, giving back, and every way to free wrongly.
#include "memory/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <vector>

#include "event/ring.h"
#include "memory_fixture.h"

namespace softhccl::memory {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

void Limit(__rlimit_resource resource, rlim_t most) {
  const rlimit limit{most, most};
  ASSERT_EQ(::setrlimit(resource, &limit), 0);
}

class MemoryTest : public MemoryFixture {
 protected:
  std::byte* Make(std::size_t size, int device = 0, Space space = Space::kDevice, const char* purpose = "aclrtMalloc") {
    auto made = memory_.Allocate(space, device, size, purpose);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return made.value_or(nullptr);
  }
  std::string FreeMessage(Space space, void* address) {
    const base::Status status = memory_.Free(space, address);
    EXPECT_EQ(status.code(), base::Code::kInvalidParam);
    const std::string id = " (SH-M003)";
    EXPECT_THAT(status.message(), ::testing::EndsWith(id)) << "softhccl explain needs it";
    return status.message().substr(0, status.message().size() - id.size());
  }
  Memory memory_;
};

TEST_F(MemoryTest, Allocate_AnySize_IsAlignedWritableAndApart) {
  std::map<std::byte*, std::size_t> made;
  for (const std::size_t size :
       {1ul, 63ul, 64ul, 65ul, 4095ul, 4096ul, 4097ul, 100'000ul, kMiB - 1, kMiB, 3 * kMiB + 5}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::byte* base = Make(size);
      ASSERT_NE(base, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(base) % (size >= 4096 ? 4096 : 64), 0u) << size;
      std::memset(base, repeat + 1, size);
      made[base] = size;
    }
  }
  for (auto one = made.begin(); std::next(one) != made.end(); ++one) {
    EXPECT_GE(std::next(one)->first - (one->first + one->second), 64);
  }
  for (const auto& [base, size] : made) EXPECT_TRUE(memory_.Free(Space::kDevice, base).ok());
}

TEST_F(MemoryTest, Allocate_SizeZero_IsRefused) {
  const auto made = memory_.Allocate(Space::kDevice, 3, 0, "aclrtMalloc");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), base::Code::kInvalidArgument);
  EXPECT_EQ(made.error().message(), "size of aclrtMalloc on device 3 is 0, must be at least 1");
}

TEST_F(MemoryTest, Allocate_AbsurdSize_NamesBothNumbers) {
  const auto most = memory_.Allocate(Space::kDevice, 3, SIZE_MAX, "aclrtMalloc");
  ASSERT_FALSE(most.has_value());
  EXPECT_EQ(most.error().code(), base::Code::kOutOfMemory);
  EXPECT_EQ(most.error().message(),
            "18446744073709551615 bytes do not fit into the 9223372036854775807 bytes of an address space, while "
            "allocating 18446744073709551615 bytes of device memory of device 3 for aclrtMalloc");
  const auto many = memory_.Allocate(Space::kHost, -1, std::size_t{1} << 50, "aclrtMallocHost");
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().code(), base::Code::kOutOfMemory);
  EXPECT_THAT(many.error().message(),
              AllOf(HasSubstr("arena softhccl-data: "), HasSubstr(" bytes are in use; allocate less"),
                    EndsWith("while allocating 1125899906842624 bytes of host memory for aclrtMallocHost")));
}

TEST_F(MemoryTest, Allocate_FourHundredMegabytes_CostsOnlyWhatIsTouched) {
  const std::size_t before = CommittedBytes(DataArena().fd());
  std::byte* base = Make(400 * kMiB);
  EXPECT_EQ(ResidentBytes(base), 0u);
  base[0] = base[200 * kMiB] = std::byte{1};
  EXPECT_LE(ResidentBytes(base), 4 * kMiB);
  EXPECT_LE(CommittedBytes(DataArena().fd()) - before, 4 * kMiB);
  EXPECT_TRUE(memory_.Free(Space::kDevice, base).ok());
}

TEST_F(MemoryTest, Free_TouchedMemory_ReturnsToTheSystem) {
  const std::size_t before = CommittedBytes(DataArena().fd());
  std::byte* large = Make(8 * kMiB);
  std::memset(large, 1, 8 * kMiB);
  EXPECT_GE(CommittedBytes(DataArena().fd()) - before, 8 * kMiB);
  EXPECT_TRUE(memory_.Free(Space::kDevice, large).ok());
  EXPECT_EQ(CommittedBytes(DataArena().fd()), before);

  std::byte* keeper = Make(64);
  std::byte* medium = Make(512 * kKiB);
  keeper[0] = std::byte{1};
  std::memset(medium, 1, 512 * kKiB);
  EXPECT_GE(CommittedBytes(DataArena().fd()) - before, 512 * kKiB);
  EXPECT_TRUE(memory_.Free(Space::kDevice, medium).ok());
  EXPECT_LE(CommittedBytes(DataArena().fd()) - before, 64 * kKiB);
  EXPECT_TRUE(memory_.Free(Space::kDevice, keeper).ok());
}

TEST_F(MemoryTest, Free_ManySmallOnes_ReturnToTheSystemWithTheLast) {
  const std::size_t before = CommittedBytes(DataArena().fd());
  std::vector<std::byte*> made;
  for (int i = 0; i < 10'000; ++i) {
    made.push_back(Make(4000));
    std::memset(made.back(), 1, 4000);
  }
  EXPECT_GE(CommittedBytes(DataArena().fd()) - before, 40'000'000u);
  for (std::byte* base : made) EXPECT_TRUE(memory_.Free(Space::kDevice, base).ok());
  EXPECT_LE(CommittedBytes(DataArena().fd()) - before, 64 * kKiB);
}

TEST_F(MemoryTest, Allocate_OnAThousandDevices_NeedsNoDescriptorsAndFewMappings) {
  const std::size_t descriptors = OpenDescriptors();
  const std::size_t mappings = MappingsOf("softhccl-data");
  for (int device = 0; device < 1024; ++device) {
    for (const std::size_t size : {64ul, 4096ul, 300'000ul, 2 * kMiB}) Make(size, device);
  }
  EXPECT_EQ(OpenDescriptors(), descriptors);
  EXPECT_LE(MappingsOf("softhccl-data") - mappings, 3 * 1024u);  // pool, large one, its guard page
  EXPECT_EQ(memory_.UsageOf(Space::kDevice, 1023).count, 4u);
}

TEST_F(MemoryTest, Allocate_TwoDevices_NeverShareAPage) {
  std::byte* first = Make(64, 0);
  std::byte* second = Make(64, 1);
  std::byte* host = Make(64, 0, Space::kHost);
  for (const auto& [one, other] : {std::pair{first, second}, {first, host}, {second, host}}) {
    EXPECT_GE(std::abs(one - other), static_cast<std::ptrdiff_t>(4 * kMiB - 64 * kKiB));
  }
}

TEST_F(MemoryTest, Resolve_InsideAndBeside_AnswersOnlyInside) {
  std::byte* base = Make(100, 5, Space::kDevice, "HcclBuffer of rank 5");
  for (const std::size_t offset : {0ul, 99ul}) {
    const auto found = memory_.Resolve(base + offset);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->base, base);
    EXPECT_EQ(found->size, 100u);
    EXPECT_EQ(found->space, Space::kDevice);
    EXPECT_EQ(found->device, 5);
    EXPECT_STREQ(found->purpose, "HcclBuffer of rank 5");
  }
  EXPECT_FALSE(memory_.Resolve(base + 100).has_value());
  EXPECT_FALSE(memory_.Resolve(&memory_).has_value());
  EXPECT_FALSE(memory_.Resolve(nullptr).has_value());
}

TEST_F(MemoryTest, Resolve_Where_IsThePositionInTheArenaFile) {
  for (const std::size_t size : {200ul, 5000ul, 2 * kMiB}) {
    Make(4096);
    std::byte* base = Make(size);
    base[size - 1] = std::byte{0x77};
    const auto found = memory_.Resolve(base);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->where.arena, DataArena().id());
    EXPECT_EQ(found->where.offset % (size >= 4096 ? 4096 : 64), 0u);
    char byte = 0;
    ASSERT_EQ(::pread(DataArena().fd(), &byte, 1, static_cast<off_t>(found->where.offset + size - 1)), 1);
    EXPECT_EQ(byte, 0x77);
  }
}

TEST_F(MemoryTest, Usage_OfDevicesAndHost_CountsLiveBytes) {
  Make(1000, 1);
  std::byte* freed = Make(2 * kMiB, 1);
  Make(10, 1, Space::kHost);
  Make(20, -1, Space::kHost);
  EXPECT_EQ(memory_.UsageOf(Space::kDevice, 1).bytes, 1000 + 2 * kMiB);
  EXPECT_EQ(memory_.UsageOf(Space::kDevice, 1).count, 2u);
  EXPECT_TRUE(memory_.Free(Space::kDevice, freed).ok());
  EXPECT_EQ(memory_.UsageOf(Space::kDevice, 1).bytes, 1000u);
  EXPECT_EQ(memory_.UsageOf(Space::kDevice, 1).count, 1u);
  EXPECT_EQ(memory_.UsageOf(Space::kDevice, 2).count, 0u);
  EXPECT_EQ(memory_.UsageOf(Space::kHost, 1).bytes, 10u);
  EXPECT_EQ(memory_.UsageOf(Space::kHost, -1).bytes, 30u);
}

TEST_F(MemoryTest, FreeAllOf_Device_LeavesTheOthers) {
  for (int i = 0; i < 5; ++i) Make(100'000, 1);
  Make(2 * kMiB, 1);
  std::byte* other = Make(64, 2);
  std::byte* host = Make(64, 1, Space::kHost);
  EXPECT_EQ(memory_.FreeAllOf(Space::kDevice, 1), 6u);
  EXPECT_EQ(memory_.FreeAllOf(Space::kDevice, 1), 0u);
  EXPECT_EQ(memory_.UsageOf(Space::kDevice, 1).count, 0u);
  EXPECT_TRUE(memory_.Resolve(other).has_value());
  EXPECT_TRUE(memory_.Resolve(host).has_value());
  Make(64, 1);  // the device's pool comes back
  Make(64, -1, Space::kHost);
  EXPECT_EQ(memory_.FreeAllOf(Space::kHost, -1), 2u);
}

TEST_F(MemoryTest, FreeAllOf_Device_UnmapsItsExtents) {
  const std::size_t mappings = MappingsOf("softhccl-data");
  Make(64, 9);
  Make(2 * kMiB, 9);
  EXPECT_GT(MappingsOf("softhccl-data"), mappings);
  memory_.FreeAllOf(Space::kDevice, 9);
  EXPECT_EQ(MappingsOf("softhccl-data"), mappings);
}

TEST_F(MemoryTest, Free_Twice_SaysWasFreedAlready) {
  for (const std::size_t size : {100ul, 3 * kMiB}) {
    std::byte* base = Make(size, 4);
    EXPECT_TRUE(memory_.Free(Space::kDevice, base).ok());
    EXPECT_EQ(FreeMessage(Space::kDevice, base),
              fmt::format("{} was freed already; it was device memory of device 4 ({} bytes of aclrtMalloc)",
                          static_cast<void*>(base), size));
  }
}

TEST_F(MemoryTest, Free_FirstAddressFreedLongAgo_IsForgottenNotMisnamed) {
  Make(64);  // keeps the extent
  std::byte* first = Make(64);
  Make(64);
  EXPECT_TRUE(memory_.Free(Space::kDevice, first).ok());
  for (int i = 0; i < 4096; ++i) EXPECT_TRUE(memory_.Free(Space::kDevice, Make(128)).ok());
  EXPECT_EQ(FreeMessage(Space::kDevice, first),
            fmt::format("{} lies in device memory of device 0 but no live allocation begins there",
                        static_cast<void*>(first)));
}

TEST_F(MemoryTest, Free_AddressInside_NamesTheFirstAddress) {
  std::byte* base = Make(4096);
  EXPECT_EQ(FreeMessage(Space::kDevice, base + 16),
            fmt::format("{} points 16 bytes into the 4096 bytes of aclrtMalloc; free their first address {}",
                        static_cast<void*>(base + 16), static_cast<void*>(base)));
  EXPECT_TRUE(memory_.Free(Space::kDevice, base).ok());
}

TEST_F(MemoryTest, Free_OtherSpace_NamesTheRightCall) {
  std::byte* device = Make(100, 2);
  std::byte* host = Make(200, 2, Space::kHost, "aclrtMallocHost");
  EXPECT_EQ(FreeMessage(Space::kHost, device),
            fmt::format("{} is device memory of device 2 (100 bytes of aclrtMalloc), not host memory; free it with "
                        "aclrtFree",
                        static_cast<void*>(device)));
  EXPECT_EQ(FreeMessage(Space::kDevice, host),
            fmt::format("{} is host memory (200 bytes of aclrtMallocHost), not device memory; free it with "
                        "aclrtFreeHost",
                        static_cast<void*>(host)));
  EXPECT_TRUE(memory_.Resolve(device).has_value());
  EXPECT_TRUE(memory_.Resolve(host).has_value());
}

TEST_F(MemoryTest, Free_UnknownOrNull_SaysSo) {
  int on_stack = 0;
  EXPECT_THAT(FreeMessage(Space::kDevice, &on_stack),
              EndsWith("is not memory of this library; free it where it was allocated"));
  EXPECT_EQ(FreeMessage(Space::kHost, nullptr), "null is not the address of an allocation");
}

TEST_F(MemoryTest, Free_PointerBehindAnAllocation_NamesTheDevice) {
  std::byte* base = Make(100, 6);
  EXPECT_THAT(FreeMessage(Space::kDevice, base + 128), HasSubstr("lies in device memory of device 6"));
}

TEST_F(MemoryTest, AllocateAndFree_WhileRecording_EmitDeviceAddressAndBytes) {
  event::StartRecording(1000);
  event::AttachThread("test");
  std::byte* base = Make(1234, 3);
  EXPECT_TRUE(memory_.Free(Space::kDevice, base).ok());
  event::StopRecording();
  const event::Recording recording = event::Collect();
  ASSERT_EQ(recording.events.size(), 2u);
  EXPECT_EQ(recording.events[0].kind, event::Kind::kAlloc);
  EXPECT_EQ(recording.events[1].kind, event::Kind::kFree);
  for (const event::Event& one : recording.events) {
    EXPECT_EQ(one.stream, event::kNoStream);
    EXPECT_EQ(one.object, 3u);
    EXPECT_EQ(one.a, reinterpret_cast<std::uintptr_t>(base));
    EXPECT_EQ(one.b, 1234u);
  }
}

// Runs in a fresh process, where the arena does not exist yet. The file-size limit is the refusal of choice because
// UBSan's vptr check needs a pipe and misfires when it is the descriptors that have run out.
TEST(MemoryDeathTest, Allocate_SystemRefusesTheArena_IsAnErrorNotACrash) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Limit(RLIMIT_FSIZE, 4095);  // less than a page, enough for the captured stderr
        const auto made = Memory::Process().Allocate(Space::kDevice, 0, 64, "aclrtMalloc");
        if (!made.has_value()) fmt::print(stderr, "{}\n", made.error().message());
        ::_exit(!made.has_value() && made.error().code() == base::Code::kOutOfMemory ? 0 : 1);
      },
      ::testing::ExitedWithCode(0),
      "arena softhccl-data: capacity of 4096 bytes exceeds the file-size limit of 4095 bytes; raise ulimit -f, while "
      "allocating 64 bytes of device memory of device 0 for aclrtMalloc");
  ::testing::FLAGS_gtest_death_test_style = "fast";
}

TEST(MemoryDeathTest, Allocate_UnderAFileSizeLimit_ArenaIsAsLargeAsTheLimit) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Limit(RLIMIT_FSIZE, 64 * kMiB);
        const bool small = Memory::Process().Allocate(Space::kDevice, 0, kMiB, "aclrtMalloc").has_value();
        const auto large = Memory::Process().Allocate(Space::kDevice, 0, 64 * kMiB, "aclrtMalloc");
        if (!large.has_value()) fmt::print(stderr, "{}\n", large.error().message());
        ::_exit(small && !large.has_value() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "of its 67108864 bytes are in use; allocate less");
  ::testing::FLAGS_gtest_death_test_style = "fast";
}

TEST(MemoryDeathTest, Access_BehindALargeAllocation_Faults) {
  EXPECT_DEATH(
      {
        Memory memory;
        auto made = memory.Allocate(Space::kDevice, 0, kMiB, "aclrtMalloc");
        (*made)[kMiB] = std::byte{1};
      },
      "");
}

TEST(MemoryProcess, Process_AskedTwice_IsOneObject) { EXPECT_EQ(&Memory::Process(), &Memory::Process()); }

}  // namespace
}  // namespace softhccl::memory
