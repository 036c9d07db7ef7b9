// Host callbacks in captures: each replay calls them again, on the thread that served the captured stream.
#include <pthread.h>

#include "graph_test_fixture.h"

namespace softhccl::conformance {
namespace {

struct Calls {
  std::atomic<int> count{0};
  std::atomic<uint64_t> thread{0};
};

void Count(void* data) {
  static_cast<Calls*>(data)->thread = static_cast<uint64_t>(pthread_self());
  ++static_cast<Calls*>(data)->count;
}

class GraphCallbackTest : public GraphFixture {};

TEST_F(GraphCallbackTest, HostFunction_IsCalledAtEachReplayInItsPlace) {
  const DeviceInts ints({0, 0});
  Calls calls;
  struct Job {
    const DeviceInts* ints;
    std::vector<int> seen;
  } job{&ints, {}};
  const auto look = [](void* data) {
    auto& mine = *static_cast<Job*>(data);
    mine.seen.push_back(mine.ints->data()[1]);
  };
  Begin();
  Copy(ints, 0, 1, stream_);
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, look, &job), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, Count, &calls), ACL_SUCCESS);
  End();
  EXPECT_EQ(calls.count, 0);
  for (int i = 1; i <= 10; ++i) {
    Set(ints, {i, 0});
    Replay();
    ASSERT_EQ(calls.count, i);
    ASSERT_EQ(job.seen.back(), i);
  }
}

TEST_F(GraphCallbackTest, SubscribedCallback_RunsOnTheThreadOfTheCapturedStream) {
  Calls calls;
  std::atomic<bool> stopping{false};
  std::thread server([&] {
    while (!stopping) static_cast<void>(aclrtProcessReport(20));
  });
  const auto id = static_cast<uint64_t>(server.native_handle());
  ASSERT_EQ(aclrtSubscribeReport(id, stream_), ACL_SUCCESS);
  Begin();
  ASSERT_EQ(aclrtLaunchCallback(Count, &calls, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  End();
  aclrtStream other = MakeStream();
  for (aclrtStream stream : {stream_, other}) {
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  }
  EXPECT_EQ(calls.count, 2);
  EXPECT_EQ(calls.thread, id);
  ASSERT_EQ(aclrtUnSubscribeReport(id, stream_), ACL_SUCCESS);
  stopping = true;
  server.join();
  ExpectLog({"host callback", "no thread to run on"});
  ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "no thread to run on");
  EXPECT_EQ(calls.count, 2);
}

TEST_F(GraphCallbackTest, GraphDestroyedWithoutAReplay_CallsNobody) {
  Calls calls;
  Begin();
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, Count, &calls), ACL_SUCCESS);
  End();
  ASSERT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
  graph_ = nullptr;
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(calls.count, 0);
}

}  // namespace
}  // namespace softhccl::conformance
