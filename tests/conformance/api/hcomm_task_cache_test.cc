// HcommAicpuTsTaskCacheLookup, Start, End and Clear: what is recorded and kept, for whom and for how long.
#include "task_cache_calls.h"

namespace softhccl::conformance {
namespace {

using ::testing::ElementsAre;

constexpr HcommDataType kInt32 = HCOMM_DATA_TYPE_INT32;
constexpr HcommReduceOp kSum = HCOMM_REDUCE_SUM;

// --- Lookup

using HcommAicpuTsTaskCacheLookupTest = ApiTest;

TEST_F(HcommAicpuTsTaskCacheLookupTest, RecordedTasks_AreFoundOnTheirDeviceOnly) {
  RunRanks(2, [](Rank& rank) {
    const DeviceInts from({1});
    const DeviceInts to({0});
    if (rank.id == 0) RecordCopy(rank, "lookup", to, from);
    rank.Meet();
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(IsHit(hcomm, "lookup"), rank.id == 0);
                          EXPECT_FALSE(IsHit(hcomm, "look"));
                          return 0u;
                        }),
              ACL_SUCCESS);
  });
}

TEST_F(HcommAicpuTsTaskCacheLookupTest, NullPointer_IsPtrAndFailsNoLaunch) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          bool hit = true;
                          EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AicpuTsTaskCacheLookup, (nullptr, &hit), "tag is null");
                          EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AicpuTsTaskCacheLookup, ("any", nullptr),
                                             "isHit is null");
                          EXPECT_TRUE(hit) << "set on success only";
                          return 0u;
                        }),
              ACL_SUCCESS);
  });
}

TEST_F(HcommAicpuTsTaskCacheLookupTest, CommunicatorDestroyed_IsAMissAndCanBeRecordedAgain) {
  for (int run = 0; run < 2; ++run) {
    RunRanks(1, [](Rank& rank) {
      const DeviceInts from({1});
      const DeviceInts to({0});
      RecordCopy(rank, "every communicator", to, from);  // a miss each time
    });
  }
}

TEST_F(HcommAicpuTsTaskCacheLookupTest, ChannelDestroyed_IsAMiss) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    rank.Meet();
    const auto record = [&](const Hcomm& hcomm) {
      EXPECT_EQ(Start(hcomm, "channel", Buffers({})), 0);
      EXPECT_EQ(hcomm.ChannelFenceOnThread(rank.thread, channel), 0);
      EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("channel"), 0);
      EXPECT_TRUE(IsHit(hcomm, "channel"));
      return 0u;
    };
    EXPECT_EQ(RunOnThread(rank, record), ACL_SUCCESS);
    rank.Meet();
    EXPECT_EQ(HcclChannelDestroy(rank.comm, &channel, 1), HCCL_SUCCESS);
    const auto look = [](const Hcomm& hcomm) { return IsHit(hcomm, "channel") ? 1u : 0u; };
    EXPECT_EQ(RunKernel(rank.stream, look), ACL_SUCCESS);
    rank.Meet();
  });
}

// --- Start

using HcommAicpuTsTaskCacheStartTest = ApiTest;

TEST_F(HcommAicpuTsTaskCacheStartTest, BadArguments_AreRefusedAndFailNoLaunch) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_EQ(
        RunKernel(
            rank.stream,
            [&](const Hcomm& hcomm) {
              void* addrs[] = {nullptr};
              uint64_t sizes[] = {4};
              EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AicpuTsTaskCacheStart, (nullptr, addrs, sizes, 1), "tag is null");
              EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AicpuTsTaskCacheStart, ("bad", nullptr, sizes, 1), "addrs is null");
              EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AicpuTsTaskCacheStart, ("bad", addrs, nullptr, 1), "sizes is null");
              EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AicpuTsTaskCacheStart, ("bad", addrs, sizes, 1),
                                 "addrs[0] is null; sizes[0] is 4");
              EXPECT_HCOMM_FAILS(this, HCCL_E_PARA, AicpuTsTaskCacheStart, ("bad", addrs, sizes, 4097),
                                 "count 4097 is out of range, use 0 to 4096");
              return 0u;
            }),
        ACL_SUCCESS);
  });
}

