// HcclCommSymWinRegister, …Deregister, …Get and HcclSymWinGetPeerPointer: every rank addresses the memory of all.
#include "hccl/hccl_sym_win.h"

#include "one_rank_test.h"

namespace softhccl::conformance {
namespace {

HcclCommSymWindow FromBits(uint64_t bits) { return reinterpret_cast<HcclCommSymWindow>(bits); }

// A rank's part of a window of ints.
class WindowOfInts {
 public:
  WindowOfInts(Rank& rank, const std::vector<int>& values) : memory(values) {
    EXPECT_EQ(HcclCommSymWinRegister(rank.comm, memory.data(), memory.bytes(), &handle, 1), HCCL_SUCCESS);
  }
  ~WindowOfInts() {
    if (handle != nullptr) {
      EXPECT_EQ(HcclCommSymWinDeregister(handle), HCCL_SUCCESS);
    }
  }
  WindowOfInts(const WindowOfInts&) = delete;
  WindowOfInts& operator=(const WindowOfInts&) = delete;

  DeviceInts memory;
  HcclCommSymWindow handle = nullptr;
};

int* PeerInts(HcclCommSymWindow window, size_t offset, uint32_t peer) {
  void* pointer = nullptr;
  EXPECT_EQ(HcclSymWinGetPeerPointer(window, offset, peer, &pointer), HCCL_SUCCESS);
  return static_cast<int*>(pointer);
}

class SymWinTest : public OneRankTest {
 protected:
  void SetUp() override {
    OneRankTest::SetUp();
    ints_ = std::make_unique<DeviceInts>(std::vector<int>{1, 2, 3, 4});
  }
  // The memory goes after the communicator, whose windows may still show it.
  void TearDown() override {
    if (comm_ != nullptr) {
      EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
      comm_ = nullptr;
    }
    ints_.reset();
    OneRankTest::TearDown();
  }
  HcclCommSymWindow window_ = nullptr;
  std::unique_ptr<DeviceInts> ints_;
};

// --- Register ----------------------------------------------------------------------------------------------------

class HcclCommSymWinRegisterTest : public SymWinTest {};

TEST_F(HcclCommSymWinRegisterTest, EveryRank_AddressesTheMemoryOfAll) {
  RunRanks(4, [](Rank& rank) {
    const int own = static_cast<int>(rank.id);
    WindowOfInts window(rank, {10 * own, 10 * own + 1});
    for (uint32_t peer = 0; peer < rank.size; ++peer) {
      EXPECT_EQ(*PeerInts(window.handle, sizeof(int), peer), 10 * static_cast<int>(peer) + 1);
    }
    EXPECT_EQ(PeerInts(window.handle, 0, rank.id), window.memory.data()) << "the own part is the memory itself";
    rank.Meet();
    // A write is seen by its owner without any copy in between.
    *PeerInts(window.handle, 0, (rank.id + 1) % rank.size) = 1000 + own;
    rank.Meet();
    EXPECT_EQ(window.memory.Read()[0], 1000 + static_cast<int>((rank.id + 3) % rank.size));
  });
}

TEST_F(HcclCommSymWinRegisterTest, SeveralWindows_AreApart) {
  RunRanks(2, [](Rank& rank) {
    const int own = static_cast<int>(rank.id);
    WindowOfInts first(rank, {own});
    WindowOfInts second(rank, {100 + own, 200 + own});
    EXPECT_NE(first.handle, second.handle);
    EXPECT_EQ(*PeerInts(first.handle, 0, rank.peer()), static_cast<int>(rank.peer()));
    EXPECT_EQ(*PeerInts(second.handle, sizeof(int), rank.peer()), 200 + static_cast<int>(rank.peer()));
  });
}

TEST_F(HcclCommSymWinRegisterTest, DifferentSizes_AreRefusedOnAllRanks) {
  RunRanks(2, [this](Rank& rank) {
    DeviceInts memory({1, 2, 3, 4});
    HcclCommSymWindow window = nullptr;
    const uint64_t size = rank.id == 0 ? 8 : 16;
    EXPECT_FAILS_IN(
        this, HCCL_E_PARA, HcclCommSymWinRegister, (rank.comm, memory.data(), size, &window, 1),
        rank.id == 0 ? "size 8 on rank 0 differs from 16 on rank 1" : "size 16 on rank 1 differs from 8 on rank 0",
        "a symmetric window has one size");
    EXPECT_EQ(window, nullptr);
    // The next one meets again.
    EXPECT_EQ(HcclCommSymWinRegister(rank.comm, memory.data(), 16, &window, 1), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommSymWinDeregister(window), HCCL_SUCCESS);
  });
}

TEST_F(HcclCommSymWinRegisterTest, PeerThatLeaves_EndsTheWait) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 1) {
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      rank.comm = nullptr;
      return;
    }
    DeviceInts memory({1});
    HcclCommSymWindow window = nullptr;
    EXPECT_FAILS_IN(this, HCCL_E_REMOTE, HcclCommSymWinRegister, (rank.comm, memory.data(), 4, &window, 1),
                    "rank 1 has destroyed its communicator; it will not come to HcclCommSymWinRegister");
  });
}

