// What a scheduler promises whoever runs it: order within a stream, progress between streams, helping in synchronise,
// permits, quanta, sleep when idle. Every promise is checked without workers, with one, and with more than cores.
#include "exec/scheduler.h"

#include <dirent.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "base/os.h"
#include "event/labels.h"
#include "event/ring.h"
#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;
using ::testing::HasSubstr;

class SchedulerWorkers : public ExecTest, public ::testing::WithParamInterface<int> {
 protected:
  int workers() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Workers, SchedulerWorkers, ::testing::Values(0, 1, 2, 8));

class SchedulerTest : public ExecTest {};

TEST_P(SchedulerWorkers, Stream_ManyOps_RunInOrderOfSubmission) {
  Start(workers());
  Stream* stream = NewStream();
  std::vector<int> order;
  constexpr int kOps = 3000;
  for (int i = 0; i < kOps; ++i) {
    Submit(stream, {Do([&order, i] { order.push_back(i); })});
  }
  Drain(stream);
  ASSERT_EQ(order.size(), static_cast<std::size_t>(kOps));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(stream->completed(), static_cast<std::uint64_t>(kOps));
}

TEST_P(SchedulerWorkers, Streams_ThatNeedEachOther_BothEnd) {
  Start(workers());
  Stream* left = NewStream();
  Stream* right = NewStream();
  Notify* ping = NewNotify();
  Notify* pong = NewNotify();
  for (int i = 0; i < 100; ++i) {
    Submit(left, {WaitFor(ping), RecordOf(pong)});
    Submit(right, {RecordOf(ping), WaitFor(pong)});
  }
  Drain(left);
  Drain(right);
  EXPECT_TRUE(left->error().ok());
  EXPECT_FALSE(ping->IsSet());
  EXPECT_FALSE(pong->IsSet());
}

TEST_P(SchedulerWorkers, Wait_QueuedLongBeforeItsRecord_IsServed) {
  Start(workers());
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  bool passed = false;
  Submit(stream, {WaitFor(notify), Do([&] { passed = true; })});
  Stream* other = NewStream();
  Submit(other, {Do([&] { EXPECT_FALSE(passed); })});
  Drain(other);
  Submit(other, {RecordOf(notify)});
  Drain(stream);
  EXPECT_TRUE(passed);
}

TEST_P(SchedulerWorkers, Drain_EmptyStream_ReturnsAtOnce) {
  Start(workers());
  Drain(NewStream());
}

TEST_P(SchedulerWorkers, Drain_SameStreamFromManyThreads_AllReturn) {
  Start(workers());
  Stream* stream = NewStream();
  Notify* gate = NewNotify();
  Stream* opener = NewStream();
  Submit(stream, {WaitFor(gate), Do([] {})});
  std::atomic<int> returned{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      EXPECT_TRUE(scheduler().Drain(*stream, base::kForever).ok());
      returned.fetch_add(1);
    });
  }
  EXPECT_EQ(returned.load(), 0);
  Submit(opener, {RecordOf(gate)});
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(returned.load(), 6);
  Drain(opener);
}

TEST_P(SchedulerWorkers, Drain_DeadlinePasses_SaysHowManyAndTheWorkGoesOn) {
  Start(workers());
  Stream* stream = NewStream({}, "the slow stream");
  Notify* notify = NewNotify();
  Submit(stream, {Do([] {}), WaitFor(notify), Do([] {})});
  const base::Nanos before = scheduler().Now();
  const base::Status status = scheduler().Drain(*stream, before + base::FromMillis(20));
  EXPECT_EQ(status.code(), Code::kSyncTimeout);
  EXPECT_THAT(status.message(), HasSubstr("2 of 3 ops of the slow stream were not done in time; they go on"));
  EXPECT_GE(scheduler().Now() - before, base::FromMillis(20));
  EXPECT_TRUE(stream->error().ok());
  Submit(NewStream(), {RecordOf(notify)});
  Drain(stream);
  EXPECT_EQ(stream->completed(), 3u);
}

