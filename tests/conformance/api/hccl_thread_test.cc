// HcclThreadAcquireWithConfig, HcclThreadAcquireWithStream, HcclDedicatedThreadAcquire, HcclThreadResGetInfo,
// HcclThreadExportToCommEngine.
#include "hccl/hccl_res_expt.h"
#include "hcomm/hcomm_primitives.h"
#include "one_rank_test.h"

namespace softhccl::conformance {
namespace {

ThreadConfig Config(uint16_t notifies) {
  ThreadConfig config;
  EXPECT_EQ(ThreadConfigInit(&config, 1), 0);
  config.notifyNumPerThread = notifies;
  return config;
}

// --- HcclThreadAcquireWithConfig ---------------------------------------------------------------------------------

using HcclThreadAcquireWithConfigTest = OneRankTest;

TEST_F(HcclThreadAcquireWithConfigTest, ScheduledThreads_AreThoseOfTheEngineWithTs) {
  const ThreadConfig config = Config(3);
  ThreadHandle configured[2] = {};
  ThreadHandle plain[2] = {};
  for (const auto& [engine, scheduled] :
       {std::pair{COMM_ENGINE_CPU, COMM_ENGINE_CPU_TS}, std::pair{COMM_ENGINE_AICPU, COMM_ENGINE_AICPU_TS}}) {
    EXPECT_EQ(HcclThreadAcquireWithConfig(comm_, engine, 2, THREAD_TYPE_TS, &config, configured), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadAcquire(comm_, scheduled, 2, 0, plain), HCCL_SUCCESS);
    EXPECT_THAT(configured, ::testing::ElementsAreArray(plain));
  }
}

TEST_F(HcclThreadAcquireWithConfigTest, BadArguments_AreRefusedInOrder) {
  ThreadConfig config = Config(1);
  ThreadHandle thread = 7;
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadAcquireWithConfig,
               (nullptr, COMM_ENGINE_AICPU, 1, THREAD_TYPE_TS, &config, &thread), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadAcquireWithConfig, (comm_, COMM_ENGINE_AICPU, 1, THREAD_TYPE_TS, nullptr, nullptr),
               "config is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadAcquireWithConfig, (comm_, COMM_ENGINE_AICPU, 1, THREAD_TYPE_TS, &config, nullptr),
               "threads is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithConfig,
               (comm_, COMM_ENGINE_RESERVED, 1, THREAD_TYPE_TS, &config, &thread), "engine -1");
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclThreadAcquireWithConfig,
               (comm_, COMM_ENGINE_AIV, 1, THREAD_TYPE_TS, &config, &thread), "engine 4 (AIV) is not supported");
  for (const auto engine : {COMM_ENGINE_CPU_TS, COMM_ENGINE_AICPU_TS}) {
    EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithConfig, (comm_, engine, 1, THREAD_TYPE_TS, &config, &thread),
                 "use COMM_ENGINE_CPU or COMM_ENGINE_AICPU");
  }
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithConfig,
               (comm_, COMM_ENGINE_AICPU, 1, THREAD_TYPE_INVALID, &config, &thread),
               "type -1 is not known; use THREAD_TYPE_TS 0");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithConfig,
               (comm_, COMM_ENGINE_AICPU, 1, FromNumber<ThreadType>(1), &config, &thread), "type 1 is not known");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithConfig,
               (comm_, COMM_ENGINE_AICPU, 0, THREAD_TYPE_TS, &config, &thread), "threadNum 0 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithConfig,
               (comm_, COMM_ENGINE_AICPU, 201, THREAD_TYPE_TS, &config, &thread), "threadNum 201 is out of range");
  config.header.magicWord = 0;
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithConfig,
               (comm_, COMM_ENGINE_AICPU, 1, THREAD_TYPE_TS, &config, &thread),
               "config->header.magicWord is 0x0, expected 0xf0f0f2f; call ThreadConfigInit first");
  config = Config(1);
  config.header.size = 16;
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithConfig,
               (comm_, COMM_ENGINE_AICPU, 1, THREAD_TYPE_TS, &config, &thread),
               "config->header.size 16 is smaller than the 18 bytes");
}

// --- HcclThreadAcquireWithStream ---------------------------------------------------------------------------------

using HcclThreadAcquireWithStreamTest = OneRankTest;

