// The promises of an arena: sealed, sparse, lazily committed, given back, and clear about what it refuses.
#include "memory/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "memory_fixture.h"

namespace softhccl::memory {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;

class ArenaTest : public MemoryFixture {};

TEST_F(ArenaTest, File_OfAnyArena_IsSealedAndClosedOnExec) {
  auto arena = Arena::Create("test", 64 * kMiB);
  ASSERT_TRUE(arena.has_value()) << arena.error().message();
  for (const int fd : {(*arena)->fd(), DataArena().fd(), ControlArena().fd()}) {
    EXPECT_EQ(::fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd, 4096), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(::ftruncate(fd, std::numeric_limits<off_t>::max()), -1);
    EXPECT_EQ(errno, EPERM);
  }
}

TEST_F(ArenaTest, Id_OfTwoArenas_Differs) {
  EXPECT_NE(DataArena().id(), ControlArena().id());
  EXPECT_NE(DataArena().id(), 0u);
}

TEST_F(ArenaTest, Create_CapacityZero_IsRefused) {
  auto arena = Arena::Create("test", 0);
  ASSERT_FALSE(arena.has_value());
  EXPECT_EQ(arena.error().code(), base::Code::kInvalidArgument);
  EXPECT_EQ(arena.error().message(), "arena test: capacity is 0");
}

TEST_F(ArenaTest, Create_CapacityBeyondTheFileSizeLimit_NamesBothNumbers) {
  auto arena = Arena::Create("test", std::numeric_limits<std::uint64_t>::max());
  ASSERT_FALSE(arena.has_value());
  EXPECT_EQ(arena.error().code(), base::Code::kOutOfMemory);
  EXPECT_THAT(arena.error().message(), HasSubstr("capacity of 18446744073709551615 bytes exceeds the file-size limit"));
}

TEST_F(ArenaTest, MapExtent_Untouched_CommitsNothing) {
  auto arena = Arena::Create("test", 1024 * kMiB);
  ASSERT_TRUE(arena.has_value());
  auto extent = (*arena)->MapExtent(512 * kMiB);
  ASSERT_TRUE(extent.has_value());
  EXPECT_EQ(CommittedBytes((*arena)->fd()), 0u);
  extent->mapping.data()[100 * kMiB] = std::byte{1};
  EXPECT_LE(CommittedBytes((*arena)->fd()), 2 * kMiB);
  (*arena)->ReleaseExtent(std::move(*extent));
  EXPECT_EQ(CommittedBytes((*arena)->fd()), 0u);
}

TEST_F(ArenaTest, MapExtent_OddSize_IsRoundedUpToPages) {
  auto arena = Arena::Create("test", kMiB);
  ASSERT_TRUE(arena.has_value());
  auto extent = (*arena)->MapExtent(5000);
  ASSERT_TRUE(extent.has_value());
  EXPECT_EQ(extent->mapping.size() % static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), 0u);
  EXPECT_GE(extent->mapping.size(), 5000u);
  (*arena)->ReleaseExtent(std::move(*extent));
}

TEST_F(ArenaTest, MapExtent_SizeZero_IsRefused) {
  auto extent = DataArena().MapExtent(0);
  ASSERT_FALSE(extent.has_value());
  EXPECT_EQ(extent.error().code(), base::Code::kInvalidArgument);
  EXPECT_EQ(extent.error().message(), "arena softhccl-data: extent of 0 bytes");
}

TEST_F(ArenaTest, MapExtent_CapacityExhausted_NamesBothNumbers) {
  auto arena = Arena::Create("test", 4 * kMiB);
  ASSERT_TRUE(arena.has_value());
  auto first = (*arena)->MapExtent(3 * kMiB);
  ASSERT_TRUE(first.has_value());
  auto second = (*arena)->MapExtent(2 * kMiB);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), base::Code::kOutOfMemory);
  EXPECT_EQ(second.error().message(),
            "arena test: 2097152 bytes do not fit, 3145728 of its 4194304 bytes are in use; allocate less");
  auto absurd = (*arena)->MapExtent(SIZE_MAX);
  ASSERT_FALSE(absurd.has_value());
  EXPECT_THAT(absurd.error().message(), HasSubstr("18446744073709551615 bytes do not fit"));
  (*arena)->ReleaseExtent(std::move(*first));
}

TEST_F(ArenaTest, MapExtent_AddressSpaceExhausted_SaysSoAndKeepsTheOffsets) {
  auto arena = Arena::Create("test", std::uint64_t{1} << 60);
  ASSERT_TRUE(arena.has_value()) << arena.error().message();
  auto extent = (*arena)->MapExtent(std::size_t{1} << 60);
  ASSERT_FALSE(extent.has_value());
  EXPECT_EQ(extent.error().code(), base::Code::kOutOfMemory);
  EXPECT_THAT(extent.error().message(), HasSubstr("mapping 1152921504606846976 bytes failed with 0 bytes in use"));
  EXPECT_THAT(extent.error().message(), HasSubstr("vm.max_map_count"));
  auto later = (*arena)->MapExtent(kMiB);
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->offset, 0u);
  (*arena)->ReleaseExtent(std::move(*later));
}

TEST_F(ArenaTest, ReleaseExtent_Reused_SameOffsetReadsAsZero) {
  auto arena = Arena::Create("test", 4 * kMiB);
  ASSERT_TRUE(arena.has_value());
  auto extent = (*arena)->MapExtent(4 * kMiB);
  ASSERT_TRUE(extent.has_value());
  std::memset(extent->mapping.data(), 0x5a, 4 * kMiB);
  (*arena)->ReleaseExtent(std::move(*extent));
  auto again = (*arena)->MapExtent(4 * kMiB);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->offset, 0u);
  for (std::size_t i = 0; i < 4 * kMiB; i += 4096) ASSERT_EQ(again->mapping.data()[i], std::byte{0});
  (*arena)->ReleaseExtent(std::move(*again));
}

TEST_F(ArenaTest, ReleaseExtent_Empty_DoesNothing) { DataArena().ReleaseExtent(Extent{}); }

TEST_F(ArenaTest, MapExtent_SecondMappingOfItsOffset_SharesTheBytes) {
  auto arena = Arena::Create("test", 4 * kMiB);
  ASSERT_TRUE(arena.has_value());
  auto extent = (*arena)->MapExtent(kMiB);
  ASSERT_TRUE(extent.has_value());
  void* peer =
      ::mmap(nullptr, kMiB, PROT_READ | PROT_WRITE, MAP_SHARED, (*arena)->fd(), static_cast<off_t>(extent->offset));
  ASSERT_NE(peer, MAP_FAILED);
  const base::Mapping peer_mapping(peer, kMiB);
  extent->mapping.data()[77] = std::byte{42};
  EXPECT_EQ(peer_mapping.data()[77], std::byte{42});
  (*arena)->ReleaseExtent(std::move(*extent));
}

}  // namespace
}  // namespace softhccl::memory
