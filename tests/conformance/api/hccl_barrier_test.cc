// HcclBarrier: all ranks meet in the order of their streams.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcclBarrierTest : public DeviceTest {};

// A kernel on the rank's stream.
void Queue(std::vector<std::unique_ptr<Launch>>* launches, aclrtStream stream, std::function<void()> body) {
  launches->push_back(std::make_unique<Launch>(stream, [body = std::move(body)](const Hcomm&) {
    body();
    return 0u;
  }));
}

TEST_F(HcclBarrierTest, EveryRound_BeginsWhenAllHaveEndedTheOneBefore) {
  constexpr uint32_t kRanks = 4;
  constexpr int kRounds = 20;
  std::atomic<int> arrived[kRounds] = {};
  RunRanks(kRanks, [&](Rank& rank) {
    std::vector<std::unique_ptr<Launch>> launches;
    for (int round = 0; round < kRounds; ++round) {
      Queue(&launches, rank.stream, [&arrived, round] { ++arrived[round]; });
      EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
      Queue(&launches, rank.stream, [&arrived, round] { EXPECT_EQ(arrived[round], static_cast<int>(kRanks)); });
    }
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
  });
}

TEST_F(HcclBarrierTest, Call_ReturnsAtOnceAndTheStreamWaits) {
  RunRanks(2, [](Rank& rank) {
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    if (rank.id == 0) {
      EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
      EXPECT_EQ(aclrtStreamQuery(rank.stream, &status), ACL_SUCCESS);
      EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
    }
    rank.Meet();
    if (rank.id == 1) {
      EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    }
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
  });
}

// One thread that queues for all ranks: nothing in the call waits for another rank.
TEST_F(HcclBarrierTest, OneHostThread_QueuesForAllRanks) {
  constexpr uint32_t kRanks = 3;
  int32_t devices[kRanks] = {0, 1, 2};
  HcclComm comms[kRanks] = {};
  aclrtStream streams[kRanks] = {};
  ASSERT_EQ(HcclCommInitAll(kRanks, devices, comms), HCCL_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    for (const int32_t rank : {1, 2, 0}) {
      ASSERT_EQ(aclrtSetDevice(rank), ACL_SUCCESS);
      if (round == 0) {
        ASSERT_EQ(aclrtCreateStream(&streams[rank]), ACL_SUCCESS);
      }
      EXPECT_EQ(HcclBarrier(comms[rank], streams[rank]), HCCL_SUCCESS);
      if (round > 0) {
        EXPECT_EQ(aclrtResetDevice(rank), ACL_SUCCESS);  // the set of the first round stays
      }
    }
  }
  for (int32_t rank = 0; rank < 3; ++rank) {
    ASSERT_EQ(aclrtSetDevice(rank), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(streams[rank]), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(streams[rank]), ACL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(aclrtResetDevice(rank), ACL_SUCCESS);
  }
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);  // selects the fixture's device again
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(HcclBarrierTest, SeveralStreams_MeetInTheOrderOfTheCalls) {
  RunRanks(3, [](Rank& rank) {
    aclrtStream other = nullptr;
    EXPECT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
    for (int i = 0; i < 10; ++i) {
      // Rank 1 takes its streams in another order than the others: it is the n-th call that counts.
      const bool takes_own = (i + (rank.id == 1 ? 1 : 0)) % 2 == 0;
      EXPECT_EQ(HcclBarrier(rank.comm, takes_own ? rank.stream : other), HCCL_SUCCESS);
    }
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
    EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS) << "a stream that is gone is forgotten";
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
  });
}

// Each barrier of two ranks puts four ops on the communicator's stream, and two on that of the user.
TEST_F(HcclBarrierTest, BarriersThatDoNotFit_AreRefusedAndNothingIsLost) {
  AllowLog({"no progress for"});  // filling the stream takes long in some builds
  ExpectLog({"the barriers of rank 1 hold", "synchronise before the next HcclBarrier"});
  std::atomic<int> queued{0};
  RunRanks(2, [&](Rank& rank) {
    if (rank.id == 1) {
      HcclResult answer = HCCL_SUCCESS;
      while ((answer = HcclBarrier(rank.comm, rank.stream)) == HCCL_SUCCESS) ++queued;
      EXPECT_EQ(answer, HCCL_E_AGAIN);
    }
    rank.Meet();
    for (int i = 0; rank.id == 0 && i < queued; ++i) EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
  });
  EXPECT_GT(queued, 0);
}