TEST_F(HcclThreadAcquireWithStreamTest, WorkOfBoth_RunsInTheOrderOfTheCalls) {
  ThreadHandle thread = 0;
  ASSERT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, stream_, 1, &thread), HCCL_SUCCESS);
  const DeviceInts first({1, 2});
  const DeviceInts second({3, 4});
  // Copied by the thread, then looked at by a kernel on the stream.
  EXPECT_EQ(HcommLocalCopyOnThread(thread, second.data(), first.data(), first.bytes()), 0);
  EXPECT_EQ(RunKernel(stream_,
                      [&](const Hcomm&) {
                        EXPECT_EQ(second.data()[0], 1);
                        EXPECT_EQ(second.data()[1], 2);
                        return 0u;
                      }),
            ACL_SUCCESS);
}

TEST_F(HcclThreadAcquireWithStreamTest, SameStream_SameThreadAndOtherStreamAnother) {
  ThreadHandle first = 0;
  ThreadHandle again = 0;
  ThreadHandle other = 0;
  aclrtStream second = nullptr;
  ASSERT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
  EXPECT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, stream_, 1, &first), HCCL_SUCCESS);
  EXPECT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU, stream_, 5, &again), HCCL_SUCCESS);
  EXPECT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, second, 0, &other), HCCL_SUCCESS);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
}

TEST_F(HcclThreadAcquireWithStreamTest, DestroyedStream_ItsThreadIsRefusedAndGivenBack) {
  aclrtStream stream = nullptr;
  ThreadHandle thread = 0;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, stream, 1, &thread), HCCL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  void* info = nullptr;
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadResGetInfo, (comm_, thread, THREAD_RES_TYPE_STREAM, sizeof info, &info),
               "runs on a stream that was destroyed");
  ThreadHandle late = 7;
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithStream, (comm_, COMM_ENGINE_CPU_TS, stream, 1, &late), "stream 0x",
               "that was destroyed");
  EXPECT_EQ(late, 7u);
  EXPECT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, stream_, 1, &late), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcclThreadResGetInfo, (comm_, thread, THREAD_RES_TYPE_STREAM, sizeof info, &info),
               "thread 0x");
}

TEST_F(HcclThreadAcquireWithStreamTest, BadArguments_AreRefusedInOrder) {
  ThreadHandle thread = 7;
  aclrtNotify notify = nullptr;
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadAcquireWithStream, (nullptr, COMM_ENGINE_CPU, stream_, 1, &thread),
               "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadAcquireWithStream, (comm_, COMM_ENGINE_CPU, nullptr, 1, &thread),
               "stream is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadAcquireWithStream, (comm_, COMM_ENGINE_CPU, stream_, 1, nullptr),
               "thread is null");
  for (const auto engine : {COMM_ENGINE_AICPU, COMM_ENGINE_AICPU_TS}) {
    EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithStream, (comm_, engine, stream_, 1, &thread),
                 "has no threads on a stream of the host");
  }
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclThreadAcquireWithStream, (comm_, COMM_ENGINE_CCU, stream_, 1, &thread),
               "engine 5 (CCU) is not supported");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithStream, (comm_, FromNumber<CommEngine>(9), stream_, 1, &thread),
               "engine 9");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithStream, (comm_, COMM_ENGINE_CPU, stream_, 65536, &thread),
               "65536 is out of range");
  ASSERT_EQ(aclrtCreateNotify(&notify, 0), ACL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithStream, (comm_, COMM_ENGINE_CPU, notify, 1, &thread),
               "is a notify, expected a stream");
  EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
  ASSERT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU, 1, 0, &thread), HCCL_SUCCESS);
  void* own = nullptr;
  ASSERT_EQ(HcclThreadResGetInfo(comm_, thread, THREAD_RES_TYPE_STREAM, sizeof own, &own), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquireWithStream, (comm_, COMM_ENGINE_CPU, own, 1, &thread),
               "is the stream of a thread already");
}

