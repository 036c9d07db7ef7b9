// Faithful mode at the border to C: the process imitates the product of SOFTHCCL_FAITHFUL, so what that product does
// not document is refused before anything happens, with the rule's name. Built once, run once per product.
#include <cstdlib>
#include <cstring>

#include "base/config.h"
#include "fixture.h"
#include "hccl/hccl_res_expt.h"
#include "hcomm/hcomm_primitives.h"
#include "hcomm/hcomm_primitives_expt.h"

namespace softhccl::conformance {
namespace {

bool IsOld() { return std::strcmp(std::getenv("SOFTHCCL_FAITHFUL"), "Ascend950") != 0; }
std::string Product() { return std::getenv("SOFTHCCL_FAITHFUL"); }

class FaithfulApiTest : public DeviceTest {
 protected:
  // Acquires a channel to the peer in both ranks.
  HcclResult Acquire(const Rank& rank, CommEngine engine, CommProtocol protocol, ChannelHandle* channel) {
    HcclChannelDesc desc;
    EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
    desc.remoteRank = rank.peer();
    desc.channelProtocol = protocol;
    desc.notifyNum = 1;
    return HcclChannelAcquire(rank.comm, engine, &desc, 1, channel);
  }
};

TEST_F(FaithfulApiTest, SocName_IsThatOfTheProduct) {
  EXPECT_THAT(aclrtGetSocName(), ::testing::StartsWith(Product() == "Ascend910_93" ? "Ascend910_93" : Product()));
}

// One rank after the other: the same sentence of two ranks at once would be counted twice.
void InTurn(Rank& rank, const std::function<void()>& body) {
  for (uint32_t turn = 0; turn < rank.size; ++turn) {
    if (turn == rank.id) body();
    rank.Meet();
  }
}

TEST_F(FaithfulApiTest, Protocols_OfOtherProductsAreRefused) {
  RunRanks(2, [this](Rank& rank) {
    ChannelHandle channel = 0;
    const CommProtocol foreign = IsOld() ? COMM_PROTOCOL_UB_CTP : COMM_PROTOCOL_HCCS;
    InTurn(rank, [&] {
      const int code = Acquire(rank, COMM_ENGINE_AICPU, foreign, &channel);
      ExpectFailure(HCCL_E_PARA, code, "HcclChannelAcquire",
                    {"channelDescs[0]: channelProtocol", "channels of " + Product() + " speak", "(SH-P002)"});
    });
    EXPECT_EQ(Acquire(rank, COMM_ENGINE_AICPU, IsOld() ? COMM_PROTOCOL_HCCS : COMM_PROTOCOL_UB_CTP, &channel),
              HCCL_SUCCESS);
  });
}

TEST_F(FaithfulApiTest, Engines_AreThoseOfTheProduct) {
  RunRanks(2, [this](Rank& rank) {
    ChannelHandle channel = 0;
    const CommProtocol own = IsOld() ? COMM_PROTOCOL_HCCS : COMM_PROTOCOL_UB_CTP;
    if (IsOld()) {
      EXPECT_EQ(Acquire(rank, COMM_ENGINE_CPU_TS, own, &channel), HCCL_SUCCESS);
      return;
    }
    InTurn(rank, [&] {
      const int code = Acquire(rank, COMM_ENGINE_CPU_TS, own, &channel);
      ExpectFailure(HCCL_E_PARA, code, "HcclChannelAcquire", {"engine 1 (CPU_TS)", "Ascend950", "(SH-P001)"});
    });
  });
}

TEST_F(FaithfulApiTest, SameChannelTwiceInOneCall_IsAProductsMatter) {
  RunRanks(2, [this](Rank& rank) {
    HcclChannelDesc descs[2];
    EXPECT_EQ(HcclChannelDescInit(descs, 2), HCCL_SUCCESS);
    for (HcclChannelDesc& desc : descs) {
      desc.remoteRank = rank.peer();
      desc.channelProtocol = COMM_PROTOCOL_ROCE;
    }
    ChannelHandle channels[2] = {};
    if (!IsOld()) {
      EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, descs, 2, channels), HCCL_SUCCESS);
      EXPECT_NE(channels[0], channels[1]);
      return;
    }
    InTurn(rank, [&] {
      const int code = HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, descs, 2, channels);
      ExpectFailure(HCCL_E_PARA, code, "HcclChannelAcquire", {"is asked for 2 times", Product(), "(SH-P005)"});
    });
    EXPECT_EQ(channels[0], 0u);
  });
}

