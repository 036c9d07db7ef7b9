// HcclCommInitClusterInfo and HcclCommInitClusterInfoConfig: communicators of the ranks that a file lists.
#include <cstring>

#include "fixture.h"
#include "rank_table_file.h"

namespace softhccl::conformance {
namespace {

class HcclCommInitClusterInfoTest : public DeviceTest {
 protected:
  HcclComm comm_ = nullptr;
};

TEST_F(HcclCommInitClusterInfoTest, OneRank_HasTheNameOfTheWorld) {
  const TableFile table(OneServer(1));
  ASSERT_EQ(HcclCommInitClusterInfo(table.path(), 0, &comm_), HCCL_SUCCESS);
  char name[128] = {};
  EXPECT_EQ(HcclGetCommName(comm_, name), HCCL_SUCCESS);
  EXPECT_STREQ(name, "hccl_world_group");
  HcclComm second = nullptr;
  EXPECT_FAILS(HCCL_E_UNAVAIL, HcclCommInitClusterInfo, (table.path(), 0, &second),
               "device 0 has a communicator made from a rank table already", "[HCCL_E_UNAVAIL 7]");
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommInitClusterInfo(table.path(), 0, &comm_), HCCL_SUCCESS) << "free again";
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
}

TEST_F(HcclCommInitClusterInfoTest, BadArguments_AreRefusedInOrder) {
  std::thread([this] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclCommInitClusterInfo, (nullptr, 0, nullptr), "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitClusterInfo, (nullptr, 0, nullptr), "clusterInfo is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitClusterInfo, ("x", 0, nullptr), "comm is null");
  EXPECT_FAILS(HCCL_E_INTERNAL, HcclCommInitClusterInfo, ("/no/such/table.json", 0, &comm_), "EI0004",
               "/no/such/table.json", "No such file", "[HCCL_E_INTERNAL 4]");
  EXPECT_FAILS(HCCL_E_INTERNAL, HcclCommInitClusterInfo, (std::string(5000, 'x').c_str(), 0, &comm_), "EI0004",
               "5000 characters", "4095");
  EXPECT_FAILS(HCCL_E_INTERNAL, HcclCommInitClusterInfo, ("/", 0, &comm_), "EI0004");
  EXPECT_EQ(comm_, nullptr);
}

TEST_F(HcclCommInitClusterInfoTest, BadTable_IsNamedByFileLineAndField) {
  const TableFile no_json("{\n  \"version\": \"1.0\",\n  oops\n}");
  EXPECT_FAILS(HCCL_E_INTERNAL, HcclCommInitClusterInfo, (no_json.path(), 0, &comm_), "EI0004",
               std::string(no_json.path()) + ":3: ");
  std::string text = OneServer(2);
  text.replace(text.find("\"rank_id\": \"1\""), 14, "\"rank_id\": \"0\"");
  const TableFile twice(text);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitClusterInfo, (twice.path(), 0, &comm_), "EI0014",
               std::string(twice.path()) + ":8: server_list[0].device[1].rank_id", "0 is in line 7 already",
               "[HCCL_E_PARA 1]");
}

TEST_F(HcclCommInitClusterInfoTest, RankNotOnThisDevice_IsRefused) {
  const TableFile table(OneServer(4));
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitClusterInfo, (table.path(), 2, &comm_), "EI0014 rank 2 is on server 10.0.0.1",
               "device 2", "but device 0 is set on this thread");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitClusterInfo, (table.path(), 4, &comm_),
               "EI0014 rank 4 is not in the rank table", "4 ranks, 0 to 3");
}

