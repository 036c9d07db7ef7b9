// What a communicator owns besides channels: its name, its threads and their quotas, its engine contexts, and the way
// down. Every refusal is asserted with its numbers.
#include "comm/communicator.h"

#include "event/labels.h"
#include "exec/notify.h"
#include "world_fixture.h"

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;
using engine::Runtime;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CommunicatorTest : public WorldTest {};

// --- Creation and names

TEST_F(CommunicatorTest, AllRanks_ShareTheNameOfTheirRoot) {
  Open(3);
  EXPECT_THAT(Registry::Get().Names(), SizeIs(3));
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rank(i).name(), root());
    EXPECT_EQ(rank(i).rank(), i);
    EXPECT_EQ(rank(i).size(), 3u);
    EXPECT_EQ(rank(i).device(), static_cast<int>(i));
    EXPECT_EQ(rank(i).buffer().size(), 2u * 1024 * 1024) << "two halves of HCCL_BUFFSIZE";
    EXPECT_EQ(Registry::Get().FindByName(root(), static_cast<int>(i)).value().get(), &rank(i));
  }
  const auto elsewhere = Registry::Get().FindByName(root(), 3);
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().code(), Code::kNotFound);
  EXPECT_EQ(elsewhere.error().message(), fmt::format("no communicator named \"{}\" on device 3", root()));
}

TEST_F(CommunicatorTest, NameTakenOnTheDevice_IsRefusedAndFreeAfterDestroy) {
  Registry& registry = Registry::Get();
  const std::uint64_t first = registry.Create(registry.OpenRoot(0), 0, 1, 0, Limit(1000, "group a")).value();
  const std::string other = registry.OpenRoot(0);
  const auto taken = registry.Create(other, 0, 1, 0, Limit(1000, "group a"));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code(), Code::kInvalidParam);
  EXPECT_EQ(taken.error().message(),
            "a communicator named group a exists already on device 0; one rank per device, and names must differ");
  const auto on_another_device = registry.Create(other, 0, 1, 1, Limit(1000, "group a"));
  ASSERT_TRUE(on_another_device) << on_another_device.error().message();
  EXPECT_TRUE(registry.Destroy(first, 0).ok());
  const auto again = registry.Create(registry.OpenRoot(0), 0, 1, 0, Limit(1000, "group a"));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(registry.Destroy(*again, 0).ok());
  EXPECT_TRUE(registry.Destroy(*on_another_device, 1).ok());
}

TEST_F(CommunicatorTest, FailedCreation_LeavesNothing) {
  Registry& registry = Registry::Get();
  const std::string id = registry.OpenRoot(0);
  const auto alone = registry.Create(id, 0, 2, 0, Limit(5));
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code(), Code::kTimeout);
  EXPECT_THAT(alone.error().message(), HasSubstr("1 of 2 ranks joined in time; missing: rank 1"));
  const auto retry = registry.Create(id, 0, 1, 0, Limit(1000));
  ASSERT_TRUE(retry) << "the name is free again: " << retry.error().message();
  EXPECT_TRUE(registry.Destroy(*retry, 0).ok());
  const auto unknown = registry.Create("no such root", 0, 1, 0, Limit(5));
  EXPECT_EQ(unknown.error().code(), Code::kNotFound);
  Communicator::Options huge = Limit(5);
  huge.buffer_mib = UINT32_MAX;
  const auto no_memory = registry.Create(registry.OpenRoot(0), 0, 1, 0, huge);
  ASSERT_FALSE(no_memory);
  EXPECT_EQ(no_memory.error().code(), Code::kOutOfMemory);
  EXPECT_THAT(no_memory.error().message(),
              HasSubstr("while allocating the HcclBuffer (2 x HCCL_BUFFSIZE 4294967295 MB)"));
}

TEST_F(CommunicatorTest, Destroy_ChecksHandleAndDevice) {
  Open(1);
  const Status elsewhere = Registry::Get().Destroy(handle(0), 1);
  EXPECT_EQ(elsewhere.code(), Code::kInvalidParam);
  EXPECT_EQ(elsewhere.message(),
            fmt::format("comm {} belongs to device 0, but device 1 is set on this thread", root()));
  const std::uint64_t destroyed = handle(0);
  DestroyRank(0);
  const Status twice = Registry::Get().Destroy(destroyed, 0);
  EXPECT_EQ(twice.code(), Code::kInvalidHandle);
  EXPECT_THAT(twice.message(), HasSubstr("is a communicator that was destroyed"));
  EXPECT_EQ(Registry::Get().Find(destroyed).error().code(), Code::kInvalidHandle);
  EXPECT_EQ(Registry::Get().FindByName(root(), 0).error().code(), Code::kNotFound);
}

// --- Threads

