// HcommChannelCreate, HcommChannelCreateWithConfig, HcommChannelGetStatus, HcommChannelDestroy.
#include <cstring>

#include "fixture.h"
#include "hcomm/hcomm_primitives.h"
#include "hcomm/hcomm_res.h"

namespace softhccl::conformance {
namespace {

EndpointDesc Describe(uint32_t id) {
  EndpointDesc desc;
  EXPECT_EQ(EndpointDescInit(&desc, 1), 0);
  desc.protocol = COMM_PROTOCOL_UB_CTP;
  desc.commAddr.type = COMM_ADDR_TYPE_ID;
  desc.commAddr.id = id;
  desc.loc.locType = ENDPOINT_LOC_TYPE_DEVICE;
  return desc;
}

HcommChannelDesc ChannelTo(uint32_t id, uint32_t notifies = 2) {
  HcommChannelDesc desc;
  EXPECT_EQ(HcommChannelDescInit(&desc, 1), 0);
  desc.remoteEndpoint = Describe(id);
  desc.notifyNum = notifies;
  return desc;
}

int32_t StatusOf(ChannelHandle channel) {
  int32_t status = -1;
  EXPECT_EQ(HcommChannelGetStatus(&channel, 1, &status), 0);
  return status;
}

// Two endpoints, 1 and 2, both on the device of the test.
class ChannelTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    for (uint32_t i = 0; i < 2; ++i) {
      const EndpointDesc desc = Describe(i + 1);
      ASSERT_EQ(HcommEndpointCreate(&desc, &endpoints_[i]), 0);
    }
    const uint32_t none = 0;
    ASSERT_EQ(HcommThreadAlloc(COMM_ENGINE_CPU, 1, &none, &thread_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(HcommThreadFree(&thread_, 1), 0);
    for (EndpointHandle endpoint : endpoints_) EXPECT_EQ(HcommEndpointDestroy(endpoint), 0);
    DeviceTest::TearDown();
  }
  ChannelHandle Create(int from, HcommChannelDesc desc) {
    ChannelHandle channel = 0;
    EXPECT_EQ(HcommChannelCreate(endpoints_[from], COMM_ENGINE_CPU, &desc, 1, &channel), 0);
    return channel;
  }
  void Destroy(const std::vector<ChannelHandle>& channels) {
    EXPECT_EQ(HcommChannelDestroy(channels.data(), static_cast<uint32_t>(channels.size())), 0);
  }
  aclError Synchronize() {
    void* stream = nullptr;
    EXPECT_EQ(HcommThreadResGetInfo(thread_, THREAD_RES_TYPE_STREAM, sizeof stream, &stream), 0);
    return aclrtSynchronizeStream(stream);
  }
  EndpointHandle endpoints_[2] = {};
  ThreadHandle thread_ = 0;
};

// --- HcommChannelCreate ------------------------------------------------------------------------------------------

using HcommChannelCreateTest = ChannelTest;

TEST_F(HcommChannelCreateTest, SecondEnd_ConnectsBothAndNotifiesCross) {
  const ChannelHandle first = Create(0, ChannelTo(2, 1));
  EXPECT_EQ(StatusOf(first), 1);
  const ChannelHandle second = Create(1, ChannelTo(1, 3));
  EXPECT_EQ(StatusOf(first), 0);
  EXPECT_EQ(StatusOf(second), 0);
  EXPECT_EQ(HcommChannelNotifyWaitOnThread(thread_, second, 2, 30), 0);
  const uint32_t none = 0;
  ThreadHandle other = 0;
  ASSERT_EQ(HcommThreadAlloc(COMM_ENGINE_AICPU, 1, &none, &other), 0);
  EXPECT_EQ(HcommChannelNotifyRecordOnThread(other, first, 2), 0) << "the other end's third";
  EXPECT_EQ(Synchronize(), ACL_SUCCESS);
  EXPECT_EQ(HcommThreadFree(&other, 1), 0);
  Destroy({first, second});
}

TEST_F(HcommChannelCreateTest, ExchangedMemory_CanBeReadAndOtherMemoryCannot) {
  const DeviceInts lent({11, 22});
  const DeviceInts kept({33});
  const DeviceInts read({0, 0});
  HcommMemHandle memories[2] = {};
  CommMem mem{COMM_MEM_TYPE_DEVICE, lent.data(), lent.bytes()};
  ASSERT_EQ(HcommMemReg(endpoints_[1], "lent", &mem, &memories[0]), 0);
  mem = CommMem{COMM_MEM_TYPE_DEVICE, kept.data(), kept.bytes()};
  ASSERT_EQ(HcommMemReg(endpoints_[1], "kept", &mem, &memories[1]), 0);
  HcommChannelDesc desc = ChannelTo(1);
  desc.memHandles = memories;
  desc.memHandleNum = 1;
  const ChannelHandle reader = Create(0, ChannelTo(2));
  const ChannelHandle owner = Create(1, desc);
  EXPECT_EQ(HcommReadOnThread(thread_, reader, read.data(), lent.data(), 8), 0);
  EXPECT_EQ(Synchronize(), ACL_SUCCESS);
  EXPECT_THAT(read.Read(), ::testing::ElementsAre(11, 22));
  desc.exchangeAllMems = true;
  const ChannelHandle second_reader = Create(0, ChannelTo(2));
  const ChannelHandle second_owner = Create(1, desc);
  EXPECT_EQ(HcommReadOnThread(thread_, second_reader, read.data(), kept.data(), 4), 0);
  EXPECT_EQ(Synchronize(), ACL_SUCCESS);
  EXPECT_THAT(read.Read(), ::testing::ElementsAre(33, 22));
  EXPECT_FAILS(HCCL_E_PARA, HcommReadOnThread, (thread_, reader, read.data(), kept.data(), 4), "is outside");
  Destroy({reader, owner, second_reader, second_owner});
}

TEST_F(HcommChannelCreateTest, ImportedMemory_IsReachedBeforeAndAfterConnectingUntilUnimported) {
  const DeviceInts lent({5, 6});
  const DeviceInts read({0, 0});
  HcommMemHandle memories[2] = {};
  void* described[2] = {};
  uint32_t length[2] = {};
  CommMem imported{};
  for (int i = 0; i < 2; ++i) {
    const CommMem mem{COMM_MEM_TYPE_DEVICE, lent.data() + i, 4};
    ASSERT_EQ(HcommMemReg(endpoints_[1], i == 0 ? "before" : "after", &mem, &memories[i]), 0);
    ASSERT_EQ(HcommMemExport(endpoints_[1], memories[i], &described[i], &length[i]), 0);
  }
  ASSERT_EQ(HcommMemImport(endpoints_[0], described[0], length[0], &imported), 0);
  const ChannelHandle reader = Create(0, ChannelTo(2));
  const ChannelHandle owner = Create(1, ChannelTo(1));
  EXPECT_EQ(HcommReadOnThread(thread_, reader, read.data(), imported.addr, 4), 0);
  ASSERT_EQ(HcommMemImport(endpoints_[0], described[1], length[1], &imported), 0);
  EXPECT_EQ(HcommReadOnThread(thread_, reader, read.data() + 1, imported.addr, 4), 0);
  EXPECT_EQ(Synchronize(), ACL_SUCCESS);
  EXPECT_THAT(read.Read(), ::testing::ElementsAre(5, 6));
  EXPECT_EQ(HcommMemUnimport(endpoints_[0], described[1], length[1]), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommReadOnThread, (thread_, reader, read.data(), lent.data() + 1, 4), "is outside");
  Destroy({reader, owner});
}

TEST_F(HcommChannelCreateTest, BetweenTwoRanks_DataCrossesDevices) {
  std::atomic<void*> description{nullptr};
  std::atomic<uint32_t> length{0};
  const auto rank = [&](int id) {
    ASSERT_EQ(aclrtSetDevice(id), ACL_SUCCESS);
    EndpointDesc own;
    EndpointDesc other;
    uint32_t count = 1;
    ASSERT_EQ(HcommEndpointGetDescs(id, &count, &own), 0);
    ASSERT_EQ(HcommEndpointGetDescs(1 - id, &count, &other), 0);
    EndpointHandle endpoint = nullptr;
    ASSERT_EQ(HcommEndpointCreate(&own, &endpoint), 0);
    HcommChannelDesc desc = ChannelTo(0);
    desc.remoteEndpoint = other;
    desc.role = id == 0 ? HCOMM_SOCKET_ROLE_SERVER : HCOMM_SOCKET_ROLE_CLIENT;
    ChannelHandle channel = 0;
    ASSERT_EQ(HcommChannelCreate(endpoint, COMM_ENGINE_AICPU, &desc, 1, &channel), 0);
    WaitUntil([&] { return StatusOf(channel) == 0; }, "the channel is connected");
    const uint32_t none = 0;
    ThreadHandle thread = 0;
    void* stream = nullptr;
    ASSERT_EQ(HcommThreadAlloc(COMM_ENGINE_AICPU, 1, &none, &thread), 0);
    ASSERT_EQ(HcommThreadResGetInfo(thread, THREAD_RES_TYPE_STREAM, sizeof stream, &stream), 0);
    if (id == 0) {
      const DeviceInts lent({7, 8, 9});
      HcommMemHandle memory = nullptr;
      void* bytes = nullptr;
      uint32_t size = 0;
      const CommMem mem{COMM_MEM_TYPE_DEVICE, lent.data(), lent.bytes()};
      ASSERT_EQ(HcommMemReg(endpoint, "lent", &mem, &memory), 0);
      ASSERT_EQ(HcommMemExport(endpoint, memory, &bytes, &size), 0);
      length = size;
      description = bytes;
      EXPECT_EQ(HcommChannelNotifyRecordOnThread(thread, channel, 0), 0);
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(thread, channel, 1, 30), 0) << "the reader is done";
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    } else {
      WaitUntil([&] { return description.load() != nullptr; }, "the description arrives");
      CommMem imported{};
      ASSERT_EQ(HcommMemImport(endpoint, description, length, &imported), 0);
      const DeviceInts read({0, 0, 0});
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(thread, channel, 0, 30), 0);
      EXPECT_EQ(HcommReadOnThread(thread, channel, read.data(), imported.addr, imported.size), 0);
      EXPECT_EQ(HcommChannelNotifyRecordOnThread(thread, channel, 1), 0);
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
      EXPECT_THAT(read.Read(), ::testing::ElementsAre(7, 8, 9));
    }
    EXPECT_EQ(HcommThreadFree(&thread, 1), 0);
    EXPECT_EQ(HcommChannelDestroy(&channel, 1), 0);
    EXPECT_EQ(HcommEndpointDestroy(endpoint), 0);
    EXPECT_EQ(aclrtResetDevice(id), ACL_SUCCESS);
  };
  std::thread zero(rank, 0);
  std::thread one(rank, 1);
  zero.join();
  one.join();
}