TEST_F(HcommAicpuTsTaskCacheStartTest, KnownTagOrNested_IsRefusedAndTheTasksRun) {
  RunRanks(1, [this](Rank& rank) {
    const DeviceInts from({5});
    const DeviceInts to({0});
    RecordCopy(rank, "known", to, from);
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_HCOMM_FAILS(this, HCCL_E_INTERNAL, AicpuTsTaskCacheStart,
                                               ("known", nullptr, nullptr, 0), "tag \"known\" is recorded already");
                            EXPECT_HCOMM_FAILS(this, HCCL_E_INTERNAL, AicpuTsTaskCacheEnd, ("known"),
                                               "nothing is being recorded");
                            EXPECT_EQ(Start(hcomm, "outer", Buffers({})), 0);
                            EXPECT_HCOMM_FAILS(this, HCCL_E_PARA, AicpuTsTaskCacheStart, ("inner", nullptr, nullptr, 0),
                                               "\"outer\" is still being recorded");
                            EXPECT_FALSE(IsHit(hcomm, "outer")) << "not before the end";
                            EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, to.data(), from.data(), 4), 0);
                            EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("outer"), 0);
                            EXPECT_TRUE(IsHit(hcomm, "outer"));
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(to.Read(), ElementsAre(5));
  });
}

TEST_F(HcommAicpuTsTaskCacheStartTest, LeftOpen_IsReportedAndNothingIsKept) {
  ExpectLog({"CallBack#", "returned while recording task cache \"forgotten\"", "call HcommAicpuTsTaskCacheEnd"});
  RunRanks(1, [](Rank& rank) {
    const DeviceInts from({5});
    const DeviceInts to({0});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(Start(hcomm, "forgotten", Buffers({})), 0);
                            EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, to.data(), from.data(), 4), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(to.Read(), ElementsAre(5));
    RecordCopy(rank, "forgotten", to, from);
  });
}

// --- End

using HcommAicpuTsTaskCacheEndTest = ApiTest;

TEST_F(HcommAicpuTsTaskCacheEndTest, NullOrAnotherTag_IsRefusedAndTheRecordingGoesOn) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(Start(hcomm, "right", Buffers({})), 0);
                          EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AicpuTsTaskCacheEnd, (nullptr), "tag is null");
                          EXPECT_HCOMM_FAILS(this, HCCL_E_PARA, AicpuTsTaskCacheEnd, ("wrong"),
                                             "tag \"wrong\": \"right\" is being recorded");
                          EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("right"), 0);
                          EXPECT_TRUE(IsHit(hcomm, "right")) << "also without any task";
                          EXPECT_EQ(hcomm.AicpuTsTaskCacheClear("right"), 0);
                          return 0u;
                        }),
              ACL_SUCCESS);
  });
}

