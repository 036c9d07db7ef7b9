// Rings must lose nothing under their limit, count what they drop above it, and be readable while they are written:
// every checker and every trace trusts them.
#include "event/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

namespace softhccl::event {
namespace {

constexpr std::uint64_t kPlenty = 10'000'000;

// Each test records in threads of its own, so that the test's main thread stays unattached unless it says so.
class RingTest : public ::testing::Test {
 protected:
  void TearDown() override { StopRecording(); }

  template <typename Body>
  static void InThread(Body body) {
    std::thread(body).join();
  }
  static void EmitMany(std::uint64_t count, std::uint32_t stream = 1) {
    for (std::uint64_t i = 0; i < count; ++i) Emit(Kind::kSubmit, stream, 5, i, 7);
  }
};

bool IsSortedByTime(const Recording& recording) {
  return std::is_sorted(recording.events.begin(), recording.events.end(),
                        [](const Event& left, const Event& right) { return left.time < right.time; });
}

TEST_F(RingTest, AttachThread_NotRecording_LeavesPointerNull) {
  InThread([] {
    AttachThread("idle");
    EXPECT_EQ(t_ring, nullptr);
    Emit(Kind::kSubmit, 1, 1);
  });
  EXPECT_FALSE(IsRecording());
}

TEST_F(RingTest, AttachThread_BeforeStart_TakesPartAfterAttachingAgain) {
  InThread([] {
    AttachThread("early");
    StartRecording(kPlenty);
    Emit(Kind::kSubmit, 1, 1);
    AttachThread("early");
    Ring* ring = t_ring;
    ASSERT_NE(ring, nullptr);
    AttachThread("again");
    EXPECT_EQ(t_ring, ring);
    Emit(Kind::kSubmit, 1, 2);
  });
  const Recording recording = Collect();
  ASSERT_EQ(recording.events.size(), 1u);
  EXPECT_EQ(recording.events[0].object, 2u);
  EXPECT_EQ(recording.thread_names.at(recording.events[0].thread), "early");
}

TEST_F(RingTest, Emit_OneEvent_KeepsEveryField) {
  StartRecording(kPlenty);
  InThread([] {
    AttachThread("worker 0");
    Emit(Kind::kOpStart, 3, 11, 12, 13);
    Emit(Kind::kKernelEnd, kNoStream, 21);
  });
  const Recording recording = Collect();
  ASSERT_EQ(recording.events.size(), 2u);
  const Event& first = recording.events[0];
  EXPECT_EQ(first.kind, Kind::kOpStart);
  EXPECT_EQ(first.stream, 3u);
  EXPECT_EQ(first.object, 11u);
  EXPECT_EQ(first.a, 12u);
  EXPECT_EQ(first.b, 13u);
  EXPECT_EQ(first.order, 0u);
  EXPECT_GT(first.time, 0);
  const Event& second = recording.events[1];
  EXPECT_EQ(second.stream, kNoStream);
  EXPECT_EQ(second.a, 0u);
  EXPECT_EQ(second.order, 1u);
  EXPECT_EQ(recording.dropped, 0u);
}

TEST_F(RingTest, Emit_ManyChunks_LosesNothing) {
  constexpr std::uint64_t kCount = 3 * 4096 + 1;
  for (const std::uint64_t count : {std::uint64_t{4095}, std::uint64_t{4096}, kCount}) {
    StartRecording(kPlenty);
    InThread([count] {
      AttachThread("worker");
      EmitMany(count);
    });
    const Recording recording = Collect();
    ASSERT_EQ(recording.events.size(), count);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(recording.events[i].a, i);
    EXPECT_EQ(recording.dropped, 0u);
  }
}

TEST_F(RingTest, Emit_BeyondLimit_DropsAndCounts) {
  StartRecording(100);
  InThread([] {
    AttachThread("first");
    EmitMany(130);
  });
  InThread([] {
    AttachThread("second");
    EmitMany(5);
  });
  const Recording recording = Collect();
  ASSERT_EQ(recording.events.size(), 100u);
  EXPECT_EQ(recording.events.back().a, 99u);
  EXPECT_EQ(recording.dropped, 35u);
}

TEST_F(RingTest, Emit_LimitZero_KeepsNothing) {
  StartRecording(0);
  InThread([] {
    AttachThread("worker");
    EmitMany(3);
  });
  const Recording recording = Collect();
  EXPECT_TRUE(recording.events.empty());
  EXPECT_EQ(recording.dropped, 3u);
}

TEST_F(RingTest, Emit_AfterStop_IsIgnored) {
  StartRecording(kPlenty);
  InThread([] {
    AttachThread("worker");
    EmitMany(2);
    StopRecording();
    EXPECT_FALSE(IsRecording());
    EmitMany(50);
  });
  const Recording recording = Collect();
  EXPECT_EQ(recording.events.size(), 2u);
  EXPECT_EQ(recording.dropped, 0u) << "events outside a recording are not missing from it";
}

TEST_F(RingTest, StartRecording_Again_ForgetsTheEarlierAndKeepsThreadsAttached) {
  StartRecording(4);
  InThread([] {
    AttachThread("worker");
    EmitMany(10, 1);
    StopRecording();
    StartRecording(kPlenty);
    EXPECT_TRUE(Collect().events.empty());
    EmitMany(7, 2);
  });
  const Recording recording = Collect();
  ASSERT_EQ(recording.events.size(), 7u);
  EXPECT_EQ(recording.dropped, 0u);
  for (const Event& event : recording.events) EXPECT_EQ(event.stream, 2u);
  EXPECT_EQ(recording.events[0].order, 0u);
}

TEST_F(RingTest, AttachThread_ManyRecordings_ReusesIdsOfEndedThreads) {
  std::size_t rings = 0;
  for (int round = 0; round < 20; ++round) {
    StartRecording(kPlenty);
    InThread([] {
      AttachThread("short");
      EmitMany(1);
    });
    const Recording recording = Collect();
    ASSERT_EQ(recording.events.size(), 1u);
    EXPECT_EQ(recording.thread_names.at(recording.events[0].thread), "short");
    if (round == 0) rings = recording.thread_names.size();
    EXPECT_EQ(recording.thread_names.size(), rings);
  }
}

TEST_F(RingTest, Collect_TwoThreadsInTurn_MergesByTime) {
  StartRecording(kPlenty);
  std::atomic<int> turn{0};
  const auto body = [&turn](int mine) {
    AttachThread(mine == 0 ? "even" : "odd");
    for (int step = mine; step < 200; step += 2) {
      while (turn.load() != step) std::this_thread::yield();
      Emit(Kind::kSubmit, static_cast<std::uint32_t>(mine), 1, static_cast<std::uint64_t>(step));
      turn.store(step + 1);
    }
  };
  std::thread even(body, 0);
  std::thread odd(body, 1);
  even.join();
  odd.join();
  const Recording recording = Collect();
  ASSERT_EQ(recording.events.size(), 200u);
  EXPECT_TRUE(IsSortedByTime(recording));
  // Equal clock readings are ordered by thread, so steps are compared only where time went on.
  for (std::size_t i = 1; i < recording.events.size(); ++i) {
    if (recording.events[i].time > recording.events[i - 1].time) {
      EXPECT_GT(recording.events[i].a, recording.events[i - 1].a);
    }
  }
}

// One thread emits, then lets the other emit: a collect in between must never hold the answer without the question.
TEST_F(RingTest, Collect_WhileWriting_NeverHasAnEffectWithoutItsCause) {
  constexpr std::uint64_t kRounds = 20'000;
  StartRecording(kPlenty);
  std::atomic<std::uint64_t> asked{0};
  std::atomic<bool> done{false};
  std::thread asks([&] {
    AttachThread("asks");
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      Emit(Kind::kRecord, 1, 0, round);
      asked.store(round);
    }
  });
  std::thread answers([&] {
    AttachThread("answers");
    for (std::uint64_t seen = 0; seen < kRounds;) {
      const std::uint64_t now = asked.load();
      if (now != seen) Emit(Kind::kTake, 2, 0, now);
      seen = now;
    }
    done.store(true);
  });
  do {
    const Recording recording = Collect();
    EXPECT_TRUE(IsSortedByTime(recording));
    std::map<Kind, std::uint64_t> highest;
    for (const Event& event : recording.events) highest[event.kind] = std::max(highest[event.kind], event.a);
    EXPECT_GE(highest[Kind::kRecord], highest[Kind::kTake]);
  } while (!done.load());
  asks.join();
  answers.join();
}

TEST_F(RingTest, Collect_ManyWritersAndRestarts_EachThreadIsAPrefix) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kCount = 20'000;
  constexpr std::uint64_t kLimit = 50'000;
  StartRecording(kLimit);
  std::atomic<int> running{kThreads};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kThreads; ++writer) {
    writers.emplace_back([&running] {
      AttachThread("writer");
      EmitMany(kCount);
      running.fetch_sub(1);
    });
  }
  bool restarted = false;
  while (running.load() > 0) {
    const Recording recording = Collect();
    EXPECT_LE(recording.events.size(), kLimit);
    EXPECT_TRUE(IsSortedByTime(recording));
    std::map<std::uint16_t, std::uint64_t> next;
    for (const Event& event : recording.events) EXPECT_EQ(event.order, next[event.thread]++);
    if (!restarted && recording.events.size() > 1000) {
      StartRecording(kLimit);
      restarted = true;
    }
  }
  for (auto& writer : writers) writer.join();
  EXPECT_LE(Collect().events.size(), kLimit);
}

TEST_F(RingTest, Emit_ManyWriters_KeptAndDroppedAddUp) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kCount = 10'000;
  constexpr std::uint64_t kLimit = 15'000;
  StartRecording(kLimit);
  std::vector<std::thread> writers;
  for (std::uint64_t writer = 0; writer < kThreads; ++writer) {
    writers.emplace_back([] {
      AttachThread("writer");
      EmitMany(kCount);
    });
  }
  for (auto& writer : writers) writer.join();
  const Recording recording = Collect();
  EXPECT_EQ(recording.events.size() + recording.dropped, kThreads * kCount);
  EXPECT_LE(recording.events.size(), kLimit);
  EXPECT_GT(recording.events.size(), kLimit - kThreads * 64);
}

}  // namespace
}  // namespace softhccl::event
