// HcclGetRootInfo, HcclCommInitRootInfo, HcclCommInitRootInfoConfig, HcclCommDestroy and the queries: HcclGetRankId,
// HcclGetRankSize, HcclGetCommName, HcclGetCommAsyncError, HcclGetErrorString.
#include <cstring>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcclGetRootInfoTest : public DeviceTest {};

TEST_F(HcclGetRootInfoTest, CalledTwice_GivesDifferentOpaqueBytes) {
  HcclRootInfo first;
  HcclRootInfo second;
  EXPECT_EQ(HcclGetRootInfo(&first), HCCL_SUCCESS);
  EXPECT_EQ(HcclGetRootInfo(&second), HCCL_SUCCESS);
  EXPECT_NE(std::memcmp(&first, &second, sizeof first), 0);
}

TEST_F(HcclGetRootInfoTest, NullAndNoDevice_NoDeviceWins) {
  EXPECT_FAILS(HCCL_E_PTR, HcclGetRootInfo, (nullptr), "rootInfo is null", "[HCCL_E_PTR 2]");
  std::thread([this] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclGetRootInfo, (nullptr), "no device is set on this thread", "[HCCL_E_RUNTIME 15]");
  }).join();
}

// A root info and the communicators that a test makes of it.
class CommTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(HcclGetRootInfo(&root_), HCCL_SUCCESS);
    HcclCommConfigInit(&config_);
  }
  HcclRootInfo root_;
  HcclCommConfig config_;
  HcclComm comm_ = nullptr;
};

using HcclCommInitRootInfoTest = CommTest;

TEST_F(HcclCommInitRootInfoTest, OneRank_Succeeds) {
  EXPECT_EQ(HcclCommInitRootInfo(1, &root_, 0, &comm_), HCCL_SUCCESS);
  EXPECT_NE(comm_, nullptr);
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
}

TEST_F(HcclCommInitRootInfoTest, BadArguments_AreRefusedInOrder) {
  std::thread([this] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclCommInitRootInfo, (0, nullptr, 5, nullptr), "no device is set", "15]");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitRootInfo, (0, nullptr, 5, nullptr), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitRootInfo, (0, nullptr, 5, &comm_), "rootInfo is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (0, &root_, 5, &comm_), "nRanks 0", "[HCCL_E_PARA 1]");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (2, &root_, 2, &comm_), "rank 2 is out of range, nRanks is 2",
               "use 0 to 1");
  EXPECT_EQ(comm_, nullptr);
}

TEST_F(HcclCommInitRootInfoTest, RootInfoNotFilledOrForeign_IsRefused) {
  HcclRootInfo zeros;
  std::memset(&zeros, 0, sizeof zeros);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (1, &zeros, 0, &comm_), "rootInfo was not filled by HcclGetRootInfo",
               "4108 bytes");
  std::memset(&zeros, 'x', sizeof zeros);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (1, &zeros, 0, &comm_), "rootInfo was not filled");
  std::memset(&zeros, 0, sizeof zeros);
  std::strcpy(zeros.internal, "somewhere_else");
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcclCommInitRootInfo, (1, &zeros, 0, &comm_), "rootInfo names \"somewhere_else\"");
}

TEST_F(HcclCommInitRootInfoTest, RootInfoUsedBefore_IsRefused) {
  EXPECT_EQ(HcclCommInitRootInfo(1, &root_, 0, &comm_), HCCL_SUCCESS);
  HcclComm second = nullptr;
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (1, &root_, 0, &second), "exists already on device 0");
  std::thread([this] {
    HcclComm other = nullptr;
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_FAILS(HCCL_E_INTERNAL, HcclCommInitRootInfo, (1, &root_, 0, &other),
                 "was used already by a communicator of 1 ranks", "call HcclGetRootInfo again");
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  }).join();
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcclCommInitRootInfo, (1, &root_, 0, &second), "or its communicator is gone");
}

