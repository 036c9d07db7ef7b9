// What ops carry of a described operation, and what a domain remembers about pairs.
#include "exec/operation.h"

#include <gtest/gtest.h>

#include "exec/abort_domain.h"

namespace softhccl::exec {
namespace {

Operation FromWordsOf(const Operation& amount, const Operation& identity) {
  return Operation::OfWords(amount.amount(), identity.identity());
}

TEST(OperationTest, Default_SaysNothing) {
  EXPECT_FALSE(Operation().is_known());
  EXPECT_FALSE(Operation::OfWords(0, 0).is_known());
}

TEST(OperationTest, Words_GiveWhatWasPutIn) {
  const Operation largest(OperationKind::kReceive, 255, Operation::kMaxCount, UINT32_MAX);
  const Operation copy = FromWordsOf(largest, largest);
  EXPECT_TRUE(copy.is_known());
  EXPECT_EQ(copy.kind(), OperationKind::kReceive);
  EXPECT_EQ(copy.data_type(), 255);
  EXPECT_EQ(copy.count(), Operation::kMaxCount);
  EXPECT_EQ(copy.number(), UINT32_MAX);
}

TEST(OperationTest, WordsOfTwoOperations_SayNothing) {
  const Operation first(OperationKind::kSend, 4, 10, 7);
  const Operation next(OperationKind::kSend, 4, 12, 8);
  const Operation other(OperationKind::kReceive, 4, 12, 7);
  for (const Operation& one : {next, other, Operation()}) {
    EXPECT_FALSE(FromWordsOf(first, one).is_known());
    EXPECT_FALSE(FromWordsOf(one, first).is_known());
  }
}

TEST(OperationTest, Counterpart_IsTheOtherKindOfTheSameNumber) {
  const Operation send(OperationKind::kSend, 4, 10, 7);
  EXPECT_TRUE(send.IsCounterpartOf(Operation(OperationKind::kReceive, 3, 12, 7)));
  EXPECT_FALSE(send.IsCounterpartOf(Operation(OperationKind::kReceive, 4, 10, 6)));
  EXPECT_FALSE(send.IsCounterpartOf(send));
  EXPECT_FALSE(send.IsCounterpartOf(Operation()));
  EXPECT_FALSE(Operation().IsCounterpartOf(send));
}

TEST(AbortDomainTest, Pairs_AreCountedByRankPeerAndKind) {
  AbortDomain domain("d");
  EXPECT_EQ(domain.CountPair(0, 1, OperationKind::kSend), 1u);
  EXPECT_EQ(domain.CountPair(0, 1, OperationKind::kSend), 2u);
  EXPECT_EQ(domain.CountPair(0, 1, OperationKind::kReceive), 1u);
  EXPECT_EQ(domain.CountPair(0, 2, OperationKind::kSend), 1u);
  EXPECT_EQ(domain.CountPair(1, 0, OperationKind::kSend), 1u);
}

TEST(AbortDomainTest, Complaint_IsFirstOnceUntilManyOthersCame) {
  AbortDomain domain("d");
  const auto complain = [&](std::uint32_t rank, std::uint32_t number) {
    return domain.IsFirstComplaint(rank, 1, Operation(OperationKind::kSend, 4, 10, number));
  };
  EXPECT_TRUE(complain(0, 1));
  EXPECT_FALSE(complain(0, 1));
  EXPECT_TRUE(complain(2, 1));
  for (std::uint32_t number = 2; number < 400; ++number) EXPECT_TRUE(complain(0, number));
  EXPECT_FALSE(complain(0, 399));
  EXPECT_TRUE(complain(0, 1));
}

}  // namespace
}  // namespace softhccl::exec
