// Control slots: zero when handed out, one per 128 bytes, found again by reference, never unmapped.
#include "memory/control.h"

#include <set>
#include <vector>

#include "memory_fixture.h"

namespace softhccl::memory {
namespace {

class ControlTest : public MemoryFixture {};

TEST_F(ControlTest, Allocate_ManySlots_AreDistinctAlignedAndZero) {
  std::vector<ControlSlot*> slots;
  std::set<ControlSlot*> distinct;
  for (int i = 0; i < 20'000; ++i) {  // more than one chunk
    auto slot = AllocateControlSlot();
    ASSERT_TRUE(slot.has_value()) << slot.error().message();
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(*slot) % kControlStride, 0u);
    ASSERT_EQ((*slot)->word.load(), 0u);
    slots.push_back(*slot);
    distinct.insert(*slot);
  }
  EXPECT_EQ(distinct.size(), slots.size());
  for (ControlSlot* slot : slots) {
    ASSERT_EQ(LocateControlSlot(ControlSlotRef(slot)), slot);
    FreeControlSlot(slot);
  }
}

TEST_F(ControlTest, Allocate_AfterFree_SlotIsReusedAndZero) {
  auto first = AllocateControlSlot();
  ASSERT_TRUE(first.has_value());
  (*first)->word.store(7);
  FreeControlSlot(*first);
  EXPECT_EQ((*first)->word.load(), 7u);  // still mapped
  std::vector<ControlSlot*> taken;
  bool reused = false;
  for (int i = 0; i < 50'000 && !reused; ++i) {
    auto slot = AllocateControlSlot();
    ASSERT_TRUE(slot.has_value());
    ASSERT_EQ((*slot)->word.load(), 0u);
    reused = *slot == *first;
    taken.push_back(*slot);
  }
  EXPECT_TRUE(reused);
  for (ControlSlot* slot : taken) FreeControlSlot(slot);
}

TEST_F(ControlTest, Locate_ForeignOrInvalidReference_IsNull) {
  auto slot = AllocateControlSlot();
  ASSERT_TRUE(slot.has_value());
  const ArenaRef ref = ControlSlotRef(*slot);
  EXPECT_EQ(ref.arena, ControlArena().id());
  EXPECT_EQ(LocateControlSlot({DataArena().id(), ref.offset}), nullptr);
  EXPECT_EQ(LocateControlSlot({ref.arena, ref.offset + 8}), nullptr);
  EXPECT_EQ(LocateControlSlot({ref.arena, UINT64_MAX}), nullptr);
  EXPECT_EQ(LocateControlSlot({ref.arena, UINT64_MAX - kControlStride + 1}), nullptr);
  FreeControlSlot(*slot);
  EXPECT_EQ(LocateControlSlot(ref), nullptr);
}

TEST_F(ControlTest, Slot_SeenThroughItsReference_IsTheSameWordOfTheFile) {
  auto slot = AllocateControlSlot();
  ASSERT_TRUE(slot.has_value());
  (*slot)->word.store(0x1234);
  std::uint64_t word = 0;
  ASSERT_EQ(::pread(ControlArena().fd(), &word, sizeof word, static_cast<off_t>(ControlSlotRef(*slot).offset)), 8);
  EXPECT_EQ(word, 0x1234u);
  FreeControlSlot(*slot);
}

TEST(ControlDeathTest, Free_Twice_IsOurBug) {
  EXPECT_DEATH(
      {
        auto slot = AllocateControlSlot();
        FreeControlSlot(*slot);
        FreeControlSlot(*slot);
      },
      "position.chunk");
}

}  // namespace
}  // namespace softhccl::memory
