// Notifies of threads, waits with the default limit, and notifies of channels used without a thread.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

using ::testing::ElementsAre;

// Two AICPU threads of the rank with `notifies` each.
std::vector<ThreadHandle> TwoThreads(const Rank& rank, uint32_t notifies) {
  std::vector<ThreadHandle> threads(2);
  EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, notifies, threads.data()), HCCL_SUCCESS);
  return threads;
}

using HcommThreadNotifyRecordOnThreadTest = ApiTest;

TEST_F(HcommThreadNotifyRecordOnThreadTest, TwoThreads_WorkInTheOrderOfTheNotifies) {
  RunRanks(1, [](Rank& rank) {
    const auto threads = TwoThreads(rank, 3);
    const DeviceInts a({1});
    const DeviceInts b({0});
    const DeviceInts c({0});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            // The second thread is the first to be told what to do, and waits.
                            EXPECT_EQ(hcomm.ThreadNotifyWaitOnThread(threads[1], 2, 0), 0);
                            EXPECT_EQ(hcomm.LocalCopyOnThread(threads[1], c.data(), b.data(), 4), 0);
                            EXPECT_EQ(hcomm.ThreadNotifyRecordOnThread(threads[1], threads[0], 0), 0);
                            EXPECT_EQ(hcomm.LocalCopyOnThread(threads[0], b.data(), a.data(), 4), 0);
                            EXPECT_EQ(hcomm.ThreadNotifyRecordOnThread(threads[0], threads[1], 2), 0);
                            EXPECT_EQ(hcomm.ThreadNotifyWaitOnThread(threads[0], 0, 30), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(c.Read(), ElementsAre(1));
  });
}

TEST_F(HcommThreadNotifyRecordOnThreadTest, FromHostCode_ReleasesAThreadThatAKernelMadeWait) {
  RunRanks(1, [](Rank& rank) {
    const auto threads = TwoThreads(rank, 1);
    ThreadHandle host = 0;
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_CPU_TS, 1, 1, &host), HCCL_SUCCESS);
    // Host to device and back, as operators without runtime notifies do it.
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.ThreadNotifyWaitOnThread(threads[0], 0, 0), 0);
      EXPECT_EQ(hcomm.ThreadNotifyRecordOnThread(threads[0], host, 0), 0);
      return 0u;
    });
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(host, threads[0], 0), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(host, 0, 30), 0);
    EXPECT_EQ(HcommThreadJoin(host, 30), 0);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
  });
}

TEST_F(HcommThreadNotifyRecordOnThreadTest, AcquiredAgainWithMore_TheNewOnesWorkAndTheOldOnesKeepTheirBit) {
  RunRanks(1, [](Rank& rank) {
    const auto threads = TwoThreads(rank, 1);
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(threads[0], threads[1], 0), 0);
    EXPECT_EQ(TwoThreads(rank, 300), threads);
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(threads[0], threads[1], 299), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(threads[1], 0, 30), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(threads[1], 299, 30), 0);
    EXPECT_EQ(HcommThreadJoin(threads[1], 30), 0);
  });
}

using HcommThreadNotifyWaitOnThreadTest = ApiTest;

TEST_F(HcommThreadNotifyWaitOnThreadTest, TwoRecords_CountOnceAndTheLossIsReported) {
  ExpectLog({"lost record: notify 1 of", "was still set when it was recorded again"});
  RunRanks(1, [](Rank& rank) {
    const auto threads = TwoThreads(rank, 2);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(HcommThreadNotifyRecordOnThread(threads[0], threads[1], 1), 0);
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(threads[0], threads[1], 0), 0);
    EXPECT_EQ(HcommThreadJoin(threads[0], 30), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(threads[1], 1, 30), 0);
    EXPECT_EQ(HcommThreadJoin(threads[1], 30), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(threads[1], 1, 30), 0) << "the second wait finds it cleared";
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(threads[0], threads[1], 1), 0);
    EXPECT_EQ(HcommThreadJoin(threads[1], 30), 0);
  });
}

using HcommThreadNotifyWaitOnThreadWithDefaultTimeoutTest = ApiTest;

TEST_F(HcommThreadNotifyWaitOnThreadWithDefaultTimeoutTest, Recorded_GoesOn) {
  RunRanks(1, [](Rank& rank) {
    const auto threads = TwoThreads(rank, 2);
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(threads[0], 0), 0);
                            EXPECT_EQ(hcomm.SetNotifyWaitTimeOut(0.0F), 0);
                            EXPECT_EQ(hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(threads[0], 1), 0);
                            EXPECT_EQ(hcomm.ThreadNotifyRecordOnThread(threads[1], threads[0], 0), 0);
                            EXPECT_EQ(hcomm.ThreadNotifyRecordOnThread(threads[1], threads[0], 1), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
  });
}