TEST_F(CommunicatorTest, Threads_ArePooledPerEngine) {
  Open(2);
  const auto first = Get(rank(0).AcquireThreads(kAicpu, 2, 1));
  const auto more = Get(rank(0).AcquireThreads(kAicpu, 3, 4));
  ASSERT_THAT(first, SizeIs(2));
  ASSERT_THAT(more, SizeIs(3));
  EXPECT_EQ(more[0], first[0]);
  EXPECT_EQ(more[1], first[1]);
  EXPECT_EQ(Get(rank(0).AcquireThreads(kAicpu, 1, 0)), std::vector<std::uint64_t>{first[0]});
  EXPECT_EQ(Threads().Lookup(first[0])->notify_count.load(), 4u) << "the largest that was asked for";
  EXPECT_EQ(Threads().Lookup(first[0])->device, 0);
  EXPECT_NE(Get(rank(0).AcquireThreads(kCpu, 1, 0))[0], first[0]);
  EXPECT_NE(Get(rank(1).AcquireThreads(kAicpu, 1, 0))[0], first[0]);
  const exec::Stream* stream = Threads().Lookup(more[2])->stream;
  EXPECT_EQ(event::GetLabel(event::LabelKind::kStream, stream->id), "rank 0/AICPU thread 2");
  EXPECT_EQ(stream->party.rank, 0u);
}

TEST_F(CommunicatorTest, ThreadNum_HasBoundsPerCallAndPerCommunicator) {
  Open(1);
  for (const std::uint32_t count : {0u, 201u, UINT32_MAX}) {
    const auto refused = rank(0).AcquireThreads(kAicpu, count, 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Code::kInvalidParam);
    EXPECT_EQ(refused.error().message(),
              fmt::format("threadNum {} is out of range; a communicator has 1 to 200 threads", count));
  }
  EXPECT_THAT(Get(rank(0).AcquireThreads(kAicpu, 150, 0)), SizeIs(150));
  const auto over = rank(0).AcquireThreads(kCpu, 51, 0);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code(), Code::kUnavailable);
  EXPECT_EQ(over.error().message(),
            fmt::format("threadNum 51 needs 51 new threads, but 150 of the 200 of communicator {} are in use", root()));
  EXPECT_THAT(Get(rank(0).AcquireThreads(kCpu, 50, 0)), SizeIs(50));
  EXPECT_THAT(Get(rank(0).AcquireThreads(kAicpu, 150, 0)), SizeIs(150)) << "what exists needs no quota";
}

TEST_F(CommunicatorTest, NotifyNum_HasBoundsPerThreadAndPerCommunicator) {
  Open(1);
  const auto too_many = rank(0).AcquireThreads(kAicpu, 1, 65536);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code(), Code::kInvalidParam);
  EXPECT_EQ(too_many.error().message(), "notifyNumPerThread 65536 is out of range; use at most 65535");
  const auto together = rank(0).AcquireThreads(kAicpu, 2, 40'000);
  ASSERT_FALSE(together);
  EXPECT_EQ(together.error().code(), Code::kUnavailable);
  EXPECT_EQ(together.error().message(),
            fmt::format("notifyNumPerThread 40000 would make 80000 notifies; communicator {} may have 65536", root()));
  Get(rank(0).AcquireThreads(kAicpu, 1, 65'535));
  EXPECT_EQ(rank(0).AcquireThreads(kCpu, 1, 2).error().code(), Code::kUnavailable);
  Get(rank(0).AcquireThreads(kCpu, 1, 1));
  EXPECT_THAT(rank(0).AcquireThreads(kCpu, 1, 2).error().message(), HasSubstr("would make 65537 notifies"));
}

// --- Engine contexts

TEST_F(CommunicatorTest, Context_IsZeroedAndFoundByTagAndEngine) {
  Open(2);
  std::byte* data = rank(0).CreateContext("tag", kAicpu, 100).value();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(data[i], std::byte{0});
  const auto found = rank(0).FindContext("tag", kAicpu);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->data, data);
  EXPECT_EQ(found->size, 100u);
  EXPECT_NE(rank(0).CreateContext("tag", kCpu, 1).value(), data);
  EXPECT_NE(rank(0).CreateContext("other", kAicpu, 1).value(), data);
  const auto missing = rank(1).FindContext("tag", kAicpu);
  ASSERT_FALSE(missing) << "contexts belong to a rank";
  EXPECT_EQ(missing.error().code(), Code::kNotFound);
  EXPECT_EQ(missing.error().message(), fmt::format("ctxTag \"tag\": communicator {} has no context of engine AICPU "
                                                   "with this tag; create it with HcclEngineCtxCreate",
                                                   root()));
}

TEST_F(CommunicatorTest, BadContexts_AreRefused) {
  Open(1);
  ASSERT_TRUE(rank(0).CreateContext("tag", kAicpu, 100));
  const auto twice = rank(0).CreateContext("tag", kAicpu, 7);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code(), Code::kInvalidParam);
  EXPECT_EQ(twice.error().message(),
            "ctxTag \"tag\": a context of engine AICPU with this tag exists already (100 "
            "bytes); get it with HcclEngineCtxGet");
  EXPECT_EQ(rank(0).CreateContext("empty", kAicpu, 0).error().message(), "size 0: a context holds at least one byte");
  EXPECT_EQ(rank(0).FindContext("empty", kAicpu).error().code(), Code::kNotFound);
  EXPECT_EQ(rank(0).CreateContext("huge", kAicpu, std::uint64_t{1} << 62).error().code(), Code::kOutOfMemory);
  for (const int engine : {-1, 6}) {
    const auto unknown = rank(0).CreateContext("tag", engine, 1);
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message(), HasSubstr(fmt::format("engine {} is not known", engine)));
    EXPECT_EQ(rank(0).FindContext("tag", engine).error().code(), Code::kInvalidParam);
  }
}

