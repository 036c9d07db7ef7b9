// What a failure means for others: the kernel's own stream, the peers that wait for the failed rank, and the
// communicator, which stays unusable until it is destroyed.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcommAbortTest : public ApiTest {
 protected:
  // Rank 0 makes a call fail in a kernel that returns 0 and whose result nobody looks at.
  void FailInKernel(Rank& rank) {
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, LocalCopyOnThread, (rank.thread, nullptr, nullptr, 4), "dst is null");
      return 0u;
    });
    EXPECT_FAILS_QUIETLY(ACL_ERROR_INVALID_PARAM, aclrtSynchronizeStream, (rank.stream), "dst is null",
                         "while running CallBack#", "100000]");
  }
};

TEST_F(HcommAbortTest, PeerWaits_EndsWithRemoteNamingTheFailedRank) {
  ExpectLog({"kernel launch", "dst is null"});
  AllowLog({"was aborted because rank 0"});
  std::atomic<bool> queued{false};
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    if (rank.id == 1) {
      aclrtNotify done = nullptr;
      uint32_t id = 0;
      EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 0), 0);
        EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
        queued.store(true);
        return 0u;
      });
      EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
      rank.Meet();
      EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, aclrtSynchronizeStream, (rank.stream),
                           "communicator " + rank.name + " was aborted because rank 0: dst is null",
                           "destroy it and create a new one", "507057]");
      EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
    } else {
      rank.Meet();
      WaitUntil([&] { return queued.load(); }, "rank 1 has queued its wait");
      FailInKernel(rank);
    }
  });
}

TEST_F(HcommAbortTest, Aborted_EveryFurtherUseIsRefusedAtOnce) {
  ExpectLog({"kernel launch", "dst is null"});
  AllowLog({"was aborted because rank 0"});
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    if (rank.id == 0) FailInKernel(rank);
    rank.Meet();
    HcclResult error = HCCL_SUCCESS;
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_E_REMOTE);
    if (rank.id == 0) return;
    const std::string because = "was aborted because rank 0: dst is null";
    ThreadHandle thread = 0;
    void* context = nullptr;
    HcclChannelDesc desc;
    EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
    desc.remoteRank = 0;
    desc.channelProtocol = COMM_PROTOCOL_ROCE;  // one that does not exist yet: it would wait for the peer
    ChannelHandle other = 0;
    EXPECT_FAILS(HCCL_E_REMOTE, HcclThreadAcquire, (rank.comm, COMM_ENGINE_CPU, 1, 1, &thread), because, "21]");
    EXPECT_FAILS(HCCL_E_REMOTE, HcclEngineCtxCreate, (rank.comm, "t", COMM_ENGINE_CPU, 1, &context), because);
    EXPECT_FAILS(HCCL_E_REMOTE, HcclChannelAcquire, (rank.comm, COMM_ENGINE_AICPU, &desc, 1, &other), because);
    EXPECT_FAILS(HCCL_E_REMOTE, HcommChannelNotifyRecordOnThread, (rank.thread, channel, 0), because);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_HCOMM_FAILS(this, HCCL_E_REMOTE, AcquireComm, (rank.name.c_str()), because);
      return 0u;
    });
    EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, aclrtSynchronizeStream, (rank.stream), because, "507057]");
    // What only asks still answers.
    uint32_t id = 9;
    EXPECT_EQ(HcclGetRankId(rank.comm, &id), HCCL_SUCCESS);
    EXPECT_EQ(id, 1u);
  });
}

TEST_F(HcommAbortTest, AbortedWhileAChannelIsAwaited_EndsTheWait) {
  ExpectLog({"kernel launch", "dst is null"});
  std::atomic<bool> acquiring{false};
  RunRanks(2, [&](Rank& rank) {
    if (rank.id == 1) {
      HcclChannelDesc desc;
      EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
      desc.remoteRank = 0;
      desc.channelProtocol = COMM_PROTOCOL_HCCS;
      ChannelHandle channel = 0;
      acquiring.store(true);
      EXPECT_FAILS(HCCL_E_REMOTE, HcclChannelAcquire, (rank.comm, COMM_ENGINE_AICPU, &desc, 1, &channel),
                   "was aborted because rank 0: dst is null");
    } else {
      WaitUntil([&] { return acquiring.load(); }, "rank 1 is about to acquire");
      FailInKernel(rank);
    }
  });
}

TEST_F(HcommAbortTest, KernelReturnsNonZero_PeersOfItsThreadsAreTold) {
  ExpectLog({"kernel launch", "returned 3"});
  AllowLog({"was aborted because rank 0"});
  std::atomic<bool> queued{false};
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    aclrtNotify done = nullptr;
    uint32_t id = 0;
    EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
    if (rank.id == 0) {
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 0), 0);
        WaitUntil([&] { return queued.load(); }, "rank 1 has queued its wait");
        return 3u;
      });
      EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (rank.stream), "kernel CallBack#",
                           "returned 3", "507018]");
    } else {
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 0), 0);
        EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
        queued.store(true);
        return 0u;
      });
      EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
      const aclError result = aclrtSynchronizeStream(rank.stream);
      EXPECT_EQ(result, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
      EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr("because rank 0"));
    }
    EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  });
}

TEST_F(HcommAbortTest, DestroyWithWorkPending_NamesItAndTellsThePeers) {
  ExpectLog({"rank 0 destroyed communicator", "while 1 ops were pending", "synchronise the streams first"});
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    if (rank.id == 0) {
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(rank.thread, channel, 0, 0), 0);
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      rank.comm = nullptr;
    }
    rank.Meet();
    if (rank.id == 1) {
      HcclResult error = HCCL_SUCCESS;
      EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
      EXPECT_EQ(error, HCCL_E_REMOTE);
    }
  });
}

TEST_F(HcommAbortTest, PeerHasDestroyed_WaitsForItFailInsteadOfHanging) {
  ExpectLog({"rank 1 has destroyed its communicator", "records nothing any more"});
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    if (rank.id == 0) {
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(rank.thread, channel, 0, 0), 0);
    }
    rank.Meet();
    if (rank.id == 1) {
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      rank.comm = nullptr;
    }
    rank.Meet();
    if (rank.id != 0) return;
    HcclResult error = HCCL_SUCCESS;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (error == HCCL_SUCCESS && std::chrono::steady_clock::now() < end) {
      EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    }
    EXPECT_EQ(error, HCCL_E_REMOTE);
  });
}

TEST_F(HcommAbortTest, HandlesOfADestroyedCommunicator_AreRefusedByName) {
  ThreadHandle thread = 0;
  ChannelHandle channel = 0;
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle made = rank.Channel(rank.peer());
    rank.Meet();  // the peer's end must be there before this rank's communicator goes
    if (rank.id != 0) return;
    thread = rank.thread;
    channel = made;
  });
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelNotifyRecordOnThread, (thread, channel, 0), "channel 0x",
               "is a channel that was destroyed");
  int a = 0;
  int b = 0;
  EXPECT_FAILS(HCCL_E_PARA, HcommLocalCopyOnThread, (thread, &a, &b, 4), "thread 0x", "is a thread that was destroyed");
}

}  // namespace
}  // namespace softhccl::conformance
