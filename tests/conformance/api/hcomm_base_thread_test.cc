// HcommThreadAlloc, HcommThreadFree, HcommThreadResGetInfo.
#include "engine/runtime.h"
#include "fixture.h"
#include "hcomm/hcomm_primitives.h"
#include "hcomm/hcomm_res.h"

namespace softhccl::conformance {
namespace {

using HcommThreadAllocTest = DeviceTest;

TEST_F(HcommThreadAllocTest, EveryEngine_ThreadsWork) {
  for (const auto engine : {COMM_ENGINE_CPU, COMM_ENGINE_CPU_TS, COMM_ENGINE_AICPU, COMM_ENGINE_AICPU_TS}) {
    const uint32_t notifies[2] = {0, 64};
    ThreadHandle threads[2] = {};
    ASSERT_EQ(HcommThreadAlloc(engine, 2, notifies, threads), 0);
    EXPECT_NE(threads[0], threads[1]);
    const DeviceInts from({3});
    const DeviceInts to({0});
    EXPECT_EQ(HcommLocalCopyOnThread(threads[1], to.data(), from.data(), 4), 0);
    void* stream = nullptr;
    EXPECT_EQ(HcommThreadResGetInfo(threads[1], THREAD_RES_TYPE_STREAM, sizeof stream, &stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_THAT(to.Read(), ::testing::ElementsAre(3));
    EXPECT_EQ(HcommThreadFree(threads, 2), 0);
  }
}

TEST_F(HcommThreadAllocTest, BadArguments_AreRefusedInOrder) {
  uint32_t notifies[201] = {};
  ThreadHandle threads[201] = {7};
  std::thread([&] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcommThreadAlloc, (COMM_ENGINE_CPU, 1, notifies, threads), "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcommThreadAlloc, (COMM_ENGINE_RESERVED, 0, nullptr, threads), "notifyNumPerThread is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommThreadAlloc, (COMM_ENGINE_RESERVED, 0, notifies, nullptr), "threads is null");
  for (const uint32_t count : {0u, 201u}) {
    EXPECT_FAILS(HCCL_E_PARA, HcommThreadAlloc, (COMM_ENGINE_RESERVED, count, notifies, threads),
                 "threadNum " + std::to_string(count) + " is out of range, use 1 to 200");
  }
  EXPECT_FAILS(HCCL_E_PARA, HcommThreadAlloc, (COMM_ENGINE_RESERVED, 1, notifies, threads), "engine -1");
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcommThreadAlloc, (COMM_ENGINE_AIV, 1, notifies, threads),
               "engine 4 (AIV) is not supported");
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcommThreadAlloc, (COMM_ENGINE_CCU, 1, notifies, threads), "engine 5 (CCU)");
  notifies[1] = 65;
  EXPECT_FAILS(HCCL_E_PARA, HcommThreadAlloc, (COMM_ENGINE_CPU, 2, notifies, threads),
               "notifyNumPerThread[1] 65 is larger than the limit of 64");
  EXPECT_EQ(threads[0], 7u);
}

using HcommThreadFreeTest = DeviceTest;

TEST_F(HcommThreadFreeTest, AnyBadHandle_NothingIsFreed) {
  const uint32_t notifies[2] = {};
  ThreadHandle threads[2] = {};
  ASSERT_EQ(HcommThreadAlloc(COMM_ENGINE_CPU, 2, notifies, threads), 0);
  const ThreadHandle twice[2] = {threads[0], threads[0]};
  EXPECT_FAILS(HCCL_E_PARA, HcommThreadFree, (twice, 2), "threads[1] 0x", "is in the list twice");
  const ThreadHandle with_zero[2] = {threads[0], 0};
  EXPECT_FAILS(HCCL_E_PARA, HcommThreadFree, (with_zero, 2), "threads[1] 0x0 is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommThreadFree, (nullptr, 1), "threads is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommThreadFree, (threads, 0), "threadNum 0");
  EXPECT_EQ(HcommThreadFree(threads, 2), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommThreadFree, (threads, 1), "threads[0] 0x", "is a thread that was destroyed");
}

TEST_F(HcommThreadFreeTest, ThreadOfACommunicator_GoesWithIt) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcommThreadFree, (&rank.thread, 1), "belongs to communicator");
  });
}

TEST_F(HcommThreadFreeTest, WorkPending_IsToldAndEnded) {
  ExpectLog({"HcommThreadFree: 1 ops were pending"});
  AllowLog({"without communicator", "failed"});
  const uint32_t none = 0;
  ThreadHandle thread = 0;
  aclrtNotify notify = nullptr;
  uint32_t id = 0;
  ASSERT_EQ(HcommThreadAlloc(COMM_ENGINE_CPU, 1, &none, &thread), 0);
  ASSERT_EQ(aclrtCreateNotify(&notify, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetNotifyId(notify, &id), ACL_SUCCESS);
  EXPECT_EQ(HcommAclrtNotifyWaitOnThread(thread, id, 0), 0);
  void* stream = nullptr;
  EXPECT_EQ(HcommThreadResGetInfo(thread, THREAD_RES_TYPE_STREAM, sizeof stream, &stream), 0);
  WaitUntil(
      [&] { return engine::Runtime::Get().scheduler().streams().Lookup(reinterpret_cast<uint64_t>(stream))->parked(); },
      "the wait is parked");
  EXPECT_EQ(HcommThreadFree(&thread, 1), 0);
  EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
}

using HcommThreadResGetInfoTest = DeviceTest;

TEST_F(HcommThreadResGetInfoTest, BadArguments_AreRefused) {
  const uint32_t none = 0;
  ThreadHandle thread = 0;
  void* info = nullptr;
  ASSERT_EQ(HcommThreadAlloc(COMM_ENGINE_CPU, 1, &none, &thread), 0);
  EXPECT_FAILS(HCCL_E_PTR, HcommThreadResGetInfo, (thread, THREAD_RES_TYPE_STREAM, 8, nullptr), "info is null");
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcommThreadResGetInfo, (0, THREAD_RES_TYPE_STREAM, 8, &info), "thread 0x0 is null");
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcommThreadResGetInfo, (thread, THREAD_RES_TYPE_INVALID, 8, &info), "resType -1");
  EXPECT_FAILS(HCCL_E_PARA, HcommThreadResGetInfo, (thread, THREAD_RES_TYPE_STREAM, 0, &info), "infoLen 0");
  EXPECT_EQ(HcommThreadFree(&thread, 1), 0);
  EXPECT_EQ(info, nullptr);
}

}  // namespace
}  // namespace softhccl::conformance
