// HcommLocalCopyOnThread, HcommReadOnThread, HcommChannelNotify{Record,Wait}OnThread and
// HcommAclrtNotify{Record,Wait}OnThread: what they do, called from kernels through libccl_kernel.so and from host
// threads through libhcomm.so. Calls that must be refused are in hcomm_bad_call_test.cc; what a failing call does to
// its communicator is in hcomm_abort_test.cc.
#include <cstring>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcommLocalCopyOnThreadTest : public ApiTest {};

TEST_F(HcommLocalCopyOnThreadTest, FromAKernel_CopiesInOrder) {
  RunRanks(1, [](Rank& rank) {
    const DeviceInts a({1, 2, 3});
    const DeviceInts b({0, 0, 0});
    const DeviceInts c({0, 0, 0});
    aclrtNotify done = nullptr;
    uint32_t id = 0;
    EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, b.data(), a.data(), a.bytes()), 0);
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, c.data(), b.data(), b.bytes()), 0);
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, c.data(), a.data(), 0), 0) << "nothing to copy";
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, a.data(), a.data(), a.bytes()), 0) << "the same place";
      EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(c.Read(), ::testing::ElementsAre(1, 2, 3));
    EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  });
}

class HcommReadOnThreadTest : public ApiTest {};

TEST_F(HcommReadOnThreadTest, NotifiesBothWays_MoveThePeersBufferIntoUserMemory) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const auto [own, window] = BuffersOf(rank, channel);
    const DeviceInts in({static_cast<int>(rank.id) + 10, 5});
    const DeviceInts out({0, 0});
    aclrtNotify done = nullptr;
    uint32_t id = 0;
    EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
    // Both ranks send and receive: index 0 says "data is there", index 1 "it was read", in both directions at once.
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, own, in.data(), in.bytes()), 0);
      EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
      EXPECT_EQ(hcomm.ReadOnThread(rank.thread, channel, out.data(), window, out.bytes()), 0);
      EXPECT_EQ(hcomm.ReadOnThread(rank.thread, channel, out.data(), window, 0), 0);
      EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 30), 0);
      EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(out.Read(), ::testing::ElementsAre(static_cast<int>(rank.peer()) + 10, 5));
    EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  });
}

class HcommChannelNotifyOnThreadTest : public ApiTest {};

TEST_F(HcommChannelNotifyOnThreadTest, FromHostThreads_WaitQueuedBeforeTheRecordIsReleased) {
  std::atomic<bool> waiting{false};
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    aclrtNotify done = nullptr;
    uint32_t id = 0;
    EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
    if (rank.id == 0) {
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(rank.thread, channel, 1, 0), 0);
      waiting.store(true);
    } else {
      WaitUntil([&] { return waiting.load(); }, "rank 0 has queued its wait");
      EXPECT_EQ(HcommChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
    }
    EXPECT_EQ(HcommAclrtNotifyRecordOnThread(rank.thread, id), 0);
    EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  });
}

class HcommAclrtNotifyOnThreadTest : public ApiTest {};

TEST_F(HcommAclrtNotifyOnThreadTest, HandshakeOfTheArticle_OrdersHostStreamKernelAndThread) {
  RunRanks(1, [](Rank& rank) {
    aclrtNotify notifies[2] = {};
    uint32_t ids[2] = {};
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(aclrtCreateNotify(&notifies[i], ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtGetNotifyId(notifies[i], &ids[i]), ACL_SUCCESS);
    }
    const DeviceInts data({1});
    const DeviceInts out({0});
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(aclrtRecordNotify(notifies[0], rank.stream), ACL_SUCCESS);
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.AclrtNotifyWaitOnThread(rank.thread, ids[0], 30), 0);
        EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, out.data(), data.data(), 4), 0);
        EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, ids[1]), 0);
        return 0u;
      });
      EXPECT_EQ(aclrtWaitAndResetNotify(notifies[1], rank.stream, 30), ACL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    }
    EXPECT_THAT(out.Read(), ::testing::ElementsAre(1));
    for (aclrtNotify notify : notifies) EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
  });
}

class HcommForeignPairTest : public ApiTest {};

TEST_F(HcommForeignPairTest, ChannelAndThreadOfDifferentCommunicators_IsRefused) {
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    if (rank.id != 0) return;
    HcclRootInfo root;
    HcclComm other = nullptr;
    ThreadHandle thread = 0;
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &other), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadAcquire(other, COMM_ENGINE_AICPU, 1, 0, &thread), HCCL_SUCCESS);
    EXPECT_FAILS(HCCL_E_PARA, HcommChannelNotifyRecordOnThread, (thread, channel, 0),
                 "channel belongs to rank 0 of communicator " + rank.name, "use both of one communicator");
    EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
    HcclResult error = HCCL_E_INTERNAL;
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_SUCCESS) << "the channel's communicator is unharmed";
  });
}

}  // namespace
}  // namespace softhccl::conformance