TEST_F(HcclCommSymWinRegisterTest, BadArguments_AreRefused) {
  int* ints = ints_->data();
  std::thread([&] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclCommSymWinRegister, (nullptr, nullptr, 0, nullptr, 1), "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSymWinRegister, (nullptr, ints, 16, &window_, 1), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSymWinRegister, (comm_, nullptr, 16, &window_, 1), "addr is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSymWinRegister, (comm_, ints, 16, nullptr, 1), "winHandle is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinRegister, (comm_, ints, 16, &window_, 0),
               "flag 0 is not known; 1 is the only");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinRegister, (comm_, ints, 0, &window_, 1), "size 0");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinRegister, (comm_, ints, 17, &window_, 1), "addr", "17 bytes");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinRegister, (comm_, ints, UINT64_MAX, &window_, 1), "addr");
  int local = 0;
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinRegister, (comm_, &local, 4, &window_, 1),
               "is no memory of this library, not memory of device 0");
  void* host = nullptr;
  EXPECT_EQ(aclrtMallocHost(&host, 4), ACL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinRegister, (comm_, host, 4, &window_, 1), "is host memory of device 0");
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  EXPECT_EQ(window_, nullptr);
  EXPECT_EQ(RunKernel(stream_,
                      [&](const Hcomm&) {
                        EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinRegister, (comm_, ints, 16, &window_, 1),
                                     "must not be called from a kernel");
                        return 0u;
                      }),
            ACL_SUCCESS);
}

TEST_F(HcclCommSymWinRegisterTest, OverlapWithAWindow_IsRefused) {
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data(), 8, &window_, 1), HCCL_SUCCESS);
  HcclCommSymWindow second = nullptr;
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinRegister, (comm_, ints_->data() + 1, 8, &second, 1),
               "with 8 bytes overlaps the window of 8 bytes at");
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data() + 2, 8, &second, 1), HCCL_SUCCESS);
}

TEST_F(HcclCommSymWinRegisterTest, CommunicatorDestroyedFirst_TakesItsWindowsAlong) {
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data(), 16, &window_, 1), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
  comm_ = nullptr;
  void* pointer = nullptr;
  EXPECT_FAILS(HCCL_E_PARA, HcclSymWinGetPeerPointer, (window_, 0, 0, &pointer), "winHandle 0x");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinDeregister, (window_), "winHandle 0x");
}

// --- Deregister --------------------------------------------------------------------------------------------------

class HcclCommSymWinDeregisterTest : public SymWinTest {};

