// HcommAicpuTsTaskCacheExecute: a replay gives what calling the functions again would give, with other buffers too, and
// what cannot be replayed is refused.
#include "task_cache_calls.h"

namespace softhccl::conformance {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr HcommDataType kInt32 = HCOMM_DATA_TYPE_INT32;
constexpr HcommReduceOp kSum = HCOMM_REDUCE_SUM;

using HcommAicpuTsTaskCacheExecuteTest = ApiTest;

// Two threads of each rank, both directions of the channel, every kind of task. Half of out is the peer's input, twice
// and three times; what the peer added to this rank's buffer comes on top.
struct Exchange {
  Rank& rank;
  ThreadHandle helper = 0;
  ChannelHandle channel = 0;
  int* own = nullptr;     // 4 ints staged, then 4 that the peer adds to
  int* window = nullptr;  // the same of the peer
  DeviceInts zeros{std::vector<int>(4, 0)};

  explicit Exchange(Rank& of) : rank(of) {
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
    helper = threads[0] == rank.thread ? threads[1] : threads[0];
    channel = rank.Channel(rank.peer());
    uint64_t size = 0;
    EXPECT_EQ(HcclGetHcclBuffer(rank.comm, reinterpret_cast<void**>(&own), &size), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, reinterpret_cast<void**>(&window), &size), HCCL_SUCCESS);
    rank.Meet();
  }

  // The peer's notify 1 also says that it has read: the next round may begin.
  void Issue(const Hcomm& hcomm, const DeviceInts& in, const DeviceInts& out) const {
    EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, own, in.data(), 16), 0);
    EXPECT_EQ(hcomm.ThreadNotifyRecordOnThread(rank.thread, helper, 0), 0);
    EXPECT_EQ(hcomm.ThreadNotifyWaitOnThread(helper, 0, 30), 0);
    EXPECT_EQ(hcomm.LocalReduceOnThread(helper, own + 2, in.data() + 2, 2, kInt32, kSum), 0);
    EXPECT_EQ(hcomm.LocalCopyOnThread(helper, own + 4, zeros.data(), 16), 0);
    EXPECT_EQ(hcomm.ThreadNotifyRecordOnThread(helper, rank.thread, 0), 0);
    EXPECT_EQ(hcomm.ThreadNotifyWaitOnThread(rank.thread, 0, 30), 0);
    EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
    EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
    EXPECT_EQ(hcomm.ReadOnThread(rank.thread, channel, out.data(), window, 16), 0);
    EXPECT_EQ(hcomm.ReadReduceOnThread(rank.thread, channel, out.data(), window, 4, kInt32, kSum), 0);
    EXPECT_EQ(hcomm.WriteOnThread(rank.thread, channel, window + 4, in.data(), 8), 0);
    EXPECT_EQ(hcomm.WriteReduceOnThread(rank.thread, channel, window + 5, in.data() + 1, 2, kInt32, kSum), 0);
    EXPECT_EQ(hcomm.ChannelFenceOnThread(rank.thread, channel), 0);
    EXPECT_EQ(hcomm.WriteReduceWithNotifyOnThread(rank.thread, channel, window + 7, in.data() + 3, 1, kInt32, kSum, 1),
              0);
    EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 30), 0);
    EXPECT_EQ(hcomm.LocalReduceOnThread(rank.thread, out.data(), own + 4, 4, kInt32, kSum), 0);
  }

  // What `Issue` leaves in out when the peer's input is `in`.
  static std::vector<int> Expected(const std::vector<int>& in) {
    return {2 * in[0] + in[0], 2 * in[1] + in[1] + in[1], 4 * in[2] + in[2], 4 * in[3] + in[3]};
  }
};

TEST_F(HcommAicpuTsTaskCacheExecuteTest, OtherBuffers_GiveWhatIssuingAgainGives) {
  RunRanks(2, [](Rank& rank) {
    const Exchange exchange(rank);
    for (int round = 0; round < 20; ++round) {
      const auto input = [&](uint32_t id) {
        const int base = 1000 * round + 100 * static_cast<int>(id);
        return std::vector<int>{base + 1, base + 2, base + 3, base + 4};
      };
      const DeviceInts in(input(rank.id));
      const DeviceInts issued({-1, -1, -1, -1});
      const DeviceInts replayed({-1, -1, -1, -1});
      EXPECT_EQ(RunOnThread(rank,
                            [&](const Hcomm& hcomm) {
                              exchange.Issue(hcomm, in, issued);
                              const bool hit = IsHit(hcomm, "exchange");
                              EXPECT_EQ(hit, round != 0);
                              if (hit) {
                                EXPECT_EQ(Execute(hcomm, "exchange", Buffers({&in, &replayed})), 0);
                                return 0u;
                              }
                              EXPECT_EQ(Start(hcomm, "exchange", Buffers({&in, &replayed})), 0);
                              exchange.Issue(hcomm, in, replayed);
                              EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("exchange"), 0);
                              return 0u;
                            }),
                ACL_SUCCESS);
      EXPECT_EQ(issued.Read(), Exchange::Expected(input(rank.peer())));
      EXPECT_EQ(replayed.Read(), issued.Read()) << "round " << round;
    }
    rank.Meet();
  });
}

