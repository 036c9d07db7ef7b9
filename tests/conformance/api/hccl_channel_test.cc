// HcclChannelDescInit, HcclChannelAcquire, HcclChannelGetHcclBuffer.
#include <cstring>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

HcclChannelDesc Desc(uint32_t remote, uint32_t notifies = 2) {
  HcclChannelDesc desc;
  EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
  desc.remoteRank = remote;
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.notifyNum = notifies;
  return desc;
}

TEST(HcclChannelDescInitTest, Null_IsRefusedAndZeroIsFine) {
  EXPECT_EQ(HcclChannelDescInit(nullptr, 1), HCCL_E_PTR);
  HcclChannelDesc desc;
  EXPECT_EQ(HcclChannelDescInit(&desc, 0), HCCL_SUCCESS);
}

TEST(HcclChannelDescInitTest, SeveralDescs_AllGetTheHeaderAndNothingChosen) {
  HcclChannelDesc descs[2];
  EXPECT_EQ(HcclChannelDescInit(descs, 2), HCCL_SUCCESS);
  for (const HcclChannelDesc& desc : descs) {
    EXPECT_EQ(desc.header.magicWord, 0x0f0f0f0fu);
    EXPECT_EQ(desc.header.version, 1u);
    EXPECT_EQ(desc.header.size, sizeof desc);
    EXPECT_EQ(desc.remoteRank, UINT32_MAX);
    EXPECT_EQ(desc.channelProtocol, COMM_PROTOCOL_RESERVED);
    EXPECT_EQ(desc.notifyNum, 0u);
    EXPECT_EQ(desc.memHandles, nullptr);
    EXPECT_EQ(desc.raws[0], 0xFF);
  }
}

class HcclChannelAcquireTest : public ApiTest {};

TEST_F(HcclChannelAcquireTest, BadArguments_AreRefusedInOrder) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id != 0) return;
    HcclChannelDesc desc = Desc(1);
    ChannelHandle channel = 7;
    std::thread([&] {
      EXPECT_FAILS(HCCL_E_RUNTIME, HcclChannelAcquire, (nullptr, COMM_ENGINE_RESERVED, nullptr, 0, nullptr),
                   "no device is set");
    }).join();
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelAcquire, (nullptr, COMM_ENGINE_RESERVED, nullptr, 0, nullptr), "comm is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelAcquire, (rank.comm, COMM_ENGINE_RESERVED, nullptr, 0, nullptr),
                 "channelDescs is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclChannelAcquire, (rank.comm, COMM_ENGINE_RESERVED, &desc, 0, nullptr),
                 "channels is null");
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelAcquire, (rank.comm, COMM_ENGINE_RESERVED, &desc, 0, &channel),
                 "channelNum 0 is out of range, use 1 to 1048576");
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelAcquire, (rank.comm, COMM_ENGINE_RESERVED, &desc, 1048577, &channel),
                 "channelNum 1048577");
    EXPECT_FAILS(HCCL_E_PARA, HcclChannelAcquire, (rank.comm, COMM_ENGINE_RESERVED, &desc, 1, &channel), "engine -1");
    EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclChannelAcquire, (rank.comm, COMM_ENGINE_AIV, &desc, 1, &channel),
                 "engine 4 (AIV) is not supported");
    EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclChannelAcquire, (rank.comm, COMM_ENGINE_CCU, &desc, 1, &channel),
                 "engine 5 (CCU) is not supported");
    EXPECT_EQ(channel, 7u);
  });
}

TEST_F(HcclChannelAcquireTest, AnyBadDesc_IsNamedByItsIndex) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id != 0) return;
    ChannelHandle channels[2] = {};
    const auto refused = [&](const HcclChannelDesc& bad, const std::string& part) {
      const HcclChannelDesc descs[2] = {Desc(1), bad};
      EXPECT_FAILS(HCCL_E_PARA, HcclChannelAcquire, (rank.comm, COMM_ENGINE_AICPU, descs, 2, channels),
                   "channelDescs[1]" + part);
    };
    HcclChannelDesc bad = Desc(1);
    bad.header.magicWord = 0xFFFFFFFF;
    refused(bad, ".header.magicWord is 0xffffffff, expected 0xf0f0f0f; call HcclChannelDescInit first");
    bad = Desc(1);
    bad.header.size = 16;
    refused(bad, ".header.size 16 is smaller than");
    refused(Desc(2), ".remoteRank 2 is out of range, the communicator has 2 ranks");
    refused(Desc(UINT32_MAX), ".remoteRank 4294967295 is out of range");
    refused(Desc(0), ".remoteRank 0 equals own rank");
    bad = Desc(1);
    bad.channelProtocol = COMM_PROTOCOL_RESERVED;
    refused(bad, ".channelProtocol -1 is not known");
    bad.channelProtocol = static_cast<CommProtocol>(10);
    refused(bad, ".channelProtocol 10 is not known");
    refused(Desc(1, 65), ".notifyNum 65 is larger than the limit of 64");
  });
}

TEST_F(HcclChannelAcquireTest, AskedAgain_GivesTheSameChannelsByOccurrence) {
  RunRanks(2, [](Rank& rank) {
    const HcclChannelDesc twice[2] = {Desc(rank.peer()), Desc(rank.peer())};
    ChannelHandle first[2] = {};
    ChannelHandle again[2] = {};
    ChannelHandle one = 0;
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, twice, 2, first), HCCL_SUCCESS);
    EXPECT_NE(first[0], first[1]) << "two equal descriptions in one call are two channels";
    // Everything exists: nobody waits for the peer.
    if (rank.id == 0) {
      EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, twice, 2, again), HCCL_SUCCESS);
      EXPECT_THAT(again, ::testing::ElementsAre(first[0], first[1]));
      EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, twice, 1, &one), HCCL_SUCCESS);
      EXPECT_EQ(one, first[0]);
    }
    rank.Meet();
    // Another engine or protocol is another channel.
    HcclChannelDesc other = Desc(rank.peer());
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU_TS, &other, 1, &one), HCCL_SUCCESS);
    EXPECT_THAT(first, ::testing::Not(::testing::Contains(one)));
    other.channelProtocol = COMM_PROTOCOL_UB_CTP;
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &other, 1, &one), HCCL_SUCCESS);
    EXPECT_THAT(first, ::testing::Not(::testing::Contains(one)));
  });
}

