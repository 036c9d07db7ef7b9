// Four threads allocate, check, resolve and free at once; meant to be run under ThreadSanitizer too.
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "memory/control.h"
#include "memory/memory.h"
#include "memory_fixture.h"

namespace softhccl::memory {
namespace {

class MemoryThreadsTest : public MemoryFixture {};

// One thread's life: every block it holds is its own to check, whatever the others do.
void Churn(Memory& memory, int device, std::byte* shared, std::atomic<int>* failures) {
  std::mt19937 random(static_cast<unsigned>(device) + 1);
  std::vector<std::pair<std::byte*, std::size_t>> held;
  const auto expect = [&](bool truth) { failures->fetch_add(truth ? 0 : 1); };
  for (int step = 0; step < 2000; ++step) {
    if (held.size() < 20 && random() % 2 == 0) {
      const std::size_t size = random() % 50 == 0 ? (1u << 20) + random() % 4096 : 1 + random() % 20'000;
      auto made = memory.Allocate(step % 3 == 0 ? Space::kHost : Space::kDevice, device % 2, size, "churn");
      if (!made.has_value()) return expect(false);
      std::memset(*made, device, std::min<std::size_t>(size, 128));
      held.emplace_back(*made, size);
    } else if (!held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      const auto [base, size] = held.back();
      const auto found = memory.Resolve(base + size - 1);
      expect(found.has_value() && found->base == base && found->size == size);
      expect(memory.CheckRange(base, size, "src").ok());
      expect(!memory.CheckRange(base, size + 1, "src").ok());
      expect(memory.Free(found->space, base).ok());
      held.pop_back();
    }
    expect(memory.CheckRange(shared, 4096, "dst").ok());
    expect(memory.CheckRange(&random, sizeof random, "src").ok());
  }
  for (const auto& [base, size] : held) expect(memory.Free(memory.Resolve(base)->space, base).ok());
}

TEST_F(MemoryThreadsTest, Churn_FourThreads_EveryoneSeesOwnBlocks) {
  Memory memory;
  std::byte* shared = memory.Allocate(Space::kDevice, 0, 4096, "shared").value_or(nullptr);
  ASSERT_NE(shared, nullptr);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { Churn(memory, i, shared, &failures); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ(memory.UsageOf(Space::kDevice, 0).count, 1u);
  EXPECT_EQ(memory.UsageOf(Space::kDevice, 1).count, 0u);
  EXPECT_EQ(memory.UsageOf(Space::kHost, -1).count, 0u);
}

TEST_F(MemoryThreadsTest, Free_SeenByAnotherThread_InvalidatesItsCache) {
  Memory memory;
  std::byte* keeper = memory.Allocate(Space::kDevice, 0, 64, "keeper").value_or(nullptr);
  std::byte* base = memory.Allocate(Space::kDevice, 0, 256, "freed").value_or(nullptr);
  ASSERT_NE(base, nullptr);
  std::atomic<int> stage{0};
  bool passed_before = false;
  bool passed_after = true;
  std::thread reader([&] {
    passed_before = memory.CheckRange(base, 256, "src").ok() && memory.CheckRange(base, 256, "src").ok();
    stage = 1;
    stage.notify_one();
    stage.wait(1);
    passed_after = memory.CheckRange(base, 256, "src").ok();
  });
  stage.wait(0);
  const bool is_freed = memory.Free(Space::kDevice, base).ok();
  stage = 2;
  stage.notify_one();
  reader.join();
  EXPECT_TRUE(is_freed);
  EXPECT_TRUE(passed_before);
  EXPECT_FALSE(passed_after);
  EXPECT_TRUE(memory.CheckRange(keeper, 64, "src").ok());
}

TEST_F(MemoryThreadsTest, ControlSlots_FourThreads_NeverShareASlot) {
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&failures] {
      for (int step = 0; step < 5000; ++step) {
        auto slot = AllocateControlSlot();
        if (!slot.has_value() || (*slot)->word.fetch_add(1) != 0) failures.fetch_add(1);
        if (LocateControlSlot(ControlSlotRef(*slot)) != *slot) failures.fetch_add(1);
        FreeControlSlot(*slot);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures.load(), 0);
}

}  // namespace
}  // namespace softhccl::memory
