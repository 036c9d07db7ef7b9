// Host calls that wait for each other: two ranks that connect in opposite orders block before anything is queued. The
// process runs with a connect limit of a minute; the circle must be found, printed as one and ended within two seconds,
// and nothing may be ended that could still go on.
#include <chrono>
#include <cstring>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kReportSeconds = 10;
#else
constexpr double kReportSeconds = 2;
#endif

HcclChannelDesc Desc(uint32_t remote) {
  HcclChannelDesc desc;
  EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
  desc.remoteRank = remote;
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.notifyNum = 1;
  return desc;
}

class WaitCycleTest : public ApiTest {
 protected:
  // A second communicator of the same ranks.
  HcclComm Second(const Rank& rank, HcclRootInfo* root, const char* name) {
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    std::strcpy(config.hcclCommName, name);
    HcclComm comm = nullptr;
    EXPECT_EQ(HcclCommInitRootInfoConfig(rank.size, root, rank.id, &config, &comm), HCCL_SUCCESS);
    return comm;
  }

  // The acquire is ended as part of a circle, in time.
  void ExpectKnot(HcclComm comm, CommEngine engine, uint32_t remote, const std::vector<std::string>& parts) {
    const HcclChannelDesc desc = Desc(remote);
    ChannelHandle channel = 0;
    const auto begun = std::chrono::steady_clock::now();
    const HcclResult result = HcclChannelAcquire(comm, engine, &desc, 1, &channel);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    std::vector<std::string> expected = {"deadlock: rank ", "(SH-W006)", "[HCCL_E_TIMEOUT 9]"};
    expected.insert(expected.end(), parts.begin(), parts.end());
    ExpectFailure(HCCL_E_TIMEOUT, static_cast<int>(result), "HcclChannelAcquire", expected);
    EXPECT_LT(took, kReportSeconds);
    EXPECT_EQ(channel, 0u);
  }
};

TEST_F(WaitCycleTest, TwoCommunicatorsInOppositeOrder_CycleIsPrintedAndBothEnd) {
  ExpectLog({"deadlock: calls wait for each other", "cycle: rank 0 in HcclChannelAcquire -> rank 1 on ",
             ", rank 1 in HcclChannelAcquire -> rank 0 on "});
  HcclRootInfo root;
  RunRanks(2, [&](Rank& rank) {
    if (rank.id == 0) {
      EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    }
    rank.Meet();
    HcclComm second = Second(rank, &root, "second");
    rank.Meet();
    ExpectKnot(rank.id == 0 ? rank.comm : second, COMM_ENGINE_AICPU, rank.peer(), {"cycle rank "});
    rank.Meet();
    // In the same order it works, with the same communicators.
    for (HcclComm comm : {rank.comm, second}) {
      const HcclChannelDesc desc = Desc(rank.peer());
      ChannelHandle channel = 0;
      EXPECT_EQ(HcclChannelAcquire(comm, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    }
    rank.Meet();
    EXPECT_EQ(HcclCommDestroy(second), HCCL_SUCCESS);
  });
}

TEST_F(WaitCycleTest, DifferentEngines_AreACycleThatNamesThem) {
  ExpectLog({"cycle: rank 0 in HcclChannelAcquire -> rank 1 on ", "to acquire its end with engine AICPU;",
             "to acquire its end with engine CPU_TS;"});
  RunRanks(2, [&](Rank& rank) {
    ExpectKnot(rank.comm, rank.id == 0 ? COMM_ENGINE_AICPU : COMM_ENGINE_CPU_TS, rank.peer(), {"with engine "});
    rank.Meet();
  });
}

TEST_F(WaitCycleTest, RingOfThree_EveryRankIsNamed) {
  ExpectLog({"cycle: rank 0 in HcclChannelAcquire -> rank 1 on ", ", rank 1 in HcclChannelAcquire -> rank 2 on ",
             ", rank 2 in HcclChannelAcquire -> rank 0 on "});
  RunRanks(3, [&](Rank& rank) {
    ExpectKnot(rank.comm, COMM_ENGINE_AICPU, (rank.id + 1) % 3, {});
    rank.Meet();
  });
}

TEST_F(WaitCycleTest, LateRank_ConnectsAfterAllOthersHaveWaited) {
  RunRanks(4, [](Rank& rank) {
    if (rank.id == 3) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    for (uint32_t step = 1; step < 4; ++step) {
      const HcclChannelDesc desc = Desc(rank.id ^ step);
      ChannelHandle channel = 0;
      EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    }
  });
}

}  // namespace
}  // namespace softhccl::conformance