TEST_F(HcommChannelCreateTest, NamesPortsAndRoles_KeepChannelsApart) {
  const auto pairs = [&](auto change_first, auto change_second) {
    HcommChannelDesc first = ChannelTo(2);
    HcommChannelDesc second = ChannelTo(1);
    change_first(first);
    change_second(second);
    const ChannelHandle one = Create(0, first);
    const ChannelHandle other = Create(1, second);
    const bool connected = StatusOf(one) == 0;
    EXPECT_EQ(StatusOf(other), connected ? 0 : 1);
    Destroy({one, other});
    return connected;
  };
  const auto nothing = [](HcommChannelDesc&) {};
  const auto name = [](const char* text) { return [text](HcommChannelDesc& desc) { desc.channelName = text; }; };
  const auto port = [](uint16_t number) { return [number](HcommChannelDesc& desc) { desc.port = number; }; };
  const auto role = [](HcommSocketRole which) { return [which](HcommChannelDesc& desc) { desc.role = which; }; };
  EXPECT_TRUE(pairs(nothing, nothing));
  EXPECT_TRUE(pairs(name("a"), name("a")));
  EXPECT_FALSE(pairs(name("a"), name("b")));
  EXPECT_FALSE(pairs(name("a"), nothing));
  EXPECT_TRUE(pairs(port(60000), nothing)) << "the port an endpoint listens on";
  EXPECT_FALSE(pairs(port(1), port(2)));
  EXPECT_TRUE(pairs(role(HCOMM_SOCKET_ROLE_SERVER), role(HCOMM_SOCKET_ROLE_CLIENT)));
  EXPECT_TRUE(pairs(role(HCOMM_SOCKET_ROLE_SERVER), nothing));
  EXPECT_FALSE(pairs(role(HCOMM_SOCKET_ROLE_SERVER), role(HCOMM_SOCKET_ROLE_SERVER)));
}

