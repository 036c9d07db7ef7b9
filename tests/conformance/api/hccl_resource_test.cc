// HcclThreadAcquire, HcclEngineCtxCreate, HcclEngineCtxGet, HcclGetHcclBuffer.
#include "one_rank_test.h"

namespace softhccl::conformance {
namespace {

using HcclThreadAcquireTest = OneRankTest;

TEST_F(HcclThreadAcquireTest, AskedAgain_PooledPerEngine) {
  ThreadHandle first[2] = {};
  ThreadHandle again[3] = {};
  EXPECT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU_TS, 2, 1, first), HCCL_SUCCESS);
  EXPECT_NE(first[0], first[1]);
  EXPECT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU_TS, 3, 5, again), HCCL_SUCCESS);
  EXPECT_EQ(again[0], first[0]);
  EXPECT_EQ(again[1], first[1]);
  for (const auto engine : {COMM_ENGINE_CPU, COMM_ENGINE_CPU_TS, COMM_ENGINE_AICPU}) {
    ThreadHandle other = 0;
    EXPECT_EQ(HcclThreadAcquire(comm_, engine, 1, 0, &other), HCCL_SUCCESS);
    EXPECT_THAT(again, ::testing::Not(::testing::Contains(other)));
  }
}

TEST_F(HcclThreadAcquireTest, BadArguments_AreRefusedInOrder) {
  ThreadHandle thread = 7;
  std::thread([this] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclThreadAcquire, (nullptr, COMM_ENGINE_RESERVED, 0, 70000, nullptr),
                 "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadAcquire, (nullptr, COMM_ENGINE_RESERVED, 0, 70000, nullptr), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclThreadAcquire, (comm_, COMM_ENGINE_RESERVED, 0, 70000, nullptr), "threads is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquire, (comm_, COMM_ENGINE_RESERVED, 0, 70000, &thread),
               "engine -1 is not known; use COMM_ENGINE_CPU 0");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquire, (comm_, static_cast<CommEngine>(6), 1, 1, &thread), "engine 6");
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclThreadAcquire, (comm_, COMM_ENGINE_AIV, 1, 1, &thread),
               "engine 4 (AIV) is not supported", "[HCCL_E_NOT_SUPPORT 5]");
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclThreadAcquire, (comm_, COMM_ENGINE_CCU, 1, 1, &thread), "engine 5 (CCU)");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquire, (comm_, COMM_ENGINE_AICPU, 0, 70000, &thread),
               "threadNum 0 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquire, (comm_, COMM_ENGINE_AICPU, 201, 1, &thread),
               "threadNum 201 is out of range; a communicator has 1 to 200 threads");
  EXPECT_FAILS(HCCL_E_PARA, HcclThreadAcquire, (comm_, COMM_ENGINE_AICPU, 1, 65536, &thread),
               "notifyNumPerThread 65536 is out of range; use at most 65535");
  EXPECT_EQ(thread, 7u);
}

TEST_F(HcclThreadAcquireTest, QuotaUsedUp_IsUnavailable) {
  ThreadHandle threads[200] = {};
  EXPECT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU, 150, 0, threads), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_UNAVAIL, HcclThreadAcquire, (comm_, COMM_ENGINE_CPU, 51, 0, threads),
               "threadNum 51 needs 51 new threads, but 150 of the 200", "[HCCL_E_UNAVAIL 7]");
  EXPECT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_CPU, 50, 0, threads), HCCL_SUCCESS) << "200 exactly";
  EXPECT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU, 150, 400, threads), HCCL_SUCCESS) << "topped up to 60000";
  EXPECT_FAILS(HCCL_E_UNAVAIL, HcclThreadAcquire, (comm_, COMM_ENGINE_CPU, 50, 200, threads),
               "notifyNumPerThread 200 would make 70000 notifies", "may have 65536");
}

using HcclEngineCtxCreateTest = OneRankTest;

TEST_F(HcclEngineCtxCreateTest, EveryEngine_HasItsOwnMemoryUnderOneTag) {
  void* contexts[6] = {};
  for (int engine = 0; engine < 6; ++engine) {
    EXPECT_EQ(HcclEngineCtxCreate(comm_, "tag", static_cast<CommEngine>(engine), 16, &contexts[engine]), HCCL_SUCCESS);
    char bytes[16] = {1};
    EXPECT_EQ(aclrtMemcpy(bytes, 16, contexts[engine], 16, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);
    EXPECT_THAT(bytes, ::testing::Each(0));
    for (int other = 0; other < engine; ++other) EXPECT_NE(contexts[other], contexts[engine]);
  }
}

TEST_F(HcclEngineCtxCreateTest, BadArguments_AreRefusedInOrder) {
  void* context = nullptr;
  const std::string longest(255, 't');
  const std::string too_long(256, 't');
  std::thread([this] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclEngineCtxCreate, (nullptr, nullptr, COMM_ENGINE_RESERVED, 0, nullptr),
                 "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcclEngineCtxCreate, (nullptr, nullptr, COMM_ENGINE_RESERVED, 0, nullptr), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclEngineCtxCreate, (comm_, too_long.c_str(), COMM_ENGINE_RESERVED, 0, nullptr),
               "ctx is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCreate, (comm_, too_long.c_str(), COMM_ENGINE_RESERVED, 0, &context),
               "ctxTag \"tttt", "is longer than 255 characters");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCreate, (comm_, "t", COMM_ENGINE_RESERVED, 0, &context), "engine -1");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCreate, (comm_, "t", COMM_ENGINE_AICPU, 0, &context), "size 0");
  EXPECT_FAILS(HCCL_E_OOM, HcclEngineCtxCreate, (comm_, "t", COMM_ENGINE_AICPU, UINT64_MAX, &context), "do not fit",
               "[HCCL_E_OOM 24]");
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(HcclEngineCtxCreate(comm_, longest.c_str(), COMM_ENGINE_AICPU, 1, &context), HCCL_SUCCESS);
}

