// The contract of a store: a Get waits for its key and for nothing else, and can be ended from outside.
#include "bootstrap/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softhccl::bootstrap {
namespace {

using base::Code;

base::Nanos In(std::int64_t millis) { return base::SteadyClock().Now() + base::FromMillis(millis); }
base::Nanos Late() { return In(60'000); }

TEST(StoreTest, Set_IsFoundAndReplaced) {
  const auto store = MakeInProcessStore();
  store->Set("a", std::string("1\0x", 3));
  EXPECT_EQ(store->Get("a", Late()).value(), std::string("1\0x", 3)) << "values are bytes";
  store->Set("a", "2");
  EXPECT_EQ(store->Get("a", Late()).value(), "2");
  EXPECT_EQ(store->Get("a", 0).value(), "2") << "what is there is found past any deadline";
}

TEST(StoreTest, CompareAndSet_ChangesOnlyWhatIsAsExpected) {
  const auto store = MakeInProcessStore();
  EXPECT_FALSE(store->CompareAndSet("a", "1", "2")) << "it is absent";
  EXPECT_EQ(store->Get("a", 0).error().code(), Code::kTimeout);
  EXPECT_TRUE(store->CompareAndSet("a", std::nullopt, "1"));
  EXPECT_FALSE(store->CompareAndSet("a", std::nullopt, "2")) << "it is there";
  EXPECT_FALSE(store->CompareAndSet("a", "", "2"));
  EXPECT_TRUE(store->CompareAndSet("a", "1", "2"));
  EXPECT_EQ(store->Get("a", 0).value(), "2");
}

TEST(StoreTest, CompareAndSet_WakesWhoWaits) {
  const auto store = MakeInProcessStore();
  base::Result<std::string> got;
  std::thread getter([&] { got = store->Get("a", Late()); });
  EXPECT_TRUE(store->CompareAndSet("a", std::nullopt, "1"));
  getter.join();
  EXPECT_EQ(got.value(), "1");
}

TEST(StoreTest, Get_BlocksUntilItsKeyIsSet) {
  const auto store = MakeInProcessStore();
  base::Result<std::string> got;
  std::atomic<bool> returned{false};
  std::thread getter([&] {
    got = store->Get("a", Late());
    returned.store(true);
  });
  store->Set("b", "other");
  EXPECT_EQ(store->Get("b", Late()).value(), "other");
  EXPECT_FALSE(returned.load());
  store->Set("a", "1");
  getter.join();
  EXPECT_EQ(got.value(), "1");
}

TEST(StoreTest, Get_WithoutKey_TimesOutNamingIt) {
  const auto store = MakeInProcessStore();
  const base::Nanos deadline = In(10);
  const auto got = store->Get("channel/0->1", deadline);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), Code::kTimeout);
  EXPECT_EQ(got.error().message(), "nobody has published channel/0->1");
  EXPECT_GE(base::SteadyClock().Now(), deadline);
}

TEST(StoreTest, Remove_TakesTheKeyAway) {
  const auto store = MakeInProcessStore();
  store->Set("a", "1");
  store->Remove("a");
  store->Remove("never there");
  EXPECT_EQ(store->Get("a", 0).error().code(), Code::kTimeout);
  store->Set("a", "2");
  EXPECT_EQ(store->Get("a", 0).value(), "2");
}

TEST(StoreTest, Interrupt_EndsPendingAndFutureGets) {
  const auto store = MakeInProcessStore();
  store->Set("there", "1");
  base::Result<std::string> ended;
  std::thread getter([&] { ended = store->Get("a", base::kForever); });
  store->Interrupt(base::Fail(Code::kInternal, "rank 3 gave up"));
  getter.join();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kRemote) << "whatever the code of the reason";
  EXPECT_EQ(ended.error().message(), "rank 3 gave up");
  const auto later = store->Get("there", Late());
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().message(), "rank 3 gave up");
}

TEST(StoreTest, ManyThreads_ExchangeAllToAll) {
  const auto store = MakeInProcessStore();
  constexpr int kRanks = 8;
  std::atomic<int> received{0};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] {
      for (int to = 0; to < kRanks; ++to) store->Set(fmt::format("{}->{}", rank, to), fmt::format("{}", rank));
      for (int from = 0; from < kRanks; ++from) {
        const auto value = store->Get(fmt::format("{}->{}", from, rank), Late());
        if (value && *value == fmt::format("{}", from)) received.fetch_add(1);
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(received.load(), kRanks * kRanks);
}

}  // namespace
}  // namespace softhccl::bootstrap
