// Descriptors and mappings must be closed exactly once, a futex wait must end for every reason it can end for, and the
// spin lock must exclude. None of these tests sleeps for a guessed time.
#include "base/os.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/spin_lock.h"

namespace softhccl::base {
namespace {

bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

int NewFd() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(UniqueFdTest, Destruction_Closes) {
  int raw = -1;
  {
    const UniqueFd fd(NewFd());
    raw = fd.get();
    EXPECT_TRUE(fd.valid());
    EXPECT_TRUE(IsOpen(raw));
  }
  EXPECT_FALSE(IsOpen(raw));
}

TEST(UniqueFdTest, Move_HandsTheDescriptorOver) {
  UniqueFd first(NewFd());
  const int raw = first.get();
  UniqueFd second(std::move(first));
  EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): the state after a move is the subject
  EXPECT_EQ(second.get(), raw);
  UniqueFd third(NewFd());
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_FALSE(IsOpen(replaced));
  EXPECT_EQ(third.get(), raw);
  UniqueFd& itself = third;
  third = std::move(itself);
  EXPECT_TRUE(IsOpen(raw));
  third.Reset();
  third.Reset();
  EXPECT_FALSE(third.valid());
  EXPECT_FALSE(IsOpen(raw));
}

TEST(UniqueFdTest, Default_IsInvalid) {
  const UniqueFd fd;
  EXPECT_FALSE(fd.valid());
  EXPECT_EQ(fd.get(), -1);
}

constexpr std::size_t kPage = 4096;

void* NewPage() { return ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

bool IsMapped(void* page) { return ::msync(page, kPage, MS_ASYNC) == 0; }

TEST(MappingTest, Destruction_Unmaps) {
  void* page = NewPage();
  {
    const Mapping mapping(page, kPage);
    EXPECT_TRUE(mapping.valid());
    EXPECT_EQ(mapping.data(), page);
    EXPECT_EQ(mapping.size(), kPage);
    EXPECT_TRUE(IsMapped(page));
  }
  EXPECT_FALSE(IsMapped(page));
}

TEST(MappingTest, Move_HandsTheRangeOver) {
  void* page = NewPage();
  void* other = NewPage();
  Mapping first(page, kPage);
  Mapping second(std::move(first));
  EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): the state after a move is the subject
  EXPECT_EQ(first.size(), 0u);
  Mapping third(other, kPage);
  third = std::move(second);
  EXPECT_FALSE(IsMapped(other));
  EXPECT_EQ(third.data(), page);
  Mapping& itself = third;
  third = std::move(itself);
  EXPECT_TRUE(IsMapped(page));
  third.Reset();
  EXPECT_FALSE(IsMapped(page));
  EXPECT_FALSE(third.valid());
}

TEST(FutexTest, Timeout_EndsTheWait) {
  std::atomic<std::uint32_t> word{1};
  const SteadyClock clock;
  const Nanos limit = FromMillis(5);
  const Nanos end = clock.Now() + limit;
  while (clock.Now() < end) FutexWait(word, 1, limit);
  EXPECT_GE(clock.Now(), end);
  FutexWait(word, 1, 0);
  FutexWait(word, 1, -5) /* in the past: returns at once */;
  EXPECT_EQ(word.load(), 1u);
}

TEST(FutexTest, ChangedWord_DoesNotSleep) {
  std::atomic<std::uint32_t> word{2};
  FutexWait(word, 1, kForever);
  EXPECT_EQ(word.load(), 2u);
}

TEST(FutexTest, Wake_EndsTheWait) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<bool> awake{false};
  std::thread sleeper([&] {
    while (word.load() == 0) FutexWait(word, 0, kForever);
    awake.store(true);
  });
  word.store(1);
  FutexWake(word, 1);
  sleeper.join();
  EXPECT_TRUE(awake.load());
}

TEST(OsTest, UsableCores_IsWhatTheAffinitySays) {
  EXPECT_GE(UsableCores(), 1);
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  std::thread([&] {
    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(UsableCores(), 1);
  }).join();
}

TEST(OsTest, ThreadId_DiffersPerThread) {
  const std::int32_t mine = ThreadId();
  std::int32_t other = mine;
  std::thread([&] { other = ThreadId(); }).join();
  EXPECT_EQ(mine, static_cast<std::int32_t>(::getpid())) << "gtest runs tests on the main thread";
  EXPECT_NE(other, mine);
}

TEST(SpinLockTest, Threads_ExcludeEachOther) {
  SpinLock lock;
  std::uint64_t counter = 0;  // guarded by lock
  bool inside = false;        // guarded by lock
  std::atomic<int> overlaps{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10000; ++round) {
        const std::lock_guard guard(lock);
        if (inside) overlaps.fetch_add(1);
        inside = true;
        ++counter;
        inside = false;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 40000u);
  EXPECT_EQ(overlaps.load(), 0);
}

TEST(SpinLockTest, HolderWithoutCore_IsWaitedFor) {
  SpinLock lock;
  std::atomic<bool> entered{false};
  lock.lock();
  std::thread contender([&] {
    const std::lock_guard guard(lock);
    entered.store(true);
  });
  for (int i = 0; i < 1000; ++i) ::sched_yield();
  EXPECT_FALSE(entered.load());
  lock.unlock();
  contender.join();
  EXPECT_TRUE(entered.load());
}

TEST(ClockTest, Clocks_MoveForward) {
  const SteadyClock steady;
  const Nanos first = steady.Now();
  EXPECT_LE(first, steady.Now());
  ManualClock manual;
  const Nanos start = manual.Now();
  manual.Advance(FromMillis(3));
  EXPECT_EQ(manual.Now() - start, 3'000'000);
  EXPECT_EQ(FromSeconds(1.5), 1'500'000'000);
}

}  // namespace
}  // namespace softhccl::base