TEST_F(HcclCommSymWinDeregisterTest, ReturnsWhenAllHaveCome) {
  std::atomic<bool> has_come{false};
  RunRanks(2, [&](Rank& rank) {
    DeviceInts memory({1});
    HcclCommSymWindow window = nullptr;
    EXPECT_EQ(HcclCommSymWinRegister(rank.comm, memory.data(), 4, &window, 1), HCCL_SUCCESS);
    rank.Meet();
    if (rank.id == 1) {
      EXPECT_EQ(*PeerInts(window, 0, 0), 1) << "rank 0 may be waiting already, its memory is still there";
      has_come = true;
    }
    EXPECT_EQ(HcclCommSymWinDeregister(window), HCCL_SUCCESS);
    EXPECT_TRUE(has_come);
  });
}

TEST_F(HcclCommSymWinDeregisterTest, PeerThatDestroyedItsCommunicator_IsNotWaitedFor) {
  RunRanks(2, [](Rank& rank) {
    DeviceInts memory({1});
    HcclCommSymWindow window = nullptr;
    EXPECT_EQ(HcclCommSymWinRegister(rank.comm, memory.data(), 4, &window, 1), HCCL_SUCCESS);
    rank.Meet();
    if (rank.id == 1) {
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      rank.comm = nullptr;
    } else {
      EXPECT_EQ(HcclCommSymWinDeregister(window), HCCL_SUCCESS);
    }
    rank.Meet();
  });
}

TEST_F(HcclCommSymWinDeregisterTest, StaleOrForeignHandle_IsRefused) {
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data(), 16, &window_, 1), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommSymWinDeregister(window_), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinDeregister, (window_), "winHandle 0x");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSymWinDeregister, (nullptr), "winHandle is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinDeregister, (FromBits(0x1234)), "winHandle 0x1234 is not a");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinDeregister, (comm_), "is a communicator");
  // The memory can be registered again.
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data(), 16, &window_, 1), HCCL_SUCCESS);
}

// --- Get ---------------------------------------------------------------------------------------------------------

class HcclCommSymWinGetTest : public SymWinTest {};

TEST_F(HcclCommSymWinGetTest, PointerInsideOfAWindow_GivesWindowAndOffset) {
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data(), 16, &window_, 1), HCCL_SUCCESS);
  HcclCommSymWindow found = nullptr;
  size_t offset = 99;
  EXPECT_EQ(HcclCommSymWinGet(comm_, ints_->data() + 1, 12, &found, &offset), HCCL_SUCCESS);
  EXPECT_EQ(found, window_);
  EXPECT_EQ(offset, 4u);
}

TEST_F(HcclCommSymWinGetTest, PointerOutside_IsNotFoundAndNotLogged) {
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data(), 8, &window_, 1), HCCL_SUCCESS);
  HcclCommSymWindow found = nullptr;
  size_t offset = 99;
  EXPECT_FAILS_QUIETLY(HCCL_E_NOT_FOUND, HcclCommSymWinGet, (comm_, ints_->data() + 2, 4, &found, &offset),
                       "with 4 bytes is in no window", "HcclCommSymWinRegister");
  EXPECT_FAILS_QUIETLY(HCCL_E_NOT_FOUND, HcclCommSymWinGet, (comm_, ints_->data() + 1, 5, &found, &offset), "5 bytes");
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(offset, 99u);
}

TEST_F(HcclCommSymWinGetTest, BadArguments_AreRefused) {
  size_t offset = 99;
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSymWinGet, (nullptr, ints_->data(), 4, &window_, &offset), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSymWinGet, (comm_, nullptr, 4, &window_, &offset), "ptr is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSymWinGet, (comm_, ints_->data(), 4, nullptr, &offset), "winHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSymWinGet, (comm_, ints_->data(), 4, &window_, nullptr), "offset is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSymWinGet, (comm_, ints_->data(), 0, &window_, &offset), "size 0");
}

// --- Peer pointer ------------------------------------------------------------------------------------------------