// --- Abort and the way down

TEST_F(CommunicatorTest, Aborted_RefusesEverythingNew) {
  Open(2);
  Runtime::Get().scheduler().AbortParty(rank(1).party(), base::Fail(Code::kKernelFailed, "kernel k returned 3"));
  const std::string sentence = fmt::format(
      "communicator {} was aborted because rank 1: kernel k returned 3; destroy it and create a new one", root());
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto threads = rank(i).AcquireThreads(kAicpu, 1, 0);
    ASSERT_FALSE(threads);
    EXPECT_EQ(threads.error().code(), Code::kRemote);
    EXPECT_EQ(threads.error().message(), sentence);
    EXPECT_EQ(rank(i).AcquireChannels(kAicpu, {{1 - i, 0, 1}}).error().message(), sentence);
    EXPECT_EQ(rank(i).CreateContext("tag", kAicpu, 1).error().message(), sentence);
    engine::LaunchContext launch;
    EXPECT_EQ(rank(i).Acquire(launch).message(), sentence);
  }
}

// Waits for a notify that nobody records. arg: 0 handle
const exec::OpClass kWaitForEver = {"test wait",
                                    [](exec::OpContext& context, exec::Op& op) {
                                      exec::Notify* notify = context.scheduler().notifies().Lookup(op.arg[0]);
                                      return notify->Wait(context, op, base::kForever);
                                    },
                                    nullptr, [](const exec::Op&) { return exec::Footprint{}; }, nullptr};

TEST_F(CommunicatorTest, DestroyWithPendingWork_AbortsTheDomainAndSaysSo) {
  Open(2);
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  exec::Notify* notify = scheduler.CreateNotify(0, 0, {}, "a notify of the test").value();
  exec::Op op;
  op.op_class = &kWaitForEver;
  op.arg[0] = notify->handle;
  exec::Stream* stream = Threads().Lookup(Get(rank(0).AcquireThreads(kAicpuTs, 1, 0))[0])->stream;
  ASSERT_TRUE(scheduler.Submit(*stream, {&op, 1}).ok());
  const std::string label = event::GetLabel(event::LabelKind::kStream, stream->id);
  DestroyRank(0);
  const std::string sentence = fmt::format(
      "rank 0 destroyed communicator {} while 1 ops were pending on {}; synchronise the streams first", root(), label);
  EXPECT_EQ(label, "rank 0/AICPU_TS thread 0");
  EXPECT_THAT(log().Take(), ElementsAre(sentence));
  const auto refused = rank(1).AcquireThreads(kAicpu, 1, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kRemote);
  EXPECT_THAT(refused.error().message(), AllOf(HasSubstr("because rank 0: "), HasSubstr(sentence)));
  scheduler.DestroyNotify(notify);
}

TEST_F(CommunicatorTest, Destroyed_RefusesThoseWhoStillHoldIt) {
  Open(1);
  Get(rank(0).AcquireThreads(kAicpu, 3, 2));
  ASSERT_TRUE(rank(0).CreateContext("host", kCpu, 64));
  ASSERT_TRUE(rank(0).CreateContext("device", kAicpu, 64));
  DestroyRank(0);
  const std::string sentence = fmt::format("communicator {} was destroyed while it was used", root());
  const auto threads = rank(0).AcquireThreads(kAicpu, 1, 0);
  ASSERT_FALSE(threads);
  EXPECT_EQ(threads.error().code(), Code::kRemote);
  EXPECT_EQ(threads.error().message(), sentence);
  EXPECT_EQ(rank(0).CreateContext("late", kCpu, 1).error().message(), sentence);
  EXPECT_EQ(rank(0).AcquireChannels(kAicpu, {{0, 0, 0}}).error().message(), sentence);
}

}  // namespace
}  // namespace softhccl::comm