// Two ranks that do not agree: both are told, whoever comes second.
TEST_F(HcclCommInitRootInfoTest, SameRankTwice_FailsBoth) {
  ExpectLog({"rank 1 joined twice"});
  const auto join = [this](int32_t device) {
    HcclComm comm = nullptr;
    EXPECT_EQ(aclrtSetDevice(device), ACL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(2, &root_, 1, &comm), HCCL_E_INTERNAL);
    const std::string text = aclGetRecentErrMsg();
    EXPECT_THAT(text, ::testing::HasSubstr("rank 1 joined twice (devices"));
    EXPECT_THAT(text, ::testing::HasSubstr("every rank must have its own number [HCCL_E_INTERNAL 4]"));
    EXPECT_EQ(comm, nullptr);
    EXPECT_EQ(aclrtResetDevice(device), ACL_SUCCESS);
  };
  std::thread first([&] { join(1); });
  std::thread second([&] { join(2); });
  first.join();
  second.join();
  std::thread([&] { join(3); }).join();  // the root info stays unusable
}

TEST_F(HcclCommInitRootInfoTest, DifferentSizes_FailBoth) {
  ExpectLog({"all must agree"});
  const auto join = [this](int32_t device, uint32_t ranks, uint32_t rank) {
    HcclComm comm = nullptr;
    EXPECT_EQ(aclrtSetDevice(device), ACL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(ranks, &root_, rank, &comm), HCCL_E_INTERNAL);
    EXPECT_THAT(aclGetRecentErrMsg(), ::testing::HasSubstr("nRanks: rank"));
    EXPECT_EQ(comm, nullptr);
    EXPECT_EQ(aclrtResetDevice(device), ACL_SUCCESS);
  };
  std::thread first([&] { join(1, 2, 0); });
  std::thread second([&] { join(2, 3, 1); });
  first.join();
  second.join();
}

TEST_F(HcclCommInitRootInfoTest, InsideAKernel_IsRefused) {
  EXPECT_EQ(RunKernel(stream_,
                      [this](const Hcomm&) {
                        EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (1, &root_, 0, &comm_),
                                     "must not be called from a kernel");
                        return 0u;
                      }),
            ACL_SUCCESS);
}

using HcclCommInitRootInfoConfigTest = CommTest;

TEST_F(HcclCommInitRootInfoConfigTest, NameAndBufferSize_TakeEffect) {
  config_.hcclBufferSize = 1;
  std::strcpy(config_.hcclCommName, "world of one");
  EXPECT_EQ(HcclCommInitRootInfoConfig(1, &root_, 0, &config_, &comm_), HCCL_SUCCESS);
  char name[128] = {};
  EXPECT_EQ(HcclGetCommName(comm_, name), HCCL_SUCCESS);
  EXPECT_STREQ(name, "world of one");
  void* buffer = nullptr;
  uint64_t size = 0;
  EXPECT_EQ(HcclGetHcclBuffer(comm_, &buffer, &size), HCCL_SUCCESS);
  EXPECT_EQ(size, 2u * 1024 * 1024);
  // The name is taken on this device for as long as the communicator lives.
  HcclRootInfo other_root;
  HcclComm other = nullptr;
  EXPECT_EQ(HcclGetRootInfo(&other_root), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfoConfig, (1, &other_root, 0, &config_, &other),
               "a communicator named world of one exists already on device 0");
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommInitRootInfoConfig(1, &other_root, 0, &config_, &other), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
}

TEST_F(HcclCommInitRootInfoConfigTest, NothingSet_UsesTheDefaults) {
  EXPECT_EQ(HcclCommInitRootInfoConfig(1, &root_, 0, &config_, &comm_), HCCL_SUCCESS);
  void* buffer = nullptr;
  uint64_t size = 0;
  EXPECT_EQ(HcclGetHcclBuffer(comm_, &buffer, &size), HCCL_SUCCESS);
  EXPECT_EQ(size, 2u * 200 * 1024 * 1024);
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
}