TEST_F(HcommAicpuTsTaskCacheExecuteTest, RecordedAndReplayedInBatches_IsTheSame) {
  RunRanks(2, [](Rank& rank) {
    const Exchange exchange(rank);
    for (int round = 0; round < 3; ++round) {
      const DeviceInts in({round + 1, 10, 20, 30});
      const DeviceInts out({0, 0, 0, 0});
      EXPECT_EQ(RunOnThread(rank,
                            [&](const Hcomm& hcomm) {
                              EXPECT_EQ(hcomm.BatchModeStart("batch"), 0);
                              if (round == 0) {
                                EXPECT_EQ(Start(hcomm, "batched", Buffers({&in, &out})), 0);
                                exchange.Issue(hcomm, in, out);
                                EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("batched"), 0);
                              } else {
                                EXPECT_EQ(Execute(hcomm, "batched", Buffers({&in, &out})), 0);
                              }
                              EXPECT_EQ(hcomm.BatchModeEnd("batch"), 0);
                              return 0u;
                            }),
                ACL_SUCCESS);
      EXPECT_EQ(out.Read(), Exchange::Expected({round + 1, 10, 20, 30}));
    }
    rank.Meet();
  });
}

TEST_F(HcommAicpuTsTaskCacheExecuteTest, FromHostCode_AndWhileRecording) {
  RunRanks(1, [](Rank& rank) {
    ThreadHandle thread = 0;
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_CPU_TS, 1, 0, &thread), HCCL_SUCCESS);
    const DeviceInts ones({1, 1});
    const DeviceInts first({0, 0});
    const DeviceInts second({0, 0});
    Buffers recorded({&first});
    Buffers replaced({&second});
    EXPECT_EQ(HcommAicpuTsTaskCacheStart("host", recorded.addrs(), recorded.sizes(), 1), 0);
    EXPECT_EQ(HcommLocalReduceOnThread(thread, first.data(), ones.data(), 2, kInt32, kSum), 0);
    EXPECT_EQ(HcommAicpuTsTaskCacheEnd("host"), 0);
    EXPECT_EQ(HcommAicpuTsTaskCacheStart("twice", replaced.addrs(), replaced.sizes(), 1), 0);
    EXPECT_EQ(HcommAicpuTsTaskCacheExecute("host", replaced.addrs(), replaced.sizes(), 1), 0);
    EXPECT_EQ(HcommAicpuTsTaskCacheExecute("host", replaced.addrs(), replaced.sizes(), 1), 0);
    EXPECT_EQ(HcommAicpuTsTaskCacheEnd("twice"), 0);
    EXPECT_EQ(HcommAicpuTsTaskCacheExecute("twice", recorded.addrs(), recorded.sizes(), 1), 0);
    EXPECT_EQ(HcommThreadJoin(thread, 30), 0);
    EXPECT_THAT(first.Read(), Each(3));
    EXPECT_THAT(second.Read(), Each(2));
  });
}

TEST_F(HcommAicpuTsTaskCacheExecuteTest, UnknownTag_IsInternalAndFailsTheLaunch) {
  ExpectLog({"kernel launch", "failed: tag \"unknown\" is not recorded on device 0"});
  RunRanks(1, [this](Rank& rank) {
    ExpectLaunchFails(
        this, rank, ACL_ERROR_RT_PARAM_INVALID, "tag \"unknown\" is not recorded on device 0", [&](const Hcomm& hcomm) {
          EXPECT_HCOMM_FAILS(this, HCCL_E_INTERNAL, AicpuTsTaskCacheExecute, ("unknown", nullptr, nullptr, 0),
                             "tag \"unknown\" is not recorded", "HcommAicpuTsTaskCacheLookup");
          return 0u;
        });
  });
}

