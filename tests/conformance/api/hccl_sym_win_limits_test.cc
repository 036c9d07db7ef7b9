// Symmetric windows whose collective calls are not made by all ranks.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcclCommSymWinRegisterLimitTest : public ApiTest {};

TEST_F(HcclCommSymWinRegisterLimitTest, RankThatDoesNotCome_IsNamedAndTheNextAttemptMeets) {
  RunRanks(2, [this](Rank& rank) {
    DeviceInts memory({1});
    HcclCommSymWindow window = nullptr;
    if (rank.id == 0) {
      EXPECT_FAILS_IN(this, HCCL_E_TIMEOUT, HcclCommSymWinRegister, (rank.comm, memory.data(), 4, &window, 1),
                      "rank 0 waited 0.3 s for rank 1 to register its part of the window",
                      "all ranks must call HcclCommSymWinRegister");
    }
    rank.Meet();
    EXPECT_EQ(HcclCommSymWinRegister(rank.comm, memory.data(), 4, &window, 1), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommSymWinDeregister(window), HCCL_SUCCESS);
  });
}

class HcclCommSymWinDeregisterLimitTest : public ApiTest {};

TEST_F(HcclCommSymWinDeregisterLimitTest, RankThatDoesNotCome_IsNamedAndTheWindowIsGone) {
  RunRanks(2, [this](Rank& rank) {
    DeviceInts memory({1});
    HcclCommSymWindow window = nullptr;
    EXPECT_EQ(HcclCommSymWinRegister(rank.comm, memory.data(), 4, &window, 1), HCCL_SUCCESS);
    if (rank.id == 0) {
      EXPECT_FAILS_IN(this, HCCL_E_TIMEOUT, HcclCommSymWinDeregister, (window),
                      "rank 0 waited 0.3 s for rank 1 to deregister its part of the window");
      EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclCommSymWinDeregister, (window), "winHandle 0x");
    }
    rank.Meet();
    if (rank.id == 1) {
      EXPECT_EQ(HcclCommSymWinDeregister(window), HCCL_SUCCESS);
    }
    rank.Meet();
  });
}

}  // namespace
}  // namespace softhccl::conformance