TEST_F(HcommChannelCreateTest, NotConnected_DataPlaneRefuses) {
  const ChannelHandle channel = Create(0, ChannelTo(2));
  EXPECT_FAILS(HCCL_E_UNAVAIL, HcommChannelNotifyRecordOnThread, (thread_, channel, 0), "is not connected yet",
               "HcommChannelGetStatus");
  Destroy({channel});
}

TEST_F(HcommChannelCreateTest, EarlierRelease_DescriptionWithoutName) {
  // 344 bytes each, without what was added at the end.
  std::vector<std::byte> bytes(2 * 344);
  for (int i = 0; i < 2; ++i) {
    HcommChannelDesc desc = ChannelTo(2, static_cast<uint32_t>(i));
    desc.header.size = 344;
    desc.header.version = 2;
    std::memcpy(bytes.data() + i * 344, &desc, 344);
  }
  ChannelHandle channels[2] = {};
  EXPECT_EQ(HcommChannelCreate(endpoints_[0], COMM_ENGINE_CPU, reinterpret_cast<HcommChannelDesc*>(bytes.data()), 2,
                               channels),
            0);
  Destroy({channels[0], channels[1]});
}

TEST_F(HcommChannelCreateTest, BadArguments_AreRefusedInOrder) {
  HcommChannelDesc desc = ChannelTo(2);
  ChannelHandle channel = 7;
  const auto create = [&](HcommChannelDesc* descs, uint32_t count) {
    return HcommChannelCreate(endpoints_[0], COMM_ENGINE_CPU, descs, count, &channel);
  };
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelCreate, (nullptr, COMM_ENGINE_CPU, &desc, 1, &channel),
               "endpointHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelCreate, (endpoints_[0], COMM_ENGINE_CPU, nullptr, 1, &channel),
               "channelDescs is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelCreate, (endpoints_[0], COMM_ENGINE_CPU, &desc, 1, nullptr), "channels is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelCreate, (endpoints_[0], COMM_ENGINE_CPU, &desc, 0, &channel),
               "channelNum 0 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelCreate, (endpoints_[0], COMM_ENGINE_CPU, &desc, 1048577, &channel),
               "channelNum 1048577");
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelCreate, (endpoints_[0], COMM_ENGINE_RESERVED, &desc, 1, &channel), "engine -1");
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcommChannelCreate, (endpoints_[0], COMM_ENGINE_AIV, &desc, 1, &channel),
               "engine 4 (AIV) is not supported");
  const auto refused = [&](auto change, const std::string& part) {
    HcommChannelDesc bad = ChannelTo(2);
    change(bad);
    ExpectFailure(HCCL_E_PARA, create(&bad, 1), "HcommChannelCreate", {"channelDescs[0]" + part});
  };
  refused([](HcommChannelDesc& bad) { bad.header.magicWord = 0; },
          ".header.magicWord is 0x0, expected 0xfcf0f0f; call HcommChannelDescInit first");
  refused([](HcommChannelDesc& bad) { bad.header.size = 328; }, ".header.size 328 is smaller than the 344 bytes");
  refused([](HcommChannelDesc& bad) { bad.notifyNum = 65; }, ".notifyNum 65 is larger than the limit of 64");
  refused([](HcommChannelDesc& bad) { bad.remoteEndpoint.protocol = COMM_PROTOCOL_RESERVED; },
          ".remoteEndpoint.protocol -1 is not known");
  refused([](HcommChannelDesc& bad) { bad.role = FromNumber<HcommSocketRole>(2); }, ".role 2 is not known");
  refused([](HcommChannelDesc& bad) { bad.memHandleNum = 257; }, ".memHandleNum 257 is larger");
  const std::string long_name(192, 'n');
  refused([&](HcommChannelDesc& bad) { bad.channelName = long_name.c_str(); },
          ".channelName is longer than 191 characters");
  HcommMemHandle foreign = endpoints_[1];
  refused(
      [&](HcommChannelDesc& bad) {
        bad.memHandles = &foreign;
        bad.memHandleNum = 1;
      },
      ".memHandles[0] 0x");
  EXPECT_EQ(channel, 7u);
}