// Passes a record from every rank to the next one, on communicators in `comms` by rank.
void PassAround(const std::vector<HcclComm>& comms) {
  const auto size = static_cast<uint32_t>(comms.size());
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      EXPECT_EQ(aclrtSetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
      aclrtStream stream = nullptr;
      EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      ThreadHandle thread = 0;
      EXPECT_EQ(HcclThreadAcquire(comms[rank], COMM_ENGINE_AICPU, 1, 2, &thread), HCCL_SUCCESS);
      HcclChannelDesc descs[2];
      EXPECT_EQ(HcclChannelDescInit(descs, 2), HCCL_SUCCESS);
      const uint32_t peers[2] = {(rank + 1) % size, (rank + size - 1) % size};
      const uint32_t channel_count = size == 2 ? 1 : 2;
      for (uint32_t i = 0; i < channel_count; ++i) {
        descs[i].remoteRank = peers[i];
        descs[i].channelProtocol = COMM_PROTOCOL_HCCS;
        descs[i].notifyNum = 1;
      }
      ChannelHandle channels[2] = {};
      EXPECT_EQ(HcclChannelAcquire(comms[rank], COMM_ENGINE_AICPU, descs, channel_count, channels), HCCL_SUCCESS);
      aclrtNotify done = nullptr;
      uint32_t id = 0;
      EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
      EXPECT_EQ(RunKernel(stream,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(thread, channels[0], 0), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(thread, channels[channel_count - 1], 0, 30), 0);
                            EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(thread, id), 0);
                            return 0u;
                          }),
                ACL_SUCCESS);
      EXPECT_EQ(aclrtWaitAndResetNotify(done, stream, 0), ACL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
      EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
      EXPECT_EQ(aclrtResetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(HcclCommInitClusterInfoTest, OneThreadCreatesAllRanks_TheyCommunicateAndMayFormAgain) {
  const TableFile table(OneServer(3));
  for (int round = 0; round < 2; ++round) {
    std::vector<HcclComm> comms(3);
    for (uint32_t rank = 0; rank < 3; ++rank) {
      ASSERT_EQ(aclrtSetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
      ASSERT_EQ(HcclCommInitClusterInfo(table.path(), rank, &comms[rank]), HCCL_SUCCESS) << "nobody is waited for";
      uint32_t value = 99;
      EXPECT_EQ(HcclGetRankId(comms[rank], &value), HCCL_SUCCESS);
      EXPECT_EQ(value, rank);
      EXPECT_EQ(HcclGetRankSize(comms[rank], &value), HCCL_SUCCESS);
      EXPECT_EQ(value, 3u);
    }
    PassAround(comms);
    for (const int32_t rank : {1, 0, 2}) {
      ASSERT_EQ(aclrtSetDevice(rank), ACL_SUCCESS);
      EXPECT_EQ(HcclCommDestroy(comms[static_cast<size_t>(rank)]), HCCL_SUCCESS);
    }
    for (int32_t rank = 0; rank < 3; ++rank) {
      for (int i = 0; i < 2; ++i) EXPECT_EQ(aclrtResetDevice(rank), ACL_SUCCESS);
    }
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);  // selects the fixture's device again
    ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }
}

class HcclCommInitClusterInfoConfigTest : public HcclCommInitClusterInfoTest {};

TEST_F(HcclCommInitClusterInfoConfigTest, NameAndBuffer_TakeEffect) {
  const TableFile table(OneServer(1));
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.hcclBufferSize = 1;
  std::strcpy(config.hcclCommName, "my world");
  ASSERT_EQ(HcclCommInitClusterInfoConfig(table.path(), 0, &config, &comm_), HCCL_SUCCESS);
  char name[128] = {};
  EXPECT_EQ(HcclGetCommName(comm_, name), HCCL_SUCCESS);
  EXPECT_STREQ(name, "my world");
  void* buffer = nullptr;
  uint64_t size = 0;
  EXPECT_EQ(HcclGetHcclBuffer(comm_, &buffer, &size), HCCL_SUCCESS);
  EXPECT_EQ(size, 2u * 1024 * 1024);
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitClusterInfoConfig, (table.path(), 0, nullptr, &comm_), "config is null");
  config.hcclBufferSize = 0;
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitClusterInfoConfig, (table.path(), 0, &config, &comm_), "EI0003",
               "hcclBufferSize 0");
}

}  // namespace
}  // namespace softhccl::conformance
