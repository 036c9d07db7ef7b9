// HcclChannelQuery, HcclChannelDestroy, HcclChannelGetRemoteMems, HcclChannelConfig*, HcclChannelAcquireWithConfig.
#include <cstring>
#include <mutex>

#include "comm/channel_config.h"
#include "fixture.h"
#include "hccl/hccl_res_expt.h"
#include "hcomm/hcomm_primitives.h"

namespace softhccl::conformance {
namespace {

// Two ranks that get the same sentence: each must find its own in the log.
std::mutex one_at_a_time;

HcclChannelDesc Desc(uint32_t remote, uint32_t notifies = 2) {
  HcclChannelDesc desc;
  EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
  desc.remoteRank = remote;
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.notifyNum = notifies;
  return desc;
}

// --- HcclChannelQuery --------------------------------------------------------------------------------------------

class HcclChannelQueryTest : public ApiTest {};

TEST_F(HcclChannelQueryTest, Acquired_AreFoundAndOthersAreZero) {
  RunRanks(3, [](Rank& rank) {
    if (rank.id == 2) return;
    const HcclChannelDesc desc = Desc(rank.peer());
    ChannelHandle found[3] = {7, 7, 7};
    const HcclChannelDesc asked[3] = {desc, desc, Desc(2)};
    EXPECT_EQ(HcclChannelQuery(rank.comm, COMM_ENGINE_AICPU, asked, 3, found), HCCL_SUCCESS);
    EXPECT_THAT(found, ::testing::Each(0u));
    ChannelHandle channel = 0;
    ASSERT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelQuery(rank.comm, COMM_ENGINE_AICPU, asked, 3, found), HCCL_SUCCESS);
    EXPECT_THAT(found, ::testing::ElementsAre(channel, 0u, 0u));
    EXPECT_EQ(HcclChannelQuery(rank.comm, COMM_ENGINE_AICPU_TS, asked, 1, found), HCCL_SUCCESS);
    EXPECT_EQ(found[0], 0u) << "the engine is part of the key";
  });
}

TEST_F(HcclChannelQueryTest, BadArguments_AreThoseOfAcquire) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id != 0) return;
    HcclChannelDesc desc = Desc(1);
    ChannelHandle channel = 7;
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelQuery, (nullptr, COMM_ENGINE_CPU, &desc, 1, &channel), "comm is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelQuery, (rank.comm, COMM_ENGINE_CPU, nullptr, 1, &channel),
                 "channelDescs is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelQuery, (rank.comm, COMM_ENGINE_CPU, &desc, 1, nullptr), "channels is null");
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelQuery, (rank.comm, COMM_ENGINE_CPU, &desc, 0, &channel), "channelNum 0");
    EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclChannelQuery, (rank.comm, COMM_ENGINE_CCU, &desc, 1, &channel),
                 "HcclChannelQuery: engine 5 (CCU) is not supported");
    desc.header.magicWord = 1;
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelQuery, (rank.comm, COMM_ENGINE_CPU, &desc, 1, &channel),
                 "call HcclChannelDescInit first");
    EXPECT_EQ(channel, 7u);
  });
}

// --- HcclChannelDestroy ------------------------------------------------------------------------------------------

class HcclChannelDestroyTest : public ApiTest {};

TEST_F(HcclChannelDestroyTest, BothEnds_CanBeAcquiredAnewEvenWhenOneIsEarly) {
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle first = rank.Channel(rank.peer());
    rank.Meet();
    // Rank 0 destroys and acquires at once: it must not get the end that rank 1 is going to destroy.
    if (rank.id == 1) std::this_thread::yield();
    EXPECT_EQ(HcclChannelDestroy(rank.comm, &first, 1), HCCL_SUCCESS);
    void* buffer = nullptr;
    uint64_t size = 0;
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclChannelGetHcclBuffer, (rank.comm, first, &buffer, &size),
                    "is a channel that was destroyed");
    const ChannelHandle second = rank.Channel(rank.peer());
    EXPECT_NE(second, first);
    EXPECT_EQ(HcommChannelNotifyRecordOnThread(rank.thread, second, 0), 0);
    EXPECT_EQ(HcommChannelNotifyWaitOnThread(rank.thread, second, 0, 30), 0);
    void* stream = nullptr;
    EXPECT_EQ(HcclThreadResGetInfo(rank.comm, rank.thread, THREAD_RES_TYPE_STREAM, sizeof stream, &stream),
              HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    rank.Meet();
  });
}

