// HCCL_EXEC_TIMEOUT, in a process where it is 0.4 s: it ends the waits of kernels that carry no limit of their own, and
// no others. A communicator may have a limit of its own.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

using HcommThreadNotifyWaitOnThreadWithDefaultTimeoutTest = ApiTest;

TEST_F(HcommThreadNotifyWaitOnThreadWithDefaultTimeoutTest, ExecTimeout_EndsItAndNotTheOthers) {
  ExpectLog({"EI0002 wait timeout: 1 wait reached the limit", "has waited 0.4 s"});
  AllowLog({"was aborted because rank 0"});
  RunRanks(1, [this](Rank& rank) {
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 2, threads), HCCL_SUCCESS);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.ThreadNotifyWaitOnThread(threads[1], 1, 1836), 0);
      EXPECT_EQ(hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(threads[0], 0), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_FAILS_QUIETLY(HCCL_E_TIMEOUT, HcommThreadSynchronize, (threads[0]), "has waited 0.4 s");
  });
}

using HcommSetNotifyWaitTimeOutTest = ApiTest;

TEST_F(HcommSetNotifyWaitTimeOutTest, Set_HidesExecTimeoutForThisLaunch) {
  RunRanks(1, [](Rank& rank) {
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.SetNotifyWaitTimeOut(30.0F), 0);
                          EXPECT_EQ(hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(threads[0], 0), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
    // Long after the limit of the environment.
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(threads[1], threads[0], 0), 0);
    EXPECT_EQ(HcommThreadSynchronize(threads[0]), 0);
  });
}

// --- hcclExecTimeOut of a communicator

// A communicator of all ranks beside that of the test, with its own limit in seconds.
class LimitedComm {
 public:
  LimitedComm(Rank& rank, int32_t seconds) {
    static HcclRootInfo root;
    if (rank.id == 0) {
      EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    }
    rank.Meet();
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    config.hcclBufferSize = 1;
    config.hcclExecTimeOut = seconds;
    EXPECT_EQ(HcclCommInitRootInfoConfig(rank.size, &root, rank.id, &config, &comm), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadAcquire(comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
  }
  ~LimitedComm() { EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS); }
  LimitedComm(const LimitedComm&) = delete;
  LimitedComm& operator=(const LimitedComm&) = delete;

  ChannelHandle Channel(uint32_t peer) const {
    HcclChannelDesc desc;
    EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
    desc.remoteRank = peer;
    desc.channelProtocol = COMM_PROTOCOL_HCCS;
    desc.notifyNum = 1;
    ChannelHandle channel = 0;
    EXPECT_EQ(HcclChannelAcquire(comm, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    return channel;
  }

  HcclComm comm = nullptr;
  ThreadHandle threads[2] = {};
};

using HcclCommConfigExecTimeOutTest = ApiTest;

TEST_F(HcclCommConfigExecTimeOutTest, OneSecond_EndsWaitsOfItsThreadsWithoutLimit) {
  ExpectLog({"EI0002 wait timeout: 1 wait reached the limit", "has waited 1.0 s"});
  AllowLog({"was aborted because rank 0"});
  RunRanks(1, [this](Rank& rank) {
    const LimitedComm limited(rank, 1);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(limited.threads[0], 0), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_FAILS_QUIETLY(HCCL_E_TIMEOUT, HcommThreadSynchronize, (limited.threads[0]), "has waited 1.0 s");
  });
}

TEST_F(HcclCommConfigExecTimeOutTest, OneSecond_EndsWaitsOnItsChannelsWithoutLimit) {
  ExpectLog({"EI0002 wait timeout", "has waited 1.0 s"});
  AllowLog({"was aborted because rank"});
  RunRanks(2, [this](Rank& rank) {
    const LimitedComm limited(rank, 1);
    const ChannelHandle channel = limited.Channel(rank.peer());
    if (rank.id == 0) {
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThreadWithDefaultTimeout(limited.threads[0], channel, 0), 0);
        return 0u;
      });
      EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
      EXPECT_FAILS_QUIETLY_IN(this, HCCL_E_TIMEOUT, HcommThreadSynchronize, (limited.threads[0]), "has waited 1.0 s");
    }
    rank.Meet();
  });
}

TEST_F(HcclCommConfigExecTimeOutTest, Zero_WaitsForEver) {
  RunRanks(1, [](Rank& rank) {
    const LimitedComm limited(rank, 0);
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(limited.threads[0], 0), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
    // Long after the limit of the environment.
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(limited.threads[1], limited.threads[0], 0), 0);
    EXPECT_EQ(HcommThreadSynchronize(limited.threads[0]), 0);
  });
}

TEST_F(HcclCommConfigExecTimeOutTest, NotSet_IsThatOfTheEnvironment) {
  ExpectLog({"EI0002 wait timeout: 1 wait reached the limit", "has waited 0.4 s"});
  AllowLog({"was aborted because rank 0"});
  RunRanks(1, [this](Rank& rank) {
    const LimitedComm limited(rank, HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.ThreadNotifyWaitOnThreadWithDefaultTimeout(limited.threads[0], 0), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_FAILS_QUIETLY(HCCL_E_TIMEOUT, HcommThreadSynchronize, (limited.threads[0]), "has waited 0.4 s");
  });
}

}  // namespace
}  // namespace softhccl::conformance