class HcclSymWinGetPeerPointerTest : public SymWinTest {};

TEST_F(HcclSymWinGetPeerPointerTest, InAKernel_ReachesThePeersMemory) {
  RunRanks(2, [](Rank& rank) {
    WindowOfInts window(rank, {static_cast<int>(rank.id) + 5});
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm&) {
                          return *PeerInts(window.handle, 0, rank.peer()) == static_cast<int>(rank.peer()) + 5 ? 0u
                                                                                                               : 1u;
                        }),
              ACL_SUCCESS);
    rank.Meet();
  });
}

// Zero copy: from the peer's memory into the own one, by a channel that knew nothing of the window when it was made,
// and by one that was made after it.
TEST_F(HcclSymWinGetPeerPointerTest, AsSourceOfARead_IsAcceptedByTheChannel) {
  for (const bool channel_first : {true, false}) {
    RunRanks(2, [&](Rank& rank) {
      ChannelHandle channel = channel_first ? rank.Channel(rank.peer()) : 0;
      WindowOfInts window(rank, {static_cast<int>(rank.id) + 7, 0});
      if (!channel_first) channel = rank.Channel(rank.peer());
      int* own = window.memory.data();
      int* theirs = PeerInts(window.handle, 0, rank.peer());
      EXPECT_EQ(RunOnThread(rank,
                            [&](const Hcomm& hcomm) {
                              return static_cast<uint32_t>(
                                  hcomm.ReadOnThread(rank.thread, channel, own + 1, theirs, sizeof(int)));
                            }),
                ACL_SUCCESS);
      EXPECT_EQ(window.memory.Read()[1], static_cast<int>(rank.peer()) + 7);
      rank.Meet();
    });
  }
}

TEST_F(HcclSymWinGetPeerPointerTest, BadArguments_AreRefused) {
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data(), 16, &window_, 1), HCCL_SUCCESS);
  void* pointer = nullptr;
  EXPECT_FAILS(HCCL_E_PTR, HcclSymWinGetPeerPointer, (nullptr, 0, 0, &pointer), "winHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclSymWinGetPeerPointer, (window_, 0, 0, nullptr), "ptr is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclSymWinGetPeerPointer, (FromBits(0x77), 0, 0, &pointer), "winHandle 0x77 is not a");
  EXPECT_FAILS(HCCL_E_PARA, HcclSymWinGetPeerPointer, (window_, 0, 1, &pointer),
               "peerRank 1 is out of range, the window has 1 ranks");
  EXPECT_FAILS(HCCL_E_PARA, HcclSymWinGetPeerPointer, (window_, 16, 0, &pointer),
               "offset 16 is outside the window, which has 16 bytes");
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(HcclSymWinGetPeerPointerTest, MemoryThatWasFreed_IsNamed) {
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(HcclCommSymWinRegister(comm_, memory, 4096, &window_, 1), HCCL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  void* pointer = nullptr;
  EXPECT_FAILS(HCCL_E_PARA, HcclSymWinGetPeerPointer, (window_, 0, 0, &pointer), "freed",
               "while addressing the window of rank 0");
}

class HcommSymWinGetPeerPointerTest : public SymWinTest {};

TEST_F(HcommSymWinGetPeerPointerTest, OlderName_AnswersTheSame) {
  EXPECT_EQ(HcclCommSymWinRegister(comm_, ints_->data(), 16, &window_, 1), HCCL_SUCCESS);
  void* pointer = nullptr;
  EXPECT_EQ(HcommSymWinGetPeerPointer(window_, 4, 0, &pointer), HCCL_SUCCESS);
  EXPECT_EQ(pointer, ints_->data() + 1);
  EXPECT_FAILS(HCCL_E_PARA, HcommSymWinGetPeerPointer, (window_, 16, 0, &pointer), "offset 16");
}

}  // namespace
}  // namespace softhccl::conformance
