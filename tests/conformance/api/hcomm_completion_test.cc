// Posted transfers and the calls that say when they are complete: fences, drains, flush, join, synchronise.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::size_t kMany = 700'001;  // ints: several quanta

// Rank 0 gets a channel to rank 1 and the peer's buffer; rank 1 only lends its memory.
void RunWithWindow(const std::function<void(Rank&, ChannelHandle, int* window, const int* behind)>& body) {
  std::atomic<const int*> peers{nullptr};
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    void* memory = nullptr;
    uint64_t size = 0;
    if (rank.id == 1) {
      EXPECT_EQ(HcclGetHcclBuffer(rank.comm, &memory, &size), HCCL_SUCCESS);
      peers.store(static_cast<const int*>(memory));
    }
    rank.Meet();
    if (rank.id != 0) return;
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &memory, &size), HCCL_SUCCESS);
    body(rank, channel, static_cast<int*>(memory), peers.load());
  });
}

ThreadHandle HostThread(const Rank& rank, CommEngine engine) {
  ThreadHandle thread = 0;
  EXPECT_EQ(HcclThreadAcquire(rank.comm, engine, 1, 1, &thread), HCCL_SUCCESS);
  return thread;
}

using HcommWriteNbiTest = ApiTest;

TEST_F(HcommWriteNbiTest, ManyPosts_InOrderAndCompleteAfterTheFence) {
  RunWithWindow([](Rank&, ChannelHandle channel, int* window, const int* behind) {
    const std::vector<int> first(kMany, 1);
    const std::vector<int> second(kMany, 2);
    std::vector<int> back(kMany);
    EXPECT_EQ(HcommWriteNbi(channel, window, first.data(), kMany * sizeof(int)), 0);
    EXPECT_EQ(HcommWriteNbi(channel, window, second.data(), kMany * sizeof(int)), 0);
    EXPECT_EQ(HcommReadNbi(channel, back.data(), window, kMany * sizeof(int)), 0);
    EXPECT_EQ(HcommChannelFence(channel), 0);
    EXPECT_THAT(back, Each(2));
    EXPECT_EQ(behind[kMany - 1], 2) << "in the peer's own memory";
  });
}

using HcommReadNbiTest = ApiTest;

TEST_F(HcommReadNbiTest, FromAKernel_IsCompleteAfterTheFence) {
  RunWithWindow([](Rank& rank, ChannelHandle channel, int* window, const int*) {
    const DeviceInts mine({0});
    const int value = 31;
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.WriteNbi(channel, window, &value, 4), 0);
                          EXPECT_EQ(hcomm.ReadNbi(channel, mine.data(), window, 4), 0);
                          EXPECT_EQ(hcomm.ChannelFence(channel), 0);
                          EXPECT_EQ(*mine.data(), 31);
                          return 0u;
                        }),
              ACL_SUCCESS);
  });
}

using HcommWriteWithNotifyNbiTest = ApiTest;

TEST_F(HcommWriteWithNotifyNbiTest, PeerWaits_DataIsThere) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const auto [own, window] = BuffersOf(rank, channel);
    const std::vector<int> mine(kMany, static_cast<int>(rank.id) + 3);
    EXPECT_EQ(HcommWriteWithNotifyNbi(channel, window, mine.data(), kMany * sizeof(int), 0), 0);
    EXPECT_EQ(HcommChannelNotifyWait(channel, 0, 30), 0);
    EXPECT_EQ(static_cast<int*>(own)[kMany - 1], static_cast<int>(rank.peer()) + 3);
    EXPECT_EQ(HcommChannelFence(channel), 0) << "the source may go";
  });
}

using HcommNbiOnThreadTest = ApiTest;

TEST_F(HcommNbiOnThreadTest, AllThree_KeepTheOrderOfTheThread) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const ThreadHandle thread = HostThread(rank, COMM_ENGINE_CPU);
    const auto [own, window] = BuffersOf(rank, channel);
    const int mine[] = {static_cast<int>(rank.id) + 40, static_cast<int>(rank.id) + 60};
    int back[] = {0, 0};
    EXPECT_EQ(HcommWriteNbiOnThread(thread, channel, window, mine, 8), 0);
    EXPECT_EQ(HcommReadNbiOnThread(thread, channel, back, window, 8), 0);
    EXPECT_EQ(HcommWriteWithNotifyNbiOnThread(thread, channel, static_cast<int*>(window) + 2, mine, 4, 1), 0);
    EXPECT_EQ(HcommFenceOnThread(thread), 0);
    EXPECT_THAT(back, ElementsAre(mine[0], mine[1])) << "a fence on a CPU thread returns when all is complete";
    EXPECT_EQ(HcommChannelNotifyWaitOnThread(thread, channel, 1, 30), 0);
    EXPECT_EQ(HcommFenceOnThread(thread), 0);
    EXPECT_EQ(static_cast<int*>(own)[2], static_cast<int>(rank.peer()) + 40);
  });
}

