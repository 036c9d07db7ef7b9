// Local reduce, writes, reductions over a channel, writes with notify and batches: what they move, in the three ways
// that programs call them: from a kernel library, from kernel code inside the host program, from host code.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr HcommDataType kInt32 = HCOMM_DATA_TYPE_INT32;

// Both ranks run `body` with a channel to each other and the peer's buffer, as ints.
void RunPair(const std::function<void(Rank&, ChannelHandle, int* own, int* window)>& body) {
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const auto [own, window] = BuffersOf(rank, channel);
    for (int i = 0; i < 4; ++i) static_cast<int*>(own)[i] = 100 * (static_cast<int>(rank.id) + 1) + i;
    rank.Meet();
    body(rank, channel, static_cast<int*>(own), static_cast<int*>(window));
    rank.Meet();
  });
}

std::vector<int> Ints(const int* data, std::size_t count) { return {data, data + count}; }

using HcommLocalReduceOnThreadTest = ApiTest;

TEST_F(HcommLocalReduceOnThreadTest, EveryOperator_CombinesInOrder) {
  RunRanks(1, [](Rank& rank) {
    const DeviceInts a({2, -3, 5});
    const DeviceInts b({4, 7, -5});
    EXPECT_EQ(
        RunOnThread(
            rank,
            [&](const Hcomm& hcomm) {
              const auto reduce = [&](uint64_t count, HcommReduceOp op) {
                EXPECT_EQ(hcomm.LocalReduceOnThread(rank.thread, a.data(), b.data(), count, kInt32, op), 0);
              };
              reduce(3, HCOMM_REDUCE_SUM);   // 6 4 0
              reduce(2, HCOMM_REDUCE_PROD);  // 24 28 0
              reduce(3, HCOMM_REDUCE_MIN);   // 4 7 -5
              reduce(0, HCOMM_REDUCE_SUM);
              EXPECT_EQ(hcomm.LocalReduceOnThread(rank.thread, a.data(), a.data(), 1, kInt32, HCOMM_REDUCE_SUM), 0)
                  << "with itself";
              reduce(3, HCOMM_REDUCE_MAX);  // 8 7 -5
              return 0u;
            }),
        ACL_SUCCESS);
    EXPECT_THAT(a.Read(), ElementsAre(8, 7, -5));
    EXPECT_THAT(b.Read(), ElementsAre(4, 7, -5));
  });
}

TEST_F(HcommLocalReduceOnThreadTest, LargeAndUnaligned_EveryElementOnce) {
  RunRanks(1, [](Rank& rank) {
    constexpr std::size_t kCount = 300'001;
    const DeviceInts to(std::vector<int>(kCount + 1, 1));
    const DeviceInts from(std::vector<int>(kCount + 1, 41));
    auto* const odd_to = reinterpret_cast<char*>(to.data()) + 1;
    std::vector<int> values(kCount, 1);
    std::memcpy(odd_to, values.data(), kCount * sizeof(int));
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.LocalReduceOnThread(rank.thread, odd_to, from.data(), kCount, kInt32,
                                                                HCOMM_REDUCE_SUM),
                                      0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    std::memcpy(values.data(), odd_to, kCount * sizeof(int));
    EXPECT_THAT(values, Each(42));
  });
}

using HcommWriteOnThreadTest = ApiTest;

TEST_F(HcommWriteOnThreadTest, WriteThenRecord_PeerFindsTheData) {
  RunPair([](Rank& rank, ChannelHandle channel, int* own, int* window) {
    const DeviceInts mine({static_cast<int>(rank.id) + 7, 9});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.WriteOnThread(rank.thread, channel, window, mine.data(), 8), 0);
                            EXPECT_EQ(hcomm.WriteOnThread(rank.thread, channel, window, mine.data(), 0), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(Ints(own, 3),
                ElementsAre(static_cast<int>(rank.peer()) + 7, 9, 100 * (static_cast<int>(rank.id) + 1) + 2));
  });
}