using HcommChannelNotifyWaitOnThreadWithDefaultTimeoutTest = ApiTest;

TEST_F(HcommChannelNotifyWaitOnThreadWithDefaultTimeoutTest, Recorded_GoesOn) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThreadWithDefaultTimeout(rank.thread, channel, 1), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
  });
}

using HcommChannelNotifyRecordTest = ApiTest;

TEST_F(HcommChannelNotifyRecordTest, AfterPostedWrites_PeerFindsTheData) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const auto [own, window] = BuffersOf(rank, channel);
    const std::vector<int> mine(500'000, static_cast<int>(rank.id) + 5);
    const uint64_t bytes = mine.size() * sizeof(int);
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(HcommWriteNbi(channel, window, mine.data(), bytes), 0);
      EXPECT_EQ(HcommChannelNotifyRecord(channel, 0), 0);
      EXPECT_EQ(HcommChannelNotifyWait(channel, 0, 30), 0);
      const int* got = static_cast<const int*>(own);
      EXPECT_EQ(got[0], static_cast<int>(rank.peer()) + 5);
      EXPECT_EQ(got[mine.size() - 1], static_cast<int>(rank.peer()) + 5);
      EXPECT_EQ(HcommChannelFence(channel), 0);
      EXPECT_EQ(HcommChannelNotifyRecord(channel, 1), 0);
      EXPECT_EQ(HcommChannelNotifyWaitWithDefaultTimeout(channel, 1), 0);
      std::memset(own, 0, 4);
      rank.Meet();
    }
  });
}

using HcommChannelNotifyWaitTest = ApiTest;

TEST_F(HcommChannelNotifyWaitTest, OneCallWaits_AnotherPostsThroughTheSameChannel) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    std::thread waiting([&] { EXPECT_EQ(HcommChannelNotifyWait(channel, 0, 0), 0); });
    // Each end's record is posted while that end is waiting; both must get through.
    rank.Meet();
    EXPECT_EQ(HcommChannelNotifyRecord(channel, 1), 0);
    EXPECT_EQ(HcommChannelNotifyWait(channel, 1, 30), 0);
    EXPECT_EQ(HcommChannelNotifyRecord(channel, 0), 0);
    waiting.join();
  });
}

TEST_F(HcommChannelNotifyWaitTest, InAKernel_BlocksTheKernelOnly) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
                          EXPECT_EQ(hcomm.ChannelNotifyWait(channel, 0, 30), 0);
                          EXPECT_EQ(hcomm.ChannelNotifyRecord(channel, 1), 0);
                          EXPECT_EQ(hcomm.ChannelNotifyWaitWithDefaultTimeout(channel, 1), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
  });
}

TEST_F(HcommChannelNotifyWaitTest, BatchIsOpen_WhatItHoldsBackIsSubmittedFirst) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.BatchModeStart("exchange"), 0);
                          EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
                          EXPECT_EQ(hcomm.ChannelNotifyWait(channel, 0, 30), 0);
                          EXPECT_EQ(hcomm.BatchModeEnd("exchange"), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
  });
}

TEST_F(HcommChannelNotifyWaitTest, PeerFails_EndsWithRemote) {
  ExpectLog({"HcommLocalCopyOnThread", "dst is null"});
  std::atomic<bool> waiting{false};
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    if (rank.id == 0) {
      waiting.store(true);
      EXPECT_FAILS_QUIETLY(HCCL_E_REMOTE, HcommChannelNotifyWait, (channel, 0, 0),
                           "was aborted because rank 1: dst is null");
      EXPECT_FAILS(HCCL_E_REMOTE, HcommChannelNotifyWait, (channel, 0, 0), "was aborted because rank 1");
      EXPECT_FAILS(HCCL_E_REMOTE, HcommChannelNotifyRecord, (channel, 0), "was aborted because rank 1");
    } else {
      WaitUntil([&] { return waiting.load(); }, "rank 0 is about to wait");
      EXPECT_NE(HcommLocalCopyOnThread(rank.thread, nullptr, nullptr, 4), 0);
    }
  });
}

TEST_F(HcommChannelNotifyWaitTest, ExpiresInAKernelThatSwallowsIt_FailsTheLaunch) {
  ExpectLog({"EI0002 wait timeout"});
  ExpectLog({"kernel launch", "has waited 1."});
  AllowLog({"was aborted because rank 0"});
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    rank.Meet();
    if (rank.id == 0) {
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        const int32_t result = hcomm.ChannelNotifyWait(channel, 0, 1);
        ExpectFailure(HCCL_E_TIMEOUT, result, "HcommChannelNotifyWait", {"has waited 1."}, false);
        return 0u;
      });
      EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStream, (rank.stream), "has waited 1.");
    }
    rank.Meet();
  });
}

}  // namespace
}  // namespace softhccl::conformance
