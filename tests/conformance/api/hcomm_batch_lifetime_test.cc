// A batch whose communicator goes before its end: what it holds is not run, nobody's memory is used, and the next batch
// works.
#include "fixture.h"
#include "hcomm/hcomm_primitives.h"

namespace softhccl::conformance {
namespace {

class BatchLifetimeTest : public DeviceTest {
 protected:
  // A communicator of one rank with a thread that host code drives.
  void Make() {
    HcclRootInfo root;
    ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    ASSERT_EQ(HcclCommInitRootInfo(1, &root, 0, &comm_), HCCL_SUCCESS);
    ASSERT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_CPU_TS, 1, 1, &thread_), HCCL_SUCCESS);
  }
  HcclComm comm_ = nullptr;
  ThreadHandle thread_ = 0;
};

TEST_F(BatchLifetimeTest, CommunicatorDestroyedBefore_EndRefusesWhatItHolds) {
  const DeviceInts from({1, 2});
  const DeviceInts to({0, 0});
  Make();
  ASSERT_EQ(HcommBatchModeStart("late"), 0);
  ASSERT_EQ(HcommLocalCopyOnThread(thread_, to.data(), from.data(), to.bytes()), 0);
  ASSERT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcommLocalCopyOnThread, (thread_, to.data(), from.data(), to.bytes()), "thread 0x");
  EXPECT_FAILS(HCCL_E_PARA, HcommBatchModeEnd, ("late"), "stream 0x", "was destroyed");
  EXPECT_THAT(to.Read(), ::testing::Each(0));
  Make();
  ASSERT_EQ(HcommBatchModeStart("next"), 0) << "the batch is over";
  ASSERT_EQ(HcommLocalCopyOnThread(thread_, to.data(), from.data(), to.bytes()), 0);
  ASSERT_EQ(HcommBatchModeEnd("next"), 0);
  ASSERT_EQ(HcommThreadJoin(thread_, 20), 0);
  EXPECT_THAT(to.Read(), ::testing::ElementsAre(1, 2));
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
}

TEST_F(BatchLifetimeTest, CommunicatorDestroyedByAnotherThread_EndRefusesWhatItHolds) {
  const DeviceInts from({1, 2});
  const DeviceInts to({0, 0});
  Make();
  ASSERT_EQ(HcommBatchModeStart("late"), 0);
  ASSERT_EQ(HcommLocalCopyOnThread(thread_, to.data(), from.data(), to.bytes()), 0);
  std::thread([this] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }).join();
  EXPECT_FAILS(HCCL_E_PARA, HcommBatchModeEnd, ("late"), "stream 0x", "was destroyed");
  EXPECT_THAT(to.Read(), ::testing::Each(0));
}

TEST_F(BatchLifetimeTest, StreamDestroyedBefore_EndRefusesWhatItHolds) {
  const DeviceInts from({1, 2});
  const DeviceInts to({0, 0});
  aclrtStream stream = nullptr;
  ThreadHandle thread = 0;
  Make();
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, stream, 1, &thread), HCCL_SUCCESS);
  ASSERT_EQ(HcommBatchModeStart("late"), 0);
  ASSERT_EQ(HcommLocalCopyOnThread(thread, to.data(), from.data(), to.bytes()), 0);
  ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcommBatchModeEnd, ("late"), "stream 0x", "was destroyed");
  EXPECT_THAT(to.Read(), ::testing::Each(0));
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
