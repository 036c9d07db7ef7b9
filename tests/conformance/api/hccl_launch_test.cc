// HcclAicpuKernelLaunch: the library finds the kernel by the name of its library, the user's stream waits for what the
// kernel has queued on its thread, and the launches of a group do not wait for each other.
#include "hccl/hccl_launch.h"

#include <cstring>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

using P2pBody = std::function<uint32_t(const Hcomm&, ThreadHandle)>;

// One launch of "CallBackP2p", described as an operation; must live until the stream was synchronised.
class P2p {
 public:
  P2p(const Rank& rank, HcclCMDType command, uint64_t count, P2pBody body) : rank_(rank), body_(std::move(body)) {
    EXPECT_EQ(HcclOpDescInit(&op), HCCL_SUCCESS);
    op.opDescType = 1;
    std::strcpy(op.opName, "MyOperation");
    op.p2p.cmdType = command;
    op.p2p.dataType = HCCL_DATA_TYPE_INT32;
    op.p2p.count = count;
    op.p2p.remoteRank = rank.peer();
    op.p2p.unfoldStream = nullptr;
    std::strcpy(function.kernelSoName, "libconformance_kernels.so");
    std::strcpy(function.kernelFuncName, "CallBackP2p");
    args_ = {[](const Hcomm& hcomm, ThreadHandle thread, void* self) {
               return static_cast<P2p*>(self)->body_(hcomm, thread);
             },
             this};
    function.args = &args_;
    function.argSize = sizeof args_;
    EXPECT_EQ(HcclKernelLaunchCfgInit(&config), HCCL_SUCCESS);
  }
  P2p(const P2p&) = delete;
  P2p& operator=(const P2p&) = delete;

  HcclResult Launch(aclrtStream stream) {
    return HcclAicpuKernelLaunch(rank_.comm, &op, &function, rank_.thread, stream, &config);
  }
  HcclResult Launch() { return Launch(rank_.stream); }

  HcclOpDesc op;
  HcclKernelFuncInfo function{};
  HcclKernelLaunchCfg config;

 private:
  const Rank& rank_;
  P2pBody body_;
  CallBackP2pArgs args_{};
};

// The tasks of a transfer of `bytes` bytes from the buffer of rank 0 to `to` on rank 1.
P2pBody Send(ChannelHandle channel) {
  return [channel](const Hcomm& hcomm, ThreadHandle thread) {
    EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(thread, channel, 0), 0);
    EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(thread, channel, 1, 60), 0);
    return 0u;
  };
}

P2pBody Receive(ChannelHandle channel, void* window, void* to, uint64_t bytes) {
  return [=](const Hcomm& hcomm, ThreadHandle thread) {
    EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(thread, channel, 0, 60), 0);
    EXPECT_EQ(hcomm.ReadOnThread(thread, channel, to, window, bytes), 0);
    EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(thread, channel, 1), 0);
    return 0u;
  };
}

class HcclAicpuKernelLaunchTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    AllowLog({"a card would not load this"});  // no list names the package of the tests
  }
};

TEST_F(HcclAicpuKernelLaunchTest, UserStream_GoesOnWhenTheThreadHasDoneWhatTheKernelQueued) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    const HcclBuffers buffers = BuffersOf(rank, channel);
    const DeviceInts from({41, 42});
    const DeviceInts to({0, 0});
    const DeviceInts copy({0, 0});
    P2p op(rank, rank.id == 0 ? HCCL_CMD_SEND : HCCL_CMD_RECEIVE, 2,
           rank.id == 0 ? Send(channel) : Receive(channel, buffers.window, to.data(), to.bytes()));
    // What is on the stream before comes before, what comes later comes later.
    if (rank.id == 0) {
      EXPECT_EQ(aclrtMemcpyAsync(buffers.own, 8, from.data(), 8, ACL_MEMCPY_DEVICE_TO_DEVICE, rank.stream),
                ACL_SUCCESS);
    }
    EXPECT_EQ(op.Launch(), HCCL_SUCCESS);
    EXPECT_EQ(aclrtMemcpyAsync(copy.data(), 8, to.data(), 8, ACL_MEMCPY_DEVICE_TO_DEVICE, rank.stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    if (rank.id == 1) {
      EXPECT_THAT(copy.Read(), ::testing::ElementsAre(41, 42));
    }
  });
}

