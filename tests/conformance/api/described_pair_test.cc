// needs A02: a sender and a receiver that described what they do (HcclDfxRegOpInfoByCommId) are compared when they
// meet. Different sizes fail on both sides with the same sentence before anything is read; another type of the same
// size is a warning; what is not described, no send or receive, or not the same pair is nobody's business.
#include <cstring>
#include <functional>
#include <string>

#include "fixture.h"
#include "hccl/hccl_diag.h"

namespace softhccl::conformance {
namespace {

// What a rank says that it does.
struct Said {
  uint32_t command = HCCL_CMD_INVALID;  // HCCL_CMD_INVALID: nothing
  uint64_t count = 0;
  uint32_t type = HCCL_DATA_TYPE_FP32;
};

Said Send(uint64_t count, uint32_t type = HCCL_DATA_TYPE_FP32) { return {HCCL_CMD_SEND, count, type}; }
Said Receive(uint64_t count, uint32_t type = HCCL_DATA_TYPE_FP32) { return {HCCL_CMD_RECEIVE, count, type}; }
const Said kNothing;

void Say(const Rank& rank, const Said& said) {
  if (said.command == HCCL_CMD_INVALID) return;
  HcclDfxOpInfo info;
  std::memset(&info, 0, sizeof info);
  info.opType = said.command;
  info.dataCount = said.count;
  info.dataType = said.type;
  std::snprintf(info.algTag, sizeof info.algTag, "Op of rank %u", rank.id);
  std::string name = rank.name;
  EXPECT_EQ(HcclDfxRegOpInfoByCommId(name.data(), &info), HCCL_SUCCESS);
}

constexpr uint64_t kRoom = 64;  // bytes of a receiver's buffer

// Launches `queue` as a kernel of the rank and waits until what it queued is done; the result of the synchronise. All
// ranks have queued their tasks before the first of them runs, since a failure makes later calls fail.
aclError RunTogether(Rank& rank, const std::function<void(const Hcomm&)>& queue) {
  aclrtNotify done = nullptr;
  uint32_t id = 0;
  EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
  const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
    EXPECT_EQ(hcomm.BatchModeStart(""), 0);
    queue(hcomm);
    EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
    rank.Meet();
    return hcomm.BatchModeEnd("") == 0 ? 0u : 1u;
  });
  EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
  const aclError result = aclrtSynchronizeStream(rank.stream);
  EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  return result;
}

class DescribedPairTest : public ApiTest {
 protected:
  // One operation from rank 0 to rank 1 as the article's protocol does it: the data lies in the sender's buffer (0), it
  // has been read (1). The receiver takes `bytes`.
  static aclError Transfer(Rank& rank, ChannelHandle channel, const Said& said, uint64_t bytes, void* to) {
    void* window = nullptr;
    uint64_t size = 0;
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &window, &size), HCCL_SUCCESS);
    return RunTogether(rank, [&, window](const Hcomm& hcomm) {
      Say(rank, said);
      if (rank.id == 0) {
        EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 60), 0);
      } else {
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 60), 0);
        if (bytes > 0) {
          EXPECT_EQ(hcomm.ReadOnThread(rank.thread, channel, to, window, bytes), 0);
        }
        EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
      }
    });
  }

  // Says so on rank 0 and on rank 1 and transfers; it goes well and nothing is logged but what was expected.
  void TransferWell(const Said& sender, const Said& receiver) {
    RunRanks(2, [&](Rank& rank) {
      const ChannelHandle channel = rank.Channel(rank.peer());
      const DeviceInts to(std::vector<int>(kRoom / sizeof(int), 7));
      EXPECT_EQ(Transfer(rank, channel, rank.id == 0 ? sender : receiver, 4, to.data()), ACL_SUCCESS);
    });
  }

  // It fails on both sides with `sentence`, and the receiver's memory is what it was.
  void TransferBadly(const Said& sender, const Said& receiver, const std::string& sentence) {
    ExpectLog({"notify wait", "failed: " + sentence});
    AllowLog({"was aborted because rank"});
    RunRanks(2, [&](Rank& rank) {
      const ChannelHandle channel = rank.Channel(rank.peer());
      const std::vector<int> before(kRoom / sizeof(int), 7);
      const DeviceInts to(before);
      const aclError result = Transfer(rank, channel, rank.id == 0 ? sender : receiver, kRoom, to.data());
      EXPECT_NE(result, ACL_SUCCESS);
      EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr(sentence)) << "rank " << rank.id;
      EXPECT_EQ(to.Read(), before);
    });
  }
};