TEST_F(HcclCommInitRootInfoConfigTest, BadArguments_AreRefusedInOrder) {
  std::thread([this] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcclCommInitRootInfoConfig, (0, nullptr, 5, nullptr, nullptr), "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitRootInfoConfig, (0, nullptr, 5, nullptr, nullptr), "config is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitRootInfoConfig, (0, nullptr, 5, &config_, nullptr), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitRootInfoConfig, (0, nullptr, 5, &config_, &comm_), "rootInfo is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfoConfig, (1, &root_, 1, &config_, &comm_), "rank 1 is out of range");
}

TEST_F(HcclCommInitRootInfoConfigTest, BadFields_AreNamed) {
  config_.hcclBufferSize = 0;
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfoConfig, (1, &root_, 0, &config_, &comm_),
               "EI0003 config->hcclBufferSize 0 is not valid; use at least 1 (MB)");
  HcclCommConfigInit(&config_);
  std::memset(config_.hcclCommName, 'n', sizeof config_.hcclCommName);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfoConfig, (1, &root_, 0, &config_, &comm_),
               "EI0003 config->hcclCommName has no end; use at most 127 characters");
  std::memset(&config_, 0, sizeof config_);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfoConfig, (1, &root_, 0, &config_, &comm_),
               "EI0003 config has magic 0x0 and size 0, expected 0xf0f0f0f0", "call HcclCommConfigInit first");
  HcclCommConfigInit(&config_);
  const uint64_t size = 24;
  std::memcpy(config_.reserved, &size, sizeof size);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfoConfig, (1, &root_, 0, &config_, &comm_), "size 24, expected",
               "at least");
  EXPECT_EQ(comm_, nullptr);
}

using HcclCommDestroyTest = CommTest;

TEST_F(HcclCommDestroyTest, Null_SucceedsWithAWarningButNeedsADevice) {
  ExpectLog({"HcclCommDestroy: comm is null; nothing is destroyed"});
  EXPECT_EQ(HcclCommDestroy(nullptr), HCCL_SUCCESS);
  std::thread([this] { EXPECT_FAILS(HCCL_E_RUNTIME, HcclCommDestroy, (nullptr), "no device is set"); }).join();
}

TEST_F(HcclCommDestroyTest, TwiceOrForeign_IsRefusedByName) {
  EXPECT_EQ(HcclCommInitRootInfo(1, &root_, 0, &comm_), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommDestroy, (comm_), "comm 0x", "is a communicator that was destroyed");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommDestroy, (stream_), "is a stream, expected a communicator");
  int on_the_stack = 0;
  EXPECT_FAILS(HCCL_E_PARA, HcclCommDestroy, (&on_the_stack), "is not a communicator of this process");
}

TEST_F(HcclCommDestroyTest, AnotherDeviceIsSet_IsRefused) {
  EXPECT_EQ(HcclCommInitRootInfo(1, &root_, 0, &comm_), HCCL_SUCCESS);
  std::thread([this] {
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_FAILS(HCCL_E_PARA, HcclCommDestroy, (comm_), "belongs to device 0, but device 1 is set on this thread");
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS) << "another thread may destroy it";
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }).join();
}

TEST_F(HcclCommDestroyTest, KernelHoldsIt_TryAgainUntilItIsReleased) {
  EXPECT_EQ(HcclCommInitRootInfo(1, &root_, 0, &comm_), HCCL_SUCCESS);
  char name[128] = {};
  EXPECT_EQ(HcclGetCommName(comm_, name), HCCL_SUCCESS);
  std::atomic<bool> is_held{false};
  std::atomic<bool> may_release{false};
  const Launch launch(stream_, [&](const Hcomm& hcomm) {
    EXPECT_EQ(hcomm.AcquireComm(name), HCCL_SUCCESS);
    is_held.store(true);
    WaitUntil([&] { return may_release.load(); }, "permission to release");
    EXPECT_EQ(hcomm.ReleaseComm(name), HCCL_SUCCESS);
    return 0u;
  });
  WaitUntil([&] { return is_held.load(); }, "the kernel holds the communicator");
  EXPECT_FAILS(HCCL_E_AGAIN, HcclCommDestroy, (comm_), std::string("comm ") + name + " is in use by a kernel",
               "try again", "[HCCL_E_AGAIN 20]");
  uint32_t rank = 9;
  EXPECT_EQ(HcclGetRankId(comm_, &rank), HCCL_SUCCESS) << "it is still usable";
  may_release.store(true);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
}

TEST_F(HcclCommDestroyTest, InsideAKernel_IsRefused) {
  EXPECT_EQ(RunKernel(stream_,
                      [this](const Hcomm&) {
                        EXPECT_FAILS(HCCL_E_PARA, HcclCommDestroy, (nullptr), "must not be called from a kernel");
                        return 0u;
                      }),
            ACL_SUCCESS);
}

