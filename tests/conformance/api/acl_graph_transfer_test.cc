// Captured work of host code on communication threads: transfers over channels, reductions and notifies between ranks.
// A replay issues them anew, so both ranks of a record and its wait have to replay as often as each other.
#include <numeric>

#include "graph_test_fixture.h"
#include "hcomm/hcomm_primitives.h"

namespace softhccl::conformance {
namespace {

constexpr uint32_t kCount = 1000;
constexpr uint64_t kBytes = kCount * sizeof(int32_t);
constexpr auto kMode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

// What a rank needs for the operators below: a thread on its stream, a second one, a channel and the two buffers.
struct Operator {
  explicit Operator(Rank& of) : rank(of) {
    uint64_t size = 0;
    EXPECT_EQ(HcclThreadAcquireWithStream(rank.comm, COMM_ENGINE_CPU_TS, rank.stream, 2, &main), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_CPU_TS, 1, 2, &side), HCCL_SUCCESS);
    HcclChannelDesc desc;
    EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
    desc.remoteRank = rank.peer();
    desc.channelProtocol = COMM_PROTOCOL_HCCS;
    desc.notifyNum = 2;
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_CPU_TS, &desc, 1, &channel), HCCL_SUCCESS);
    EXPECT_EQ(HcclGetHcclBuffer(rank.comm, &own, &size), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &peers, &size), HCCL_SUCCESS);
  }

  // The second thread begins when the first comes here, and ends before the first goes on.
  void Fork() const {
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(main, side, 0), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(side, 0, 20), 0);
  }
  void Join() const {
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(side, main, 1), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(main, 1, 20), 0);
  }
  // Both ranks are here: notify `index` of the channel.
  void Meet(uint32_t index) const {
    EXPECT_EQ(HcommChannelNotifyRecordOnThread(side, channel, index), 0);
    EXPECT_EQ(HcommChannelNotifyWaitOnThread(side, channel, index, 20), 0);
  }
  // output += what the peer has in input, through the peer's buffer.
  void AddPeers(const DeviceInts& input, const DeviceInts& output) const {
    Fork();
    EXPECT_EQ(HcommLocalCopyOnThread(side, own, input.data(), kBytes), 0);
    Meet(0);
    EXPECT_EQ(
        HcommReadReduceOnThread(side, channel, output.data(), peers, kCount, HCOMM_DATA_TYPE_INT32, HCOMM_REDUCE_SUM),
        0);
    Meet(1);
    Join();
  }

  Rank& rank;
  ThreadHandle main = 0;
  ThreadHandle side = 0;
  ChannelHandle channel = 0;
  void* own = nullptr;
  void* peers = nullptr;
};

void Capture(const Operator& op, aclmdlRI* graph, const std::function<void()>& body) {
  ASSERT_EQ(aclmdlRICaptureBegin(op.rank.stream, kMode), ACL_SUCCESS);
  body();
  ASSERT_EQ(aclmdlRICaptureEnd(op.rank.stream, graph), ACL_SUCCESS);
}

