// A wait for a word of memory ends when the word fits, whoever wrote it; it parks its stream and no thread; and memory
// that is freed under it is an error, not a fault.
#include "exec/word_wait.h"

#include <atomic>
#include <thread>

#include "exec/watch.h"
#include "exec_fixture.h"
#include "memory/memory.h"

namespace softhccl::exec {
namespace {

using base::Code;
using ::testing::HasSubstr;

TEST(AwaitedWordTest, Accepts_EachTest_ComparesAsItSays) {
  struct Row {
    WordTest test;
    std::uint64_t value;
    std::uint64_t word;
    bool is_accepted;
  };
  constexpr std::uint64_t kAll = UINT64_MAX;
  for (const Row& row :
       {Row{WordTest::kAtLeast, 5, 5, true}, Row{WordTest::kAtLeast, 5, 4, false}, Row{WordTest::kAtLeast, 5, 6, true},
        Row{WordTest::kAtLeast, kAll, 0, true}, Row{WordTest::kAtLeast, 0, kAll, false},
        Row{WordTest::kEqual, 5, 5, true}, Row{WordTest::kEqual, 5, 6, false}, Row{WordTest::kAnyBit, 6, 2, true},
        Row{WordTest::kAnyBit, 6, 9, false}, Row{WordTest::kLeavesABit, 1, kAll - 1, false},
        Row{WordTest::kLeavesABit, 0, kAll - 1, true}}) {
    const AwaitedWord awaited{nullptr, row.value, row.test};
    EXPECT_EQ(awaited.Accepts(row.word), row.is_accepted)
        << static_cast<int>(row.test) << " " << row.value << " " << row.word;
  }
}

class WordWaitTest : public ExecTest {
 protected:
  void SetUp() override {
    auto made = memory::Memory::Process().Allocate(memory::Space::kDevice, 0, 64, "a test");
    ASSERT_TRUE(made.has_value());
    word_ = reinterpret_cast<std::uint64_t*>(*made);
    Set(0);
  }
  void TearDown() override {
    if (word_ != nullptr) Free();
  }
  void Free() {
    EXPECT_TRUE(memory::Memory::Process().Free(memory::Space::kDevice, word_).ok());
    word_ = nullptr;
  }
  void Set(std::uint64_t value) { std::atomic_ref<std::uint64_t>(*word_).store(value); }
  // An op that waits until the word is `value`; what it needs lives as long as the fixture.
  Op WaitForWord(std::uint64_t value) {
    waits_.emplace_back();
    std::unique_ptr<WordWait>& wait = waits_.back();
    const AwaitedWord awaited{word_, value, WordTest::kEqual};
    return Call(
        [&wait, awaited](OpContext& context) {
          if (wait == nullptr) {
            auto begun = WordWait::Begin(context, awaited);
            if (!begun) return context.Fail(begun.error());
            if (*begun == nullptr) return OpOutcome::kDone;
            wait = std::move(*begun);
          }
          const OpOutcome outcome = wait->Run(context, Op());
          if (outcome != OpOutcome::kSuspended) wait.reset();
          return outcome;
        },
        [&wait](const base::Status&) { wait.reset(); });
  }