// What host code may use: the engine of its threads and channels, and a protocol.
CommEngine HostEngine() { return IsOld() ? COMM_ENGINE_CPU_TS : COMM_ENGINE_CPU; }
CommProtocol OwnProtocol() { return IsOld() ? COMM_PROTOCOL_HCCS : COMM_PROTOCOL_UB_CTP; }

TEST_F(FaithfulApiTest, HostCode_UsesThreadsOfOneEngine) {
  const DeviceInts from({1, 2});
  const DeviceInts to({0, 0});
  RunRanks(1, [&](Rank& rank) {
    ThreadHandle own = 0;
    ThreadHandle foreign = 0;
    EXPECT_EQ(HcclThreadAcquire(rank.comm, HostEngine(), 1, 1, &own), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadAcquire(rank.comm, IsOld() ? COMM_ENGINE_CPU : COMM_ENGINE_CPU_TS, 1, 1, &foreign),
              HCCL_SUCCESS);
    EXPECT_EQ(HcommLocalCopyOnThread(own, to.data(), from.data(), to.bytes()), 0);
    const int code = HcommLocalCopyOnThread(foreign, to.data(), from.data(), to.bytes());
    ExpectFailure(HCCL_E_PARA, code, "HcommLocalCopyOnThread",
                  {"on " + Product() + " host code calls HcommLocalCopyOnThread for threads of engine",
                   IsOld() ? "CPU_TS only" : "CPU only", "(SH-P001)"});
  });
}

TEST_F(FaithfulApiTest, Transfers_DependOnTheProtocolOfOlderProducts) {
  const DeviceInts to({0, 0});
  RunRanks(2, [&](Rank& rank) {
    ThreadHandle thread = 0;
    ChannelHandle plain = 0;
    ChannelHandle roce = 0;
    void* peers = nullptr;
    uint64_t size = 0;
    EXPECT_EQ(HcclThreadAcquire(rank.comm, HostEngine(), 1, 1, &thread), HCCL_SUCCESS);
    EXPECT_EQ(Acquire(rank, HostEngine(), OwnProtocol(), &plain), HCCL_SUCCESS);
    EXPECT_EQ(Acquire(rank, HostEngine(), COMM_PROTOCOL_ROCE, &roce), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, roce, &peers, &size), HCCL_SUCCESS);
    rank.Meet();
    if (rank.id == 1) return;
    EXPECT_EQ(HcommChannelDrainOnThread(thread, roce), 0);
    if (!IsOld()) {
      EXPECT_EQ(HcommChannelDrainOnThread(thread, plain), 0);
      return;
    }
    ExpectFailure(HCCL_E_NOT_SUPPORT, HcommChannelDrainOnThread(thread, plain), "HcommChannelDrainOnThread",
                  {Product() + " has HcommChannelDrainOnThread over RoCE only", "HCCS", "(SH-P003)"});
  });
}

TEST_F(FaithfulApiTest, ReductionOfAPeersMemory_IsNotOverRoceOnOlderProducts) {
  if (!IsOld()) GTEST_SKIP() << "Ascend950 reduces over every protocol";
  const DeviceInts to({0, 0});
  RunRanks(2, [&](Rank& rank) {
    ThreadHandle thread = 0;
    ChannelHandle roce = 0;
    void* peers = nullptr;
    uint64_t size = 0;
    EXPECT_EQ(HcclThreadAcquire(rank.comm, HostEngine(), 1, 1, &thread), HCCL_SUCCESS);
    EXPECT_EQ(Acquire(rank, HostEngine(), COMM_PROTOCOL_ROCE, &roce), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, roce, &peers, &size), HCCL_SUCCESS);
    rank.Meet();
    if (rank.id == 1) return;
    const int code =
        HcommReadReduceOnThread(thread, roce, to.data(), peers, 2, HCOMM_DATA_TYPE_INT32, HCOMM_REDUCE_SUM);
    ExpectFailure(HCCL_E_NOT_SUPPORT, code, "HcommReadReduceOnThread",
                  {Product() + " has HcommReadReduceOnThread over protocols other than RoCE only", "(SH-P003)"});
  });
}