// --- HcommChannelGetStatus, HcommChannelDestroy ------------------------------------------------------------------

using HcommChannelGetStatusTest = ChannelTest;

TEST_F(HcommChannelGetStatusTest, BadArguments_AreRefusedAndNothingIsWritten) {
  const ChannelHandle channel = Create(0, ChannelTo(2));
  const ChannelHandle list[2] = {channel, thread_};
  int32_t states[2] = {9, 9};
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelGetStatus, (nullptr, 1, states), "channelList is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelGetStatus, (list, 1, nullptr), "statusList is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelGetStatus, (list, 0, states), "listNum 0 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelGetStatus, (list, 2, states), "channelList[1] 0x",
               "is a thread, expected a channel");
  EXPECT_THAT(states, ::testing::Each(9));
  Destroy({channel});
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelGetStatus, (list, 1, states), "is a channel that was destroyed");
}

TEST_F(HcommChannelGetStatusTest, ChannelOfACommunicator_IsRefused) {
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    int32_t state = 9;
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcommChannelGetStatus, (&channel, 1, &state), "belongs to a communicator");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcommChannelDestroy, (&channel, 1), "belongs to a communicator");
  });
}

using HcommChannelDestroyTest = ChannelTest;

TEST_F(HcommChannelDestroyTest, FirstFailure_EndsTheList) {
  const ChannelHandle first = Create(0, ChannelTo(2));
  const ChannelHandle last = Create(0, ChannelTo(2));
  const ChannelHandle list[3] = {first, 0, last};
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelDestroy, (list, 3), "channels[1] 0x0 is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelDestroy, (&first, 1), "that was destroyed");
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelDestroy, (nullptr, 1), "channels is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelDestroy, (&last, 0), "channelNum 0");
  EXPECT_FAILS(HCCL_E_AGAIN, HcommEndpointDestroy, (endpoints_[0]), "still has 1 channels");
  Destroy({last});
}

