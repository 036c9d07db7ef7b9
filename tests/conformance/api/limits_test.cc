// Waits and rendezvous that expire, in a process whose limits are capped at 0.3 s: HcclCommInitRootInfo,
// HcclChannelAcquire and the notify waits name who did not come.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcclCommInitRootInfoLimitTest : public DeviceTest {};

TEST_F(HcclCommInitRootInfoLimitTest, RanksMissing_AreNamedAndItMayBeTriedAgain) {
  HcclRootInfo root;
  HcclComm comm = nullptr;
  EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FAILS(HCCL_E_TIMEOUT, HcclCommInitRootInfo, (4, &root, 1, &comm),
                 "EI0015 1 of 4 ranks joined in time; missing: rank 0, 2, 3", "[HCCL_E_TIMEOUT 9]");
    EXPECT_EQ(comm, nullptr);
  }
  EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_SUCCESS) << "also with another size, as nobody is waiting";
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
}

class HcclCommInitClusterInfoLimitTest : public DeviceTest {};

// Two ranks are listed, one is started.
TEST_F(HcclCommInitClusterInfoLimitTest, RankThatNeverComes_IsNamedByServerAndDeviceAtTheFirstChannel) {
  const std::string path = ::testing::TempDir() + "limits_test_ranks.json";
  std::ofstream(path) << R"({"version": "1.0", "status": "completed", "server_count": "2", "server_list": [
    {"server_id": "s0", "device": [{"device_id": "0", "device_ip": "10.0.0.1", "rank_id": "0"}]},
    {"server_id": "s1", "device": [{"device_id": "5", "device_ip": "10.0.0.2", "rank_id": "1"}]}]})";
  HcclComm comm = nullptr;
  ASSERT_EQ(HcclCommInitClusterInfo(path.c_str(), 0, &comm), HCCL_SUCCESS);
  HcclChannelDesc desc;
  EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.remoteRank = 1;
  ChannelHandle channel = 0;
  EXPECT_FAILS(
      HCCL_E_TIMEOUT, HcclChannelAcquire, (comm, COMM_ENGINE_AICPU, &desc, 1, &channel),
      "EI0006 channel between rank 0 and rank 1: rank 1 (server s1, device 5) has not created its communicator "
      "hccl_world_group (waited 0.3 s)");
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  std::remove(path.c_str());
}

class HcclChannelAcquireLimitTest : public ApiTest {};

TEST_F(HcclChannelAcquireLimitTest, PeersDoNotCome_PairIsNamedAndTheOthersAreKept) {
  RunRanks(4, [this](Rank& rank) {
    HcclChannelDesc descs[3];
    EXPECT_EQ(HcclChannelDescInit(descs, 3), HCCL_SUCCESS);
    ChannelHandle channels[3] = {};
    for (int i = 0; i < 3; ++i) {
      descs[i].channelProtocol = COMM_PROTOCOL_HCCS;
      descs[i].remoteRank = static_cast<uint32_t>(3 - i);
      descs[i].notifyNum = 1;
    }
    if (rank.id == 0) {
      // Rank 1 comes, 2 and 3 do not.
      EXPECT_FAILS(HCCL_E_TIMEOUT, HcclChannelAcquire, (rank.comm, COMM_ENGINE_AICPU, descs, 3, channels),
                   "EI0006 channel between rank 0 and rank 3: rank 3 has not acquired its end (waited 0.3 s",
                   "missing as well: rank 2", "same engine and protocol", "[HCCL_E_TIMEOUT 9]");
      EXPECT_THAT(channels, ::testing::Each(0u)) << "outputs are set only on success";
      EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &descs[2], 1, channels), HCCL_SUCCESS)
          << "the end that rank 1 is connected to is still there";
      EXPECT_EQ(HcommChannelNotifyRecordOnThread(rank.thread, channels[0], 0), 0);
    } else if (rank.id == 1) {
      const ChannelHandle channel = [&] {
        descs[0].remoteRank = 0;
        EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &descs[0], 1, channels), HCCL_SUCCESS);
        return channels[0];
      }();
      rank.Meet();
      aclrtNotify done = nullptr;
      uint32_t id = 0;
      EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(rank.thread, channel, 0, 0), 0);
      EXPECT_EQ(HcommAclrtNotifyRecordOnThread(rank.thread, id), 0);
      EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS) << "rank 0's record came through the kept channel";
      EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
      return;
    }
    rank.Meet();
  });
}

class WaitLimitTest : public ApiTest {};

TEST_F(WaitLimitTest, HcommChannelNotifyWaitOnThread_Expires_FailsWithTaskTimeoutAndAborts) {
  ExpectLog({"EI0002 wait timeout", "missing: rank 1 of communicator", "it has not started any operation"});
  AllowLog({"EI0002"});
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    rank.Meet();
    if (rank.id == 0) {
      aclrtNotify done = nullptr;
      uint32_t id = 0;
      EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 1836), 0);
        EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
        return 0u;
      });
      EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
      EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStream, (rank.stream), "rank 0", "has waited 0.",
                           "for rank 1 to record notify 1 of the channel from rank 1 to rank 0", "107020]");
      EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
    }
    rank.Meet();
    HcclResult error = HCCL_SUCCESS;
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_E_REMOTE);
  });
}

TEST_F(WaitLimitTest, HcommAclrtNotifyWaitOnThread_Expires_FailsWithTaskTimeout) {
  ExpectLog({"EI0002 wait timeout"});
  RunRanks(1, [this](Rank& rank) {
    aclrtNotify never = nullptr;
    aclrtNotify done = nullptr;
    uint32_t ids[2] = {};
    EXPECT_EQ(aclrtCreateNotify(&never, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(never, &ids[0]), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(done, &ids[1]), ACL_SUCCESS);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.AclrtNotifyWaitOnThread(rank.thread, ids[0], 5), 0);
      EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, ids[1]), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
    EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStream, (rank.stream), "has waited 0.",
                         "for a record of notify", "of device 0", "107020]");
    EXPECT_EQ(aclrtDestroyNotify(never), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace softhccl::conformance
