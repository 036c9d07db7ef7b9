// Limits of the data plane that expire, in a process whose waits are capped at 0.3 s: joins, waits without a thread,
// waits with the default limit, and the patience with a full thread.
#include <chrono>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

ThreadHandle SecondThread(const Rank& rank) {
  ThreadHandle threads[2] = {};
  EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 2, threads), HCCL_SUCCESS);
  return threads[1];
}

using HcommThreadJoinTest = ApiTest;

TEST_F(HcommThreadJoinTest, Expires_AnswersTimeoutAndHarmsNothing) {
  RunRanks(1, [this](Rank& rank) {
    const ThreadHandle other = SecondThread(rank);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(rank.thread, 0, 0), 0);
    EXPECT_FAILS(HCCL_E_TIMEOUT, HcommThreadJoin, (rank.thread, 5), "thread 0", "in time; they go on");
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(other, rank.thread, 0), 0);
    EXPECT_EQ(HcommThreadJoin(rank.thread, 5), 0);
    HcclResult error = HCCL_E_INTERNAL;
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_SUCCESS);
  });
}

using HcommChannelNotifyWaitTest = ApiTest;

TEST_F(HcommChannelNotifyWaitTest, Expires_AnswersTimeoutAndAborts) {
  ExpectLog({"EI0002 wait timeout", "missing: rank 1 of communicator"});
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    rank.Meet();
    if (rank.id == 0) {
      EXPECT_FAILS_QUIETLY(HCCL_E_TIMEOUT, HcommChannelNotifyWait, (channel, 1, 1836), "rank 0", "has waited 0.",
                           "for rank 1 to record notify 1 of the channel from rank 1 to rank 0");
    }
    rank.Meet();
    HcclResult error = HCCL_SUCCESS;
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_E_REMOTE);
  });
}

// HCCL_EXEC_TIMEOUT is not set: 1836 s, which the cap of this process shortens. So does an explicit limit.
class DefaultLimitTest : public ApiTest {
 protected:
  void ExpectExpires(const std::function<int32_t(const Hcomm&, ThreadHandle, ChannelHandle)>& wait) {
    ExpectLog({"EI0002 wait timeout"});
    AllowLog({"was aborted because rank"});
    RunRanks(2, [&](Rank& rank) {
      const ChannelHandle channel = rank.Channel(rank.peer());
      rank.Meet();
      if (rank.id == 0) {
        EXPECT_EQ(RunOnThread(rank,
                              [&](const Hcomm& hcomm) {
                                EXPECT_EQ(wait(hcomm, rank.thread, channel), 0);
                                return 0u;
                              }),
                  ACL_ERROR_RT_TASK_TIMEOUT);
        static_cast<void>(aclGetRecentErrMsg());
      }
      rank.Meet();
    });
  }
};

using HcommThreadNotifyWaitOnThreadWithDefaultTimeoutTest = DefaultLimitTest;

TEST_F(HcommThreadNotifyWaitOnThreadWithDefaultTimeoutTest, NotRecorded_Expires) {
  ExpectExpires([](const Hcomm& hcomm, ThreadHandle thread, ChannelHandle) {
    return hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(thread, 1);
  });
}

using HcommChannelNotifyWaitOnThreadWithDefaultTimeoutTest = DefaultLimitTest;

TEST_F(HcommChannelNotifyWaitOnThreadWithDefaultTimeoutTest, NotRecorded_Expires) {
  ExpectExpires([](const Hcomm& hcomm, ThreadHandle thread, ChannelHandle channel) {
    return hcomm.ChannelNotifyWaitOnThreadWithDefaultTimeout(thread, channel, 1);
  });
}

using HcommSetNotifyWaitTimeOutTest = DefaultLimitTest;

TEST_F(HcommSetNotifyWaitTimeOutTest, Seconds_AreTheLimitOfThisLaunchOnly) {
  ExpectExpires([](const Hcomm& hcomm, ThreadHandle thread, ChannelHandle) {
    EXPECT_EQ(hcomm.SetNotifyWaitTimeOut(2.9F), 0);
    return hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(thread, 1);
  });
}

TEST_F(HcommSetNotifyWaitTimeOutTest, Zero_IsWithoutLimit) {
  RunRanks(1, [](Rank& rank) {
    const ThreadHandle other = SecondThread(rank);
    for (const float limit : {0.0F, 0.9F, 4294967296.0F}) {  // the fraction is dropped; the last is UINT32_MAX
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.SetNotifyWaitTimeOut(limit), 0);
        EXPECT_EQ(hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(rank.thread, 0), 0);
        return 0u;
      });
      EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
      // Longer than the cap of this process, which an unlimited wait does not know.
      std::this_thread::sleep_for(std::chrono::milliseconds(450));
      EXPECT_EQ(HcommThreadNotifyRecordOnThread(other, rank.thread, 0), 0);
      EXPECT_EQ(HcommThreadSynchronize(rank.thread), 0);
    }
  });
}

using HcommThreadResAcquireTimeOutTest = ApiTest;

constexpr int kFull = 1 << 20;

// Fills the thread behind a wait for its notify 0.
void Fill(ThreadHandle thread) {
  static int from = 1;
  static int to = 0;
  EXPECT_EQ(HcommThreadNotifyWaitOnThread(thread, 0, 0), 0);
  for (int i = 1; i < kFull; ++i) {
    if (HcommLocalCopyOnThread(thread, &to, &from, sizeof to) != 0) {
      ADD_FAILURE() << "full after " << i;
      return;
    }
  }
}

TEST_F(HcommThreadResAcquireTimeOutTest, FullThread_IsWaitedForAndThenItIsAgain) {
  AllowLog({"no progress for"});  // filling a queue of a million takes long in some builds
  RunRanks(1, [this](Rank& rank) {
    const ThreadHandle other = SecondThread(rank);
    const int from = 1;
    int to = 0;
    Fill(rank.thread);
    EXPECT_FAILS(HCCL_E_AGAIN, HcommLocalCopyOnThread, (rank.thread, &to, &from, 4), "holds 1048576 ops");
    EXPECT_EQ(HcommThreadResAcquireTimeOut(1.0F), 0);
    const auto before = std::chrono::steady_clock::now();
    EXPECT_FAILS(HCCL_E_AGAIN, HcommLocalCopyOnThread, (rank.thread, &to, &from, 4), "holds 1048576 ops");
    EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(300)) << "the cap of this process";
    EXPECT_EQ(HcommThreadResAcquireTimeOut(0.0F), 0);
    std::thread release([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(HcommThreadNotifyRecordOnThread(other, rank.thread, 0), 0);
    });
    EXPECT_EQ(HcommLocalCopyOnThread(rank.thread, &to, &from, 4), 0) << "waits until there is room";
    release.join();
    EXPECT_EQ(HcommThreadSynchronize(rank.thread), 0);
    EXPECT_EQ(to, 1);
  });
}

}  // namespace
}  // namespace softhccl::conformance
