// aclrtValueWrite, aclrtValueWait.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

// Two words of device memory, both 0, and a second stream.
class ValueTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&memory_, 16, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(memory_, 16, 0, 16), ACL_SUCCESS);
  }
  void TearDown() override {
    if (memory_ != nullptr) {
      EXPECT_EQ(aclrtFree(memory_), ACL_SUCCESS);
    }
    EXPECT_EQ(aclrtDestroyStream(other_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  void* Word(int index) { return static_cast<char*>(memory_) + 8 * index; }
  uint64_t Read(int index) {
    uint64_t value = 0;
    EXPECT_EQ(aclrtMemcpy(&value, 8, Word(index), 8, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return value;
  }
  void Write(int index, uint64_t value) {
    EXPECT_EQ(aclrtMemcpy(Word(index), 8, &value, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  }
  bool IsDone(aclrtStream stream) {
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
    return status == ACL_STREAM_STATUS_COMPLETE;
  }

  aclrtStream other_ = nullptr;
  void* memory_ = nullptr;
};

using aclrtValueWriteTest = ValueTest;

TEST_F(aclrtValueWriteTest, Written_InStreamOrder) {
  EXPECT_EQ(aclrtValueWait(Word(1), 1, ACL_STREAM_WAIT_VALUE_EQ, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtValueWrite(Word(0), UINT64_MAX - 1, 0, stream_), ACL_SUCCESS);
  EXPECT_EQ(Read(0), 0u);
  EXPECT_EQ(aclrtValueWrite(Word(1), 1, 0, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(Read(0), UINT64_MAX - 1);
  EXPECT_EQ(Read(1), 1u) << "only the word itself";
}

TEST_F(aclrtValueWriteTest, BadArguments_AreRefusedInOrder) {
  uint64_t on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtValueWrite, (nullptr, 1, 9, stream_), "devAddr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWrite, (&on_the_stack, 1, 9, stream_),
               "flag 9 is reserved and must be 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWrite, (static_cast<char*>(memory_) + 4, 1, 0, stream_),
               "is not aligned to 8 bytes");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWrite, (&on_the_stack, 1, 0, stream_),
               "is not device memory; use memory from aclrtMalloc");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWrite, (Word(2), 1, 0, stream_), "devAddr",
               "points to freed or unallocated device memory of device 0");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtValueWrite, (Word(0), 1, 0, &on_the_stack),
               "is not a stream of this process");
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtValueWrite, (Word(0), 1, 0, stream_), "no device is set");
  }).join();
  EXPECT_EQ(on_the_stack, 0u);
  EXPECT_EQ(Read(0), 0u);
}

using aclrtValueWaitTest = ValueTest;

TEST_F(aclrtValueWaitTest, BadArguments_AreRefusedInOrder) {
  uint64_t on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtValueWait, (nullptr, 1, 9, stream_), "devAddr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWait, (&on_the_stack, 1, 4, stream_),
               "flag 4 is not valid; use 0 (at least) to 3 (nor)");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWait, (static_cast<char*>(memory_) + 1, 1, 0, stream_),
               "is not aligned to 8 bytes");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWait, (&on_the_stack, 1, 0, stream_), "is not device memory");
}

