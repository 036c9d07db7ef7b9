// A barrier that expires, in a process whose waits are capped at 0.3 s.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcclBarrierLimitTest : public ApiTest {
 protected:
  // Rank `missing` of three comes to the first barrier and not to the second.
  void ExpectNamed(uint32_t missing) {
    const std::string who = "rank " + std::to_string(missing);
    ExpectLog({"EI0002 wait timeout", "missing: " + who + " of communicator", "its last operation was HcclBarrier#1"});
    AllowLog({"was aborted because rank"});
    AllowLog({"EI0002 wait timeout"});
    RunRanks(3, [&](Rank& rank) {
      EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
      rank.Meet();
      if (rank.id != missing) {
        EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
        EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
        EXPECT_THAT(aclGetRecentErrMsg(),
                    ::testing::AllOf(::testing::HasSubstr("in HcclBarrier#2"), ::testing::HasSubstr(who)));
      }
      rank.Meet();
    });
  }
};

TEST_F(HcclBarrierLimitTest, RankThatDoesNotCome_IsNamedOnAllOthers) { ExpectNamed(2); }

TEST_F(HcclBarrierLimitTest, RankZeroThatDoesNotCome_IsNamedOnAllOthers) { ExpectNamed(0); }

}  // namespace
}  // namespace softhccl::conformance
