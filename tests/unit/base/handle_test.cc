// Every value a C program can pass as a handle must get an answer: live, destroyed, of another kind, or invented. A
// lookup races with the end of its object by design; the generation must decide it.
#include "base/handle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softhccl::base {
namespace {

using ::testing::ElementsAre;

struct Object {
  std::atomic<std::uint64_t> owner{0};  // handle of the present use
};
using TestSlab = Slab<Object, HandleKind::kNotify>;

class SlabTest : public ::testing::Test {
 protected:
  std::uint64_t Make() {
    std::uint64_t handle = 0;
    Object* object = slab_->Allocate(&handle);
    object->owner = handle;
    slab_->Publish(handle);
    return handle;
  }
  void Destroy(std::uint64_t handle) {
    EXPECT_TRUE(slab_->Retire(handle));
    slab_->Recycle(handle);
  }
  std::string WhyNot(std::uint64_t handle) {
    const auto found = slab_->Get(handle, "notify");
    if (found) return "found";
    EXPECT_EQ(found.error().code(), Code::kInvalidHandle);
    return found.error().message();
  }

  std::unique_ptr<TestSlab> slab_ = std::make_unique<TestSlab>();
};

TEST(HandleBitsTest, Fields_AreWhereTheLayoutSays) {
  const HandleBits bits{0xA2'123456'789ABCDEull};
  EXPECT_EQ(bits.kind(), HandleKind::kNotify);
  EXPECT_EQ(bits.generation(), 0x123456u);
  EXPECT_EQ(bits.index(), 0x789ABCDEu);
}

TEST(HandleBitsTest, KindNames_AreDistinctAndUnknownIsEmpty) {
  std::set<std::string_view> names;
  for (const HandleKind kind :
       {HandleKind::kNone, HandleKind::kStream, HandleKind::kNotify, HandleKind::kBinary, HandleKind::kFunction,
        HandleKind::kComm, HandleKind::kCommThread, HandleKind::kChannel}) {
    EXPECT_FALSE(HandleKindName(kind).empty());
    EXPECT_TRUE(names.insert(HandleKindName(kind)).second) << HandleKindName(kind);
  }
  EXPECT_EQ(HandleKindName(static_cast<HandleKind>(0x55)), "");
}

TEST_F(SlabTest, Allocated_IsFoundOncePublished) {
  std::uint64_t handle = 0;
  Object* object = slab_->Allocate(&handle);
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(HandleBits{handle}.kind(), HandleKind::kNotify);
  EXPECT_NE(HandleBits{handle}.generation(), 0u);
  EXPECT_EQ(slab_->Lookup(handle), nullptr) << "not published yet";
  slab_->Publish(handle);
  EXPECT_EQ(slab_->Lookup(handle), object);
  EXPECT_EQ(slab_->Get(handle, "notify").value(), object);
  EXPECT_EQ(slab_->live(), 1u);
}

TEST_F(SlabTest, Retired_IsStaleAndSaysSo) {
  const std::uint64_t handle = Make();
  EXPECT_TRUE(slab_->Retire(handle));
  EXPECT_FALSE(slab_->Retire(handle)) << "only the first caller ends it";
  EXPECT_EQ(slab_->Lookup(handle), nullptr);
  EXPECT_EQ(WhyNot(handle), fmt::format("notify 0x{:x} is a notify that was destroyed; do not use a handle after its "
                                        "destroy (SH-H002)",
                                        handle));
  EXPECT_EQ(slab_->live(), 1u) << "live until recycled";
  slab_->Recycle(handle);
  EXPECT_EQ(slab_->live(), 0u);
}

TEST_F(SlabTest, RecycledSlot_HasNewHandleAndSameMemory) {
  const std::uint64_t first = Make();
  Object* object = slab_->Lookup(first);
  Destroy(first);
  const std::uint64_t second = Make();
  EXPECT_NE(second, first);
  EXPECT_EQ(HandleBits{second}.index(), HandleBits{first}.index());
  EXPECT_EQ(slab_->Lookup(second), object);
  EXPECT_EQ(slab_->Lookup(first), nullptr);
  EXPECT_FALSE(slab_->Retire(first)) << "a stale handle must not end its successor";
  EXPECT_EQ(slab_->Lookup(second), object);
}

TEST_F(SlabTest, BadValues_AreToldApart) {
  const std::uint64_t live = Make();
  EXPECT_EQ(WhyNot(0), "notify 0x0 is null, expected a notify (SH-A001)");
  const std::uint64_t stream = (0xA1ull << 56) | (1ull << 32);
  EXPECT_EQ(WhyNot(stream), "notify 0xa100000100000000 is a stream, expected a notify (SH-H003)");
  EXPECT_EQ(WhyNot(0xCCCCCCCCCCCCCCCCull),
            "notify 0xcccccccccccccccc is not a notify of this process; uninitialised or foreign value (SH-H001)");
  EXPECT_EQ(WhyNot(0x00007fff12345678ull),
            "notify 0x7fff12345678 is not a notify of this process; uninitialised or foreign value (SH-H001)");
  const std::uint64_t no_slot = (0xA2ull << 56) | (1ull << 32) | 5000;
  EXPECT_EQ(WhyNot(no_slot),
            "notify 0xa200000100001388 is not a notify of this process; uninitialised or foreign value (SH-H001)");
  const std::uint64_t beyond = (0xA2ull << 56) | (1ull << 32) | 0xFFFFFFFFull;
  EXPECT_EQ(slab_->Lookup(beyond), nullptr);
  EXPECT_EQ(slab_->At(0xFFFFFFFFu), nullptr);
  EXPECT_EQ(WhyNot(live), "found");
}

TEST_F(SlabTest, GenerationZero_IsNeverAHandle) {
  const std::uint64_t handle = Make();
  const std::uint64_t zero = handle & ~(0xFFFFFFull << 32);
  EXPECT_EQ(slab_->Lookup(zero), nullptr);
  EXPECT_FALSE(slab_->Retire(zero));
  Destroy(handle);
  EXPECT_EQ(slab_->Lookup(zero), nullptr);
  EXPECT_FALSE(slab_->Retire(zero)) << "an empty slot has generation 0 as well";
}

TEST_F(SlabTest, ForEach_VisitsTheLiveOnes) {
  const std::uint64_t first = Make();
  const std::uint64_t second = Make();
  const std::uint64_t third = Make();
  Destroy(second);
  std::vector<std::uint64_t> seen;
  slab_->ForEach([&](std::uint64_t handle, Object& object) {
    EXPECT_EQ(object.owner, handle);
    seen.push_back(handle);
  });
  EXPECT_THAT(seen, ElementsAre(first, third));
  EXPECT_NE(slab_->At(HandleBits{second}.index()), nullptr) << "live or not";
}

TEST_F(SlabTest, ManySlots_CrossChunksAndKeepAddresses) {
  std::vector<std::pair<std::uint64_t, Object*>> made;
  for (std::uint32_t i = 0; i < 3 * TestSlab::kChunkSize + 1; ++i) {
    const std::uint64_t handle = Make();
    made.emplace_back(handle, slab_->Lookup(handle));
  }
  for (const auto& [handle, object] : made) {
    EXPECT_EQ(slab_->Lookup(handle), object);
    EXPECT_EQ(object->owner, handle);
  }
  EXPECT_EQ(slab_->live(), made.size());
}

TEST(SlabLimitTest, AllSlotsTaken_AllocateAnswersNull) {
  using Small = Slab<char, HandleKind::kStream>;
  const auto slab = std::make_unique<Small>();
  std::uint64_t handle = 0;
  for (std::uint32_t i = 0; i < Small::kChunkSize * Small::kMaxChunks; ++i) ASSERT_NE(slab->Allocate(&handle), nullptr);
  const std::uint64_t last = handle;
  EXPECT_EQ(slab->Allocate(&handle), nullptr);
  EXPECT_EQ(handle, last) << "an output is set only on success";
  slab->Recycle(last);
  EXPECT_NE(slab->Allocate(&handle), nullptr);
}

TEST_F(SlabTest, AllocateFromThreads_GivesDistinctHandles) {
  std::vector<std::vector<std::uint64_t>> made(4);
  std::vector<std::thread> threads;
  for (auto& mine : made) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) mine.push_back(Make());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& mine : made) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 2000u);
  EXPECT_EQ(slab_->live(), 2000u);
}

TEST_F(SlabTest, LookupDuringRetire_FindsTheRightUseOrNothing) {
  std::atomic<std::uint64_t> latest{Make()};
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop.load()) {
        const std::uint64_t handle = latest.load();
        const Object* object = slab_->Lookup(handle);
        if (object == nullptr) continue;
        const std::uint64_t owner = object->owner.load();
        if (slab_->Lookup(handle) != nullptr && owner != handle) wrong.fetch_add(1);
      }
    });
  }
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t old = latest.load();
    Destroy(old);
    latest.store(Make());
  }
  stop.store(true);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(slab_->live(), 1u);
}

TEST_F(SlabTest, RetireFromThreads_HasOneWinner) {
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t handle = Make();
    std::atomic<int> winners{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] { winners.fetch_add(slab_->Retire(handle) ? 1 : 0); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners.load(), 1);
    slab_->Recycle(handle);
  }
}

}  // namespace
}  // namespace softhccl::base