TEST_P(SchedulerWorkers, LongOp_YieldsAfterItsQuantum_OtherStreamGetsTurns) {
  Start(workers(), 1);
  Stream* lengthy = NewStream();
  Stream* brief = NewStream();
  std::atomic<bool> other_ran{false};
  const base::Nanos limit = base::SteadyClock().Now() + base::FromSeconds(20);
  Submit(lengthy, {Call([&](OpContext& context) {
           if (other_ran.load()) return OpOutcome::kDone;
           if (base::SteadyClock().Now() < limit) return OpOutcome::kAgain;
           return context.FailReported(base::Fail(Code::kInternal, "the other stream never got a turn"));
         })});
  Submit(brief, {Do([&] { other_ran.store(true); })});
  Drain(lengthy);
  EXPECT_TRUE(lengthy->error().ok()) << lengthy->error().message();
}

TEST_P(SchedulerWorkers, ManyShortOps_YieldAfterTheirQuantum_OtherStreamGetsTurns) {
  Start(workers(), 1);
  Stream* busy = NewStream();
  Stream* brief = NewStream();
  std::atomic<int> after_other{0};
  std::atomic<bool> other_ran{false};
  std::vector<Op> ops;
  for (int i = 0; i < 2000; ++i) {
    ops.push_back(Do([&] {
      const base::Nanos until = base::SteadyClock().Now() + 2'000;
      while (base::SteadyClock().Now() < until) base::CpuRelax();
      if (other_ran.load()) after_other.fetch_add(1);
    }));
  }
  Submit(busy, ops);
  Submit(brief, {Do([&] { other_ran.store(true); })});
  Drain(busy);
  Drain(brief);
  EXPECT_GT(after_other.load(), 0) << "2000 ops of 2 us ran in one turn";
}

TEST_P(SchedulerWorkers, Permits_TwoForManyExecutors_NeverMoreOpsAtOnce) {
  Start(workers(), 2);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::vector<Stream*> streams;
  for (int i = 0; i < 12; ++i) {
    streams.push_back(NewStream());
    std::vector<Op> ops;
    for (int k = 0; k < 60; ++k) {
      ops.push_back(Do([&] {
        const int now = running.fetch_add(1) + 1;
        int seen = most.load();
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        ::sched_yield();  // gives the others a chance to break the rule
        running.fetch_sub(1);
      }));
    }
    Submit(streams.back(), ops);
  }
  std::vector<std::thread> helpers;
  for (std::size_t i = 0; i < 4; ++i) {
    helpers.emplace_back([&, i] { EXPECT_TRUE(scheduler().Drain(*streams[i], base::kForever).ok()); });
  }
  for (std::thread& helper : helpers) helper.join();
  for (Stream* stream : streams) Drain(stream);
  EXPECT_LE(most.load(), 2);
  EXPECT_GE(most.load(), 1);
}

TEST_P(SchedulerWorkers, Submit_FromRunningOp_IsRun) {
  Start(workers());
  Stream* outer = NewStream();
  Stream* inner = NewStream();
  bool ran = false;
  Submit(outer, {Do([&] {
           EXPECT_TRUE(scheduler().Submit(*inner, std::vector<Op>{Do([&] { ran = true; })}).ok());
           EXPECT_TRUE(scheduler().Submit(*outer, std::vector<Op>{Do([] {})}).ok());
         })});
  Drain(outer);
  Drain(inner);
  Drain(outer);
  EXPECT_TRUE(ran);
  EXPECT_EQ(outer->completed(), 2u);
}

TEST_F(SchedulerTest, BlockingRegion_InsideAnOp_GivesThePermitAway) {
  for (const int workers : {1, 2, 8}) {
    Start(workers, 1);
    Stream* blocking = NewStream();
    Stream* other = NewStream();
    std::atomic<bool> other_ran{false};
    std::atomic<bool> seen{false};
    Submit(blocking, {Do([&] {
             EXPECT_TRUE(scheduler().Submit(*other, std::vector<Op>{Do([&] { other_ran.store(true); })}).ok());
             const Scheduler::BlockingRegion region;
             seen.store(WaitUntil([&] { return other_ran.load(); }));
           })});
    Drain(blocking);
    Drain(other);
    EXPECT_TRUE(seen.load()) << workers << " workers";
    EXPECT_TRUE(WaitUntil([&] { return scheduler().Observe().running == 0; })) << "the permit is back";
  }
}