// The kernel's code is part of the program: its calls go to libhcomm.so, and still belong to the launch.
TEST_F(HcommWriteOnThreadTest, FromAKernelInsideTheHostProgram_IsTheSame) {
  RunPair([](Rank& rank, ChannelHandle channel, int* own, int* window) {
    const DeviceInts mine({55});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm&) {
                            EXPECT_EQ(HcommBatchModeStart("host"), 0);
                            EXPECT_EQ(HcommWriteOnThread(rank.thread, channel, window, mine.data(), 4), 0);
                            EXPECT_EQ(HcommChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
                            EXPECT_EQ(HcommChannelNotifyWaitOnThread(rank.thread, channel, 1, 30), 0);
                            EXPECT_EQ(HcommBatchModeEnd("host"), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_EQ(own[0], 55);
  });
}

TEST_F(HcommWriteOnThreadTest, FromHostCode_OnThreadsOfCpuAndCpuTs) {
  RunPair([](Rank& rank, ChannelHandle channel, int* own, int* window) {
    for (const CommEngine engine : {COMM_ENGINE_CPU, COMM_ENGINE_CPU_TS}) {
      ThreadHandle thread = 0;
      EXPECT_EQ(HcclThreadAcquire(rank.comm, engine, 1, 0, &thread), HCCL_SUCCESS);
      const int value[] = {static_cast<int>(engine) + 1000};  // ordinary host memory
      EXPECT_EQ(HcommWriteOnThread(thread, channel, window, value, 4), 0);
      EXPECT_EQ(HcommChannelNotifyRecordOnThread(thread, channel, 0), 0);
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(thread, channel, 0, 30), 0);
      EXPECT_EQ(HcommThreadJoin(thread, 30), 0);
      EXPECT_EQ(own[0], value[0]);
      rank.Meet();
    }
  });
}

using HcommWriteReduceOnThreadTest = ApiTest;

TEST_F(HcommWriteReduceOnThreadTest, Sum_IsCarriedOutAtThePeer) {
  RunPair([](Rank& rank, ChannelHandle channel, int* own, int* window) {
    const DeviceInts mine({1, 2});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.WriteReduceOnThread(rank.thread, channel, window, mine.data(), 2, kInt32,
                                                                HCOMM_REDUCE_SUM),
                                      0);
                            EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    const int base = 100 * (static_cast<int>(rank.id) + 1);
    EXPECT_THAT(Ints(own, 3), ElementsAre(base + 1, base + 3, base + 2));
    EXPECT_THAT(mine.Read(), ElementsAre(1, 2));
  });
}

using HcommReadReduceOnThreadTest = ApiTest;

TEST_F(HcommReadReduceOnThreadTest, Max_IsCarriedOutHere) {
  RunPair([](Rank& rank, ChannelHandle channel, int* own, int* window) {
    const DeviceInts mine({150, 500});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.ReadReduceOnThread(rank.thread, channel, mine.data(), window, 2, kInt32,
                                                               HCOMM_REDUCE_MAX),
                                      0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(mine.Read(), ElementsAre(rank.id == 0 ? 200 : 150, 500));
    EXPECT_EQ(own[0], 100 * (static_cast<int>(rank.id) + 1)) << "the source is as it was";
  });
}

using HcommWriteWithNotifyOnThreadTest = ApiTest;

TEST_F(HcommWriteWithNotifyOnThreadTest, WaitReturns_DataIsThereAlsoWithNothingToWrite) {
  RunPair([](Rank& rank, ChannelHandle channel, int* own, int* window) {
    const DeviceInts mine({77});
    const DeviceInts seen({0});
    EXPECT_EQ(
        RunOnThread(rank,
                    [&](const Hcomm& hcomm) {
                      EXPECT_EQ(hcomm.WriteWithNotifyOnThread(rank.thread, channel, window, mine.data(), 4, 1), 0);
                      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 30), 0);
                      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, seen.data(), own, 4), 0);
                      EXPECT_EQ(hcomm.WriteWithNotifyOnThread(rank.thread, channel, window, mine.data(), 0, 0), 0);
                      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
                      return 0u;
                    }),
        ACL_SUCCESS);
    EXPECT_THAT(seen.Read(), ElementsAre(77));
  });
}