TEST_F(DescribedPairTest, ReceiverWantsMore_FailsOnBothSidesAndNothingIsRead) {
  TransferBadly(
      Send(10), Receive(12),
      "rank 0 sends 10 elements of FP32 (40 bytes) to rank 1 in Op of rank 0 (send 1 of this pair), but rank 1 "
      "receives 12 elements of FP32 (48 bytes) from rank 0 in Op of rank 1 (receive 1 of this pair)");
}

TEST_F(DescribedPairTest, ReceiverWantsLess_FailsOnBothSides) {
  TransferBadly(
      Send(12, HCCL_DATA_TYPE_INT8), Receive(1, HCCL_DATA_TYPE_INT64),
      "rank 0 sends 12 elements of INT8 (12 bytes) to rank 1 in Op of rank 0 (send 1 of this pair), but rank 1 "
      "receives 1 element of INT64 (8 bytes) from rank 0");
}

TEST_F(DescribedPairTest, SameBytesOfAnotherType_IsOneWarningOnEachSide) {
  for (const char* side : {"rank 0/", "rank 1/"}) {
    ExpectLog({side,
               "rank 0 sends 8 elements of FP32 (32 bytes) to rank 1 in Op of rank 0 (send 1 of this pair), but rank 1 "
               "receives 16 elements of FP16 (32 bytes) from rank 0",
               "(SH-G011)"});
  }
  TransferWell(Send(8), Receive(16, HCCL_DATA_TYPE_FP16));
}

TEST_F(DescribedPairTest, WhatIsEqualOrNotBothASendAndAReceive_IsNotMentioned) {
  TransferWell(Send(8), Receive(8));
  TransferWell(Send(0), Receive(0));
  TransferWell(Send(8), kNothing);
  TransferWell(kNothing, Receive(8));
  TransferWell(Send(8), Send(9));
  TransferWell(Send(8), {HCCL_CMD_ALLGATHER, 9, HCCL_DATA_TYPE_FP32});
  TransferWell({HCCL_CMD_ALLREDUCE, 8, HCCL_DATA_TYPE_FP32}, {HCCL_CMD_ALLREDUCE, 9, HCCL_DATA_TYPE_FP32});
  TransferWell({HCCL_CMD_BATCH_SEND_RECV, 8, HCCL_DATA_TYPE_FP32}, Receive(9));
}

TEST_F(DescribedPairTest, WhatCannotBeCompared_IsNotMentioned) {
  TransferWell(Send(8, HCCL_DATA_TYPE_RESERVED), Receive(9));
  TransferWell(Send(8, 13), Receive(9));
  TransferWell(Send(UINT64_MAX), Receive(9));
}

TEST_F(DescribedPairTest, LargestCounts_AreComparedWithoutOverflow) {
  const uint64_t most = (uint64_t{1} << 48) - 1;
  TransferBadly(Send(most, HCCL_DATA_TYPE_INT128), Receive(most),
                "rank 0 sends 281474976710655 elements of INT128 (4503599627370480 bytes) to rank 1");
}

TEST_F(DescribedPairTest, KernelThatSaysNothing_DoesNotInheritWhatTheLastOneSaid) {
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const DeviceInts to({0});
    EXPECT_EQ(Transfer(rank, channel, rank.id == 0 ? Send(8) : Receive(8), 4, to.data()), ACL_SUCCESS);
    EXPECT_EQ(Transfer(rank, channel, rank.id == 0 ? Send(9) : kNothing, 4, to.data()), ACL_SUCCESS);
    EXPECT_EQ(Transfer(rank, channel, rank.id == 0 ? kNothing : Receive(9), 4, to.data()), ACL_SUCCESS);
  });
}

TEST_F(DescribedPairTest, ThirdOfThreePairs_IsTheOneThatIsNamed) {
  ExpectLog({"notify wait", "(send 3 of this pair)", "(receive 3 of this pair)"});
  AllowLog({"was aborted because rank"});
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const DeviceInts to({0});
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Transfer(rank, channel, rank.id == 0 ? Send(8) : Receive(8), 4, to.data()), ACL_SUCCESS);
    }
    EXPECT_NE(Transfer(rank, channel, rank.id == 0 ? Send(8) : Receive(9), 4, to.data()), ACL_SUCCESS);
  });
}

