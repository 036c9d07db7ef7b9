// HCCL_EXEC_TIMEOUT, in a process where it is 0.4 s: it ends the waits of kernels that carry no limit of their own, and
// no others.
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

}  // namespace
}  // namespace softhccl::conformance