  std::uint64_t* word_ = nullptr;
  std::deque<std::unique_ptr<WordWait>> waits_;
};

TEST_F(WordWaitTest, WordFits_DoesNotWait) {
  Start(0);
  Stream* stream = NewStream();
  Set(3);
  Submit(stream, {WaitForWord(3)});
  Drain(stream);
  EXPECT_TRUE(scheduler().awaited_words().empty());
}

TEST_F(WordWaitTest, WrittenByAnOp_EndsWithThatOp) {
  Start(0);
  Stream* stream = NewStream();
  Stream* other = NewStream();
  Submit(stream, {WaitForWord(3)});
  RunAll();
  EXPECT_TRUE(stream->parked());
  Submit(other, {Do([&] { Set(2); })});
  RunAll();
  EXPECT_TRUE(stream->parked());
  Submit(other, {Do([&] { Set(3); })});
  RunAll();
  EXPECT_EQ(stream->completed(), 1u);
  EXPECT_TRUE(scheduler().awaited_words().empty());
}

TEST_F(WordWaitTest, WrittenByTheProgram_IsSeenByTheWatch) {
  Start(2);
  Watch watch(scheduler(), {});
  Stream* stream = NewStream();
  Submit(stream, {WaitForWord(3)});
  ASSERT_TRUE(WaitUntil([&] { return stream->parked(); }));
  Set(3);
  EXPECT_TRUE(WaitUntil([&] { return stream->completed() == 1; }));
}

TEST_F(WordWaitTest, SignalledAndChangedBack_GoesOnWaiting) {
  Start(0);
  Stream* stream = NewStream();
  Submit(stream, {WaitForWord(3)});
  RunAll();
  Set(3);
  scheduler().awaited_words().Look();
  Set(4);
  RunAll();
  EXPECT_TRUE(stream->parked());
  Set(3);
  scheduler().awaited_words().Look();
  RunAll();
  EXPECT_EQ(stream->completed(), 1u);
}

TEST_F(WordWaitTest, FreedMeanwhile_FailsTheStream) {
  Start(0);
  Stream* stream = NewStream();
  Submit(stream, {WaitForWord(3)});
  RunAll();
  Free();
  scheduler().awaited_words().Look();
  RunAll();
  EXPECT_EQ(stream->completed(), 1u);
  EXPECT_EQ(stream->error().code(), Code::kInvalidParam);
  EXPECT_THAT(TakeLog(), ::testing::ElementsAre(HasSubstr("devAddr")));
}

TEST_F(WordWaitTest, OrdinaryHostMemory_IsRefused) {
  Start(0);
  Stream* stream = NewStream();
  const std::uint64_t on_the_stack = 0;
  const AwaitedWord awaited{&on_the_stack, 1, WordTest::kEqual};
  Submit(stream, {Call([&](OpContext& context) {
           auto begun = WordWait::Begin(context, awaited);
           return begun ? OpOutcome::kDone : context.Fail(begun.error());
         })});
  Drain(stream);
  EXPECT_THAT(stream->error().message(), HasSubstr("is not memory of this library"));
  EXPECT_THAT(TakeLog(), ::testing::SizeIs(1));
}

TEST_F(WordWaitTest, StreamAborted_EndsTheWait) {
  Start(0);
  Stream* stream = NewStream();
  Submit(stream, {WaitForWord(3)});
  RunAll();
  EXPECT_TRUE(scheduler().AbortStream(*stream, base::Fail(Code::kStreamAborted, "aborted"), base::kForever).ok());
  EXPECT_TRUE(scheduler().awaited_words().empty());
  EXPECT_EQ(stream->completed(), 1u);
}

TEST_F(WordWaitTest, NobodyIsLeftToWrite_IsADeadlock) {
  base::ManualClock clock;
  Start(0, -1, 0, &clock);
  WatchOptions options;
  options.own_thread = false;
  options.is_closed = [] { return true; };
  Watch watch(scheduler(), options);
  Stream* stream = NewStream();
  Submit(stream, {WaitForWord(3)});
  RunAll();
  for (int i = 0; i < 40; ++i) {
    clock.Advance(base::FromMillis(40));
    watch.Tick();
  }
  RunAll();
  EXPECT_EQ(stream->error().code(), Code::kTimeout);
  EXPECT_THAT(TakeLog(), ::testing::ElementsAre(HasSubstr("for a record of the value 3 at 0x")));
}

// Many waits against many writers: every one ends, none twice.
TEST_F(WordWaitTest, ManyWaits_AllEnd) {
  Start(2);
  Watch watch(scheduler(), {});
  constexpr std::uint64_t kSteps = 50;
  Stream* stream = NewStream();
  Stream* other = NewStream();
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    Submit(stream, {WaitForWord(2 * step - 1), Do([this, step] { Set(2 * step); })});
    Submit(other, {Do([this, step] { Set(2 * step - 1); }), WaitForWord(2 * step)});
  }
  Drain(stream);
  Drain(other);
  EXPECT_TRUE(scheduler().awaited_words().empty());
}

}  // namespace
}  // namespace softhccl::exec
