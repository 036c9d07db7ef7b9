// Whether the data is right when several ranks and threads work at the same time: reductions of many into one target,
// and writes whose notify must not overtake them.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

using ::testing::Each;

using HcommWriteReduceOnThreadConcurrencyTest = ApiTest;

// Two threads of each of three ranks reduce into the buffer of rank 0, without any order among them.
TEST_F(HcommWriteReduceOnThreadConcurrencyTest, ManyIntoOneTarget_EveryContributionCounts) {
  constexpr std::size_t kCount = 50'000;
  constexpr int kRounds = 5;
  std::atomic<int*> target{nullptr};
  RunRanks(4, [&](Rank& rank) {
    void* own = nullptr;
    uint64_t size = 0;
    std::vector<ChannelHandle> channels(4, 0);
    if (rank.id == 0) {
      EXPECT_EQ(HcclGetHcclBuffer(rank.comm, &own, &size), HCCL_SUCCESS);
      target.store(static_cast<int*>(own));
      for (uint32_t peer = 1; peer < 4; ++peer) channels[peer] = rank.Channel(peer);
      rank.Meet();
      rank.Meet();
      EXPECT_THAT(std::vector<int>(target.load(), target.load() + kCount), Each(kRounds * 2 * (1 + 2 + 3)));
      return;
    }
    channels[0] = rank.Channel(0);
    rank.Meet();
    void* window = nullptr;
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channels[0], &window, &size), HCCL_SUCCESS);
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
    const DeviceInts mine(std::vector<int>(kCount, static_cast<int>(rank.id)));
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          for (int round = 0; round < kRounds; ++round) {
                            for (const ThreadHandle thread : threads) {
                              EXPECT_EQ(hcomm.WriteReduceOnThread(thread, channels[0], window, mine.data(), kCount,
                                                                  HCOMM_DATA_TYPE_INT32, HCOMM_REDUCE_SUM),
                                        0);
                            }
                          }
                          for (const ThreadHandle thread : threads) EXPECT_EQ(hcomm.ThreadJoin(thread, 60), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
    rank.Meet();
  });
}

using HcommWriteWithNotifyOnThreadConcurrencyTest = ApiTest;

// Both ranks send large messages to each other; what the notify announces must be there to the last byte.
TEST_F(HcommWriteWithNotifyOnThreadConcurrencyTest, ManyRounds_TheNotifyNeverOvertakesTheData) {
  constexpr std::size_t kCount = 150'000;
  constexpr int kRounds = 12;
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const auto [own, window] = BuffersOf(rank, channel);
    std::vector<std::vector<int>> sent;
    for (int round = 0; round < kRounds; ++round) sent.emplace_back(kCount, 1000 * static_cast<int>(rank.id) + round);
    std::vector<std::vector<int>> seen(kRounds, std::vector<int>(kCount, -1));
    EXPECT_EQ(RunOnThread(
                  rank,
                  [&](const Hcomm& hcomm) {
                    for (std::size_t round = 0; round < kRounds; ++round) {
                      EXPECT_EQ(hcomm.WriteWithNotifyOnThread(rank.thread, channel, window, sent[round].data(),
                                                              kCount * sizeof(int), 0),
                                0);
                      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 60), 0);
                      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, seen[round].data(), own, kCount * sizeof(int)), 0);
                      EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
                      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 60), 0);
                    }
                    return 0u;
                  }),
              ACL_SUCCESS);
    for (int round = 0; round < kRounds; ++round) {
      EXPECT_THAT(seen[static_cast<std::size_t>(round)], Each(1000 * static_cast<int>(rank.peer()) + round));
    }
  });
}

}  // namespace
}  // namespace softhccl::conformance