TEST_F(HcclChannelDestroyTest, FailureInTheMiddle_OthersAreDestroyedAndTheFirstIsReported) {
  RunRanks(2, [this](Rank& rank) {
    const HcclChannelDesc descs[2] = {Desc(rank.peer()), Desc(rank.peer())};
    ChannelHandle channels[2] = {};
    ASSERT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, descs, 2, channels), HCCL_SUCCESS);
    std::unique_lock alone(one_at_a_time);
    const ChannelHandle mixed[4] = {channels[0], 0, rank.thread, channels[1]};
    EXPECT_FAILS_IN(this, HCCL_E_NOT_FOUND, HcclChannelDestroy, (rank.comm, mixed, 4), "channel 0x0 is null",
                    "while destroying channels[1]");
    ChannelHandle left[2] = {7, 7};
    EXPECT_EQ(HcclChannelQuery(rank.comm, COMM_ENGINE_AICPU, descs, 2, left), HCCL_SUCCESS);
    EXPECT_THAT(left, ::testing::Each(0u));
    alone.unlock();
    rank.Meet();
  });
}

TEST_F(HcclChannelDestroyTest, BadArguments_AreRefused) {
  RunRanks(1, [this](Rank& rank) {
    const ChannelHandle channel = 0;
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclChannelDestroy, (nullptr, &channel, 1), "comm is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclChannelDestroy, (rank.comm, nullptr, 1), "channels is null");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclChannelDestroy, (rank.comm, &channel, 0), "channelNum 0");
  });
}

// --- HcclChannelGetRemoteMems ------------------------------------------------------------------------------------

class HcclChannelGetRemoteMemsTest : public ApiTest {};

TEST_F(HcclChannelGetRemoteMemsTest, RegisteredMemory_IsListedAndCanBeRead) {
  RunRanks(2, [](Rank& rank) {
    const int base = static_cast<int>(rank.id) * 100;
    const DeviceInts device({base + 1, base + 2});
    int host[3] = {base + 3, base + 4, base + 5};
    HcclMemHandle handles[2] = {};
    const CommMem on_device{COMM_MEM_TYPE_DEVICE, device.data(), device.bytes()};
    const CommMem on_host{COMM_MEM_TYPE_HOST, host, sizeof host};
    ASSERT_EQ(HcclCommMemReg(rank.comm, "on device", &on_device, &handles[0]), HCCL_SUCCESS);
    ASSERT_EQ(HcclCommMemReg(rank.comm, "on host", &on_host, &handles[1]), HCCL_SUCCESS);
    HcclChannelDesc desc = Desc(rank.peer());
    desc.memHandles = handles;
    desc.memHandleNum = 2;
    ChannelHandle channel = 0;
    ASSERT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    uint32_t count = 0;
    CommMem* mems = nullptr;
    char** tags = nullptr;
    ASSERT_EQ(HcclChannelGetRemoteMems(rank.comm, channel, &count, &mems, &tags), HCCL_SUCCESS);
    ASSERT_EQ(count, 3u);
    EXPECT_STREQ(tags[0], "HcclBuffer");
    EXPECT_STREQ(tags[1], "on device");
    EXPECT_STREQ(tags[2], "on host");
    void* buffer = nullptr;
    uint64_t size = 0;
    ASSERT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &buffer, &size), HCCL_SUCCESS);
    EXPECT_EQ(mems[0].addr, buffer);
    EXPECT_EQ(mems[0].size, size);
    EXPECT_EQ(mems[1].type, COMM_MEM_TYPE_DEVICE);
    EXPECT_EQ(mems[1].size, 8u);
    EXPECT_EQ(mems[2].type, COMM_MEM_TYPE_HOST);
    EXPECT_EQ(mems[2].size, 12u);
    const int their_base = static_cast<int>(rank.peer()) * 100;
    const DeviceInts read({0, 0});
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm&) {
                          EXPECT_EQ(HcommReadOnThread(rank.thread, channel, read.data(), mems[1].addr, 4), 0);
                          auto* last = static_cast<int*>(mems[2].addr) + 2;
                          EXPECT_EQ(HcommReadOnThread(rank.thread, channel, read.data() + 1, last, 4), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
    void* stream = nullptr;
    ASSERT_EQ(HcclThreadResGetInfo(rank.comm, rank.thread, THREAD_RES_TYPE_STREAM, sizeof stream, &stream),
              HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_THAT(read.Read(), ::testing::ElementsAre(their_base + 1, their_base + 5));
    uint32_t again_count = 0;
    CommMem* again = nullptr;
    ASSERT_EQ(HcclChannelGetRemoteMems(rank.comm, channel, &again_count, &again, &tags), HCCL_SUCCESS);
    EXPECT_EQ(again, mems) << "the library's arrays";
    rank.Meet();
  });
}

