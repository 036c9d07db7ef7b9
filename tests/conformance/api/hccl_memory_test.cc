// HcclEngineCtxCopy, HcclEngineCtxDestroy, HcclGetHcclBufferCleared, HcclGetRemoteIpcHcclBuf, HcclDevMemAcquire,
// HcclCommMemReg.
#include <cstring>
#include <mutex>
#include <numeric>

#include "comm/memories.h"
#include "hccl/hccl_res_expt.h"
#include "one_rank_test.h"

namespace softhccl::conformance {
namespace {

std::vector<char> Read(const void* from, std::size_t size) {
  std::vector<char> bytes(size);
  EXPECT_EQ(aclrtMemcpy(bytes.data(), size, from, size, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);
  return bytes;
}

// --- HcclEngineCtxCopy, HcclEngineCtxDestroy ---------------------------------------------------------------------

using HcclEngineCtxCopyTest = OneRankTest;

TEST_F(HcclEngineCtxCopyTest, EveryEngine_BytesArriveAtTheOffsetOnly) {
  for (int number = 0; number < 6; ++number) {
    const auto engine = static_cast<CommEngine>(number);
    void* context = nullptr;
    ASSERT_EQ(HcclEngineCtxCreate(comm_, "copy", engine, 8, &context), HCCL_SUCCESS);
    EXPECT_EQ(HcclEngineCtxCopy(comm_, engine, "copy", "abc", 3, 5), HCCL_SUCCESS);
    EXPECT_EQ(std::string(Read(context, 8).data(), 8), std::string("\0\0\0\0\0abc", 8));
  }
}

TEST_F(HcclEngineCtxCopyTest, BadArguments_AreRefusedInOrder) {
  void* context = nullptr;
  ASSERT_EQ(HcclEngineCtxCreate(comm_, "t", COMM_ENGINE_AICPU, 8, &context), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PTR, HcclEngineCtxCopy, (nullptr, COMM_ENGINE_AICPU, "t", nullptr, 0, 0), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclEngineCtxCopy, (comm_, COMM_ENGINE_AICPU, "t", nullptr, 0, 0), "srcCtx is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCopy, (comm_, COMM_ENGINE_AICPU, "t", "abc", 0, 0), "size 0");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCopy, (comm_, COMM_ENGINE_RESERVED, "t", "abc", 3, 0), "engine -1");
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcclEngineCtxCopy, (comm_, COMM_ENGINE_AICPU_TS, "t", "abc", 3, 0),
               "has no context of engine AICPU_TS");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCopy, (comm_, COMM_ENGINE_AICPU, "t", "abc", 3, 6),
               "size 3 at dstCtxOffset 6 does not fit the 8 bytes");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCopy, (comm_, COMM_ENGINE_AICPU, "t", "abc", 3, UINT64_MAX),
               "does not fit the 8 bytes");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxCopy, (comm_, COMM_ENGINE_AICPU, "t", "abc", UINT64_MAX, 1),
               "does not fit the 8 bytes");
  EXPECT_THAT(Read(context, 8), ::testing::Each(0));
}

using HcclEngineCtxDestroyTest = OneRankTest;

TEST_F(HcclEngineCtxDestroyTest, Destroyed_IsGoneAndCanBeMadeAnew) {
  void* context = nullptr;
  uint64_t size = 0;
  for (int number = 0; number < 6; ++number) {
    const auto engine = static_cast<CommEngine>(number);
    ASSERT_EQ(HcclEngineCtxCreate(comm_, "t", engine, 8, &context), HCCL_SUCCESS);
    EXPECT_EQ(HcclEngineCtxDestroy(comm_, "t", engine), HCCL_SUCCESS);
    EXPECT_FAILS_QUIETLY(HCCL_E_NOT_FOUND, HcclEngineCtxGet, (comm_, "t", engine, &context, &size), "ctxTag \"t\"");
    EXPECT_EQ(HcclEngineCtxCreate(comm_, "t", engine, 16, &context), HCCL_SUCCESS);
    EXPECT_EQ(HcclEngineCtxGet(comm_, "t", engine, &context, &size), HCCL_SUCCESS);
    EXPECT_EQ(size, 16u);
  }
}

