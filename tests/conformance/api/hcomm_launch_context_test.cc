// HcommBatchModeStart/End and HcommAcquireComm/ReleaseComm: state that belongs to a launch, and what happens to it
// when the kernel forgets the second call.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

// Notifies by which a test sees whether a thread has come to a point.
class LaunchContextTest : public ApiTest {
 protected:
  struct Flag {
    Flag() {
      EXPECT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtGetNotifyId(notify, &id), ACL_SUCCESS);
    }
    ~Flag() { EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS); }
    Flag(const Flag&) = delete;
    Flag& operator=(const Flag&) = delete;
    aclrtNotify notify = nullptr;
    uint32_t id = 0;
  };
};

using HcommBatchModeStartTest = LaunchContextTest;

TEST_F(HcommBatchModeStartTest, NestedStart_IsRefusedAndFailsTheLaunch) {
  ExpectLog({"kernel launch", "batch \"outer\" is still open"});
  RunRanks(1, [this](Rank& rank) {
    const Launch launch(rank.stream, [this](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.BatchModeStart("outer"), 0);
      EXPECT_HCOMM_FAILS(this, HCCL_E_PARA, BatchModeStart, ("inner"),
                         "batchTag \"inner\": batch \"outer\" is still open", "batches do not nest");
      EXPECT_EQ(hcomm.BatchModeEnd("outer"), 0);
      return 0u;
    });
    EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (rank.stream),
                         "batch \"outer\" is still open", "while running CallBack#");
  });
}

TEST_F(HcommBatchModeStartTest, LeftOpen_QueuedOpsAreDroppedAndItIsReported) {
  ExpectLog({"CallBack#", "returned with batch \"forgotten\" open: its 1 queued ops are not submitted"});
  RunRanks(1, [](Rank& rank) {
    const DeviceInts from({5});
    const DeviceInts to({0});
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.BatchModeStart("forgotten"), 0);
                          EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, to.data(), from.data(), 4), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
    Flag done;
    const Launch next(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, done.id), 0) << "the next launch begins outside a batch";
      return 0u;
    });
    EXPECT_EQ(aclrtWaitAndResetNotify(done.notify, rank.stream, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(to.Read(), ::testing::ElementsAre(0));
  });
}

using HcommBatchModeEndTest = LaunchContextTest;

TEST_F(HcommBatchModeEndTest, WithoutStartOrWithAnotherTag_Succeeds) {
  RunRanks(1, [](Rank& rank) {
    EXPECT_EQ(RunKernel(rank.stream,
                        [](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.BatchModeEnd("never begun"), 0);
                          EXPECT_EQ(hcomm.BatchModeStart(nullptr), 0);
                          EXPECT_EQ(hcomm.BatchModeEnd("another"), 0);
                          EXPECT_EQ(hcomm.BatchModeStart(""), 0);
                          EXPECT_EQ(hcomm.BatchModeEnd(nullptr), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
    EXPECT_EQ(HcommBatchModeEnd(nullptr), 0) << "on a host thread, too";
  });
}

TEST_F(HcommBatchModeEndTest, OpsOfTwoThreads_AreSubmittedAtTheEnd) {
  RunRanks(1, [](Rank& rank) {
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
    Flag first;
    Flag second;
    std::atomic<bool> ended{false};
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.BatchModeStart("two threads"), 0);
      EXPECT_EQ(hcomm.AclrtNotifyWaitOnThread(threads[1], first.id, 0), 0);
      EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(threads[1], second.id), 0);
      EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(threads[0], first.id), 0);
      ended.store(true);
      EXPECT_EQ(hcomm.BatchModeEnd("two threads"), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtWaitAndResetNotify(second.notify, rank.stream, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_TRUE(ended.load());
  });
}

using HcommAcquireCommTest = LaunchContextTest;

TEST_F(HcommAcquireCommTest, NullOrUnknownName_IsPtrAndFailsTheLaunch) {
  ExpectLog({"kernel launch", "commId is null"});
  ExpectLog({"kernel launch", "no communicator named \"nobody\" on device 0"});
  RunRanks(1, [this](Rank& rank) {
    const Launch null_name(rank.stream, [this](const Hcomm& hcomm) {
      EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AcquireComm, (nullptr), "commId is null");
      return 0u;
    });
    EXPECT_FAILS_QUIETLY(ACL_ERROR_INVALID_PARAM, aclrtSynchronizeStream, (rank.stream), "commId is null");
    const Launch unknown(rank.stream, [this](const Hcomm& hcomm) {
      EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AcquireComm, ("nobody"), "no communicator named \"nobody\" on device 0");
      return 0u;
    });
    EXPECT_FAILS_QUIETLY(ACL_ERROR_INVALID_PARAM, aclrtSynchronizeStream, (rank.stream), "\"nobody\"");
  });
}