TEST_F(HcclChannelGetRemoteMemsTest, OtherHandlesLater_ChangeNothingAndAreToldOf) {
  ExpectLog({"exists already with 0 memory handles", "channel to rank 1"});
  ExpectLog({"exists already with 0 memory handles", "channel to rank 0"});
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    int host = 0;
    HcclMemHandle handle = nullptr;
    const CommMem mem{COMM_MEM_TYPE_HOST, &host, sizeof host};
    ASSERT_EQ(HcclCommMemReg(rank.comm, "late", &mem, &handle), HCCL_SUCCESS);
    HcclChannelDesc desc = Desc(rank.peer());
    desc.memHandles = &handle;
    desc.memHandleNum = 1;
    ChannelHandle again = 0;
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &desc, 1, &again), HCCL_SUCCESS);
    EXPECT_EQ(again, channel);
    uint32_t count = 0;
    CommMem* mems = nullptr;
    char** tags = nullptr;
    EXPECT_EQ(HcclChannelGetRemoteMems(rank.comm, channel, &count, &mems, &tags), HCCL_SUCCESS);
    EXPECT_EQ(count, 1u);
  });
}

TEST_F(HcclChannelGetRemoteMemsTest, BadArguments_AreRefused) {
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    if (rank.id != 0) return;
    uint32_t count = 7;
    CommMem* mems = nullptr;
    char** tags = nullptr;
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelGetRemoteMems, (nullptr, channel, &count, &mems, &tags), "comm is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelGetRemoteMems, (rank.comm, channel, nullptr, &mems, &tags), "memNum is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelGetRemoteMems, (rank.comm, channel, &count, nullptr, &tags),
                 "remoteMems is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelGetRemoteMems, (rank.comm, channel, &count, &mems, nullptr), "memTags is null");
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelGetRemoteMems, (rank.comm, rank.thread, &count, &mems, &tags),
                 "is a thread, expected a channel");
    EXPECT_EQ(count, 7u);
    // Memory handles of a description.
    int host = 0;
    HcclMemHandle handles[2] = {};
    const CommMem mem{COMM_MEM_TYPE_HOST, &host, sizeof host};
    ASSERT_EQ(HcclCommMemReg(rank.comm, "m", &mem, &handles[0]), HCCL_SUCCESS);
    HcclChannelDesc desc = Desc(1);
    ChannelHandle none = 7;
    desc.memHandleNum = 257;
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelAcquire, (rank.comm, COMM_ENGINE_CPU, &desc, 1, &none),
                 "channelDescs[0].memHandleNum 257 is larger than the limit of 256");
    desc.memHandleNum = 2;
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelAcquire, (rank.comm, COMM_ENGINE_CPU, &desc, 1, &none),
                 "channelDescs[0].memHandles is null");
    desc.memHandles = handles;
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelAcquire, (rank.comm, COMM_ENGINE_CPU, &desc, 1, &none),
                 "channelDescs[0].memHandles[1] 0x0 is null");
    handles[1] = rank.comm;
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelAcquire, (rank.comm, COMM_ENGINE_CPU, &desc, 1, &none),
                 "is a communicator, expected a registered memory");
    EXPECT_EQ(none, 7u);
  });
}

// --- Options -----------------------------------------------------------------------------------------------------

class ConfigTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    ASSERT_EQ(HcclChannelConfigCreate(&config_), HCCL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(HcclChannelConfigDestroy(config_), HCCL_SUCCESS);
    EXPECT_EQ(comm::ChannelConfigs().live(), 0u);
    ApiTest::TearDown();
  }
  HcclChannelConfig config_ = nullptr;
};

using HcclChannelConfigCreateTest = ConfigTest;

TEST_F(HcclChannelConfigCreateTest, EveryCall_MakesAnotherAndNullIsRefused) {
  HcclChannelConfig other = nullptr;
  EXPECT_EQ(HcclChannelConfigCreate(&other), HCCL_SUCCESS);
  EXPECT_NE(other, config_);
  EXPECT_EQ(HcclChannelConfigDestroy(other), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PTR, HcclChannelConfigCreate, (nullptr), "config is null");
}

