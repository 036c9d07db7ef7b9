// A registration that ends in the moment the last rank arrives: whatever the order, the ranks agree on whether it took
// place, and their next one meets. A store that calls the test between two steps of a rank makes every order happen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "comm/window.h"
#include "engine/runtime.h"
#include "memory/memory.h"

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;
using ::testing::HasSubstr;

// Calls the test once, right before a compare-and-set of the rank that asked for it.
class HookedStore final : public bootstrap::Store {
 public:
  void CallBeforeChange(std::uint64_t after_changes, std::function<void()> hook) {
    skip_ = after_changes;
    hook_ = std::move(hook);
  }

  void Set(const std::string& key, std::string value) override { store_->Set(key, std::move(value)); }
  void Remove(const std::string& key) override { store_->Remove(key); }
  bool CompareAndSet(const std::string& key, const std::optional<std::string>& expected, std::string desired) override {
    if (hook_ && skip_-- == 0) std::exchange(hook_, nullptr)();
    return store_->CompareAndSet(key, expected, std::move(desired));
  }
  base::Result<std::string> Get(const std::string& key, base::Nanos deadline) override {
    return store_->Get(key, deadline);
  }
  void Interrupt(const Status& reason) override { store_->Interrupt(reason); }

 private:
  const std::shared_ptr<bootstrap::Store> store_ = bootstrap::MakeInProcessStore();
  std::uint64_t skip_ = 0;
  std::function<void()> hook_;  // set and called by one thread
};

class WindowRaceTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kRanks = 3;
  static constexpr std::size_t kSize = 4096;

  WindowRaceTest() {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      memories_.push_back(
          *memory::Memory::Process().Allocate(memory::Space::kDevice, static_cast<int>(rank), kSize * 2, "test"));
      // Rank 0 has no patience, so that it gives up in the moment the test chooses.
      const base::Nanos limit = rank == 0 ? 1 : base::FromSeconds(60);
      windows_.push_back(std::make_unique<SymmetricWindows>(
          SymmetricWindows::Owner{{group_, rank, AllRanks(kRanks), limit, [this] { return usable_; }},
                                  "test",
                                  static_cast<int>(rank),
                                  1u << 30}));
    }
  }
  ~WindowRaceTest() override {
    windows_.clear();
    for (std::byte* memory : memories_) {
      EXPECT_TRUE(memory::Memory::Process().Free(memory::Space::kDevice, memory).ok());
    }
  }

  base::Result<std::uint64_t> Register(std::uint32_t rank) { return windows_[rank]->Register(memories_[rank], kSize); }

  // The roster of the first registration, as text: rank, length, "address size".
  bool HaveSigned(const std::vector<std::uint32_t>& ranks) const {
    const auto roster = store_->Get("window/0", 0);
    return std::all_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
      const auto address = reinterpret_cast<std::uintptr_t>(memories_[rank]);
      return roster && roster->find(fmt::format("{} {}", address, kSize)) != std::string::npos;
    });
  }

  // All ranks at once; each has its handle, and they see the same memory.
  void ExpectMeeting() {
    std::vector<std::thread> ranks;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      ranks.emplace_back([this, rank] {
        auto handle = windows_[rank]->Register(memories_[rank] + kSize, kSize);
        // Rank 0 may have been first; it comes again until the others are there.
        while (!handle && rank == 0) handle = windows_[rank]->Register(memories_[rank] + kSize, kSize);
        ASSERT_TRUE(handle) << handle.error().message();
        EXPECT_EQ(FindWindow(*handle).value()->ordinal, ordinal_);
        for (std::uint32_t peer = 0; peer < kRanks; ++peer) {
          EXPECT_EQ(PeerPointer(*handle, 0, peer).value(), memories_[peer] + kSize);
        }
      });
    }
    for (std::thread& rank : ranks) rank.join();
  }

  const std::shared_ptr<HookedStore> store_ = std::make_shared<HookedStore>();
  const std::shared_ptr<bootstrap::Group> group_ =
      std::make_shared<bootstrap::Group>("test", std::vector<std::string>(), store_);
  std::vector<std::byte*> memories_;
  std::vector<std::unique_ptr<SymmetricWindows>> windows_;
  Status usable_;
  std::uint64_t ordinal_ = 0;  // that the next registration should have
};

// The finding: rank 0 has seen that rank 2 is missing and its time is up; before it takes its part back rank 2 comes
// and finds everybody's part.
TEST_F(WindowRaceTest, LastRankArrivesBeforeTheFirstHasGivenUp_ItTookPlaceOnAll) {
  std::vector<base::Result<std::uint64_t>> handles(kRanks, std::uint64_t{0});
  // Changes of rank 0: it signs, and takes back.
  store_->CallBeforeChange(1, [&] {
    std::thread second([&] { handles[1] = Register(1); });
    handles[2] = Register(2);
    second.join();
  });
  handles[0] = Register(0);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    ASSERT_TRUE(handles[rank]) << "rank " << rank << ": " << handles[rank].error().message();
    for (std::uint32_t peer = 0; peer < kRanks; ++peer) {
      EXPECT_EQ(PeerPointer(*handles[rank], 0, peer).value(), memories_[peer]);
    }
  }
  ordinal_ = 1;
  ExpectMeeting();
}

// The same with a reason of another kind: the communicator becomes unusable in that moment.
TEST_F(WindowRaceTest, CommunicatorFailsWhileTheLastRankArrives_ItTookPlaceOnAll) {
  std::vector<base::Result<std::uint64_t>> handles(kRanks, std::uint64_t{0});
  usable_ = base::Fail(Code::kSuspended, "suspended");
  store_->CallBeforeChange(1, [&] {
    usable_ = Status();
    std::thread second([&] { handles[1] = Register(1); });
    handles[2] = Register(2);
    second.join();
  });
  handles[0] = Register(0);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) EXPECT_TRUE(handles[rank]) << "rank " << rank;
  ordinal_ = 1;
  ExpectMeeting();
}

// The other order: rank 0 was faster, so the last rank waits for it.
TEST_F(WindowRaceTest, FirstRankGivesUpBeforeTheLastArrives_ItTookPlaceOnNone) {
  const auto early = Register(0);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code(), Code::kTimeout);
  EXPECT_THAT(early.error().message(), HasSubstr("for rank 1, 2 to register its part of the window"));
  ordinal_ = 0;
  ExpectMeeting();
}

// Two ranks change the roster at the same time: the slower one starts over with what is there now.
TEST_F(WindowRaceTest, SignaturesThatMeet_AreBothKept) {
  std::vector<base::Result<std::uint64_t>> handles(kRanks, std::uint64_t{0});
  std::thread second;
  std::thread third;
  store_->CallBeforeChange(0, [&] {
    second = std::thread([&] { handles[1] = Register(1); });
    third = std::thread([&] { handles[2] = Register(2); });
    while (!HaveSigned({1, 2})) std::this_thread::yield();
  });
  handles[0] = Register(0);
  second.join();
  third.join();
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) EXPECT_TRUE(handles[rank]) << "rank " << rank;
  ordinal_ = 1;
  ExpectMeeting();
}

}  // namespace
}  // namespace softhccl::comm