void Replay(const Rank& rank, aclmdlRI graph) {
  ASSERT_EQ(aclmdlRIExecuteAsync(graph, rank.stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
}

class GraphTransferTest : public ApiTest {};

TEST_F(GraphTransferTest, ReadsReductionsAndNotifies_RunAtEachReplay) {
  RunRanks(2, [](Rank& rank) {
    const Operator op(rank);
    std::vector<int> numbers(kCount);
    const DeviceInts input(numbers);
    const DeviceInts output(numbers);
    aclmdlRI graph = nullptr;
    Capture(op, &graph, [&] { op.AddPeers(input, output); });
    EXPECT_THAT(output.Read(), ::testing::Each(0)) << "nothing has run";
    std::vector<int> expected(kCount);
    for (int i = 0; i < 20; ++i) {
      const int mine = 100 * i + static_cast<int>(rank.id);
      const int theirs = 100 * i + static_cast<int>(rank.peer());
      std::iota(numbers.begin(), numbers.end(), mine);
      ASSERT_EQ(aclrtMemcpy(input.data(), kBytes, numbers.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
      Replay(rank, graph);
      for (uint32_t n = 0; n < kCount; ++n) expected[n] += theirs + static_cast<int>(n);
      ASSERT_EQ(output.Read(), expected) << "replay " << i;
    }
    EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
  });
}

TEST_F(GraphTransferTest, WritesWithNotify_RunAtEachReplay) {
  RunRanks(2, [](Rank& rank) {
    const Operator op(rank);
    const DeviceInts input(std::vector<int>(kCount, static_cast<int>(rank.id) + 1));
    const DeviceInts output(std::vector<int>(kCount, 0));
    aclmdlRI graph = nullptr;
    Capture(op, &graph, [&] {
      op.Fork();
      EXPECT_EQ(HcommWriteWithNotifyOnThread(op.side, op.channel, op.peers, input.data(), kBytes, 0), 0);
      EXPECT_EQ(HcommChannelFenceOnThread(op.side, op.channel), 0);
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(op.side, op.channel, 0, 20), 0);
      EXPECT_EQ(
          HcommLocalReduceOnThread(op.side, output.data(), op.own, kCount, HCOMM_DATA_TYPE_INT32, HCOMM_REDUCE_SUM), 0);
      op.Meet(1);
      op.Join();
    });
    for (int i = 1; i <= 5; ++i) {
      Replay(rank, graph);
      ASSERT_THAT(output.Read(), ::testing::Each(i * (static_cast<int>(rank.peer()) + 1)));
    }
    EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
  });
}

TEST_F(GraphTransferTest, BatchEndedInTheCapture_IsPartOfIt) {
  RunRanks(2, [](Rank& rank) {
    const Operator op(rank);
    const DeviceInts input(std::vector<int>(kCount, static_cast<int>(rank.id) + 5));
    const DeviceInts output(std::vector<int>(kCount, 0));
    aclmdlRI graph = nullptr;
    Capture(op, &graph, [&] {
      EXPECT_EQ(HcommBatchModeStart("add"), 0);
      op.AddPeers(input, output);
      EXPECT_EQ(HcommBatchModeEnd("add"), 0);
    });
    EXPECT_THAT(output.Read(), ::testing::Each(0));
    Replay(rank, graph);
    EXPECT_THAT(output.Read(), ::testing::Each(static_cast<int>(rank.peer()) + 5));
    EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
  });
}

TEST_F(GraphTransferTest, PostWithoutThread_IsNotCaptured) {
  RunRanks(2, [](Rank& rank) {
    const Operator op(rank);
    aclmdlRI graph = nullptr;
    Capture(op, &graph, [&] {
      EXPECT_EQ(HcommChannelNotifyRecord(op.channel, 0), 0);
      EXPECT_EQ(HcommFlush(), 0);
      EXPECT_EQ(HcommChannelNotifyWait(op.channel, 0, 20), 0);
    });
    EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
  });
}

TEST_F(GraphTransferTest, DestroyedChannel_ReplayIsRefused) {
  RunRanks(2, [this](Rank& rank) {
    const Operator op(rank);
    const DeviceInts input(std::vector<int>(kCount, 1));
    const DeviceInts output(std::vector<int>(kCount, 0));
    aclmdlRI graph = nullptr;
    Capture(op, &graph, [&] { op.AddPeers(input, output); });
    Replay(rank, graph);
    rank.Meet();
    EXPECT_EQ(HcclChannelDestroy(rank.comm, &op.channel, 1), HCCL_SUCCESS);
    rank.Meet();
    EXPECT_FAILS_IN(this, ACL_ERROR_RT_INVALID_HANDLE, aclmdlRIExecuteAsync, (graph, rank.stream),
                    "a channel that it uses was destroyed");
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS) << "nothing was queued";
    EXPECT_THAT(output.Read(), ::testing::Each(1));
    EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
  });
}

TEST_F(GraphTransferTest, DestroyedCommunicator_ReplayIsRefused) {
  aclmdlRI graphs[2] = {};
  RunRanks(2, [&](Rank& rank) {
    const Operator op(rank);
    const DeviceInts input(std::vector<int>(kCount, 1));
    const DeviceInts output(std::vector<int>(kCount, 0));
    Capture(op, &graphs[rank.id], [&] { op.AddPeers(input, output); });
    Replay(rank, graphs[rank.id]);
  });
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRIExecuteAsync, (graphs[0], nullptr), "cannot run any more",
               "keep the communicator until the graph is destroyed");
  for (aclmdlRI graph : graphs) EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(GraphTransferTest, CapturedThread_CannotBeWaitedFor) {
  RunRanks(1, [this](Rank& rank) {
    ThreadHandle main = 0;
    ThreadHandle side = 0;
    aclmdlRI graph = nullptr;
    EXPECT_EQ(HcclThreadAcquireWithStream(rank.comm, COMM_ENGINE_CPU_TS, rank.stream, 1, &main), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_CPU, 1, 1, &side), HCCL_SUCCESS);
    EXPECT_EQ(aclmdlRICaptureBegin(rank.stream, kMode), ACL_SUCCESS);
    EXPECT_EQ(HcommThreadNotifyRecordOnThread(main, side, 0), 0);
    EXPECT_EQ(HcommThreadNotifyWaitOnThread(side, 0, 20), 0);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcommFenceOnThread, (side), "is captured into graph",
                    "the capture is invalid now");
    EXPECT_FAILS_IN(this, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd, (rank.stream, &graph),
                    "HcommFenceOnThread was called for");
  });
}

}  // namespace
}  // namespace softhccl::conformance
