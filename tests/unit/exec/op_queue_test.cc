// The queue of a stream hands blocks back and forth between submitters and the owner; what can go wrong is at the
// boundaries of blocks and when blocks are used again, so that is where these tests push.
#include "exec/op_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

Op Numbered(std::uint64_t number) {
  Op op;
  op.number = number;
  return op;
}

TEST(OpQueue, ManyBlocks_InOrder) {
  OpQueue queue;
  constexpr std::uint64_t kCount = 5 * OpQueue::kBlockOps + 3;
  for (std::uint64_t i = 0; i < kCount; ++i) queue.Append(Numbered(i));
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(queue.Front().number, i);
    queue.Pop();
  }
}

TEST(OpQueue, FrontAtBlockEnd_StaysUntilPopped) {
  OpQueue queue;
  for (std::uint64_t i = 0; i <= OpQueue::kBlockOps; ++i) queue.Append(Numbered(i));
  for (std::uint64_t i = 0; i < OpQueue::kBlockOps; ++i) queue.Pop();
  Op& first = queue.Front();
  EXPECT_EQ(first.number, OpQueue::kBlockOps);
  EXPECT_EQ(&queue.Front(), &first);
}

TEST(OpQueue, OpWithProgress_KeepsItsPlace) {
  OpQueue queue;
  queue.Append(Numbered(1));
  queue.Front().arg[3] = 42;
  for (std::uint64_t i = 2; i < 200; ++i) queue.Append(Numbered(i));
  EXPECT_EQ(queue.Front().arg[3], 42u);
}

TEST(OpQueue, UsedForLong_BlocksAreUsedAgainInOrder) {
  OpQueue queue;
  std::uint64_t appended = 0;
  std::uint64_t popped = 0;
  // Bursts of changing length meet every position of the block boundary.
  for (std::uint64_t burst = 1; burst < 150; ++burst) {
    for (std::uint64_t i = 0; i < burst; ++i) queue.Append(Numbered(appended++));
    for (std::uint64_t i = 0; i < burst; ++i) {
      ASSERT_EQ(queue.Front().number, popped);
      queue.Pop();
      ++popped;
    }
  }
}

TEST(OpQueue, ClearedWithOpsLeft_StartsAnew) {
  OpQueue queue;
  for (const std::uint64_t left : {0u, 1u, 31u, 32u, 100u}) {
    for (std::uint64_t i = 0; i < 100; ++i) queue.Append(Numbered(i));
    for (std::uint64_t i = left; i < 100; ++i) {
      static_cast<void>(queue.Front());
      queue.Pop();
    }
    queue.Clear();
    queue.Append(Numbered(7));
    ASSERT_EQ(queue.Front().number, 7u) << left << " ops were left";
    queue.Pop();
    queue.Clear();
  }
}

TEST(OpQueue, SubmitterAndOwnerAtOnce_InOrder) {
  OpQueue queue;
  std::atomic<std::uint64_t> published{0};
  constexpr std::uint64_t kCount = kSanitized ? 20'000 : 200'000;
  std::thread submitter([&] {
    for (std::uint64_t i = 0; i < kCount; ++i) {
      queue.Append(Numbered(i));
      published.store(i + 1);
    }
  });
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    while (published.load() <= i) ::sched_yield();
    wrong += queue.Front().number != i;
    queue.Pop();
  }
  submitter.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace softhccl::exec
