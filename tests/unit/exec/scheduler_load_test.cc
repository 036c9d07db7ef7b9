// Wake-ups are lost, if at all, once in many thousand hand-overs. These tests make so many of them, between streams,
// threads and sleepers, that a scheduler which loses one hangs here and not in a user's program.
#include <algorithm>
#include <atomic>
#include <thread>

#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

class SchedulerLoad : public ExecTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, SchedulerLoad, ::testing::Values(0, 1, 2, 8));

constexpr std::size_t kRing = 8;

TEST_P(SchedulerLoad, RingOfStreams_HundredThousandHandOvers_NoneLost) {
  Start(GetParam());
  constexpr std::uint64_t kRounds = kSanitized ? 500 : 3'125;  // times 8 streams, times 4 tokens
  constexpr std::size_t kTokens = 4;
  std::vector<Stream*> streams;
  for (std::size_t i = 0; i < kRing; ++i) streams.push_back(NewStream());
  // One set of notifies per token, so that no record can meet a set bit.
  for (std::size_t token = 0; token < kTokens; ++token) {
    std::vector<Notify*> notifies;
    for (std::size_t i = 0; i < kRing; ++i) notifies.push_back(NewNotify());
    std::vector<std::vector<Op>> laps(kRing);
    for (std::size_t i = 0; i < kRing; ++i) {
      for (std::uint64_t round = 0; round < kRounds; ++round) {
        laps[i].push_back(WaitFor(notifies[i]));
        laps[i].push_back(RecordOf(notifies[(i + 1) % kRing]));
      }
    }
    for (std::size_t i = 0; i < kRing; ++i) Submit(streams[i], laps[i]);
    Stream* starter = NewStream();
    Submit(starter, {RecordOf(notifies[0])});
    // Nobody helps for every other token: the workers alone must carry it.
    if (GetParam() > 0 && token % 2 == 1) {
      ASSERT_TRUE(WaitUntil([&] { return streams.back()->completed() == streams.back()->submitted(); }));
    }
    for (Stream* stream : streams) Drain(stream);
    Drain(starter);
    EXPECT_TRUE(notifies[0]->IsSet()) << "the token came back";
  }
  for (Stream* stream : streams) EXPECT_EQ(stream->completed(), 2 * kTokens * kRounds);
}

TEST_P(SchedulerLoad, ThreadsHandOverInTurn_EachDrains_NoneLost) {
  Start(GetParam());
  constexpr std::size_t kThreads = 4;
  constexpr int kRounds = kSanitized ? 200 : 2'000;
  std::vector<Stream*> streams;
  std::vector<Notify*> notifies;
  for (std::size_t i = 0; i < kThreads; ++i) {
    streams.push_back(NewStream());
    notifies.push_back(NewNotify());
  }
  std::vector<std::thread> threads;
  for (std::size_t me = 0; me < kThreads; ++me) {
    threads.emplace_back([&, me] {
      for (int round = 0; round < kRounds; ++round) {
        const std::vector<Op> ops{WaitFor(notifies[me]), RecordOf(notifies[(me + 1) % kThreads])};
        EXPECT_TRUE(scheduler().Submit(*streams[me], ops).ok());
        EXPECT_TRUE(scheduler().Drain(*streams[me], base::kForever).ok());
      }
    });
  }
  Stream* starter = NewStream();
  Submit(starter, {RecordOf(notifies[0])});
  for (std::thread& thread : threads) thread.join();
  Drain(starter);
  for (Stream* stream : streams) EXPECT_EQ(stream->completed(), static_cast<std::uint64_t>(2 * kRounds));
}

TEST_P(SchedulerLoad, ManySubmittersAndStreams_NothingLostNothingReordered) {
  Start(GetParam());
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kStreams = 3;
  constexpr std::size_t kEach = kSanitized ? 1'000 : 8'000;
  std::vector<Stream*> streams;
  // Per stream what ran, as (submitter, number); written by the owner of the stream only.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> ran(kStreams);
  for (std::size_t i = 0; i < kStreams; ++i) streams.push_back(NewStream());
  std::vector<std::thread> threads;
  for (std::size_t me = 0; me < kThreads; ++me) {
    threads.emplace_back([&, me] {
      for (std::size_t i = 0; i < kEach; ++i) {
        const std::size_t target = i % kStreams;
        const std::vector<Op> ops{Do([&ran, target, me, i] { ran[target].emplace_back(me, i); })};
        EXPECT_TRUE(scheduler().Submit(*streams[target], ops).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (Stream* stream : streams) Drain(stream);
  std::size_t total = 0;
  for (const auto& order : ran) {
    total += order.size();
    for (std::size_t submitter = 0; submitter < kThreads; ++submitter) {
      std::vector<std::size_t> numbers;
      for (const auto& [who, number] : order) {
        if (who == submitter) numbers.push_back(number);
      }
      EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    }
  }
  EXPECT_EQ(total, kThreads * kEach);
}

TEST_P(SchedulerLoad, Resume_FromForeignThread_SleepersWake) {
  // What a kernel does: an op suspends, a thread that is no executor resumes it.
  Start(GetParam());
  std::atomic<std::uint64_t> ticket{0};
  std::atomic<bool> stop{false};
  std::thread foreign([&] {
    while (!stop.load()) {
      const std::uint64_t taken = ticket.exchange(0);
      if (taken != 0) {
        EXPECT_TRUE(scheduler().Resume(Ticket{taken}, ResumeCode::kSignalled));
      } else {
        ::sched_yield();
      }
    }
  });
  Stream* stream = NewStream();
  constexpr int kCalls = kSanitized ? 100 : 500;
  for (int i = 0; i < kCalls; ++i) {
    Submit(stream, {Call([&](OpContext& context) {
             if (context.resume_code() != ResumeCode::kNone) return OpOutcome::kDone;
             ticket.store(context.Suspend(0, base::kForever).value);
             return OpOutcome::kSuspended;
           })});
    if (i % 3 == 0) Drain(stream);
  }
  Drain(stream);
  stop.store(true);
  foreign.join();
  EXPECT_EQ(stream->completed(), static_cast<std::uint64_t>(kCalls));
}

TEST_P(SchedulerLoad, StreamsComeAndGo_WhileOthersWork_SlotsAreUsable) {
  Start(GetParam());
  std::vector<std::thread> threads;
  std::atomic<int> done{0};
  constexpr int kRounds = kSanitized ? 100 : 1'000;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        Stream* stream = scheduler().CreateStream(0, {}, "short-lived").value();
        const std::vector<Op> ops{Do([&] { done.fetch_add(1); })};
        EXPECT_TRUE(scheduler().Submit(*stream, ops).ok());
        EXPECT_TRUE(scheduler().Drain(*stream, base::kForever).ok());
        scheduler().DestroyStream(stream);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done.load(), 3 * kRounds);
  EXPECT_EQ(scheduler().streams().live(), 0u);
}

}  // namespace
}  // namespace softhccl::exec