TEST_F(HcclAicpuKernelLaunchTest, UnfoldStream_RunsTheKernelBetweenTheUsersWork) {
  RunRanks(2, [](Rank& rank) {
    aclrtStream unfold = nullptr;
    EXPECT_EQ(aclrtCreateStream(&unfold), ACL_SUCCESS);
    const DeviceInts flag({0, 0});
    const DeviceInts one({1, 1});
    std::atomic<int> seen{-1};
    P2p op(rank, HCCL_CMD_SEND, 1, [&](const Hcomm& hcomm, ThreadHandle thread) {
      seen.store(flag.data()[0]);
      EXPECT_EQ(hcomm.LocalCopyOnThread(thread, flag.data() + 1, one.data(), 4), 0);
      return 0u;
    });
    op.op.p2p.unfoldStream = unfold;
    EXPECT_EQ(aclrtMemcpyAsync(flag.data(), 4, one.data(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, rank.stream), ACL_SUCCESS);
    EXPECT_EQ(op.Launch(), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_EQ(seen.load(), 1);
    EXPECT_THAT(flag.Read(), ::testing::ElementsAre(1, 1));
    EXPECT_EQ(aclrtDestroyStream(unfold), ACL_SUCCESS);
  });
}

TEST_F(HcclAicpuKernelLaunchTest, Kernel_GetsTheThreadAndACopyOfTheArguments) {
  RunRanks(2, [](Rank& rank) {
    ThreadHandle got = 0;
    P2p op(rank, HCCL_CMD_RECEIVE, 1, [&](const Hcomm&, ThreadHandle thread) {
      got = thread;
      return 0u;
    });
    EXPECT_EQ(op.Launch(), HCCL_SUCCESS);
    std::memset(op.function.args, 0, op.function.argSize);  // copied when it was launched
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_EQ(got, rank.thread);
  });
}

// needs A02: what the launch says is what the kernel's tasks carry.
TEST_F(HcclAicpuKernelLaunchTest, Counts_ThatDiffer_FailOnBothSides) {
  const std::string sentence =
      "rank 0 sends 10 elements of INT32 (40 bytes) to rank 1 in MyOperation (send 1 of this pair), but rank 1 "
      "receives "
      "12 elements of INT32 (48 bytes) from rank 0 in MyOperation (receive 1 of this pair)";
  ExpectLog({"rank 1/", "notify wait", sentence});
  AllowLog({"was aborted because rank 1"});
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    // Both have queued before the first can fail.
    P2p op(rank, rank.id == 0 ? HCCL_CMD_SEND : HCCL_CMD_RECEIVE, rank.id == 0 ? 10 : 12,
           [&](const Hcomm& hcomm, ThreadHandle thread) {
             EXPECT_EQ(hcomm.BatchModeStart(""), 0);
             if (rank.id == 0) {
               EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(thread, channel, 0), 0);
               EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(thread, channel, 1, 60), 0);
             } else {
               EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(thread, channel, 0, 60), 0);
             }
             rank.Meet();
             EXPECT_EQ(hcomm.BatchModeEnd(""), 0);
             return 0u;
           });
    EXPECT_EQ(op.Launch(), HCCL_SUCCESS);
    EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr(sentence));
  });
}

TEST_F(HcclAicpuKernelLaunchTest, KernelThatFails_FailsTheUsersStream) {
  ExpectLog({"kernel launch", "CallBackP2p#", "returned 3"});
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 1) return;
    P2p op(rank, HCCL_CMD_SEND, 1, [](const Hcomm&, ThreadHandle) { return 3u; });
    EXPECT_EQ(op.Launch(), HCCL_SUCCESS);
    EXPECT_FAILS_QUIETLY_IN(this, ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (rank.stream), "returned 3");
  });
}