TEST_F(SchedulerTest, Drain_NoWorkers_CallingThreadRunsTheOps) {
  Start(0);
  Stream* stream = NewStream();
  Stream* other = NewStream();
  Notify* notify = NewNotify();
  std::vector<std::thread::id> threads;
  Submit(other, {Do([&] { threads.push_back(std::this_thread::get_id()); }), RecordOf(notify)});
  Submit(stream, {WaitFor(notify), Do([&] { threads.push_back(std::this_thread::get_id()); })});
  Drain(stream);
  EXPECT_THAT(threads, ::testing::ElementsAre(std::this_thread::get_id(), std::this_thread::get_id()));
}

TEST_F(SchedulerTest, Submit_NobodyDrains_StartsByItself) {
  for (const int workers : {1, 2, 8}) {
    Start(workers);
    std::atomic<int> done{0};
    for (int i = 0; i < 20; ++i) Submit(NewStream(), {Do([&] { done.fetch_add(1); })});
    EXPECT_TRUE(WaitUntil([&] { return done.load() == 20; })) << workers << " workers";
  }
}

TEST_F(SchedulerTest, TwoPermits_TwoWorkers_OpsRunAtTheSameTime) {
  Start(2, 2);
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  const Body meet = [&](OpContext&) {
    if (inside.fetch_add(1) == 1) met.store(true);
    const base::Nanos until = base::SteadyClock().Now() + 30'000;
    while (!met.load() && base::SteadyClock().Now() < until) base::CpuRelax();
    inside.fetch_sub(1);
    return met.load() ? OpOutcome::kDone : OpOutcome::kAgain;
  };
  Submit(NewStream(), {Call(meet)});
  Submit(NewStream(), {Call(meet)});
  EXPECT_TRUE(WaitUntil([&] { return met.load() && scheduler().Observe().running == 0; }));
}

TEST_F(SchedulerTest, RunOne_WithReadyStreams_RunsOneTurnOfOne) {
  Start(0);
  int first = 0;
  int second = 0;
  Submit(NewStream(), {Do([&] { ++first; }), Do([&] { ++first; })});
  Submit(NewStream(), {Do([&] { ++second; })});
  EXPECT_TRUE(scheduler().RunOne());
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 0);
  EXPECT_TRUE(scheduler().RunOne());
  EXPECT_EQ(second, 1);
  EXPECT_FALSE(scheduler().RunOne());
}

// True when every worker thread sits in a futex wait without limit.
bool WorkersSleepForEver(int expected) {
  DIR* tasks = ::opendir("/proc/self/task");
  int asleep = 0;
  while (const dirent* entry = ::readdir(tasks)) {
    const std::string task = std::string("/proc/self/task/") + entry->d_name;
    std::string name;
    std::ifstream(task + "/comm") >> name;
    if (name.rfind("shccl-work", 0) != 0) continue;
    std::ifstream call(task + "/syscall");
    std::string number, word, operation, value, timeout;
    call >> number >> word >> operation >> value >> timeout;
    asleep += number == std::to_string(SYS_futex) && timeout == "0x0";
  }
  ::closedir(tasks);
  return asleep == expected;
}

TEST_F(SchedulerTest, Workers_NothingLeftToDo_SleepWithoutLimit) {
  Start(3);
  Stream* stream = NewStream();
  for (int i = 0; i < 50; ++i) Submit(stream, {Do([] {})});
  Drain(stream);
  EXPECT_TRUE(WaitUntil([] { return WorkersSleepForEver(3); }));
  Submit(NewStream(), {WaitFor(NewNotify())});  // a parked stream needs no worker either
  EXPECT_TRUE(WaitUntil([&] { return scheduler().Observe().running == 0 && WorkersSleepForEver(3); }));
}

