// Work that is given to a stream while it is destroyed: it is run, skipped or refused, and never forgotten, also when
// the next stream already has the same place in memory.
#include <atomic>
#include <thread>

#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;

constexpr int kRounds = kSanitized ? 100 : 400;

class StreamRaceTest : public ExecTest {
 protected:
  // Submits `op` with `submit` on a thread of its own until that is refused, and destroys the stream meanwhile.
  void Round(Stream* stream, const std::function<base::Status()>& submit) {
    std::atomic<int> attempts{0};
    std::thread submitter([&] {
      base::Status status;
      for (; status.ok() || status.code() == Code::kAgain; ++attempts) {
        status = submit();
        if (status.ok()) ++accepted_;
      }
      EXPECT_EQ(status.code(), Code::kInvalidHandle) << status.message();
    });
    EXPECT_TRUE(WaitUntil([&] { return attempts.load() > 0; }));
    scheduler().DestroyStream(stream);
    submitter.join();
  }
  bool IsEachAccounted() {
    return WaitUntil([&] { return ran_.load() + skipped_.load() == accepted_.load(); });
  }
  Op Counted() {
    return Do([this] { ++ran_; }, [this](const base::Status&) { ++skipped_; });
  }

  std::atomic<int> accepted_{0};
  std::atomic<int> ran_{0};
  std::atomic<int> skipped_{0};
};

TEST_F(StreamRaceTest, SubmitToItsHandle_IsRunSkippedOrRefused) {
  Start(2);
  const Op op = Counted();
  for (int round = 0; round < kRounds; ++round) {
    Stream* stream = NewStream();
    const std::uint64_t handle = stream->handle;
    Round(stream, [&] { return scheduler().SubmitTo(handle, {&op, 1}); });
    ASSERT_TRUE(IsEachAccounted()) << "round " << round << ": " << accepted_ << " accepted, " << ran_ << " ran, "
                                   << skipped_ << " were skipped";
  }
  EXPECT_GE(accepted_.load(), 1);
}

TEST_F(StreamRaceTest, SubmitByPointer_IsRunSkippedOrRefused) {
  Start(2);
  const Op op = Counted();
  for (int round = 0; round < kRounds; ++round) {
    Stream* stream = NewStream();
    Round(stream, [&] { return scheduler().Submit(*stream, {&op, 1}); });
    ASSERT_TRUE(IsEachAccounted()) << "round " << round << ": " << accepted_ << " accepted, " << ran_ << " ran, "
                                   << skipped_ << " were skipped";
  }
}

TEST_F(StreamRaceTest, SubmitToAHandleWhosePlaceIsTakenAgain_NeverReachesTheNewStream) {
  Start(1);
  Stream* old = NewStream();
  const std::uint64_t handle = old->handle;
  scheduler().DestroyStream(old);
  Stream* next = NewStream();
  const Op op = Counted();
  EXPECT_EQ(scheduler().SubmitTo(handle, {&op, 1}).code(), Code::kInvalidHandle);
  EXPECT_EQ(next->submitted(), 0u);
  scheduler().DestroyStream(next);
}

TEST_F(StreamRaceTest, SubmitByPointerAfterTheEnd_IsRefused) {
  Start(1);
  Stream* stream = NewStream({}, "the stream that goes");
  scheduler().DestroyStream(stream);
  const Op op = Counted();
  const base::Status refused = scheduler().Submit(*stream, {&op, 1});
  EXPECT_EQ(refused.code(), Code::kInvalidHandle);
  EXPECT_THAT(refused.message(), ::testing::HasSubstr("was destroyed while it was used"));
}

}  // namespace
}  // namespace softhccl::exec