TEST_F(HcclAicpuKernelLaunchTest, KernelThatOutlivesItsLimit_IsGivenUp) {
  ExpectLog({"kernel launch", "did not return within its limit of 1.0 s"});
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 1) return;
    std::atomic<bool> go{false};
    std::atomic<bool> gone{false};
    P2p op(rank, HCCL_CMD_SEND, 1, [&](const Hcomm&, ThreadHandle) {
      WaitUntil([&] { return go.load(); }, "it was given up");
      gone.store(true);
      return 0u;
    });
    op.config.timeOut = 1;
    EXPECT_EQ(op.Launch(), HCCL_SUCCESS);
    EXPECT_FAILS_QUIETLY_IN(this, ACL_ERROR_RT_AICPU_TIMEOUT, aclrtSynchronizeStream, (rank.stream), "limit of 1.0 s");
    go.store(true);
    WaitUntil([&] { return gone.load(); }, "the kernel has returned");
  });
}

// --- Groups --------------------------------------------------------------------------------------------------------

// Both ranks send first. One after the other they would wait for each other for ever.
TEST_F(HcclAicpuKernelLaunchTest, Group_SendAndReceiveOfBothRanks_DoNotWaitForEachOther) {
  RunRanks(2, [](Rank& rank) {
    HcclChannelDesc desc;
    EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
    desc.remoteRank = rank.peer();
    desc.channelProtocol = COMM_PROTOCOL_HCCS;
    desc.notifyNum = 4;
    ChannelHandle channel = 0;
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    const HcclBuffers buffers = BuffersOf(rank, channel);
    static_cast<int*>(buffers.own)[0] = static_cast<int>(rank.id) + 70;
    const DeviceInts to({0});
    rank.Meet();
    const uint32_t out = 2 * rank.id;  // notifies of the direction away from this rank
    const uint32_t in = 2 * rank.peer();
    std::vector<ThreadHandle> threads(2);
    P2p send(rank, HCCL_CMD_SEND, 1, [&](const Hcomm& hcomm, ThreadHandle thread) {
      threads[0] = thread;
      EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(thread, channel, out), 0);
      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(thread, channel, out + 1, 60), 0);
      return 0u;
    });
    P2p receive(rank, HCCL_CMD_RECEIVE, 1, [&](const Hcomm& hcomm, ThreadHandle thread) {
      threads[1] = thread;
      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(thread, channel, in, 60), 0);
      EXPECT_EQ(hcomm.ReadOnThread(thread, channel, to.data(), buffers.window, 4), 0);
      EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(thread, channel, in + 1), 0);
      return 0u;
    });
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
      EXPECT_EQ(send.Launch(), HCCL_SUCCESS);
      EXPECT_EQ(receive.Launch(), HCCL_SUCCESS);
      EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
      EXPECT_THAT(to.Read(), ::testing::ElementsAre(static_cast<int>(rank.peer()) + 70));
    }
    EXPECT_NE(threads[0], threads[1]);
    EXPECT_NE(threads[0], rank.thread);
  });
}

TEST_F(HcclAicpuKernelLaunchTest, Group_SamePeerAndDirection_KeepsTheOrderOfTheCalls) {
  RunRanks(2, [](Rank& rank) {
    if (rank.id == 1) return;
    std::vector<int> order;
    std::vector<std::unique_ptr<P2p>> ops;
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    for (int i = 0; i < 8; ++i) {
      ops.push_back(std::make_unique<P2p>(rank, HCCL_CMD_SEND, 1, [&order, i](const Hcomm&, ThreadHandle) {
        order.push_back(i);
        return 0u;
      }));
      EXPECT_EQ(ops.back()->Launch(), HCCL_SUCCESS);
      EXPECT_TRUE(order.empty()) << "nothing runs before the group ends";
    }
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(order, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  });
}

TEST_F(HcclAicpuKernelLaunchTest, Group_WithOtherCalls_IsRefused) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 1) return;
    P2p op(rank, HCCL_CMD_SEND, 1, [](const Hcomm&, ThreadHandle) { return 0u; });
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    EXPECT_EQ(op.Launch(), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclCommDestroy, (rank.comm),
                    "this group has point-to-point operations already");
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
  });
}

// --- What is refused -------------------------------------------------------------------------------------------------

