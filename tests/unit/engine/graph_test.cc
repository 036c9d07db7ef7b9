// What a graph refuses to hold, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "engine/graph_capture.h"
#include "engine/ops/ops.h"
#include "engine/runtime.h"

namespace softhccl::engine {
namespace {

TEST(GraphCaptureTest, OpThatMeansSomethingOnce_IsRefusedAndInvalidatesTheCapture) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  auto stream = scheduler.CreateStream(0, {}, "captured stream");
  ASSERT_TRUE(stream.has_value());
  ASSERT_TRUE(GraphCaptures::Get().Begin(scheduler, **stream, CaptureMode::kGlobal).ok());
  exec::Op op = ops::Signal(std::make_shared<std::atomic<std::uint32_t>>(0));
  const base::Status refused = scheduler.Submit(**stream, {&op, 1});
  EXPECT_EQ(refused.code(), base::Code::kNotSupported);
  EXPECT_THAT(refused.message(), ::testing::HasSubstr("captured stream is captured into graph"));
  EXPECT_THAT(refused.message(), ::testing::HasSubstr("a graph cannot hold a '"));
  op.op_class->skip(op, refused);  // whoever submitted it frees it
  const auto ended = GraphCaptures::Get().End(**stream);
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message(), ::testing::HasSubstr("the capture is invalid: a graph cannot hold"));
  EXPECT_EQ(GraphCaptures::Get().Of(**stream), nullptr);
  scheduler.DestroyStream(*stream);
}

TEST(GraphTest, OpsAfterTheEndOfTheCapture_AreNotTaken) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  auto stream = scheduler.CreateStream(0, {}, "captured stream");
  ASSERT_TRUE(stream.has_value());
  for (const bool is_valid : {true, false}) {
    Graph graph(scheduler, 0);
    ASSERT_TRUE(graph.Start(**stream).ok());
    base::Status answer;
    const exec::Op op = ops::Fence();
    EXPECT_TRUE(graph.Record(**stream, {&op, 1}, &answer));
    EXPECT_TRUE(answer.ok()) << answer.message();
    if (!is_valid) {
      EXPECT_TRUE(graph.Invalidate(base::Fail(base::Code::kInternal, "of a test")));
    }
    EXPECT_EQ(graph.Complete().ok(), is_valid);
    EXPECT_FALSE(graph.Record(**stream, {&op, 1}, &answer));
    EXPECT_FALSE(graph.Invalidate(base::Fail(base::Code::kInternal, "too late")));
    EXPECT_EQ(graph.TasksOf(graph.Streams().front()).size(), 1u);
  }
  scheduler.DestroyStream(*stream);
}

}  // namespace
}  // namespace softhccl::engine