TEST_F(FaithfulApiTest, ChannelDestroy_IsForOneEngineOrNone) {
  RunRanks(2, [this](Rank& rank) {
    ChannelHandle channel = 0;
    EXPECT_EQ(Acquire(rank, COMM_ENGINE_AICPU, OwnProtocol(), &channel), HCCL_SUCCESS);
    InTurn(rank, [&] {
      ExpectFailure(
          HCCL_E_NOT_SUPPORT, HcclChannelDestroy(rank.comm, &channel, 1), "HcclChannelDestroy",
          {"engine 2 (AICPU)", Product(), IsOld() ? "these engines: none" : "these engines: CCU", "(SH-P001)"});
    });
  });
}

TEST_F(FaithfulApiTest, Threads_AreOfTheEnginesThatTheFunctionAccepts) {
  RunRanks(1, [this](Rank& rank) {
    ThreadHandle thread = 0;
    ThreadConfig config;
    EXPECT_EQ(ThreadConfigInit(&config, 1), HCCL_SUCCESS);
    ExpectFailure(HCCL_E_NOT_SUPPORT, HcclThreadAcquire(rank.comm, COMM_ENGINE_AIV, 1, 1, &thread), "HcclThreadAcquire",
                  {"engine 4 (AIV)", Product(), "CPU, CPU_TS, AICPU, AICPU_TS", "(SH-P001)"});
    ExpectFailure(HCCL_E_PARA, HcclThreadAcquireWithStream(rank.comm, COMM_ENGINE_AICPU, rank.stream, 1, &thread),
                  "HcclThreadAcquireWithStream", {"engine 2 (AICPU)", Product(), "CPU, CPU_TS, CCU", "(SH-P001)"});
    EXPECT_EQ(thread, 0u);
  });
}

TEST_F(FaithfulApiTest, Export_TellsTheHostOnlyOfThreadsForKernels) {
  RunRanks(1, [this](Rank& rank) {
    ThreadHandle host = 0;
    ThreadHandle exported = 0;
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_CPU_TS, 1, 1, &host), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadExportToCommEngine(rank.comm, 1, &rank.thread, COMM_ENGINE_CPU, &exported), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadExportToCommEngine(rank.comm, 1, &host, COMM_ENGINE_AICPU, &exported), HCCL_SUCCESS);
    ExpectFailure(HCCL_E_PARA, HcclThreadExportToCommEngine(rank.comm, 1, &host, COMM_ENGINE_CPU, &exported),
                  "HcclThreadExportToCommEngine", {"dstCommEngine 0 (CPU)", Product(), "engine CPU_TS", "(SH-P001)"});
  });
}

TEST_F(FaithfulApiTest, TaskOutsideOfABatch_IsRefusedWhereItWouldNeverStart) {
  const DeviceInts from({1, 2});
  const DeviceInts to({0, 0});
  if (IsOld()) ExpectLog({"kernel launch (op 1 in CallBack) failed: no batch is open", "(SH-P006)"});
  RunRanks(1, [&](Rank& rank) {
    const aclError code = RunKernel(rank.stream, [&](const Hcomm& hcomm) -> uint32_t {
      const int copied = hcomm.LocalCopyOnThread(rank.thread, to.data(), from.data(), to.bytes());
      if (!IsOld()) return static_cast<uint32_t>(copied);
      ExpectFailure(HCCL_E_PARA, copied, "HcommLocalCopyOnThread", {"no batch is open", Product(), "(SH-P006)"});
      return 0;  // as operators do that swallow codes
    });
    EXPECT_EQ(code, IsOld() ? ACL_ERROR_RT_PARAM_INVALID : ACL_SUCCESS);
  });
}

TEST_F(FaithfulApiTest, BatchedTask_Works) {
  const DeviceInts from({1, 2});
  const DeviceInts to({0, 0});
  aclrtNotify done = nullptr;
  uint32_t id = 0;
  EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
  RunRanks(1, [&](Rank& rank) {
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm& hcomm) -> uint32_t {
                          EXPECT_EQ(hcomm.BatchModeStart("copy"), 0);
                          EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, to.data(), from.data(), to.bytes()), 0);
                          return static_cast<uint32_t>(hcomm.BatchModeEnd("copy"));
                        }),
              ACL_SUCCESS);
  });
  EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
}

TEST_F(FaithfulApiTest, Notifies_AreAsManyAsTheProductHas) {
  if (!IsOld()) GTEST_SKIP() << "the limit of Ascend950 is this library's own";
  std::vector<aclrtNotify> notifies(8192);
  for (aclrtNotify& notify : notifies) ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  aclrtNotify more = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, aclrtCreateNotify, (&more, ACL_NOTIFY_DEFAULT),
               "device 0 has 8192 notifies, its limit", "(SH-P005)");
  for (aclrtNotify notify : notifies) EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