TEST_F(HcclAicpuKernelLaunchTest, BadArguments_AreRefusedByName) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 1) return;
    const P2p good(rank, HCCL_CMD_SEND, 1, [](const Hcomm&, ThreadHandle) { return 0u; });
    const auto refuse = [&](int code, const char* part, const std::function<void(P2p&)>& spoil) {
      P2p bad(rank, HCCL_CMD_SEND, 1, [](const Hcomm&, ThreadHandle) { return 0u; });
      spoil(bad);
      ExpectFailure(code, bad.Launch(), "HcclAicpuKernelLaunch", {part});
    };
    refuse(HCCL_E_PARA, "opInfo->header.magicWord is 0x0, expected 0xf0f0f0f; call HcclOpDescInit first",
           [](P2p& op) { op.op.header.magicWord = 0; });
    refuse(HCCL_E_PARA, "opInfo->header.size 100 is smaller than the 328 bytes",
           [](P2p& op) { op.op.header.size = 100; });
    refuse(HCCL_E_PARA, "kernelLaunchCfg->header.magicWord is 0x7", [](P2p& op) { op.config.header.magicWord = 7; });
    refuse(HCCL_E_NOT_SUPPORT, "opInfo->opDescType 2", [](P2p& op) { op.op.opDescType = 2; });
    refuse(HCCL_E_PARA, "cmdType 6 is not valid", [](P2p& op) { op.op.p2p.cmdType = HCCL_CMD_ALLGATHER; });
    refuse(HCCL_E_PARA, "opInfo->p2p.dataType: data type 255",
           [](P2p& op) { op.op.p2p.dataType = HCCL_DATA_TYPE_RESERVED; });
    refuse(HCCL_E_PARA, "count 18446744073709551615 times 4 bytes does not fit 64 bits",
           [](P2p& op) { op.op.p2p.count = UINT64_MAX; });
    refuse(HCCL_E_PARA, "remoteRank 2 is out of range", [](P2p& op) { op.op.p2p.remoteRank = 2; });
    refuse(HCCL_E_PARA, "remoteRank 0 equals own rank", [](P2p& op) { op.op.p2p.remoteRank = 0; });
    refuse(HCCL_E_PARA, "looking at opInfo->p2p.unfoldStream",
           [](P2p& op) { op.op.p2p.unfoldStream = reinterpret_cast<void*>(0x5); });
    refuse(HCCL_E_PARA, "kernelSoName is empty", [](P2p& op) { op.function.kernelSoName[0] = '\0'; });
    refuse(HCCL_E_PARA, "kernelFuncName has no final 0",
           [](P2p& op) { std::memset(op.function.kernelFuncName, 'x', sizeof op.function.kernelFuncName); });
    refuse(HCCL_E_PTR, "funcInfo->args is null", [](P2p& op) { op.function.args = nullptr; });
    refuse(HCCL_E_PARA, "argSize 8193 is larger than the limit of 8192 bytes",
           [](P2p& op) { op.function.argSize = 8193; });
    refuse(HCCL_E_RUNTIME, "no package holds library libabsent.so",
           [](P2p& op) { std::strcpy(op.function.kernelSoName, "libabsent.so"); });
    refuse(HCCL_E_RUNTIME, "CallBackP3p", [](P2p& op) { std::strcpy(op.function.kernelFuncName, "CallBackP3p"); });
    const auto* op = &good.op;
    const auto* function = &good.function;
    const auto* config = &good.config;
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclAicpuKernelLaunch, (nullptr, op, function, rank.thread, rank.stream, config),
                    "comm is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclAicpuKernelLaunch,
                    (rank.comm, nullptr, function, rank.thread, rank.stream, config), "opInfo is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclAicpuKernelLaunch, (rank.comm, op, nullptr, rank.thread, rank.stream, config),
                    "funcInfo is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclAicpuKernelLaunch, (rank.comm, op, function, 0, rank.stream, config),
                    "aicpuThreadHandle is 0");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclAicpuKernelLaunch,
                    (rank.comm, op, function, rank.thread, rank.stream, nullptr), "kernelLaunchCfg is null");
    ThreadHandle host = 0;
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_CPU, 1, 0, &host), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclAicpuKernelLaunch, (rank.comm, op, function, host, rank.stream, config),
                    "is a thread of engine 0; use one of COMM_ENGINE_AICPU");
  });
}

}  // namespace
}  // namespace softhccl::conformance
