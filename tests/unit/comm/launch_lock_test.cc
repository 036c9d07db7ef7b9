// The lock that gives one launch a communicator for itself. Whoever waits for it must be woken by everything that ends
// the wait: release, abort, destroy.
#include "world_fixture.h"

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;
using engine::LaunchContext;
using engine::Runtime;
using ::testing::HasSubstr;

class LaunchLockTest : public WorldTest {
 protected:
  LaunchLockTest() : idle_(Foreign()) {}
  ~LaunchLockTest() override { EXPECT_EQ(Foreign(), idle_) << "a kernel was counted wrong"; }

  static int Foreign() { return Runtime::Get().scheduler().Observe().foreign; }

  // Acquires from inside a kernel on a thread of its own, which counts as running until it blocks.
  std::thread AcquireLater(LaunchContext* launch, Status* result) {
    return std::thread([this, launch, result] {
      exec::Scheduler& scheduler = Runtime::Get().scheduler();
      Request request{&rank(0), launch, result};
      const Request* pointer = &request;
      engine::Invocation invocation;
      invocation.info = std::make_shared<engine::KernelInfo>();
      invocation.function = &AcquireInKernel;
      const auto* bytes = reinterpret_cast<const std::byte*>(&pointer);
      invocation.arguments.assign(bytes, bytes + sizeof pointer);
      invocation.stream = scheduler.CreateStream(0, {}, "launching stream").value();
      invocation.Count(scheduler);
      started_.fetch_add(1);
      engine::Execute(scheduler, invocation);
      invocation.Uncount(scheduler);
      scheduler.DestroyStream(invocation.stream);
    });
  }
  // Until `count` of them have started and sit in Acquire.
  bool AllBlocked(int count) {
    return WaitUntil([&] { return started_.load() == count && Foreign() == idle_; });
  }

  LaunchContext first_, second_, third_;

 private:
  struct Request {
    Communicator* communicator;
    LaunchContext* launch;
    Status* result;
  };
  static std::uint32_t AcquireInKernel(void* arguments) {
    const Request* request = nullptr;
    std::memcpy(&request, arguments, sizeof request);
    *request->result = request->communicator->Acquire(*request->launch);
    return 0;
  }

  const int idle_;
  std::atomic<int> started_{0};
};

TEST_F(LaunchLockTest, AcquireTwiceByOneLaunch_IsRefused) {
  Open(1);
  EXPECT_TRUE(rank(0).Acquire(first_).ok());
  const Status twice = rank(0).Acquire(first_);
  EXPECT_EQ(twice.code(), Code::kInvalidParam);
  EXPECT_EQ(
      twice.message(),
      fmt::format("commId \"{}\" is already acquired by this launch; release it before acquiring it again", root()));
  rank(0).ReleaseBy(second_);  // not the holder: no effect
  EXPECT_FALSE(rank(0).Acquire(first_).ok());
  rank(0).ReleaseBy(first_);
  EXPECT_TRUE(rank(0).Acquire(first_).ok());
  rank(0).ReleaseBy(first_);
  rank(0).ReleaseBy(first_);
}

TEST_F(LaunchLockTest, SecondLaunch_WaitsForTheFirst) {
  Open(1);
  ASSERT_TRUE(rank(0).Acquire(first_).ok());
  Status second;
  std::thread waiter = AcquireLater(&second_, &second);
  ASSERT_TRUE(AllBlocked(1));
  rank(0).ReleaseBy(first_);
  waiter.join();
  EXPECT_TRUE(second.ok()) << second.message();
  rank(0).ReleaseBy(second_);
}

TEST_F(LaunchLockTest, Ranks_HaveLocksOfTheirOwn) {
  Open(2);
  EXPECT_TRUE(rank(0).Acquire(first_).ok());
  EXPECT_TRUE(rank(1).Acquire(second_).ok());
  rank(0).ReleaseBy(first_);
  rank(1).ReleaseBy(second_);
}

TEST_F(LaunchLockTest, AbortWhileTwoWait_EndsBoth) {
  Open(2);
  ASSERT_TRUE(rank(0).Acquire(first_).ok());
  Status second;
  Status third;
  std::thread waiters[] = {AcquireLater(&second_, &second), AcquireLater(&third_, &third)};
  ASSERT_TRUE(AllBlocked(2));
  Runtime::Get().scheduler().AbortParty(rank(1).party(), base::Fail(Code::kTimeout, "a wait ended"));
  rank(0).ReleaseBy(first_);
  for (std::thread& waiter : waiters) waiter.join();
  for (const Status& ended : {second, third}) {
    EXPECT_EQ(ended.code(), Code::kRemote);
    EXPECT_THAT(ended.message(), HasSubstr("was aborted because rank 1: a wait ended"));
  }
}

TEST_F(LaunchLockTest, DestroyWhileHeld_IsAgain) {
  Open(1);
  ASSERT_TRUE(rank(0).Acquire(first_).ok());
  const Status refused = Registry::Get().Destroy(handle(0), 0);
  EXPECT_EQ(refused.code(), Code::kAgain);
  EXPECT_EQ(refused.message(),
            fmt::format("comm {} is in use by a kernel; synchronise its stream and try again", root()));
  EXPECT_TRUE(Registry::Get().Find(handle(0))) << "nothing has happened to it";
  EXPECT_TRUE(rank(0).AcquireThreads(kAicpu, 1, 0));
  rank(0).ReleaseBy(first_);
}

TEST_F(LaunchLockTest, AcquireAfterDestroy_IsRemote) {
  Open(1);
  DestroyRank(0);
  const Status late = rank(0).Acquire(first_);
  EXPECT_EQ(late.code(), Code::kRemote);
  EXPECT_EQ(late.message(), fmt::format("commId \"{}\" was destroyed while a kernel waited for it", root()));
}

}  // namespace
}  // namespace softhccl::comm