TEST_F(HcommAcquireCommTest, TwiceInOneLaunch_IsAnErrorAndNotAHang) {
  ExpectLog({"kernel launch", "is already acquired by this launch"});
  RunRanks(1, [this](Rank& rank) {
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.AcquireComm(rank.name.c_str()), 0);
      EXPECT_HCOMM_FAILS(this, HCCL_E_PARA, AcquireComm, (rank.name.c_str()),
                         "commId \"" + rank.name + "\" is already acquired by this launch", "release it before");
      EXPECT_EQ(hcomm.ReleaseComm(rank.name.c_str()), 0);
      return 0u;
    });
    EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (rank.stream), "already acquired");
  });
}

TEST_F(HcommAcquireCommTest, TwoLaunches_OneAfterTheOther) {
  RunRanks(1, [](Rank& rank) {
    aclrtStream second = nullptr;
    EXPECT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    const auto body = [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.AcquireComm(rank.name.c_str()), 0);
      most.store(std::max(most.load(), inside.fetch_add(1) + 1));
      for (int i = 0; i < 100; ++i) std::this_thread::yield();
      inside.fetch_sub(1);
      EXPECT_EQ(hcomm.ReleaseComm(rank.name.c_str()), 0);
      return 0u;
    };
    std::vector<std::unique_ptr<Launch>> launches;
    for (int i = 0; i < 10; ++i) launches.push_back(std::make_unique<Launch>(i % 2 == 0 ? rank.stream : second, body));
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(second), ACL_SUCCESS);
    EXPECT_EQ(most.load(), 1);
    EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
  });
}

TEST_F(HcommAcquireCommTest, NotReleased_ReportedAndReleasedAtReturn) {
  ExpectLog({"CallBack#", "returned without HcommReleaseComm(", "released now; release on every path"});
  RunRanks(1, [](Rank& rank) {
    const auto forget = [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.AcquireComm(rank.name.c_str()), 0);
      return 0u;
    };
    EXPECT_EQ(RunKernel(rank.stream, forget), ACL_SUCCESS);
    EXPECT_EQ(RunKernel(rank.stream, forget), ACL_SUCCESS) << "the next launch does not pay for it";
    // RunRanks destroys the communicator: no kernel holds it, so that is HCCL_SUCCESS and not HCCL_E_AGAIN.
  });
}

TEST_F(HcommAcquireCommTest, OnAHostThread_LocksNobodyOut) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_FAILS(HCCL_E_PTR, HcommAcquireComm, ("nobody"), "no communicator named \"nobody\"");
    EXPECT_EQ(HcommAcquireComm(rank.name.c_str()), 0);
    EXPECT_EQ(HcommAcquireComm(rank.name.c_str()), 0);
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.AcquireComm(rank.name.c_str()), 0);
                          EXPECT_EQ(hcomm.ReleaseComm(rank.name.c_str()), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
  });
}

using HcommReleaseCommTest = LaunchContextTest;

TEST_F(HcommReleaseCommTest, UnknownOrNotHeld_SucceedsAndNullIsRefused) {
  ExpectLog({"kernel launch", "commId is null"});
  RunRanks(1, [this](Rank& rank) {
    EXPECT_EQ(HcommReleaseComm("nobody"), 0);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.ReleaseComm("nobody"), 0);
      EXPECT_EQ(hcomm.ReleaseComm(rank.name.c_str()), 0);
      EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, ReleaseComm, (nullptr), "commId is null");
      return 0u;
    });
    EXPECT_FAILS_QUIETLY(ACL_ERROR_INVALID_PARAM, aclrtSynchronizeStream, (rank.stream), "commId is null");
  });
}

}  // namespace
}  // namespace softhccl::conformance