// What the refused replays have in common: a recorded copy of from to the second half of to.
class HcommAicpuTsTaskCacheExecuteRefusalTest : public ApiTest {
 protected:
  using MakeBuffers = Buffers (*)(const DeviceInts& to, const DeviceInts& from, const DeviceInts& other);

  void ExpectRefused(const std::string& part, MakeBuffers recorded, MakeBuffers replayed) {
    ExpectLog({"kernel launch", "failed: " + part});
    AllowLog({"communication thread", part});
    RunRanks(1, [&](Rank& rank) {
      const DeviceInts to(std::vector<int>(8, 0));
      const DeviceInts from({1, 2, 3, 4});
      const DeviceInts other(std::vector<int>(8, 0));
      ExpectLaunchFails(this, rank, ACL_ERROR_RT_PARAM_INVALID, part.c_str(), [&](const Hcomm& hcomm) {
        EXPECT_EQ(Start(hcomm, "refused", recorded(to, from, other)), 0);
        EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, to.data() + 4, from.data(), 16), 0);
        EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("refused"), 0);
        Buffers buffers = replayed(to, from, other);
        EXPECT_HCOMM_FAILS(this, HCCL_E_PARA, AicpuTsTaskCacheExecute,
                           ("refused", buffers.addrs(), buffers.sizes(), buffers.count()), part);
        EXPECT_TRUE(IsHit(hcomm, "refused")) << "for whoever has the right buffers";
        return 0u;
      });
      EXPECT_THAT(other.Read(), Each(0));
    });
  }
  static Buffers ToAndFrom(const DeviceInts& to, const DeviceInts& from, const DeviceInts&) {
    return Buffers({&to, &from});
  }
};

TEST_F(HcommAicpuTsTaskCacheExecuteRefusalTest, OtherCount_IsPara) {
  ExpectRefused("count 1: the tasks were recorded with 2 buffers", ToAndFrom,
                [](const DeviceInts&, const DeviceInts&, const DeviceInts& other) { return Buffers({&other}); });
}

TEST_F(HcommAicpuTsTaskCacheExecuteRefusalTest, OtherSize_IsPara) {
  ExpectRefused(
      "sizes[1] 32: the tasks were recorded with 16 bytes", ToAndFrom,
      [](const DeviceInts& to, const DeviceInts&, const DeviceInts& other) { return Buffers({&other, &to}); });
}

TEST_F(HcommAicpuTsTaskCacheExecuteRefusalTest, TaskBeyondTheNewMemory_IsPara) {
  ExpectRefused("dst: 16 bytes at offset 24 do not fit", ToAndFrom,
                [](const DeviceInts&, const DeviceInts& from, const DeviceInts& other) {
                  Buffers buffers({});
                  buffers.Add(other.data() + 2, other.bytes());
                  buffers.Add(from.data(), from.bytes());
                  return buffers;
                });
}

TEST_F(HcommAicpuTsTaskCacheExecuteRefusalTest, BuffersThatNoLongerOverlap_ArePara) {
  ExpectRefused(
      "addrs[0] and addrs[1] overlapped when the tasks were recorded",
      [](const DeviceInts& to, const DeviceInts&, const DeviceInts&) { return Buffers({&to, &to}); },
      [](const DeviceInts& to, const DeviceInts&, const DeviceInts& other) { return Buffers({&to, &other}); });
}

TEST_F(HcommAicpuTsTaskCacheExecuteTest, BuffersThatOverlapAgain_AreReplayed) {
  RunRanks(1, [](Rank& rank) {
    const DeviceInts first({1, 2});
    const DeviceInts second({3, 4});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(Start(hcomm, "in place", Buffers({&first, &first})), 0);
                            EXPECT_EQ(
                                hcomm.LocalReduceOnThread(rank.thread, first.data(), first.data(), 2, kInt32, kSum), 0);
                            EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("in place"), 0);
                            EXPECT_EQ(Execute(hcomm, "in place", Buffers({&second, &second})), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(first.Read(), ElementsAre(2, 4));
    EXPECT_THAT(second.Read(), ElementsAre(6, 8));
  });
}