TEST_F(HcclBarrierTest, SubCommunicator_MeetsItsOwnRanksOnly) {
  RunRanks(3, [](Rank& rank) {
    if (rank.id != 1) {
      uint32_t members[] = {2, 0};
      HcclCommConfig config;
      HcclCommConfigInit(&config);
      config.hcclBufferSize = 1;
      HcclComm sub = nullptr;
      EXPECT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, members, 5, rank.id == 2 ? 0 : 1, &config, &sub), HCCL_SUCCESS);
      EXPECT_EQ(HcclBarrier(sub, rank.stream), HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
      EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
    }
    rank.Meet();
  });
}

TEST_F(HcclBarrierTest, OneRank_GoesOn) {
  RunRanks(1, [](Rank& rank) {
    EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
  });
}

TEST_F(HcclBarrierTest, RankThatDestroysItsCommunicator_EndsTheBarrier) {
  for (const uint32_t leaver : {0u, 1u, 2u}) {
    const std::string who = "rank " + std::to_string(leaver) + " has destroyed its communicator";
    ExpectLog({who});
    AllowLog({"was aborted because rank"});
    AllowLog({who});
    AllowLog({"HcclBarrier", "[HCCL_E_REMOTE"});
    RunRanks(3, [&](Rank& rank) {
      if (rank.id != leaver) {
        EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
      }
      rank.Meet();
      if (rank.id == leaver) {
        EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
        rank.comm = nullptr;
      } else {
        EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
        EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr(who));
      }
      rank.Meet();
      if (rank.id != leaver) {
        EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_E_REMOTE) << "later barriers are refused";
      }
      rank.Meet();
    });
  }
}

// All host threads wait, nobody can call any more: no need to wait for the limit of half an hour.
TEST_F(HcclBarrierTest, RankThatNeverComes_IsNamedByTheDeadlockReport) {
  ExpectLog({"deadlock: every thread waits", "missing: rank 2 of communicator",
             "it has not started any operation on this communicator"});
  AllowLog({"was aborted because rank"});
  RunRanks(3, [](Rank& rank) {
    if (rank.id != 2) {
      EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
      EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
      EXPECT_THAT(aclGetRecentErrMsg(),
                  ::testing::AllOf(::testing::HasSubstr("HcclBarrier#1"), ::testing::HasSubstr("rank 2")));
    }
    rank.Meet();
  });
}

TEST_F(HcclBarrierTest, KernelThatFailsBefore_FailsTheBarrierOfAll) {
  ExpectLog({"returned 7"});
  AllowLog({"returned 7"});
  AllowLog({"was aborted because rank 1"});
  RunRanks(3, [](Rank& rank) {
    std::unique_ptr<Launch> launch;
    if (rank.id != 1) {
      EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    }
    rank.Meet();
    if (rank.id == 1) {
      launch = std::make_unique<Launch>(rank.stream, [](const Hcomm&) { return 7u; });
      EXPECT_THAT(HcclBarrier(rank.comm, rank.stream), ::testing::AnyOf(HCCL_SUCCESS, HCCL_E_REMOTE));  // may be late
    }
    EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr("returned 7"));
    rank.Meet();
  });
}

TEST_F(HcclBarrierTest, BadArguments_AreRefused) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_FAILS(HCCL_E_PTR, HcclBarrier, (nullptr, rank.stream), "comm is null");
    EXPECT_FAILS(HCCL_E_PTR, HcclBarrier, (rank.comm, nullptr), "stream is null");
    EXPECT_FAILS(HCCL_E_PARA, HcclBarrier, (rank.stream, rank.stream), "comm 0x");
    EXPECT_FAILS(HCCL_E_PARA, HcclBarrier, (rank.comm, rank.comm), "stream 0x");
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm&) {
                          EXPECT_FAILS(HCCL_E_PARA, HcclBarrier, (rank.comm, rank.stream),
                                       "must not be called from a kernel");
                          return 0u;
                        }),
              ACL_SUCCESS);
    std::thread([&] {
      EXPECT_FAILS(HCCL_E_RUNTIME, HcclBarrier, (rank.comm, rank.stream), "no device is set on this thread");
    }).join();
  });
}

TEST_F(HcclBarrierTest, CapturedStream_IsRefused) {
  ExpectLog({"HcclBarrier", "is captured into"});
  AllowLog({"invalid"});
  RunRanks(1, [](Rank& rank) {
    EXPECT_EQ(aclmdlRICaptureBegin(rank.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
    EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_E_PARA);
    aclmdlRI graph = nullptr;
    EXPECT_NE(aclmdlRICaptureEnd(rank.stream, &graph), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace softhccl::conformance