TEST_F(HcclEngineCtxCreateTest, SameTagTwice_IsRefusedAndNullIsTheEmptyTag) {
  void* context = nullptr;
  EXPECT_EQ(HcclEngineCtxCreate(comm_, nullptr, COMM_ENGINE_AICPU, 24, &context), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCreate, (comm_, "", COMM_ENGINE_AICPU, 8, &context),
               "ctxTag \"\": a context of engine AICPU with this tag exists already (24 bytes)",
               "get it with HcclEngineCtxGet");
}

using HcclEngineCtxGetTest = OneRankTest;

TEST_F(HcclEngineCtxGetTest, Created_GivesAddressAndCreatedSize) {
  void* made = nullptr;
  void* found = nullptr;
  uint64_t size = 1;
  EXPECT_EQ(HcclEngineCtxCreate(comm_, "op", COMM_ENGINE_AICPU, 24, &made), HCCL_SUCCESS);
  EXPECT_EQ(HcclEngineCtxGet(comm_, "op", COMM_ENGINE_AICPU, &found, &size), HCCL_SUCCESS);
  EXPECT_EQ(found, made);
  EXPECT_EQ(size, 24u);
  // AICPU and AICPU_TS are different keys. The usual first question of an operator is no error line.
  EXPECT_FAILS_QUIETLY(HCCL_E_NOT_FOUND, HcclEngineCtxGet, (comm_, "op", COMM_ENGINE_AICPU_TS, &found, &size),
                       "ctxTag \"op\"", "has no context of engine AICPU_TS", "create it with HcclEngineCtxCreate",
                       "[HCCL_E_NOT_FOUND 6]");
  EXPECT_EQ(found, made);
  EXPECT_EQ(size, 24u);
}

TEST_F(HcclEngineCtxGetTest, BadArguments_AreRefusedInOrder) {
  void* context = nullptr;
  uint64_t size = 0;
  const std::string too_long(256, 't');
  std::thread([this] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclEngineCtxGet, (nullptr, nullptr, COMM_ENGINE_RESERVED, nullptr, nullptr),
                 "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcclEngineCtxGet, (nullptr, nullptr, COMM_ENGINE_RESERVED, nullptr, nullptr),
               "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclEngineCtxGet, (comm_, nullptr, COMM_ENGINE_RESERVED, nullptr, nullptr), "ctx is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclEngineCtxGet, (comm_, nullptr, COMM_ENGINE_RESERVED, &context, nullptr), "size is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxGet, (comm_, too_long.c_str(), COMM_ENGINE_RESERVED, &context, &size),
               "is longer than 255 characters");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxGet, (comm_, "t", COMM_ENGINE_RESERVED, &context, &size), "engine -1");
}

using HcclGetHcclBufferTest = OneRankTest;

TEST_F(HcclGetHcclBufferTest, AskedTwice_GivesTheSameUsableMemory) {
  void* first = nullptr;
  void* second = nullptr;
  uint64_t size = 0;
  EXPECT_EQ(HcclGetHcclBuffer(comm_, &first, &size), HCCL_SUCCESS);
  EXPECT_EQ(HcclGetHcclBuffer(comm_, &second, &size), HCCL_SUCCESS);
  EXPECT_EQ(first, second);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
  const int in = 42;
  int out = 0;
  char* last = static_cast<char*>(first) + size - sizeof in;
  EXPECT_EQ(aclrtMemcpy(last, sizeof in, &in, sizeof in, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(&out, sizeof out, last, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(out, 42);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy, (last + 1, sizeof in, &in, sizeof in, ACL_MEMCPY_DEFAULT),
               "the HcclBuffer of rank 0 (HCCL_BUFFSIZE=200)");
}

TEST_F(HcclGetHcclBufferTest, BadArguments_AreRefusedInOrder) {
  void* buffer = nullptr;
  uint64_t size = 0;
  std::thread([this] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclGetHcclBuffer, (nullptr, nullptr, nullptr), "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcclGetHcclBuffer, (nullptr, nullptr, nullptr), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclGetHcclBuffer, (comm_, nullptr, nullptr), "buffer is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclGetHcclBuffer, (comm_, &buffer, nullptr), "size is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclGetHcclBuffer, (stream_, &buffer, &size), "is a stream, expected a communicator");
}

}  // namespace
}  // namespace softhccl::conformance