TEST_F(HcommAicpuTsTaskCacheExecuteTest, CommunicatorGone_IsAnAnswerAndNoCrash) {
  ExpectLog({"kernel launch", "which the recorded tasks use, was destroyed"});
  RunRanks(2, [](Rank& rank) {
    const Exchange exchange(rank);
    const DeviceInts in({1, 2, 3, 4});
    const DeviceInts out({0, 0, 0, 0});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(Start(hcomm, "gone", Buffers({})), 0);
                            exchange.Issue(hcomm, in, out);
                            EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("gone"), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    rank.Meet();
  });
  RunRanks(1, [this](Rank& rank) {
    ExpectLaunchFails(this, rank, ACL_ERROR_RT_INVALID_HANDLE, "was destroyed", [&](const Hcomm& hcomm) {
      EXPECT_HCOMM_FAILS(this, HCCL_E_PARA, AicpuTsTaskCacheExecute, ("gone", nullptr, nullptr, 0),
                         "which the recorded tasks use, was destroyed", "HcommAicpuTsTaskCacheLookup");
      EXPECT_FALSE(IsHit(hcomm, "gone"));
      return 0u;
    });
  });
}

// A thread that is held back, and recorded tasks of which 26 rounds fit into its queue and 27 do not.
class HcommAicpuTsTaskCacheExecuteFullTest : public DeviceTest {
 protected:
  static constexpr int kTasks = 40'000;

  void SetUp() override {
    DeviceTest::SetUp();
    // Filling a queue of a million and emptying it takes long in some builds.
    AllowLog({"no progress for"});
    AllowLog({"destroyed communicator", "ops were pending"});
    ASSERT_EQ(aclrtCreateNotify(&go_, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    ASSERT_EQ(aclrtGetNotifyId(go_, &id_), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyNotify(go_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }

  // Records kTasks on `full`, after one on `other` if there is one, and replays until the queue is almost full.
  void Fill(const Hcomm& hcomm, ThreadHandle full, ThreadHandle other, const DeviceInts& sum, const DeviceInts& one) {
    const auto add = [&](ThreadHandle thread, int* to) {
      return hcomm.LocalReduceOnThread(thread, to, one.data(), 1, kInt32, kSum);
    };
    EXPECT_EQ(hcomm.AclrtNotifyWaitOnThread(full, id_, 0), 0);
    EXPECT_EQ(Start(hcomm, "full", Buffers({})), 0);
    if (other != 0) {
      EXPECT_EQ(add(other, sum.data() + 1), 0);
    }
    int failed = 0;
    for (int i = 0; i < kTasks; ++i) failed += add(full, sum.data()) == 0 ? 0 : 1;
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd("full"), 0);
    for (int i = 0; i < 25; ++i) EXPECT_EQ(Execute(hcomm, "full", Buffers({})), 0);
  }

  aclrtNotify go_ = nullptr;
  uint32_t id_ = 0;
};

TEST_F(HcommAicpuTsTaskCacheExecuteFullTest, OneThread_IsAgainAndQueuesNothing) {
  RunRanks(1, [this](Rank& rank) {
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
    const ThreadHandle other = threads[0] == rank.thread ? threads[1] : threads[0];
    const DeviceInts sum({0, 0});
    const DeviceInts one({1});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            Fill(hcomm, rank.thread, 0, sum, one);
                            EXPECT_HCOMM_FAILS(this, HCCL_E_AGAIN, AicpuTsTaskCacheExecute,
                                               ("full", nullptr, nullptr, 0), "40000 more do not fit");
                            EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(other, id_), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(sum.Read(), ElementsAre(26 * kTasks, 0));
  });
}

TEST_F(HcommAicpuTsTaskCacheExecuteFullTest, SecondOfTwoThreads_FailsTheLaunchInsteadOfHalfAReplay) {
  ExpectLog({"kernel launch", "1 of 2 threads have got their tasks already"});
  AllowLog({"was aborted because"});
  RunRanks(1, [this](Rank& rank) {
    ThreadHandle threads[2] = {};
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 2, 1, threads), HCCL_SUCCESS);
    const ThreadHandle other = threads[0] == rank.thread ? threads[1] : threads[0];
    const DeviceInts sum({0, 0});
    const DeviceInts one({1});
    ExpectLaunchFails(this, rank, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "1 of 2 threads have got their tasks already",
                      [&](const Hcomm& hcomm) {
                        Fill(hcomm, rank.thread, other, sum, one);
                        EXPECT_HCOMM_FAILS(this, HCCL_E_UNAVAIL, AicpuTsTaskCacheExecute, ("full", nullptr, nullptr, 0),
                                           "1 of 2 threads have got their tasks");
                        EXPECT_HCOMM_FAILS(this, HCCL_E_REMOTE, AicpuTsTaskCacheExecute, ("full", nullptr, nullptr, 0),
                                           "was aborted because");
                        return 0u;
                      });
  });
}

}  // namespace
}  // namespace softhccl::conformance