TEST_F(aclrtValueWaitTest, EachComparison_EndsAtTheFirstValueThatFits) {
  struct Row {
    uint32_t flag;
    uint64_t value;
    uint64_t not_yet;
    uint64_t then;
  };
  for (const Row& row : {Row{ACL_STREAM_WAIT_VALUE_GEQ, 5, 4, 9}, Row{ACL_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
                         Row{ACL_STREAM_WAIT_VALUE_AND, 6, 9, 2}, Row{ACL_STREAM_WAIT_VALUE_NOR, 1, UINT64_MAX - 1, 5},
                         Row{ACL_STREAM_WAIT_VALUE_GEQ, 0, UINT64_MAX, 0}}) {
    Write(0, row.not_yet);
    EXPECT_EQ(aclrtValueWait(Word(0), row.value, row.flag, stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtValueWrite(Word(0), row.not_yet, 0, other_), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
    EXPECT_FALSE(IsDone(stream_)) << row.flag;
    EXPECT_EQ(aclrtValueWrite(Word(0), row.then, 0, other_), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(Read(0), row.then) << "a wait changes nothing";
  }
}

TEST_F(aclrtValueWaitTest, FitsAlready_DoesNotWait) {
  Write(0, 5);
  EXPECT_EQ(aclrtValueWait(Word(0), 5, ACL_STREAM_WAIT_VALUE_EQ, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

TEST_F(aclrtValueWaitTest, WrittenByTheProgram_IsSeen) {
  std::atomic<bool> ran{false};
  EXPECT_EQ(aclrtValueWait(Word(0), 7, ACL_STREAM_WAIT_VALUE_EQ, stream_), ACL_SUCCESS);
  const Launch behind(stream_, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  Write(0, 6);
  EXPECT_EQ(RunKernel(other_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
  EXPECT_FALSE(ran.load());
  Write(0, 7);
  WaitUntil([&] { return ran.load(); }, "the kernel behind the wait");
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(aclrtValueWaitTest, WrittenByAKernel_IsSeenWhileItRuns) {
  std::atomic<bool> ran{false};
  EXPECT_EQ(aclrtValueWait(Word(0), 1, ACL_STREAM_WAIT_VALUE_GEQ, stream_), ACL_SUCCESS);
  const Launch behind(stream_, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  const Launch writer(other_, [&](const Hcomm&) {
    std::atomic_ref<uint64_t>(*static_cast<uint64_t*>(Word(0))).store(1);
    WaitUntil([&] { return ran.load(); }, "the other stream");
    return 0u;
  });
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(aclrtValueWaitTest, ManyWaits_HoldNoThread) {
  std::vector<aclrtStream> streams(64, nullptr);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    ASSERT_EQ(aclrtCreateStream(&streams[i]), ACL_SUCCESS);
    EXPECT_EQ(aclrtValueWait(Word(0), i + 1, ACL_STREAM_WAIT_VALUE_GEQ, streams[i]), ACL_SUCCESS);
    EXPECT_EQ(aclrtValueWrite(Word(0), i + 2, 0, streams[i]), ACL_SUCCESS);
  }
  EXPECT_EQ(RunKernel(other_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS) << "others run meanwhile";
  EXPECT_EQ(Read(0), 0u);
  EXPECT_EQ(aclrtValueWrite(Word(0), 1, 0, stream_), ACL_SUCCESS);
  for (aclrtStream stream : streams) {
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(Read(0), 65u);
}

TEST_F(aclrtValueWaitTest, MemoryFreedMeanwhile_FailsTheStream) {
  ExpectLog({"value wait", "failed: devAddr", "freed or unallocated"});
  EXPECT_EQ(aclrtValueWait(Word(0), 1, ACL_STREAM_WAIT_VALUE_EQ, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory_), ACL_SUCCESS);
  memory_ = nullptr;
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "freed or unallocated");
}

TEST_F(aclrtValueWaitTest, StreamAborted_EndsTheWait) {
  EXPECT_EQ(aclrtValueWait(Word(0), 1, ACL_STREAM_WAIT_VALUE_EQ, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamAbort(stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream, (stream_), "was aborted");
}

TEST_F(aclrtValueWaitTest, Captured_IsReplayedEachTime) {
  aclmdlRI graph = nullptr;
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  EXPECT_EQ(aclrtValueWait(Word(0), 3, ACL_STREAM_WAIT_VALUE_EQ, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtValueWrite(Word(0), 4, 0, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &graph), ACL_SUCCESS);
  EXPECT_EQ(Read(0), 0u);
  for (int replay = 0; replay < 3; ++replay) {
    EXPECT_EQ(aclmdlRIExecuteAsync(graph, stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtValueWrite(Word(0), 3, 0, other_), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(Read(0), 4u);
  }
  EXPECT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