TEST_F(HcommChannelDestroyTest, PeerGone_RecordFailsAndSaysSo) {
  ExpectLog({"the peer destroyed its end of the channel"});
  const ChannelHandle mine = Create(0, ChannelTo(2));
  const ChannelHandle theirs = Create(1, ChannelTo(1));
  Destroy({theirs});
  EXPECT_EQ(HcommChannelNotifyRecordOnThread(thread_, mine, 0), 0);
  EXPECT_NE(Synchronize(), ACL_SUCCESS);
  static_cast<void>(aclGetRecentErrMsg());
  Destroy({mine});
}

TEST_F(HcommChannelDestroyTest, WorkPending_DoesNotLoseItsLink) {
  AllowLog({"was destroyed while a stream waits for it"});
  AllowLog({"failed"});
  const ChannelHandle mine = Create(0, ChannelTo(2));
  const ChannelHandle theirs = Create(1, ChannelTo(1));
  EXPECT_EQ(HcommChannelNotifyWaitOnThread(thread_, mine, 0, 30), 0);
  EXPECT_EQ(HcommChannelNotifyRecordOnThread(thread_, mine, 0), 0);
  Destroy({mine, theirs});
  EXPECT_NE(Synchronize(), ACL_SUCCESS);
  static_cast<void>(aclGetRecentErrMsg());
}

// Ops that a batch holds back are on no stream yet when the channel goes.
TEST_F(HcommChannelDestroyTest, BatchOpen_ItsOpsKeepTheirLink) {
  const ChannelHandle mine = Create(0, ChannelTo(2));
  const ChannelHandle theirs = Create(1, ChannelTo(1));
  EXPECT_EQ(HcommBatchModeStart("held back"), 0);
  EXPECT_EQ(HcommChannelFenceOnThread(thread_, mine), 0);
  Destroy({mine});
  Destroy({theirs});  // would free the link of the first
  EXPECT_EQ(HcommBatchModeEnd("held back"), 0);
  EXPECT_EQ(Synchronize(), ACL_SUCCESS);
}

// --- Options -----------------------------------------------------------------------------------------------------

using HcommChannelCreateWithConfigTest = ChannelTest;

TEST_F(HcommChannelCreateWithConfigTest, WithAndWithoutConfig_Connect) {
  HcommChannelConfig config = nullptr;
  ASSERT_EQ(HcommChannelConfigCreate(&config), 0);
  HcommChannelDesc there = ChannelTo(2);
  HcommChannelDesc back = ChannelTo(1);
  ChannelHandle channels[2] = {};
  EXPECT_EQ(HcommChannelCreateWithConfig(endpoints_[0], COMM_ENGINE_CPU, &there, 1, config, &channels[0]), 0);
  EXPECT_EQ(HcommChannelCreateWithConfig(endpoints_[1], COMM_ENGINE_CPU, &back, 1, nullptr, &channels[1]), 0);
  EXPECT_EQ(StatusOf(channels[0]), 0);
  EXPECT_EQ(HcommChannelConfigDestroy(config), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelCreateWithConfig,
               (endpoints_[0], COMM_ENGINE_CPU, &there, 1, config, &channels[0]), "that was destroyed");
  Destroy({channels[0], channels[1]});
}

}  // namespace
}  // namespace softhccl::conformance