TEST_F(HcclChannelAcquireTest, AskedAgainWithMoreNotifies_OldNumberAndAWarning) {
  ExpectLog({"exists already with notifyNum 2; asking for 5 does not change it"});
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle first = rank.Channel(rank.peer());
    const HcclChannelDesc more = Desc(rank.peer(), 5);
    ChannelHandle again = 0;
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &more, 1, &again), HCCL_SUCCESS);
    EXPECT_EQ(again, first);
  });
}

TEST_F(HcclChannelAcquireTest, DifferentOrderOnEveryRank_StillConnects) {
  RunRanks(4, [](Rank& rank) {
    std::vector<HcclChannelDesc> descs;
    for (uint32_t step = 1; step < 4; ++step) {
      const uint32_t to = rank.id % 2 == 0 ? (rank.id + step) % 4 : (rank.id + 4 - step) % 4;
      descs.push_back(Desc(to));
    }
    ChannelHandle channels[3] = {};
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, descs.data(), 3, channels), HCCL_SUCCESS);
  });
}

TEST_F(HcclChannelAcquireTest, PeerDestroysItsCommunicator_EndsTheWaitByName) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 1) {
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      rank.comm = nullptr;
      return;
    }
    const HcclChannelDesc desc = Desc(1);
    ChannelHandle channel = 0;
    EXPECT_FAILS(HCCL_E_REMOTE, HcclChannelAcquire, (rank.comm, COMM_ENGINE_AICPU, &desc, 1, &channel),
                 "rank 1 has destroyed its communicator", "[HCCL_E_REMOTE 21]");
  });
}

TEST_F(HcclChannelAcquireTest, DestroyedByAnotherThreadWhileItWaits_EndsAtOnce) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 1) return;
    std::thread destroyer([&] {
      EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    });
    const HcclChannelDesc desc = Desc(1);
    ChannelHandle channel = 0;
    // Whoever comes first: the wait is ended, or the handle is stale.
    AllowLog({"was destroyed"});
    const HcclResult result = HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &desc, 1, &channel);
    EXPECT_TRUE(result == HCCL_E_REMOTE || result == HCCL_E_PARA) << result;
    EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr("was destroyed"));
    destroyer.join();
    rank.comm = nullptr;
  });
}

TEST_F(HcclChannelAcquireTest, InsideAKernel_IsRefused) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(RunKernel(nullptr,
                      [this](const Hcomm&) {
                        EXPECT_FAILS(HCCL_E_PARA, HcclChannelAcquire, (nullptr, COMM_ENGINE_AICPU, nullptr, 0, nullptr),
                                     "must not be called from a kernel");
                        return 0u;
                      }),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

class HcclChannelGetHcclBufferTest : public ApiTest {};

TEST_F(HcclChannelGetHcclBufferTest, Connected_GivesThePeersMemoryAndSize) {
  std::atomic<void*> own[2] = {};
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    void* buffer = nullptr;
    uint64_t size = 0;
    EXPECT_EQ(HcclGetHcclBuffer(rank.comm, &buffer, &size), HCCL_SUCCESS);
    own[rank.id].store(buffer);
    rank.Meet();
    void* window = nullptr;
    uint64_t window_size = 0;
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &window, &window_size), HCCL_SUCCESS);
    EXPECT_EQ(window, own[rank.peer()].load());
    EXPECT_EQ(window_size, size);
  });
}

TEST_F(HcclChannelGetHcclBufferTest, BadArguments_AreRefusedInOrder) {
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    void* buffer = nullptr;
    uint64_t size = 0;
    if (rank.id == 0) {
      std::thread([this] {
        EXPECT_FAILS(HCCL_E_RUNTIME, HcclChannelGetHcclBuffer, (nullptr, 0, nullptr, nullptr), "no device is set");
      }).join();
      EXPECT_FAILS(HCCL_E_PTR, HcclChannelGetHcclBuffer, (nullptr, 0, nullptr, nullptr), "comm is null");
      EXPECT_FAILS(HCCL_E_PTR, HcclChannelGetHcclBuffer, (rank.comm, 0, nullptr, nullptr), "buffer is null");
      EXPECT_FAILS(HCCL_E_PTR, HcclChannelGetHcclBuffer, (rank.comm, 0, &buffer, nullptr), "size is null");
      EXPECT_FAILS(HCCL_E_PARA, HcclChannelGetHcclBuffer, (rank.comm, 0, &buffer, &size), "channel 0x0 is null");
      EXPECT_FAILS(HCCL_E_PARA, HcclChannelGetHcclBuffer, (rank.comm, rank.thread, &buffer, &size),
                   "is a thread, expected a channel");
      HcclRootInfo root;
      HcclComm other = nullptr;
      EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
      EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &other), HCCL_SUCCESS);
      EXPECT_FAILS(HCCL_E_PARA, HcclChannelGetHcclBuffer, (other, channel, &buffer, &size),
                   "belongs to another communicator");
      EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
      EXPECT_EQ(buffer, nullptr);
    }
  });
}

}  // namespace
}  // namespace softhccl::conformance
