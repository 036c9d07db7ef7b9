// Families: ranks that come without waiting meet in the same group, round after round.
#include "bootstrap/family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softhccl::bootstrap {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<Group> EnterNext(Family& family, std::uint32_t rank, std::uint32_t size) {
  const auto group = family.GroupFor(rank);
  EXPECT_TRUE(group->Enter(rank, size, static_cast<int>(rank)).ok());
  return group;
}

TEST(FamilyTest, RanksOfARound_ShareAGroup) {
  Family family("f", {0, 1});
  const auto first = EnterNext(family, 0, 2);
  first->Leave(0);
  const auto second = EnterNext(family, 0, 2);  // a round ahead
  EXPECT_NE(first, second);
  EXPECT_FALSE(family.IsIdle());
  EXPECT_EQ(EnterNext(family, 1, 2), first);
  EXPECT_TRUE(first->HasLeft(0)) << "rank 1 can tell";
  first->Leave(1);
  EXPECT_TRUE(first->IsOver());
  EXPECT_EQ(EnterNext(family, 1, 2), second);
  second->Leave(0);
  second->Leave(1);
  EXPECT_TRUE(family.IsIdle());
}

TEST(FamilyTest, Ask_WithoutEntering_ChangesNothing) {
  Family family("f", {0});
  EXPECT_EQ(family.GroupFor(0), family.GroupFor(0));
}

TEST(FamilyTest, SubFamilies_RefuseOtherMembersWhileOneLives) {
  SubFamilies families;
  const auto family = families.Get(7, "n", {2, 0}).value();
  const auto group = EnterNext(*family, 0, 2);
  const auto other = families.Get(7, "n", {0, 2});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), base::Code::kInvalidParam);
  EXPECT_THAT(other.error().message(),
              HasSubstr("rankIds 0,2 differ from 2,0, which another rank gave for subCommId 7"));
  EXPECT_NE(families.Get(8, "n", {0, 2}).value(), family);
}

TEST(FamilyTest, Tables_AreFoundByFingerprintAndForgottenWhenIdle) {
  const auto family = FamilyOfTable(1234, "world", {"server a, device 0"});
  EXPECT_EQ(FamilyOfTable(1234, "world", {}), family);
  EXPECT_NE(FamilyOfTable(1235, "world", {}), family);
  EXPECT_EQ(family->GroupFor(0)->NameOf(0), "rank 0 (server a, device 0)");
  EXPECT_EQ(family->GroupFor(0)->NameOf(1), "rank 1");
}

TEST(GroupMembershipTest, RankBeyondTheSize_IsRefusedAndHarmsNobody) {
  Group group("g");
  const base::Status refused = group.Join(4, 4, 0, 0);
  EXPECT_EQ(refused.code(), base::Code::kInvalidParam);
  EXPECT_EQ(refused.message(), "rank 4 is out of range, the group has 4 ranks; use 0 to 3");
  EXPECT_TRUE(group.Join(0, 1, 0, 0).ok());
}

TEST(GroupMembershipTest, Withdrawn_TellsThoseWhoComeAndThoseWhoAsk) {
  const auto group = OpenGroup(0);
  group->Withdraw(1, base::Fail(base::Code::kOutOfMemory, "no memory for the HcclBuffer"));
  const base::Status told = group->Join(0, 2, 0, 0);
  EXPECT_EQ(told.code(), base::Code::kRemote);
  EXPECT_THAT(told.message(), HasSubstr("rank 1 could not join: no memory for the HcclBuffer"));
  const auto found = FindGroup(group->id());
  ASSERT_FALSE(found) << "it is not kept";
  EXPECT_EQ(found.error().message(), told.message());
}

TEST(GroupMembershipTest, ManyFailures_AreForgotten) {
  const auto first = OpenGroup(0);
  first->Withdraw(0, base::Fail(base::Code::kInternal, "reason"));
  for (int i = 0; i < 100; ++i) OpenGroup(0)->Withdraw(0, base::Fail(base::Code::kInternal, "other"));
  EXPECT_EQ(FindGroup(first->id()).error().code(), base::Code::kNotFound);
}

}  // namespace
}  // namespace softhccl::bootstrap
