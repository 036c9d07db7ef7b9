// Limits of waits that carry none of their own, and the words for an index that is out of range.
#include "api/data_plane.h"

#include <gtest/gtest.h>

#include "engine/invocation.h"

namespace softhccl::api {
namespace {

class DefaultWaitLimitTest : public ::testing::Test {
 protected:
  ~DefaultWaitLimitTest() override { engine::CurrentContext().wait_seconds.reset(); }
};

TEST_F(DefaultWaitLimitTest, NothingSet_HostThreadsWaitLongerThanTheDevice) {
  EXPECT_EQ(DefaultWaitLimit({}), base::FromSeconds(1836 + 50));
}

TEST_F(DefaultWaitLimitTest, OfTheCommunicator_TakesThePlaceOfTheProcess) {
  EXPECT_EQ(DefaultWaitLimit(3), base::FromSeconds(3 + 50));
  EXPECT_EQ(DefaultWaitLimit(0), base::kForever);
  engine::CurrentContext().wait_seconds = 7;
  EXPECT_EQ(DefaultWaitLimit(3), base::FromSeconds(7)) << "the caller's own comes first";
}

TEST_F(DefaultWaitLimitTest, SetByTheCaller_CountsAsItIs) {
  engine::CurrentContext().wait_seconds = 7;
  EXPECT_EQ(DefaultWaitLimit({}), base::FromSeconds(7));
  for (const std::uint32_t forever : {std::uint32_t{0}, UINT32_MAX}) {
    engine::CurrentContext().wait_seconds = forever;
    EXPECT_EQ(DefaultWaitLimit({}), base::kForever);
  }
}

TEST(CheckIndexTest, OutOfRange_NamesArgumentIndexAndCount) {
  EXPECT_TRUE(CheckIndex("localNotifyIdx", 1, 2, 5).ok());
  EXPECT_EQ(CheckIndex("localNotifyIdx", 2, 2, 5).message(),
            "localNotifyIdx 2 is out of range: the channel to rank 5 was acquired with notifyNum 2");
  EXPECT_EQ(CheckIndex("localNotifyIdx", 0, 0, exec::kNoRank).message(),
            "localNotifyIdx 0 is out of range: the channel was acquired with notifyNum 0");
}

}  // namespace
}  // namespace softhccl::api