// A protocol with credit: the sender of an operation takes what the receiver of the one before recorded.
TEST_F(DescribedPairTest, RecordOfTheOperationBefore_IsNotCompared) {
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    for (uint64_t i = 0; i < 4; ++i) {
      const aclError result = RunTogether(rank, [&](const Hcomm& hcomm) {
        Say(rank, rank.id == 0 ? Send(10 + i) : Receive(10 + i));
        if (rank.id == 0) {
          if (i > 0) {
            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 60), 0);
          }
          EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
        } else {
          EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 60), 0);
          if (i < 3) {
            EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
          }
        }
      });
      EXPECT_EQ(result, ACL_SUCCESS);
    }
  });
}

// The receiver says first that its memory is ready, and the sender would write into it.
TEST_F(DescribedPairTest, SenderThatWaitsFirst_FailsBeforeItWrites) {
  const std::string sentence = "rank 0 sends 12 elements of FP32 (48 bytes) to rank 1";
  ExpectLog({"rank 0/", "notify wait", sentence, "rank 1 receives 10 elements of FP32 (40 bytes) from rank 0"});
  AllowLog({"was aborted because rank 0"});
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    void* own = nullptr;
    void* window = nullptr;
    uint64_t size = 0;
    EXPECT_EQ(HcclGetHcclBuffer(rank.comm, &own, &size), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &window, &size), HCCL_SUCCESS);
    const DeviceInts data(std::vector<int>(12, 5));
    const aclError result = RunTogether(rank, [&, window](const Hcomm& hcomm) {
      Say(rank, rank.id == 0 ? Send(12) : Receive(10));
      if (rank.id == 0) {
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 60), 0);
        EXPECT_EQ(hcomm.WriteWithNotifyOnThread(rank.thread, channel, window, data.data(), data.bytes(), 1), 0);
      } else {
        EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 60), 0);
      }
    });
    EXPECT_NE(result, ACL_SUCCESS);
    EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr(sentence)) << "rank " << rank.id;
    if (rank.id == 1) {
      EXPECT_EQ(static_cast<int*>(own)[0], 0);
    }
  });
}

TEST_F(DescribedPairTest, WriteWithNotify_CarriesWhatTheSenderSaid) {
  ExpectLog({"rank 1/", "rank 0 sends 3 elements of INT32 (12 bytes) to rank 1", "receives 4 elements of INT32"});
  AllowLog({"was aborted because rank 1"});
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    void* window = nullptr;
    uint64_t size = 0;
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &window, &size), HCCL_SUCCESS);
    const DeviceInts data({1, 2, 3});
    const aclError result = RunTogether(rank, [&, window](const Hcomm& hcomm) {
      Say(rank, rank.id == 0 ? Send(3, HCCL_DATA_TYPE_INT32) : Receive(4, HCCL_DATA_TYPE_INT32));
      if (rank.id == 0) {
        EXPECT_EQ(hcomm.WriteWithNotifyOnThread(rank.thread, channel, window, data.data(), data.bytes(), 0), 0);
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 60), 0);
      } else {
        EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 60), 0);
      }
    });
    EXPECT_NE(result, ACL_SUCCESS);
  });
}

TEST_F(DescribedPairTest, ManyRoundsOfOneOperation_WarnOnce) {
  for (const char* side : {"rank 0/", "rank 1/"}) ExpectLog({side, "8 elements of FP32", "16 elements of FP16"});
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    EXPECT_EQ(RunTogether(rank,
                          [&](const Hcomm& hcomm) {
                            Say(rank, rank.id == 0 ? Send(8) : Receive(16, HCCL_DATA_TYPE_FP16));
                            for (uint32_t i = 0; i < 10; ++i) {
                              if (rank.id == 1) hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 60);
                              hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, rank.id);
                              if (rank.id == 0) hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 60);
                            }
                          }),
              ACL_SUCCESS);
  });
}