using HcommWriteReduceWithNotifyOnThreadTest = ApiTest;

TEST_F(HcommWriteReduceWithNotifyOnThreadTest, WaitReturns_SumIsThere) {
  RunPair([](Rank& rank, ChannelHandle channel, int* own, int* window) {
    const DeviceInts mine({1000});
    const DeviceInts seen({0});
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.WriteReduceWithNotifyOnThread(rank.thread, channel, window, mine.data(), 1,
                                                                          kInt32, HCOMM_REDUCE_SUM, 0),
                                      0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
                            EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, seen.data(), own, 4), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(seen.Read(), ElementsAre(100 * (static_cast<int>(rank.id) + 1) + 1000));
  });
}

using HcommBatchTransferOnThreadTest = ApiTest;

HcommBatchTransferDesc Entry(HcommTransferType kind) {
  HcommBatchTransferDesc desc{};
  desc.transType = kind;
  return desc;
}

void SetReduce(HcommBatchTransferDesc* desc, void* dst, void* src) {
  desc->transferInfo.reduce.count = 1;
  desc->transferInfo.reduce.dst = dst;
  desc->transferInfo.reduce.src = src;
  desc->transferInfo.reduce.reduceOp = HCOMM_REDUCE_SUM;
  desc->transferInfo.reduce.dataType = kInt32;
}

TEST_F(HcommBatchTransferOnThreadTest, AllSevenKinds_InTheOrderOfTheArray) {
  RunPair([](Rank& rank, ChannelHandle channel, int* own, int* window) {
    const DeviceInts mine({1, 2, 3, 0, 50});
    int* const ints = mine.data();
    HcommBatchTransferDesc first[] = {Entry(HCOMM_TRANSFER_TYPE_WRITE), Entry(HCOMM_TRANSFER_TYPE_WRITE_REDUCE),
                                      Entry(HCOMM_TRANSFER_TYPE_READ), Entry(HCOMM_TRANSFER_TYPE_READ_REDUCE),
                                      Entry(HCOMM_TRANSFER_TYPE_WRITE_WITH_NOTIFY)};
    first[0].transferInfo.write = {4, window, ints};  // window[0] = 1
    SetReduce(&first[1], window, ints + 1);           // window[0] = 3
    first[2].transferInfo.read = {4, ints + 3, window};
    SetReduce(&first[3], ints + 4, window);                                // 50 + 3
    first[4].transferInfo.writeWithNotify = {4, window + 1, ints + 2, 1};  // window[1] = 3
    HcommBatchTransferDesc second = Entry(HCOMM_TRANSFER_TYPE_WRITE_REDUCE_WITH_NOTIFY);
    SetReduce(&second, window + 1, ints + 2);  // window[1] = 6
    second.transferInfo.writeReduceWithNotify.notifyIdx = 0;
    HcommBatchTransferDesc third = Entry(HCOMM_TRANSFER_TYPE_NOTIFY_RECORD);
    third.transferInfo.notifyRecord.notifyIdx = 1;
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.BatchTransferOnThread(rank.thread, channel, first, 5), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 30), 0);
                            EXPECT_EQ(hcomm.BatchTransferOnThread(rank.thread, channel, &second, 1), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
                            EXPECT_EQ(hcomm.BatchTransferOnThread(rank.thread, channel, &third, 1), 0);
                            EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 30), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_THAT(mine.Read(), ElementsAre(1, 2, 3, 3, 53));
    EXPECT_THAT(Ints(own, 2), ElementsAre(3, 6));
  });
}

}  // namespace
}  // namespace softhccl::conformance