TEST_F(SchedulerTest, DestroyedWithWorkLeft_DoesNotRunIt) {
  Start(2);
  Notify* notify = NewNotify();
  std::atomic<bool> ran{false};
  Submit(NewStream(), {WaitFor(notify), Do([&] { ran.store(true); })});
  Start(0);  // the first scheduler is gone
  EXPECT_FALSE(ran.load());
}

TEST_F(SchedulerTest, Submit_QueueFull_AgainWithBothNumbers) {
  Start(0);
  Stream* stream = NewStream({}, "the full stream");
  int gate_closed = 1;
  Submit(stream, {Call([&](OpContext&) { return gate_closed != 0 ? OpOutcome::kAgain : OpOutcome::kDone; })});
  std::vector<Op> chunk(1024, Do([] {}));
  for (std::uint64_t queued = 1; queued + chunk.size() <= OpQueue::kMaxQueued; queued += chunk.size()) {
    Submit(stream, chunk);
  }
  const base::Status full = scheduler().Submit(*stream, chunk);
  EXPECT_EQ(full.code(), Code::kAgain);
  EXPECT_THAT(full.message(), HasSubstr("the full stream holds 1047553 ops, 1024 more do not fit its 1048576"));
  chunk.resize(1023);
  Submit(stream, chunk);  // up to the limit itself
  gate_closed = 0;
  Drain(stream);
  EXPECT_EQ(stream->completed(), OpQueue::kMaxQueued);
  Submit(stream, chunk);
  Drain(stream);
}

TEST_F(SchedulerTest, Recording_OpsOfTwoClasses_CarryTheirNames) {
  event::StartRecording(1000);
  event::AttachThread("test");
  Start(0);
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  Submit(stream, {RecordOf(notify), WaitFor(notify), RecordOf(notify)});
  RunAll();
  event::StopRecording();
  std::vector<std::string> started;
  std::vector<std::string> ended;
  for (const event::Event& event : event::Collect().events) {
    if (event.kind == event::Kind::kOpStart) {
      started.push_back(event::GetLabel(event::LabelKind::kName, event.object));
    } else if (event.kind == event::Kind::kOpEnd) {
      ended.push_back(event::GetLabel(event::LabelKind::kName, event.object));
      EXPECT_EQ(event.b, static_cast<std::uint64_t>(Code::kOk));
    }
  }
  EXPECT_THAT(started, ::testing::ElementsAre("test record", "test wait", "test record"));
  EXPECT_EQ(started, ended);
}

TEST_P(SchedulerWorkers, DrainTo_AnEarlierOp_DoesNotWaitForWhatFollows) {
  Start(workers());
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  bool ran = false;
  const Op first = Do([&] { ran = true; });
  std::uint64_t number = 0;
  ASSERT_TRUE(scheduler().Submit(*stream, {&first, 1}, &number).ok());
  EXPECT_EQ(number, 1u);
  Submit(stream, {WaitFor(notify)});
  EXPECT_TRUE(scheduler().DrainTo(*stream, number, base::kForever).ok());
  EXPECT_TRUE(ran);
  EXPECT_EQ(stream->completed(), 1u);
  notify->Signal();
  Drain(stream);
}

TEST_F(SchedulerTest, LastTask_IsThatOfTheCallingThread) {
  Start(0);
  Stream* stream = NewStream();
  std::thread([&] {
    EXPECT_EQ(Scheduler::LastTaskOfThread().number, 0u);
    Submit(stream, {Do([] {}), Do([] {})});
    EXPECT_EQ(Scheduler::LastTaskOfThread().number, 2u);
    EXPECT_EQ(Scheduler::LastTaskOfThread().stream, stream->id);
    EXPECT_EQ(stream->submitter(), base::ThreadId());
  }).join();
  Submit(stream, {Do([] {})});
  EXPECT_EQ(Scheduler::LastTaskOfThread().number, 3u);
  EXPECT_EQ(stream->submitter(), base::ThreadId());
  RunAll();
}

}  // namespace
}  // namespace softhccl::exec