TEST_F(HcclEngineCtxDestroyTest, BadArguments_AreRefused) {
  EXPECT_FAILS(HCCL_E_PTR, HcclEngineCtxDestroy, (nullptr, "t", COMM_ENGINE_CPU), "comm is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxDestroy, (comm_, "t", COMM_ENGINE_RESERVED), "engine -1");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxDestroy, (comm_, "t", COMM_ENGINE_CPU), "has no context of engine CPU");
  EXPECT_FAILS(HCCL_E_PARA, HcclEngineCtxDestroy, (comm_, std::string(256, 't').c_str(), COMM_ENGINE_CPU),
               "is longer than 255 characters");
}

// --- HcclGetHcclBufferCleared, HcclGetRemoteIpcHcclBuf -----------------------------------------------------------

using HcclGetHcclBufferClearedTest = OneRankTest;

TEST_F(HcclGetHcclBufferClearedTest, EveryCall_ClearsAllOfTheSameMemory) {
  void* plain = nullptr;
  void* cleared = nullptr;
  uint64_t size = 0;
  uint64_t cleared_size = 0;
  ASSERT_EQ(HcclGetHcclBuffer(comm_, &plain, &size), HCCL_SUCCESS);
  for (int round = 0; round < 2; ++round) {
    for (const uint64_t offset : {uint64_t{0}, uint64_t{5'000'001}, size - 1}) {
      EXPECT_EQ(aclrtMemcpy(static_cast<char*>(plain) + offset, 1, "x", 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    }
    EXPECT_EQ(HcclGetHcclBufferCleared(comm_, &cleared, &cleared_size), HCCL_SUCCESS);
    EXPECT_EQ(cleared, plain);
    EXPECT_EQ(cleared_size, size);
    for (const uint64_t offset : {uint64_t{0}, uint64_t{5'000'001}, size - 1}) {
      EXPECT_EQ(Read(static_cast<char*>(plain) + offset, 1)[0], 0) << offset;
    }
  }
}

TEST_F(HcclGetHcclBufferClearedTest, Null_IsRefused) {
  void* buffer = nullptr;
  uint64_t size = 0;
  EXPECT_FAILS(HCCL_E_PTR, HcclGetHcclBufferCleared, (nullptr, &buffer, &size), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclGetHcclBufferCleared, (comm_, nullptr, &size), "buffer is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclGetHcclBufferCleared, (comm_, &buffer, nullptr), "size is null");
}

class HcclGetRemoteIpcHcclBufTest : public ApiTest {};

TEST_F(HcclGetRemoteIpcHcclBufTest, WithoutChannel_IsThePeersBuffer) {
  std::mutex one_at_a_time;
  RunRanks(3, [&](Rank& rank) {
    void* own = nullptr;
    void* theirs = nullptr;
    uint64_t size = 0;
    uint64_t their_size = 0;
    ASSERT_EQ(HcclGetHcclBuffer(rank.comm, &own, &size), HCCL_SUCCESS);
    *static_cast<uint32_t*>(own) = 100 + rank.id;
    rank.Meet();
    for (uint32_t other = 0; other < 3; ++other) {
      EXPECT_EQ(HcclGetRemoteIpcHcclBuf(rank.comm, other, &theirs, &their_size), HCCL_SUCCESS);
      EXPECT_EQ(*static_cast<uint32_t*>(theirs), 100 + other);
      EXPECT_EQ(their_size, size);
    }
    std::unique_lock alone(one_at_a_time);  // the ranks get the same sentences, and each must find its own in the log
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclGetRemoteIpcHcclBuf, (rank.comm, 3, &theirs, &their_size),
                    "remoteRank 3 is out of range, the communicator has 3 ranks");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclGetRemoteIpcHcclBuf, (rank.comm, uint64_t{1} << 32, &theirs, &their_size),
                    "remoteRank 4294967296");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclGetRemoteIpcHcclBuf, (rank.comm, 1, nullptr, &their_size), "addr is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclGetRemoteIpcHcclBuf, (rank.comm, 1, &theirs, nullptr), "size is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclGetRemoteIpcHcclBuf, (nullptr, 1, &theirs, &their_size), "comm is null");
    alone.unlock();
    rank.Meet();
  });
}

// --- HcclDevMemAcquire -------------------------------------------------------------------------------------------

using HcclDevMemAcquireTest = OneRankTest;

TEST_F(HcclDevMemAcquireTest, FirstCallMakes_LaterOnesFind) {
  uint64_t size = 100;
  void* made = nullptr;
  bool is_new = false;
  EXPECT_EQ(HcclDevMemAcquire(comm_, "m", &size, &made, &is_new), HCCL_SUCCESS);
  EXPECT_TRUE(is_new);
  EXPECT_EQ(size, 100u);
  EXPECT_THAT(Read(made, 100), ::testing::Each(0));
  void* found = nullptr;
  for (uint64_t wanted : {uint64_t{100}, uint64_t{1}, uint64_t{0}}) {
    EXPECT_EQ(HcclDevMemAcquire(comm_, "m", &wanted, &found, &is_new), HCCL_SUCCESS);
    EXPECT_FALSE(is_new);
    EXPECT_EQ(found, made);
    EXPECT_EQ(wanted, 100u);
  }
  uint64_t more = 101;
  EXPECT_FAILS(HCCL_E_PARA, HcclDevMemAcquire, (comm_, "m", &more, &found, &is_new), "has 100 bytes", "101 were asked");
  EXPECT_EQ(HcclDevMemAcquire(comm_, "other", &more, &found, &is_new), HCCL_SUCCESS);
  EXPECT_NE(found, made);
}

TEST_F(HcclDevMemAcquireTest, BadArguments_AreRefusedInOrder) {
  uint64_t size = 0;
  void* address = nullptr;
  bool is_new = false;
  EXPECT_FAILS(HCCL_E_PTR, HcclDevMemAcquire, (nullptr, "m", &size, &address, &is_new), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclDevMemAcquire, (comm_, nullptr, &size, &address, &is_new), "memTag is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclDevMemAcquire, (comm_, "m", nullptr, &address, &is_new), "size is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclDevMemAcquire, (comm_, "m", &size, nullptr, &is_new), "addr is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclDevMemAcquire, (comm_, "m", &size, &address, nullptr), "newCreated is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclDevMemAcquire, (comm_, "", &size, &address, &is_new), "memTag \"\" has no characters");
  EXPECT_FAILS(HCCL_E_PARA, HcclDevMemAcquire, (comm_, std::string(256, 'm').c_str(), &size, &address, &is_new),
               "too many characters; use 1 to 255");
  EXPECT_FAILS(HCCL_E_PARA, HcclDevMemAcquire, (comm_, "m", &size, &address, &is_new), "size 0");
  size = UINT64_MAX;
  EXPECT_FAILS(HCCL_E_OOM, HcclDevMemAcquire, (comm_, "m", &size, &address, &is_new), "do not fit");
}

// --- HcclCommMemReg ----------------------------------------------------------------------------------------------

class HcclCommMemRegTest : public OneRankTest {
 protected:
  void SetUp() override {
    before_ = comm::Memories().live();
    OneRankTest::SetUp();
  }
  void TearDown() override {
    OneRankTest::TearDown();
    EXPECT_EQ(comm::Memories().live(), before_) << "the communicator gives its registrations back";
  }
  uint32_t before_ = 0;
};

TEST_F(HcclCommMemRegTest, SameRangeAndTag_SameHandle) {
  const DeviceInts ints({1, 2, 3});
  char host[8] = {};
  HcclMemHandle first = nullptr;
  HcclMemHandle again = nullptr;
  const CommMem mem{COMM_MEM_TYPE_DEVICE, ints.data(), ints.bytes()};
  EXPECT_EQ(HcclCommMemReg(comm_, "a", &mem, &first), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommMemReg(comm_, "a", &mem, &again), HCCL_SUCCESS);
  EXPECT_EQ(first, again);
  EXPECT_EQ(HcclCommMemReg(comm_, "b", &mem, &again), HCCL_SUCCESS) << "overlap under another tag";
  EXPECT_NE(first, again);
  const CommMem part{COMM_MEM_TYPE_DEVICE, ints.data(), 4};
  EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, "a", &part, &again), "memTag \"a\" is taken", "12 bytes",
               "4 bytes");
  const CommMem on_host{COMM_MEM_TYPE_HOST, host, sizeof host};
  EXPECT_EQ(HcclCommMemReg(comm_, std::string(255, 'h').c_str(), &on_host, &again), HCCL_SUCCESS);
}