TEST_F(HcclThreadAcquireWithStreamTest, CommunicatorGone_StreamGoesOn) {
  HcclRootInfo root;
  HcclComm comm = nullptr;
  ThreadHandle thread = 0;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  ASSERT_EQ(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_SUCCESS);
  ASSERT_EQ(HcclThreadAcquireWithStream(comm, COMM_ENGINE_CPU_TS, stream_, 1, &thread), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  const DeviceInts ints({1});
  EXPECT_FAILS(HCCL_E_PARA, HcommLocalCopyOnThread, (thread, ints.data(), ints.data(), 4), "thread 0x",
               "that was destroyed");
  EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
}

// --- HcclDedicatedThreadAcquire ----------------------------------------------------------------------------------

using HcclDedicatedThreadAcquireTest = OneRankTest;

TEST_F(HcclDedicatedThreadAcquireTest, EveryPurpose_HasOneThreadAndGraphModeHasNone) {
  std::vector<ThreadHandle> seen;
  for (const auto purpose :
       {HCCL_DED_THREAD_TYPE_AICPU_LAUNCH, HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_OPBASE,
        HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_ACLGRAPH, HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_DEVICE}) {
    ThreadHandle first = 0;
    ThreadHandle again = 0;
    EXPECT_EQ(HcclDedicatedThreadAcquire(comm_, purpose, 1, &first), HCCL_SUCCESS);
    EXPECT_EQ(HcclDedicatedThreadAcquire(comm_, purpose, 4, &again), HCCL_SUCCESS);
    EXPECT_EQ(first, again);
    EXPECT_THAT(seen, ::testing::Not(::testing::Contains(first)));
    seen.push_back(first);
  }
  for (const auto purpose : {HCCL_DED_THREAD_TYPE_AICPU_LAUNCH_GE, HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_GE}) {
    ThreadHandle none = 7;
    EXPECT_EQ(HcclDedicatedThreadAcquire(comm_, purpose, 1, &none), HCCL_SUCCESS);
    EXPECT_EQ(none, 0u);
  }
  ThreadHandle all[200] = {};
  EXPECT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU, 200, 0, all), HCCL_SUCCESS) << "beside the quota";
  EXPECT_THAT(all, ::testing::Not(::testing::Contains(seen[0])));
}

TEST_F(HcclDedicatedThreadAcquireTest, BadArguments_AreRefusedInOrder) {
  ThreadHandle thread = 7;
  EXPECT_FAILS(HCCL_E_PTR, HcclDedicatedThreadAcquire, (nullptr, HCCL_DED_THREAD_TYPE_INVALID, 1, nullptr),
               "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclDedicatedThreadAcquire, (comm_, HCCL_DED_THREAD_TYPE_INVALID, 1, nullptr),
               "thread is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclDedicatedThreadAcquire, (comm_, HCCL_DED_THREAD_TYPE_INVALID, 1, &thread),
               "useType -1 is not known; use 0 to 5");
  EXPECT_FAILS(HCCL_E_PARA, HcclDedicatedThreadAcquire, (comm_, FromNumber<HcclDedicatedThreadType>(6), 1, &thread),
               "useType 6");
  EXPECT_FAILS(HCCL_E_PARA, HcclDedicatedThreadAcquire, (comm_, HCCL_DED_THREAD_TYPE_AICPU_LAUNCH, 65536, &thread),
               "65536 is out of range");
  EXPECT_EQ(thread, 7u);
}

// --- HcclThreadResGetInfo ----------------------------------------------------------------------------------------

using HcclThreadResGetInfoTest = OneRankTest;

TEST_F(HcclThreadResGetInfoTest, Stream_IsTheOneTheThreadWorksOn) {
  ThreadHandle thread = 0;
  void* stream = nullptr;
  ASSERT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, stream_, 0, &thread), HCCL_SUCCESS);
  EXPECT_EQ(HcclThreadResGetInfo(comm_, thread, THREAD_RES_TYPE_STREAM, sizeof stream, &stream), HCCL_SUCCESS);
  EXPECT_EQ(stream, stream_);
  ASSERT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_CPU, 1, 0, &thread), HCCL_SUCCESS);
  EXPECT_EQ(HcclThreadResGetInfo(comm_, thread, THREAD_RES_TYPE_STREAM, sizeof stream, &stream), HCCL_SUCCESS);
  const DeviceInts from({5});
  const DeviceInts to({0});
  EXPECT_EQ(HcommLocalCopyOnThread(thread, to.data(), from.data(), 4), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_THAT(to.Read(), ::testing::ElementsAre(5));
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream, (stream), "is not a stream that aclrtCreateStream made");
}