using HcommFenceOnThreadTest = ApiTest;

TEST_F(HcommFenceOnThreadTest, ThreadsOfOtherEngines_AreNotWaitedFor) {
  RunRanks(1, [](Rank& rank) {
    const ThreadHandle thread = HostThread(rank, COMM_ENGINE_CPU_TS);
    int from = 3;
    int to = 0;
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(thread, 0, 0), 0);
    EXPECT_EQ(HcommFenceOnThread(thread), 0) << "only queued: the thread cannot have come there";
    EXPECT_EQ(HcommLocalCopyOnThread(thread, &to, &from, sizeof to), 0);
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(rank.thread, thread, 0), 0);
    EXPECT_EQ(HcommThreadSynchronize(thread), 0);
    EXPECT_EQ(to, 3);
  });
}

using HcommChannelFenceOnThreadTest = ApiTest;

TEST_F(HcommChannelFenceOnThreadTest, BetweenTransfers_TheyStayInOrder) {
  RunWithWindow([](Rank& rank, ChannelHandle channel, int* window, const int* behind) {
    const DeviceInts mine({8, 9});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.WriteOnThread(rank.thread, channel, window, mine.data(), 4), 0);
                            EXPECT_EQ(hcomm.ChannelFenceOnThread(rank.thread, channel), 0);
                            EXPECT_EQ(hcomm.FenceOnThread(rank.thread), 0);
                            EXPECT_EQ(hcomm.WriteOnThread(rank.thread, channel, window, mine.data() + 1, 4), 0);
                            EXPECT_EQ(hcomm.ChannelDrainOnThread(rank.thread, channel), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_EQ(behind[0], 9);
  });
}

using HcommChannelDrainOnThreadTest = ApiTest;

TEST_F(HcommChannelDrainOnThreadTest, ThenTellingAnotherThread_TheDataIsAtThePeer) {
  RunWithWindow([](Rank& rank, ChannelHandle channel, int* window, const int* behind) {
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
    const std::vector<int> mine(kMany, 6);
    int seen = 0;
    EXPECT_EQ(HcommWriteOnThread(threads[1], channel, window, mine.data(), kMany * sizeof(int)), 0);
    EXPECT_EQ(HcommChannelDrainOnThread(threads[1], channel), 0);
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(threads[1], threads[0], 0), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(threads[0], 0, 30), 0);
    EXPECT_EQ(HcommLocalCopyOnThread(threads[0], &seen, behind + kMany - 1, 4), 0);
    EXPECT_EQ(HcommThreadJoin(threads[0], 30), 0);
    EXPECT_EQ(seen, 6);
  });
}

using HcommChannelFenceTest = ApiTest;

