// HcclCreateSubCommConfig and HcclCommInitAll.
#include <cstring>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

HcclCommConfig SmallConfig() {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.hcclBufferSize = 1;
  return config;
}

class HcclCreateSubCommConfigTest : public ApiTest {};

TEST_F(HcclCreateSubCommConfigTest, SomeRanks_GetNewNumbersAndTheParentsName) {
  RunRanks(4, [this](Rank& rank) {
    HcclCommConfig config = SmallConfig();
    HcclComm sub = nullptr;
    if (rank.id == 1) {
      EXPECT_EQ(HcclCreateSubCommConfig(&rank.comm, 0, nullptr, 0xFFFFFFFF, 0, nullptr, &sub), HCCL_SUCCESS);
      EXPECT_EQ(sub, nullptr) << "no member";
      return;
    }
    uint32_t members[3] = {3, 0, 2};
    const uint32_t own = rank.id == 3 ? 0 : rank.id == 0 ? 1 : 2;
    ASSERT_EQ(HcclCreateSubCommConfig(&rank.comm, 3, members, 7, own, &config, &sub), HCCL_SUCCESS);
    uint32_t value = 99;
    EXPECT_EQ(HcclGetRankId(sub, &value), HCCL_SUCCESS);
    EXPECT_EQ(value, own);
    EXPECT_EQ(HcclGetRankSize(sub, &value), HCCL_SUCCESS);
    EXPECT_EQ(value, 3u);
    char name[128] = {};
    EXPECT_EQ(HcclGetCommName(sub, name), HCCL_SUCCESS);
    EXPECT_EQ(std::string(name), rank.name + "_sub_7");
    ThreadHandle thread = 0;
    EXPECT_EQ(HcclThreadAcquire(sub, COMM_ENGINE_AICPU, 1, 2, &thread), HCCL_SUCCESS);
    HcclChannelDesc desc;
    EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
    desc.remoteRank = own == 0 ? 1 : 0;
    desc.channelProtocol = COMM_PROTOCOL_HCCS;
    ChannelHandle channel = 0;
    if (own != 2) {
      EXPECT_EQ(HcclChannelAcquire(sub, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    }
    HcclComm grandchild = nullptr;
    if (own == 2) {
      uint32_t self = 2;
      EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (&sub, 1, &self, 1, 0, &config, &grandchild),
                   "is a sub-communicator itself");
    }
    EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS) << "before its parent";
  });
}

TEST_F(HcclCreateSubCommConfigTest, ParentDestroyedFirst_TheChildLives) {
  RunRanks(2, [](Rank& rank) {
    HcclCommConfig config = SmallConfig();
    uint32_t members[2] = {0, 1};
    HcclComm sub = nullptr;
    ASSERT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, members, 1, rank.id, &config, &sub), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
    rank.comm = nullptr;
    HcclChannelDesc desc;
    EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
    desc.remoteRank = rank.peer();
    desc.channelProtocol = COMM_PROTOCOL_HCCS;
    ChannelHandle channel = 0;
    EXPECT_EQ(HcclChannelAcquire(sub, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
  });
}

TEST_F(HcclCreateSubCommConfigTest, SameNumberAgain_IsANewCommunicatorAlsoWithOtherMembers) {
  RunRanks(2, [](Rank& rank) {
    HcclCommConfig config = SmallConfig();
    uint32_t members[2] = {0, 1};
    HcclComm sub = nullptr;
    for (int round = 0; round < 3; ++round) {
      // A fast rank may be a round ahead.
      ASSERT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, members, 5, rank.id, &config, &sub), HCCL_SUCCESS);
      HcclChannelDesc desc;
      EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
      desc.remoteRank = rank.peer();
      desc.channelProtocol = COMM_PROTOCOL_HCCS;
      ChannelHandle channel = 0;
      EXPECT_EQ(HcclChannelAcquire(sub, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
      EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
    }
    rank.Meet();
    uint32_t swapped[2] = {1, 0};
    ASSERT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, swapped, 5, 1 - rank.id, &config, &sub), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
  });
}

TEST_F(HcclCreateSubCommConfigTest, DifferentMembers_AreRefused) {
  RunRanks(2, [this](Rank& rank) {
    HcclCommConfig config = SmallConfig();
    HcclComm sub = nullptr;
    uint32_t members[2] = {0, 1};
    if (rank.id == 0) {
      EXPECT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, members, 9, 0, &config, &sub), HCCL_SUCCESS);
    }
    rank.Meet();
    if (rank.id == 1) {
      EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (&rank.comm, 1, &members[1], 9, 0, &config, &sub),
                   "rankIds 1 differ from 0,1", "subCommId 9");
    }
    rank.Meet();
    if (sub != nullptr) {
      EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
    }
  });
}