TEST_F(HcclThreadResGetInfoTest, BadArguments_AreRefusedInOrder) {
  ThreadHandle thread = 0;
  void* info = &thread;
  ASSERT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_CPU, 1, 0, &thread), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadResGetInfo, (nullptr, thread, THREAD_RES_TYPE_STREAM, 8, &info), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadResGetInfo, (comm_, 0, THREAD_RES_TYPE_STREAM, 8, nullptr), "info is null");
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcclThreadResGetInfo, (comm_, 0, THREAD_RES_TYPE_INVALID, 8, &info),
               "thread 0x0 is null");
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcclThreadResGetInfo,
               (comm_, reinterpret_cast<uint64_t>(comm_), THREAD_RES_TYPE_STREAM, 8, &info),
               "is a communicator, expected a thread");
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclThreadResGetInfo, (comm_, thread, THREAD_RES_TYPE_INVALID, 8, &info),
               "resType -1 is not supported; use THREAD_RES_TYPE_STREAM 0");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadResGetInfo, (comm_, thread, THREAD_RES_TYPE_STREAM, 4, &info),
               "infoLen 4 is not the 8 bytes");
  EXPECT_EQ(info, &thread);
}

// --- HcclThreadExportToCommEngine --------------------------------------------------------------------------------

using HcclThreadExportToCommEngineTest = OneRankTest;

TEST_F(HcclThreadExportToCommEngineTest, BothWays_HandlesNameTheSameThreads) {
  ThreadHandle host = 0;
  ThreadHandle device[2] = {};
  ASSERT_EQ(HcclThreadAcquireWithStream(comm_, COMM_ENGINE_CPU_TS, stream_, 1, &host), HCCL_SUCCESS);
  ASSERT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU_TS, 2, 1, device), HCCL_SUCCESS);
  ThreadHandle on_device = 0;
  ThreadHandle on_host[2] = {};
  EXPECT_EQ(HcclThreadExportToCommEngine(comm_, 1, &host, COMM_ENGINE_AICPU_TS, &on_device), HCCL_SUCCESS);
  EXPECT_EQ(HcclThreadExportToCommEngine(comm_, 2, device, COMM_ENGINE_CPU_TS, on_host), HCCL_SUCCESS);
  for (const auto& [exported, original] :
       {std::pair{on_device, host}, std::pair{on_host[0], device[0]}, std::pair{on_host[1], device[1]}}) {
    void* mine = nullptr;
    void* theirs = nullptr;
    EXPECT_EQ(HcclThreadResGetInfo(comm_, original, THREAD_RES_TYPE_STREAM, sizeof mine, &mine), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadResGetInfo(comm_, exported, THREAD_RES_TYPE_STREAM, sizeof theirs, &theirs), HCCL_SUCCESS);
    EXPECT_EQ(mine, theirs);
  }
  ThreadHandle again = 0;
  EXPECT_EQ(HcclThreadExportToCommEngine(comm_, 1, &host, COMM_ENGINE_AICPU_TS, &again), HCCL_SUCCESS);
  EXPECT_EQ(again, on_device);
}

TEST_F(HcclThreadExportToCommEngineTest, BadArguments_AreRefusedInOrder) {
  ThreadHandle threads[41] = {};
  ThreadHandle exported[41] = {7};
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadExportToCommEngine, (nullptr, 0, nullptr, COMM_ENGINE_CPU, nullptr),
               "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadExportToCommEngine, (comm_, 0, nullptr, COMM_ENGINE_CPU, nullptr),
               "threads is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadExportToCommEngine, (comm_, 0, threads, COMM_ENGINE_CPU, nullptr),
               "exportedThreads is null");
  for (const uint32_t count : {0u, 41u}) {
    EXPECT_FAILS(HCCL_E_PARA, HcclThreadExportToCommEngine, (comm_, count, threads, COMM_ENGINE_CPU, exported),
                 "threadNum " + std::to_string(count) + " is out of range, use 1 to 40");
  }
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadExportToCommEngine, (comm_, 1, threads, COMM_ENGINE_RESERVED, exported),
               "engine -1");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadExportToCommEngine, (comm_, 1, threads, COMM_ENGINE_AIV, exported),
               "dstCommEngine 4 (AIV) cannot name threads");
  ASSERT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU, 1, 0, threads), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadExportToCommEngine, (comm_, 2, threads, COMM_ENGINE_CPU, exported),
               "threads[1] 0x0 is null");
  EXPECT_EQ(exported[0], 7u) << "all or nothing";
  HcclRootInfo root;
  HcclComm other = nullptr;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  ASSERT_EQ(HcclCommInitRootInfo(1, &root, 0, &other), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadExportToCommEngine, (other, 1, threads, COMM_ENGINE_CPU, exported),
               "was not acquired from communicator");
  EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
