// HcclCommAddExchangeInfo, HcclCommGetExchangeInfo, HcclCommResetExchangeInfo.
#include <mutex>

#include "fixture.h"
#include "hccl/hccl_res_expt.h"

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

class HcclCommAddExchangeInfoTest : public ApiTest {};

TEST_F(HcclCommAddExchangeInfoTest, AllPeers_GetItWithTheirChannel) {
  RunRanks(3, [this](Rank& rank) {
    const std::string mine = "from " + std::to_string(rank.id) + std::string(rank.id, '!');
    EXPECT_EQ(HcclCommAddExchangeInfo(rank.comm, mine.data(), static_cast<uint32_t>(mine.size())), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclCommAddExchangeInfo, (rank.comm, "x", 1),
                    "are waiting for the next acquire");
    const HcclChannelDesc descs[2] = {Desc((rank.id + 1) % 3), Desc((rank.id + 2) % 3)};
    ChannelHandle channels[2] = {};
    ASSERT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, descs, 2, channels), HCCL_SUCCESS);
    for (const HcclChannelDesc& desc : descs) {
      char text[16] = {};
      uint32_t length = 0;
      const std::string expected = "from " + std::to_string(desc.remoteRank) + std::string(desc.remoteRank, '!');
      EXPECT_EQ(HcclCommGetExchangeInfo(rank.comm, desc.remoteRank, sizeof text, text, &length), HCCL_SUCCESS);
      EXPECT_EQ(std::string(text, length), expected);
    }
    EXPECT_EQ(HcclCommAddExchangeInfo(rank.comm, "again", 5), HCCL_SUCCESS) << "the acquire has taken the first";
  });
}

TEST_F(HcclCommAddExchangeInfoTest, BadArguments_AreRefused) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclCommAddExchangeInfo, (nullptr, "x", 1), "comm is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclCommAddExchangeInfo, (rank.comm, nullptr, 1), "data is null");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclCommAddExchangeInfo, (rank.comm, "x", 0), "length 0");
  });
}

class HcclCommGetExchangeInfoTest : public ApiTest {};

TEST_F(HcclCommGetExchangeInfoTest, TooSmallRoom_CanBeTriedAgainAndThenOnlyOnce) {
  RunRanks(2, [this](Rank& rank) {
    char text[8] = {};
    uint32_t length = 7;
    EXPECT_FAILS_IN(this, HCCL_E_NOT_FOUND, HcclCommGetExchangeInfo, (rank.comm, rank.peer(), 8, text, &length),
                    "has sent nothing");
    EXPECT_EQ(HcclCommAddExchangeInfo(rank.comm, "12345", 5), HCCL_SUCCESS);
    static_cast<void>(rank.Channel(rank.peer()));
    const std::lock_guard alone(one_at_a_time);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclCommGetExchangeInfo, (rank.comm, rank.peer(), 4, text, &length),
                    "length 4 is too small for the 5 bytes");
    EXPECT_EQ(length, 7u);
    EXPECT_EQ(HcclCommGetExchangeInfo(rank.comm, rank.peer(), 5, text, &length), HCCL_SUCCESS);
    EXPECT_EQ(std::string(text, length), "12345");
    EXPECT_FAILS_IN(this, HCCL_E_NOT_FOUND, HcclCommGetExchangeInfo, (rank.comm, rank.peer(), 8, text, &length),
                    "or it was read already");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclCommGetExchangeInfo, (rank.comm, rank.id, 8, text, &length),
                    "is not one of the other 1 ranks");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclCommGetExchangeInfo, (rank.comm, 2, 8, text, &length), "remoteRank 2");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclCommGetExchangeInfo, (nullptr, 0, 8, text, &length), "comm is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclCommGetExchangeInfo, (rank.comm, 0, 8, nullptr, &length), "data is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclCommGetExchangeInfo, (rank.comm, 0, 8, text, nullptr),
                    "actualLength is null");
  });
}

class HcclCommResetExchangeInfoTest : public ApiTest {};

TEST_F(HcclCommResetExchangeInfoTest, BothDirections_AreForgotten) {
  RunRanks(2, [this](Rank& rank) {
    EXPECT_EQ(HcclCommAddExchangeInfo(rank.comm, "a", 1), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommResetExchangeInfo(rank.comm), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommAddExchangeInfo(rank.comm, "b", 1), HCCL_SUCCESS);
    static_cast<void>(rank.Channel(rank.peer()));
    EXPECT_EQ(HcclCommResetExchangeInfo(rank.comm), HCCL_SUCCESS);
    const std::lock_guard alone(one_at_a_time);
    char text = 0;
    uint32_t length = 0;
    EXPECT_FAILS_IN(this, HCCL_E_NOT_FOUND, HcclCommGetExchangeInfo, (rank.comm, rank.peer(), 1, &text, &length),
                    "has sent nothing");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclCommResetExchangeInfo, (nullptr), "comm is null");
  });
}

}  // namespace
}  // namespace softhccl::conformance