// The queries check device, communicator, output in this order.
class HcclQueryTest : public CommTest {
 protected:
  // `query(comm, whether to pass an output)` is the call under test.
  template <typename Query>
  void CheckOrder(const char* function, const char* output, Query query) {
    EXPECT_EQ(HcclCommInitRootInfo(1, &root_, 0, &comm_), HCCL_SUCCESS);
    std::thread([&] {
      ExpectFailure(HCCL_E_RUNTIME, query(nullptr, false), function, {"no device is set", "[HCCL_E_RUNTIME 15]"});
    }).join();
    ExpectFailure(HCCL_E_PTR, query(nullptr, false), function, {"comm is null"});
    ExpectFailure(HCCL_E_PTR, query(comm_, false), function, {std::string(output) + " is null"});
    EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    ExpectFailure(HCCL_E_PARA, query(comm_, true), function, {"comm 0x", "is a communicator that was destroyed"});
  }
};

class HcclGetRankIdTest : public HcclQueryTest {};
TEST_F(HcclGetRankIdTest, BadArguments_AreRefusedInOrder) {
  CheckOrder("HcclGetRankId", "rank", [](HcclComm comm, bool with_output) {
    uint32_t rank = 0;
    return HcclGetRankId(comm, with_output ? &rank : nullptr);
  });
}

class HcclGetRankSizeTest : public HcclQueryTest {};
TEST_F(HcclGetRankSizeTest, BadArguments_AreRefusedInOrder) {
  CheckOrder("HcclGetRankSize", "rankSize", [](HcclComm comm, bool with_output) {
    uint32_t size = 0;
    return HcclGetRankSize(comm, with_output ? &size : nullptr);
  });
}

class HcclGetCommNameTest : public HcclQueryTest {};
TEST_F(HcclGetCommNameTest, BadArguments_AreRefusedInOrder) {
  CheckOrder("HcclGetCommName", "commName", [](HcclComm comm, bool with_output) {
    char name[128] = {};
    return HcclGetCommName(comm, with_output ? name : nullptr);
  });
}

class HcclGetCommAsyncErrorTest : public HcclQueryTest {};
TEST_F(HcclGetCommAsyncErrorTest, BadArguments_AreRefusedInOrder) {
  CheckOrder("HcclGetCommAsyncError", "asyncError", [](HcclComm comm, bool with_output) {
    HcclResult error = HCCL_SUCCESS;
    return HcclGetCommAsyncError(comm, with_output ? &error : nullptr);
  });
}

class RanksQueryTest : public ApiTest {};
TEST_F(RanksQueryTest, FourRanks_EveryQueryAnswersForItsRank) {
  std::mutex mutex;
  std::vector<std::string> names;
  RunRanks(4, [&](Rank& rank) {
    uint32_t id = 99;
    uint32_t size = 0;
    HcclResult error = HCCL_E_INTERNAL;
    char name[128];
    std::memset(name, 'x', sizeof name);
    EXPECT_EQ(HcclGetRankId(rank.comm, &id), HCCL_SUCCESS);
    EXPECT_EQ(HcclGetRankSize(rank.comm, &size), HCCL_SUCCESS);
    EXPECT_EQ(HcclGetCommName(rank.comm, name), HCCL_SUCCESS);
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(id, rank.id);
    EXPECT_EQ(size, 4u);
    EXPECT_EQ(error, HCCL_SUCCESS) << "the output is written";
    EXPECT_LT(::strnlen(name, sizeof name), sizeof name);
    std::lock_guard lock(mutex);
    names.emplace_back(name);
  });
  EXPECT_THAT(names, ::testing::Each(names[0])) << "one group, one name";
}

class HcclGetErrorStringTest : public ApiTest {};
TEST_F(HcclGetErrorStringTest, EveryCode_HasItsPublishedText) {
  EXPECT_STREQ(HcclGetErrorString(HCCL_SUCCESS), "no error");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_PARA), "parameter error");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_PTR), "empty pointer");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_NOT_SUPPORT), "not support feature");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_TIMEOUT), "timeout");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_AGAIN), "try again");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_REMOTE), "error cqe");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_OOM), "out of memory");
  EXPECT_STREQ(HcclGetErrorString(static_cast<HcclResult>(25)), "unknown err") << "a hole";
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_RESERVED), "unknown error");
  EXPECT_STREQ(HcclGetErrorString(FromNumber<HcclResult>(-1)), "unknown error");
}

}  // namespace
}  // namespace softhccl::conformance