using HcclChannelConfigDestroyTest = ConfigTest;

TEST_F(HcclChannelConfigDestroyTest, StaleNullAndForeign_AreNamed) {
  HcclChannelConfig other = nullptr;
  EXPECT_EQ(HcclChannelConfigCreate(&other), HCCL_SUCCESS);
  EXPECT_EQ(HcclChannelConfigDestroy(other), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclChannelConfigDestroy, (other), "is a channel configuration that was destroyed");
  EXPECT_FAILS(HCCL_E_PTR, HcclChannelConfigDestroy, (nullptr), "config is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclChannelConfigDestroy, (&other), "is not a channel configuration of this process");
}

using HcclChannelConfigSetIntTest = ConfigTest;

TEST_F(HcclChannelConfigSetIntTest, SharedQueue_IsZeroOrOne) {
  for (const uint32_t value : {1u, 0u}) {
    EXPECT_EQ(HcclChannelConfigSetInt(config_, HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE, value), HCCL_SUCCESS);
    EXPECT_EQ(comm::ChannelConfigs().Lookup(reinterpret_cast<uint64_t>(config_))->is_shared_queue, value == 1);
  }
  EXPECT_FAILS(HCCL_E_PARA, HcclChannelConfigSetInt, (config_, HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE, 2),
               "value 2 of IS_SHARED_QUEUE is out of range, use 0 or 1");
  EXPECT_FAILS(HCCL_E_PARA, HcclChannelConfigSetInt, (config_, HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG, 1),
               "type 1 is no option with a number");
  EXPECT_FAILS(HCCL_E_PARA, HcclChannelConfigSetInt, (config_, HCCL_CHANNEL_CONFIG_TYPE_INVALID, 1), "type -1");
  EXPECT_FAILS(HCCL_E_PTR, HcclChannelConfigSetInt, (nullptr, HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE, 1),
               "config is null");
}

using HcclChannelConfigSetStrTest = ConfigTest;

TEST_F(HcclChannelConfigSetStrTest, Tag_IsKeptUpToItsLength) {
  const std::string longest(255, 'q');
  EXPECT_EQ(HcclChannelConfigSetStr(config_, HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG, longest.c_str()), HCCL_SUCCESS);
  EXPECT_EQ(comm::ChannelConfigs().Lookup(reinterpret_cast<uint64_t>(config_))->shared_queue_tag, longest);
  EXPECT_FAILS(HCCL_E_PARA, HcclChannelConfigSetStr,
               (config_, HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG, (longest + "q").c_str()),
               "is longer than 255 characters");
  EXPECT_FAILS(HCCL_E_PARA, HcclChannelConfigSetStr, (config_, HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE, "1"),
               "type 0 is no option with a text");
  EXPECT_FAILS(HCCL_E_PTR, HcclChannelConfigSetStr, (config_, HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG, nullptr),
               "value is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclChannelConfigSetStr, (nullptr, HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG, "t"),
               "config is null");
}

class HcclChannelAcquireWithConfigTest : public ApiTest {};

TEST_F(HcclChannelAcquireWithConfigTest, WithAndWithoutConfig_AreTheChannelsOfAcquire) {
  RunRanks(2, [this](Rank& rank) {
    HcclChannelConfig config = nullptr;
    ASSERT_EQ(HcclChannelConfigCreate(&config), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelConfigSetInt(config, HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE, 1), HCCL_SUCCESS);
    const HcclChannelDesc desc = Desc(rank.peer());
    ChannelHandle configured = 0;
    ChannelHandle plain = 0;
    EXPECT_EQ(HcclChannelAcquireWithConfig(rank.comm, COMM_ENGINE_CPU, &desc, 1, config, &configured), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelConfigDestroy(config), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelAcquireWithConfig(rank.comm, COMM_ENGINE_CPU, &desc, 1, nullptr, &plain), HCCL_SUCCESS);
    EXPECT_EQ(configured, plain);
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_CPU, &desc, 1, &plain), HCCL_SUCCESS);
    EXPECT_EQ(configured, plain);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclChannelAcquireWithConfig,
                    (rank.comm, COMM_ENGINE_CPU, &desc, 1, config, &plain), "that was destroyed");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclChannelAcquireWithConfig,
                    (rank.comm, COMM_ENGINE_CPU, &desc, 1, rank.comm, &plain), "expected a channel configuration");
  });
}

}  // namespace
}  // namespace softhccl::conformance
