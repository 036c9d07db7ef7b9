// Ranks that meet: all come, some are missing, some disagree. A failed meeting must name who is to blame and must not
// spoil the next one where it was only a matter of time.
#include "bootstrap/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace softhccl::bootstrap {
namespace {

using base::Code;
using base::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

base::Nanos In(std::int64_t millis) { return base::SteadyClock().Now() + base::FromMillis(millis); }
base::Nanos Late() { return In(60'000); }

std::future<Status> JoinInBackground(const std::shared_ptr<Group>& group, std::uint32_t rank, std::uint32_t size,
                                     base::Nanos deadline) {
  return std::async(std::launch::async, [=] { return group->Join(rank, size, static_cast<int>(rank), deadline); });
}

TEST(GroupTest, AllRanks_JoinInAnyOrder) {
  const auto group = std::make_shared<Group>("g");
  std::vector<std::future<Status>> ranks;
  for (const std::uint32_t rank : {5u, 0u, 3u, 1u, 4u, 2u}) ranks.push_back(JoinInBackground(group, rank, 6, Late()));
  for (auto& rank : ranks) {
    const Status joined = rank.get();
    EXPECT_TRUE(joined.ok()) << joined.message();
  }
}

TEST(GroupTest, OneRank_JoinsAtOnceEvenPastTheDeadline) {
  Group group("g");
  EXPECT_TRUE(group.Join(0, 1, 0, 0).ok());
}

TEST(GroupTest, MissingRanks_AreNamed) {
  const auto group = std::make_shared<Group>("g");
  auto zero = JoinInBackground(group, 0, 4, Late());
  // Rank 2 gives up until it finds rank 0 there, which may take its thread a moment.
  Status two;
  do {
    two = group->Join(2, 4, 2, 0);
  } while (two.message().find("1 of 4") != std::string::npos);
  EXPECT_EQ(two.code(), Code::kTimeout);
  EXPECT_THAT(two.message(), AllOf(HasSubstr("EI0015 2 of 4 ranks joined in time; missing: rank 1, 3;"),
                                   HasSubstr("every rank must call HcclCommInitRootInfo with this root info")));
  // Rank 0 has gone on waiting; the late ones complete its group.
  std::vector<std::future<Status>> late;
  for (const std::uint32_t rank : {1u, 2u, 3u}) late.push_back(JoinInBackground(group, rank, 4, Late()));
  for (auto& rank : late) EXPECT_TRUE(rank.get().ok());
  EXPECT_TRUE(zero.get().ok());
}

TEST(GroupTest, ManyMissingRanks_AreCutAfterSixteen) {
  Group group("g");
  const Status alone = group.Join(0, 100, 0, 0);
  EXPECT_THAT(alone.message(), HasSubstr("1 of 100 ranks joined in time; missing: rank 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
                                         "11, 12, 13, 14, 15, 16, ...;"));
}

TEST(GroupTest, SameRankTwice_FailsEverybody) {
  const auto group = std::make_shared<Group>("g");
  auto first = JoinInBackground(group, 1, 3, Late());
  // Whichever of the two comes second finds the other; both must be told.
  const Status second = group->Join(1, 3, 7, Late());
  const Status told = first.get();
  EXPECT_EQ(second.code(), Code::kInternal);
  EXPECT_THAT(second.message(), AllOf(HasSubstr("rank 1 joined twice (devices "), HasSubstr("7"),
                                      HasSubstr("every rank must have its own number")));
  EXPECT_EQ(told.message(), second.message());
  EXPECT_EQ(group->Join(0, 3, 0, Late()).message(), second.message()) << "whoever comes later is told at once";
}

TEST(GroupTest, DifferentSizes_FailEverybody) {
  const auto group = std::make_shared<Group>("g");
  auto first = JoinInBackground(group, 0, 2, Late());
  const Status second = group->Join(1, 3, 1, Late());
  const Status told = first.get();
  EXPECT_EQ(second.code(), Code::kInternal);
  EXPECT_THAT(second.message(),
              AllOf(HasSubstr("nRanks: rank "), HasSubstr("an earlier rank said "), HasSubstr("all must agree")));
  EXPECT_EQ(told.message(), second.message());
}

TEST(GroupTest, UseAfterComplete_IsRefused) {
  Group group("root-1");
  ASSERT_TRUE(group.Join(0, 1, 0, Late()).ok());
  const Status again = group.Join(0, 1, 0, Late());
  EXPECT_EQ(again.code(), Code::kInternal);
  EXPECT_EQ(again.message(),
            "root info root-1 was used already by a communicator of 1 ranks; call HcclGetRootInfo again for the next");
}

TEST(GroupTest, AfterATimeout_TheNextAttemptMayDifferInSize) {
  const auto group = std::make_shared<Group>("g");
  EXPECT_EQ(group->Join(0, 3, 0, 0).code(), Code::kTimeout);
  auto zero = JoinInBackground(group, 0, 2, Late());
  EXPECT_TRUE(group->Join(1, 2, 1, Late()).ok());
  EXPECT_TRUE(zero.get().ok());
}

TEST(GroupTest, Leave_IsSeenAndTheLastOneIsTold) {
  const auto group = std::make_shared<Group>("g");
  auto zero = JoinInBackground(group, 0, 2, Late());
  ASSERT_TRUE(group->Join(1, 2, 1, Late()).ok());
  ASSERT_TRUE(zero.get().ok());
  EXPECT_FALSE(group->HasLeft(1));
  EXPECT_FALSE(group->Leave(1)) << "rank 0 is still there";
  EXPECT_TRUE(group->HasLeft(1));
  EXPECT_FALSE(group->HasLeft(0));
  EXPECT_TRUE(group->Leave(0));
  EXPECT_TRUE(group->HasLeft(0));
}

TEST(GroupTest, OpenGroup_GivesUniqueShortIdentifiers) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    const auto group = OpenGroup(i % 3 == 0 ? 1023 : 0);
    EXPECT_LT(group->id().size(), 128u) << "HcclGetCommName has 128 bytes with the terminator";
    EXPECT_EQ(group->domain()->name(), group->id());
    ids.insert(group->id());
  }
  EXPECT_EQ(ids.size(), 100u);
  for (const std::string& id : ids) CloseGroup(id);
}

TEST(GroupTest, FindGroup_KnowsOpenOnesOnly) {
  const auto group = OpenGroup(0);
  EXPECT_EQ(FindGroup(group->id()).value(), group);
  CloseGroup(group->id());
  CloseGroup(group->id());
  const auto closed = FindGroup(group->id());
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code(), Code::kNotFound);
  EXPECT_THAT(closed.error().message(),
              AllOf(HasSubstr(group->id()), HasSubstr("which no HcclGetRootInfo of this process made")));
  const auto garbage = FindGroup(std::string(4096, 'x'));
  ASSERT_FALSE(garbage);
  EXPECT_THAT(garbage.error().message(), AllOf(HasSubstr(std::string(127, 'x')), Not(HasSubstr(std::string(128, 'x')))))
      << "an uninitialised root info is not printed whole";
}

}  // namespace
}  // namespace softhccl::bootstrap