// A rank that sends to one and receives from another in one kernel says so twice.
TEST_F(DescribedPairTest, RingOfThree_EachPairIsComparedForItself) {
  ExpectLog({"notify wait", "rank 2 sends 2 elements", "to rank 0", "rank 0 receives 3 elements", "from rank 2"});
  AllowLog({"was aborted because rank"});
  RunRanks(3, [&](Rank& rank) {
    const uint32_t next = (rank.id + 1) % 3;
    const uint32_t before = (rank.id + 2) % 3;
    // In an order that meets: pairs (0,1), (1,2), (2,0).
    ChannelHandle to = 0;
    ChannelHandle from = 0;
    if (rank.id == 0) to = rank.Channel(next);
    if (rank.id != 0) from = rank.Channel(before);
    if (rank.id != 0) to = rank.Channel(next);
    if (rank.id == 0) from = rank.Channel(before);
    const aclError result = RunTogether(rank, [&](const Hcomm& hcomm) {
      Say(rank, Send(rank.id));
      EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, to, 0), 0);
      Say(rank, Receive(rank.id == 0 ? 3 : before));
      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, from, 0, 60), 0);
      // So that all end: the failure reaches those whose own pair was right.
      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, from, 1, 60), 0);
    });
    EXPECT_NE(result, ACL_SUCCESS);
    EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr("rank 2 sends 2 elements of FP32 (8 bytes) to rank 0"));
  });
}

// --- From the host -------------------------------------------------------------------------------------------------

TEST_F(DescribedPairTest, HostThatSpeaksAndWaits_IsComparedToo) {
  const std::string sentence = "rank 0 sends 2 elements of FP32 (8 bytes) to rank 1 in Op of rank 0";
  ExpectLog({"notify wait", sentence, "rank 1 receives 1 element of FP32 (4 bytes)"});
  AllowLog({"HcommChannelNotifyWait", "was aborted because rank 1"});  // when it begins later
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    Say(rank, rank.id == 0 ? Send(2) : Receive(1));
    if (rank.id == 0) {
      EXPECT_EQ(HcommChannelNotifyRecord(channel, 0), 0);
      EXPECT_EQ(HcommChannelNotifyWait(channel, 1, 60), HCCL_E_REMOTE);
      EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr(sentence));
    } else {
      EXPECT_FAILS_QUIETLY_IN(this, HCCL_E_PARA, HcommChannelNotifyWait, (channel, 0, 60), sentence);
    }
  });
}

TEST_F(DescribedPairTest, HostsStreamAsThread_AbortsTheCommunicator) {
  ExpectLog({"notify wait", "rank 0 sends 2 elements", "rank 1 receives 1 element"});
  AllowLog({"was aborted because rank 1"});
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    ThreadHandle thread = 0;
    ASSERT_EQ(HcclThreadAcquireWithStream(rank.comm, COMM_ENGINE_CPU_TS, rank.stream, 0, &thread), HCCL_SUCCESS);
    Say(rank, rank.id == 0 ? Send(2) : Receive(1));
    EXPECT_EQ(HcommBatchModeStart(""), 0);
    if (rank.id == 0) {
      EXPECT_EQ(HcommChannelNotifyRecordOnThread(thread, channel, 0), 0);
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(thread, channel, 1, 60), 0);
    } else {
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(thread, channel, 0, 60), 0);
    }
    rank.Meet();
    EXPECT_EQ(HcommBatchModeEnd(""), 0);
    EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr("rank 0 sends 2 elements of FP32 (8 bytes) to rank 1"));
  });
}

TEST_F(DescribedPairTest, HostsWord_EndsWithItsBatch) {
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const auto pair = [&] {
      EXPECT_EQ(HcommBatchModeStart("pair"), 0);
      if (rank.id == 0) {
        EXPECT_EQ(HcommChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
      }
      if (rank.id == 1) {
        EXPECT_EQ(HcommChannelNotifyWaitOnThread(rank.thread, channel, 0, 60), 0);
      }
      EXPECT_EQ(HcommBatchModeEnd("pair"), 0);
      if (rank.id == 1) {
        EXPECT_EQ(HcommThreadSynchronize(rank.thread), 0);
      }
      rank.Meet();
    };
    Say(rank, rank.id == 0 ? Send(2) : Receive(2));
    pair();
    if (rank.id == 0) Say(rank, Send(3));
    pair();  // rank 1 has said nothing about this one
  });
}

}  // namespace
}  // namespace softhccl::conformance