TEST_F(HcommAicpuTsTaskCacheEndTest, MoreThanTheCapacity_RunsAndIsNotKept) {
  RunRanks(1, [](Rank& rank) {
    const DeviceInts one({1});
    const DeviceInts sum({0});
    const auto record = [&](const char* tag, int tasks) {
      EXPECT_EQ(
          RunOnThread(rank,
                      [&](const Hcomm& hcomm) {
                        EXPECT_EQ(Start(hcomm, tag, Buffers({&one, &sum})), 0);
                        int failed = 0;
                        for (int i = 0; i < tasks; ++i) {
                          if (hcomm.LocalReduceOnThread(rank.thread, sum.data(), one.data(), 1, kInt32, kSum) != 0)
                            ++failed;
                        }
                        EXPECT_EQ(failed, 0);
                        EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd(tag), 0);
                        return 0u;
                      }),
          ACL_SUCCESS);
    };
    const auto holds = [&](const char* tag) {
      bool hit = false;
      EXPECT_EQ(HcommAicpuTsTaskCacheLookup(tag, &hit), 0);
      return hit;
    };
    record("half", 40'000);
    record("other half", 40'000);
    record("more than everything", 90'000);
    EXPECT_TRUE(holds("half"));
    EXPECT_FALSE(holds("other half"));
    EXPECT_FALSE(holds("more than everything"));
    EXPECT_THAT(sum.Read(), ElementsAre(170'000));
    EXPECT_EQ(HcommAicpuTsTaskCacheClear("half"), 0);
    record("other half", 40'000);
    EXPECT_TRUE(holds("other half"));
  });
}

TEST_F(HcommAicpuTsTaskCacheEndTest, SequenceThatPostsOrWaits_IsNotKept) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    rank.Meet();
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(Start(hcomm, "posts", Buffers({})), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyRecord(channel, 0), 0);
                            EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("posts"), 0);
                            EXPECT_FALSE(IsHit(hcomm, "posts"));
                            EXPECT_EQ(Start(hcomm, "waits", Buffers({})), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
                            EXPECT_EQ(hcomm.ThreadJoin(rank.thread, 30), 0);
                            EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("waits"), 0);
                            EXPECT_FALSE(IsHit(hcomm, "waits"));
                            return 0u;
                          }),
              ACL_SUCCESS);
    rank.Meet();
  });
}

TEST_F(HcommAicpuTsTaskCacheEndTest, SequenceWithAFailure_IsNotKept) {
  ExpectLog({"kernel launch", "failed: dst is null"});
  RunRanks(1, [this](Rank& rank) {
    ExpectLaunchFails(this, rank, ACL_ERROR_INVALID_PARAM, "dst is null", [&](const Hcomm& hcomm) {
      EXPECT_EQ(Start(hcomm, "fails", Buffers({})), 0);
      EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, LocalCopyOnThread, (rank.thread, nullptr, nullptr, 4), "dst is null");
      EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("fails"), 0);
      EXPECT_FALSE(IsHit(hcomm, "fails"));
      return 0u;
    });
  });
}

// --- Clear

using HcommAicpuTsTaskCacheClearTest = ApiTest;

TEST_F(HcommAicpuTsTaskCacheClearTest, ClearedOrUnknown_Succeeds) {
  RunRanks(1, [this](Rank& rank) {
    const DeviceInts from({5});
    const DeviceInts to({0});
    RecordCopy(rank, "cleared", to, from);
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) {
                          EXPECT_EQ(hcomm.AicpuTsTaskCacheClear("cleared"), 0);
                          EXPECT_FALSE(IsHit(hcomm, "cleared"));
                          EXPECT_EQ(hcomm.AicpuTsTaskCacheClear("cleared"), 0);
                          EXPECT_EQ(hcomm.AicpuTsTaskCacheClear("never there"), 0);
                          EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, AicpuTsTaskCacheClear, (nullptr), "tag is null");
                          return 0u;
                        }),
              ACL_SUCCESS);
    RecordCopy(rank, "cleared", to, from);
  });
}

TEST_F(HcommAicpuTsTaskCacheClearTest, TasksThatAreQueuedOrRecorded_AreNotConcerned) {
  RunRanks(1, [](Rank& rank) {
    const DeviceInts ones({1});
    const DeviceInts sum({0});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(Start(hcomm, "queued", Buffers({&sum})), 0);
                            EXPECT_EQ(hcomm.LocalReduceOnThread(rank.thread, sum.data(), ones.data(), 1, kInt32, kSum),
                                      0);
                            EXPECT_EQ(hcomm.AicpuTsTaskCacheClear("queued"), 0);
                            EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("queued"), 0);
                            EXPECT_EQ(Execute(hcomm, "queued", Buffers({&sum})), 0);
                            EXPECT_EQ(hcomm.AicpuTsTaskCacheClear("queued"), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(sum.Read(), ElementsAre(2));
  });
}

}  // namespace
}  // namespace softhccl::conformance