TEST_F(HcommChannelFenceTest, NothingPostedOrAPostFailed_SaysSo) {
  ExpectLog({"write", "failed: src: ", "freed"});
  AllowLog({"was aborted because rank 0"});
  RunWithWindow([this](Rank& rank, ChannelHandle channel, int* window, const int*) {
    EXPECT_EQ(HcommChannelFence(channel), 0);
    // The source is freed while the post waits behind a large one.
    const std::vector<int> large(8'000'000, 1);
    void* freed = nullptr;
    EXPECT_EQ(aclrtMalloc(&freed, 4, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    EXPECT_EQ(HcommWriteNbi(channel, window, large.data(), large.size() * sizeof(int)), 0);
    EXPECT_EQ(HcommWriteNbi(channel, window, freed, 4), 0);
    EXPECT_EQ(aclrtFree(freed), ACL_SUCCESS);
    EXPECT_FAILS_QUIETLY(HCCL_E_PARA, HcommChannelFence, (channel), "src: ", "freed");
    HcclResult error = HCCL_SUCCESS;
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_E_REMOTE);
  });
}

using HcommFlushTest = ApiTest;

TEST_F(HcommFlushTest, PostsOfThisCallerAndItsBatch_AreComplete) {
  RunWithWindow([](Rank& rank, ChannelHandle channel, int* window, const int* behind) {
    EXPECT_EQ(HcommFlush(), 0) << "nothing to flush";
    const std::vector<int> mine(kMany, 4);
    int copied = 0;
    EXPECT_EQ(HcommBatchModeStart("flushed"), 0);
    EXPECT_EQ(HcommLocalCopyOnThread(rank.thread, &copied, mine.data(), 4), 0);
    EXPECT_EQ(HcommWriteNbi(channel, window, mine.data(), kMany * sizeof(int)), 0);
    EXPECT_EQ(HcommFlush(), 0);
    EXPECT_EQ(behind[kMany - 1], 4);
    EXPECT_EQ(HcommThreadSynchronize(rank.thread), 0) << "the batch is still open, and what it held is on its way";
    EXPECT_EQ(copied, 4);
    EXPECT_EQ(HcommBatchModeEnd("flushed"), 0);
  });
}

using HcommThreadSynchronizeTest = ApiTest;

TEST_F(HcommThreadSynchronizeTest, OnHostAndInKernel_ReturnsWhenAllIsDone) {
  RunRanks(1, [](Rank& rank) {
    std::vector<int> from(kMany, 5);
    std::vector<int> to(kMany);
    EXPECT_EQ(HcommLocalCopyOnThread(rank.thread, to.data(), from.data(), kMany * sizeof(int)), 0);
    EXPECT_EQ(HcommThreadSynchronize(rank.thread), 0);
    EXPECT_THAT(to, Each(5));
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          std::fill(from.begin(), from.end(), 6);
                          EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, to.data(), from.data(), kMany * sizeof(int)),
                                    0);
                          EXPECT_EQ(hcomm.ThreadSynchronize(rank.thread), 0);
                          EXPECT_THAT(to, Each(6));
                          return 0u;
                        }),
              ACL_SUCCESS);
  });
}

using HcommThreadJoinTest = ApiTest;

// What an operator does for a reduction that the hardware has not: copy, join, compute in the kernel.
TEST_F(HcommThreadJoinTest, KernelComputesWhatItsThreadBrought_InManyLaunches) {
  RunRanks(1, [](Rank& rank) {
    const DeviceInts from({20});
    const DeviceInts to({0});
    for (int round = 0; round < 40; ++round) {  // later ones run inline in the synchronise
      EXPECT_EQ(RunKernel(rank.stream,
                          [&](const Hcomm& hcomm) {
                            *to.data() = 0;
                            EXPECT_EQ(hcomm.BatchModeStart("join"), 0);
                            EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, to.data(), from.data(), 4), 0);
                            EXPECT_EQ(hcomm.ThreadJoin(rank.thread, 30), 0) << "also what the batch holds back";
                            EXPECT_EQ(*to.data(), 20);
                            EXPECT_EQ(hcomm.BatchModeEnd("join"), 0);
                            return 0u;
                          }),
                ACL_SUCCESS);
    }
  });
}

TEST_F(HcommThreadJoinTest, ThreadFailed_AnswersItsFailure) {
  ExpectLog({"local copy", "failed: src: ", "freed"});
  ExpectLog({"kernel launch", "freed"});
  RunRanks(1, [this](Rank& rank) {
    void* freed = nullptr;
    int to = 0;
    EXPECT_EQ(aclrtMalloc(&freed, 4, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.BatchModeStart("hold"), 0);
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, &to, freed, 4), 0);
      EXPECT_EQ(aclrtFree(freed), ACL_SUCCESS);
      const int32_t result = hcomm.ThreadJoin(rank.thread, 30);
      ExpectFailure(HCCL_E_PARA, result, "HcommThreadJoin", {"src: ", "freed"}, false);
      EXPECT_EQ(hcomm.BatchModeEnd("hold"), 0);
      return 0u;
    });
    EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS) << "the kernel swallowed it";
  });
}

TEST_F(HcommThreadJoinTest, ExpiresInAKernel_AnswersTimeoutAndHarmsNothing) {
  RunRanks(1, [this](Rank& rank) {
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.ThreadNotifyWaitOnThread(threads[0], 0, 0), 0);
      EXPECT_HCOMM_FAILS(this, HCCL_E_TIMEOUT, ThreadJoin, (threads[0], 1), "was not done within 1.0 s");
      EXPECT_EQ(hcomm.ThreadNotifyRecordOnThread(threads[1], threads[0], 0), 0);
      EXPECT_EQ(hcomm.ThreadJoin(threads[0], 5), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace softhccl::conformance