TEST_F(HcclCommMemRegTest, BadArguments_AreRefusedInOrder) {
  const DeviceInts ints({1});
  char host[8] = {};
  HcclMemHandle handle = nullptr;
  CommMem mem{COMM_MEM_TYPE_DEVICE, ints.data(), 4};
  EXPECT_FAILS(HCCL_E_PTR, HcclCommMemReg, (nullptr, "t", &mem, &handle), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommMemReg, (comm_, nullptr, &mem, &handle), "memTag is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, "", nullptr, &handle), "memTag \"\" has no characters");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, std::string(256, 't').c_str(), &mem, &handle),
               "too many characters; use 1 to 255");
  for (const char* reserved : {"__hccl_sym_win__", "__hccl_team_syncmem__7", "__hccl_team_usermem__"}) {
    EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, reserved, &mem, &handle), "which the library keeps for itself");
  }
  EXPECT_FAILS(HCCL_E_PTR, HcclCommMemReg, (comm_, "t", &mem, nullptr), "memHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommMemReg, (comm_, "t", nullptr, &handle), "mem is null");
  mem.type = COMM_MEM_TYPE_INVALID;
  EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, "t", &mem, &handle), "mem->type -1 is not known");
  mem = CommMem{COMM_MEM_TYPE_DEVICE, nullptr, 4};
  EXPECT_FAILS(HCCL_E_PTR, HcclCommMemReg, (comm_, "t", &mem, &handle), "mem->addr is null");
  mem = CommMem{COMM_MEM_TYPE_DEVICE, ints.data(), 0};
  EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, "t", &mem, &handle), "mem->size is 0");
  mem = CommMem{COMM_MEM_TYPE_DEVICE, ints.data(), 5};
  EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, "t", &mem, &handle), "mem->addr");
  mem = CommMem{COMM_MEM_TYPE_HOST, ints.data(), 4};
  EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, "t", &mem, &handle), "is device memory, but mem->type says host");
  mem = CommMem{COMM_MEM_TYPE_DEVICE, host, 4};
  EXPECT_FAILS(HCCL_E_PARA, HcclCommMemReg, (comm_, "t", &mem, &handle), "is host memory, but mem->type says device");
  EXPECT_EQ(handle, nullptr);
}

}  // namespace
}  // namespace softhccl::conformance