TEST_F(HcclCreateSubCommConfigTest, BadArguments_AreRefusedInOrder) {
  RunRanks(1, [this](Rank& rank) {
    HcclCommConfig config = SmallConfig();
    HcclComm sub = nullptr;
    uint32_t self = 0;
    uint32_t twice[2] = {0, 0};
    uint32_t far = 5;
    HcclComm none = nullptr;
    HcclComm* const comm = &rank.comm;
    EXPECT_FAILS(HCCL_E_PTR, HcclCreateSubCommConfig, (nullptr, 0, nullptr, 1, 0, nullptr, nullptr), "subComm is null");
    EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (comm, 1, nullptr, 1, 0, &config, &sub), "rankIds is null");
    EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (comm, 1, &self, 0xFFFFFFFF, 0, &config, &sub),
                 "rankIds is not null, but subCommId is 4294967295");
    EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (comm, 0, &self, 1, 0, nullptr, &sub), "rankNum 0");
    EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (comm, 1, &self, 1, 1, nullptr, &sub),
                 "subCommRankId 1 is out of range, rankNum is 1");
    EXPECT_FAILS(HCCL_E_PTR, HcclCreateSubCommConfig, (comm, 1, &self, 1, 0, nullptr, &sub), "config is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclCreateSubCommConfig, (nullptr, 1, &self, 1, 0, &config, &sub), "comm is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclCreateSubCommConfig, (&none, 1, &self, 1, 0, &config, &sub), "*comm is null");
    EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (comm, 2, twice, 1, 0, &config, &sub),
                 "rankNum 2 is more than the 1 ranks");
    EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (comm, 1, &far, 1, 0, &config, &sub),
                 "rankIds[0] 5 is out of range", "use 0 to 0");
    EXPECT_EQ(sub, nullptr);
  });
}

TEST_F(HcclCreateSubCommConfigTest, OwnRankElsewhereOrRepeated_IsRefused) {
  RunRanks(2, [this](Rank& rank) {
    HcclCommConfig config = SmallConfig();
    HcclComm sub = nullptr;
    uint32_t both[2] = {rank.peer(), rank.id};
    uint32_t twice[2] = {rank.id, rank.id};
    EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (&rank.comm, 2, both, 3, 0, &config, &sub),
                 "subCommRankId 0: rankIds[0] is " + std::to_string(rank.peer()));
    EXPECT_FAILS(HCCL_E_PARA, HcclCreateSubCommConfig, (&rank.comm, 2, twice, 3, 0, &config, &sub),
                 "rankIds[0] and rankIds[1] are both");
  });
}

class HcclCommInitAllTest : public ApiTest {};

TEST_F(HcclCommInitAllTest, ThreeDevices_GetARankEachAndLeaveNothing) {
  std::thread([] {
    int32_t devices[3] = {2, 0, 1};
    HcclComm comms[3] = {};
    ASSERT_EQ(HcclCommInitAll(3, devices, comms), HCCL_SUCCESS) << "no device needs to be set";
    int32_t current = -1;
    EXPECT_EQ(aclrtGetDevice(&current), ACL_SUCCESS);
    EXPECT_EQ(current, 2) << "devices[0]";
    for (uint32_t rank = 0; rank < 3; ++rank) {
      uint32_t value = 99;
      EXPECT_EQ(HcclGetRankId(comms[rank], &value), HCCL_SUCCESS);
      EXPECT_EQ(value, rank);
    }
    for (uint32_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(aclrtSetDevice(devices[rank]), ACL_SUCCESS);
      EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
      EXPECT_EQ(aclrtResetDevice(devices[rank]), ACL_SUCCESS);
      EXPECT_NE(aclrtResetDevice(devices[rank]), ACL_SUCCESS) << "it is set as often as before";
    }
  }).join();
  ExpectLog({"aclrtResetDevice"});
}

TEST_F(HcclCommInitAllTest, BadArguments_AreRefused) {
  int32_t devices[2] = {1, 1};
  int32_t far[2] = {0, 99};
  HcclComm comms[2] = {};
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitAll, (2, nullptr, comms), "devices is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitAll, (2, devices, nullptr), "comms is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitAll, (0, devices, comms), "ndev 0");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitAll, (9, devices, comms), "ndev 9 is more than the 8 devices");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitAll, (2, devices, comms), "devices[1] 1 is there twice");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitAll, (2, far, comms), "deviceId 99 is out of range", "devices[1]");
  EXPECT_THAT(comms, ::testing::Each(nullptr));
}

}  // namespace
}  // namespace softhccl::conformance
