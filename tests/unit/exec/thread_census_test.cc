// The census decides whether a stall is a deadlock, so both mistakes matter: a thread that may still act and is called
// closed ends a healthy program, a thread in join that is called open hides every deadlock.
#include "exec/thread_census.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using ::testing::HasSubstr;

class ThreadCensusTest : public ExecTest {
 protected:
  bool BecomesClosed() {
    return WaitUntil([] { return ProcessIsClosed(nullptr); });
  }
  bool BecomesOpen() {
    return WaitUntil([] { return !ProcessIsClosed(nullptr); });
  }

 private:
  const ScopedOwnThread own_;  // the test's own thread is not the subject
};

// A thread that can be told to end, and that says when it is about to do the thing under test.
class Subject {
 public:
  explicit Subject(std::function<void(Subject&)> body) : thread_([this, body = std::move(body)] { body(*this); }) {}
  ~Subject() {
    Release();
    thread_.join();
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  void Release() {
    std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  bool released() const { return released_.load(); }
  void WaitForRelease() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return released_.load(); });
  }
  void WaitForReleaseAtMost(std::chrono::seconds limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, limit, [&] { return released_.load(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> released_{false};
  std::thread thread_;
};

// The state is stable: looked at several times while the thread stays where it is.
bool StaysOpen(const std::string& reason) {
  for (int i = 0; i < 50; ++i) {
    std::string why;
    if (ProcessIsClosed(&why) || why.find(reason) == std::string::npos) return false;
    ::sched_yield();
  }
  return true;
}

TEST_F(ThreadCensusTest, NoOtherThread_Closed) { EXPECT_TRUE(BecomesClosed()); }

TEST_F(ThreadCensusTest, ConditionVariable_Closed) {
  const Subject subject([](Subject& me) { me.WaitForRelease(); });
  EXPECT_TRUE(BecomesClosed());
}

TEST_F(ThreadCensusTest, Join_Closed) {
  Subject inner([](Subject& me) { me.WaitForRelease(); });
  std::thread joined([&] { inner.WaitForRelease(); });
  std::thread joiner([&] { joined.join(); });
  EXPECT_TRUE(BecomesClosed());
  inner.Release();
  joiner.join();
}

TEST_F(ThreadCensusTest, TimedConditionVariable_Open) {
  const Subject subject([](Subject& me) { me.WaitForReleaseAtMost(std::chrono::seconds(60)); });
  EXPECT_TRUE(BecomesOpen());
  EXPECT_TRUE(StaysOpen("is still active"));
}

TEST_F(ThreadCensusTest, Loop_Open) {
  const Subject subject([](Subject& me) {
    while (!me.released()) ::sched_yield();
  });
  EXPECT_TRUE(BecomesOpen());
  EXPECT_TRUE(StaysOpen("is still active"));
}

TEST_F(ThreadCensusTest, Sleep_Open) {
  const Subject subject([](Subject& me) {
    while (!me.released()) ::usleep(20'000);
  });
  EXPECT_TRUE(BecomesOpen());
  EXPECT_TRUE(StaysOpen("is still active"));
}

TEST_F(ThreadCensusTest, Poll_Open) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    std::thread poller([&] {
      pollfd waited{ends[0], POLLIN, 0};
      EXPECT_EQ(::poll(&waited, 1, -1), 1);
    });
    EXPECT_TRUE(BecomesOpen());
    EXPECT_TRUE(StaysOpen("is still active"));
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    poller.join();
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(ThreadCensusTest, UntimedDrain_ClosedUntilItReturns) {
  Start(0);
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  Submit(stream, {WaitFor(notify)});
  {
    std::thread drainer([&] { EXPECT_TRUE(scheduler().Drain(*stream, base::kForever).ok()); });
    EXPECT_TRUE(BecomesClosed());
    Submit(NewStream(), {RecordOf(notify)});
    drainer.join();
  }
  EXPECT_TRUE(BecomesClosed());
}

TEST_F(ThreadCensusTest, TimedDrain_Open) {
  Start(0);
  Stream* stream = NewStream();
  Notify* notify = NewNotify();
  Submit(stream, {WaitFor(notify)});
  std::thread drainer([&] { EXPECT_TRUE(scheduler().Drain(*stream, scheduler().Now() + base::FromSeconds(60)).ok()); });
  EXPECT_TRUE(WaitUntil([] {
    std::string why;
    return !ProcessIsClosed(&why) && why == "a call with a time limit is pending";
  }));
  Submit(NewStream(), {RecordOf(notify)});
  drainer.join();
  EXPECT_TRUE(BecomesClosed());
}

TEST_F(ThreadCensusTest, WorkersOfTheScheduler_Closed) {
  Start(3);
  Stream* stream = NewStream();
  Submit(stream, {Do([] {})});
  Drain(stream);
  EXPECT_TRUE(BecomesClosed());
}

TEST_F(ThreadCensusTest, CallScopeLeft_ThreadCountsAgain) {
  std::atomic<int> step{0};
  std::thread caller([&] {
    {
      const ScopedBlockedCall outer(BlockedCall::kUntimed);
      const ScopedBlockedCall inner(BlockedCall::kUntimed);
      step.store(1);
      while (step.load() == 1) ::sched_yield();
    }
    step.store(3);
    while (step.load() == 3) ::sched_yield();
  });
  ASSERT_TRUE(WaitUntil([&] { return step.load() == 1; }));
  EXPECT_TRUE(BecomesClosed()) << "it runs, but says that it is blocked in a call of ours";
  step.store(2);
  ASSERT_TRUE(WaitUntil([&] { return step.load() == 3; }));
  std::string why;
  EXPECT_FALSE(ProcessIsClosed(&why));
  EXPECT_THAT(why, HasSubstr("is still active"));
  step.store(4);
  caller.join();
}

}  // namespace
}  // namespace softhccl::exec
