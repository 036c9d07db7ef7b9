// Host callbacks: which thread runs them, what waits for them, and what becomes of those that nobody runs.
#include <pthread.h>

#include <stdexcept>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

uint64_t ThisThread() { return static_cast<uint64_t>(pthread_self()); }

struct Noted {
  std::atomic<int> calls{0};
  std::atomic<uint64_t> thread{0};
};

void Note(void* data) {
  static_cast<Noted*>(data)->calls.fetch_add(1);
  static_cast<Noted*>(data)->thread.store(ThisThread());
}

// A thread that serves callbacks until it is told to stop.
class Server {
 public:
  explicit Server(aclrtStream stream) : stream_(stream), thread_([this] { Serve(); }) {
    id_ = static_cast<uint64_t>(thread_.native_handle());
    EXPECT_EQ(aclrtSubscribeReport(id_, stream_), ACL_SUCCESS);
  }
  ~Server() {
    stopping_.store(true);
    EXPECT_EQ(aclrtUnSubscribeReport(id_, stream_), ACL_SUCCESS);
    thread_.join();
  }
  uint64_t id() const { return id_; }

 private:
  void Serve() {
    while (!stopping_.load()) static_cast<void>(aclrtProcessReport(20));
  }
  aclrtStream stream_;
  std::atomic<bool> stopping_{false};
  uint64_t id_ = 0;
  std::thread thread_;
};

class aclrtLaunchCallbackTest : public DeviceTest {};

TEST_F(aclrtLaunchCallbackTest, Blocking_RunsOnTheSubscribedThreadBeforeWhatFollows) {
  const Server server(stream_);
  Noted noted;
  EXPECT_EQ(aclrtLaunchCallback(Note, &noted, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  int seen = -1;
  const Launch behind(stream_, [&](const Hcomm&) {
    seen = noted.calls.load();
    return 0u;
  });
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(noted.thread.load(), server.id());
}

TEST_F(aclrtLaunchCallbackTest, NotBlocking_RunsInOrderAndHoldsNothingBack) {
  aclrtStream stream = stream_;
  EXPECT_EQ(aclrtSubscribeReport(ThisThread(), stream), ACL_SUCCESS);
  Noted noted;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(aclrtLaunchCallback(Note, &noted, ACL_CALLBACK_NO_BLOCK, stream), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(noted.calls.load(), 0) << "this thread has not asked for them";
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(aclrtProcessReport(1000), ACL_SUCCESS);
    EXPECT_EQ(noted.calls.load(), i) << "one per call";
  }
  EXPECT_EQ(aclrtUnSubscribeReport(ThisThread(), stream), ACL_SUCCESS);
}

TEST_F(aclrtLaunchCallbackTest, BadArguments_AreRefused) {
  Noted noted;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchCallback, (nullptr, &noted, ACL_CALLBACK_BLOCK, stream_),
               "fn is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchCallback,
               (Note, &noted, FromNumber<aclrtCallbackBlockType>(5), stream_), "blockType 5 is not known");
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_NO_CB_REG, aclrtLaunchCallback, (Note, &noted, ACL_CALLBACK_BLOCK, stream_),
               "no thread for callbacks", "107015]");
  EXPECT_EQ(noted.calls.load(), 0);
}

TEST_F(aclrtLaunchCallbackTest, BehindAFailure_IsNotRun) {
  ExpectLog({"returned 7"});
  const Server server(stream_);
  Noted noted;
  const Launch failing(stream_, [](const Hcomm&) { return 7u; });
  EXPECT_EQ(aclrtLaunchCallback(Note, &noted, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
  EXPECT_EQ(noted.calls.load(), 0);
}

class aclrtSubscribeReportTest : public DeviceTest {};

TEST_F(aclrtSubscribeReportTest, SecondThreadForAStream_IsRefused) {
  EXPECT_EQ(aclrtSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtSubscribeReport, (77, stream_), "has thread",
               "for its callbacks already", "107011]");
  EXPECT_FAILS(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtUnSubscribeReport, (77, stream_), "thread 77 is not subscribed",
               "107012]");
  EXPECT_EQ(aclrtUnSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtUnSubscribeReport, (ThisThread(), stream_), "is not subscribed");
}

class aclrtUnSubscribeReportTest : public DeviceTest {};

TEST_F(aclrtUnSubscribeReportTest, CallbackWasNotRun_StreamFailsInsteadOfWaiting) {
  ExpectLog({"host callback", "was given up before its thread ran it to its end"});
  EXPECT_EQ(aclrtSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
  Noted noted;
  EXPECT_EQ(aclrtLaunchCallback(Note, &noted, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout, (stream_, 20), "507046]");
  EXPECT_EQ(aclrtUnSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "was given up");
  EXPECT_EQ(noted.calls.load(), 0);
}

TEST_F(aclrtUnSubscribeReportTest, StreamAborted_CallbackIsDropped) {
  EXPECT_EQ(aclrtSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
  Noted noted;
  EXPECT_EQ(aclrtLaunchCallback(Note, &noted, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout, (stream_, 20), "507046]");
  EXPECT_EQ(aclrtStreamAbort(stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream, (stream_), "aborted");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport, (0), "no callback came in time");
  EXPECT_EQ(aclrtUnSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
  EXPECT_EQ(noted.calls.load(), 0);
}

class aclrtProcessReportTest : public DeviceTest {};

TEST_F(aclrtProcessReportTest, NothingToRun_SaysWhy) {
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtProcessReport, (-2), "timeout -2");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport, (-1), "not subscribed to a stream",
                       "107012]");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport, (10), "not subscribed to a stream");
  EXPECT_EQ(aclrtSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport, (10), "no callback came in time", "507012]");
  EXPECT_EQ(aclrtUnSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
}

TEST_F(aclrtProcessReportTest, CallbackThrows_StreamFailsInsteadOfWaiting) {
  AllowLog({"host callback", "was given up"});
  AllowLog({"thrown by a callback"});
  EXPECT_EQ(aclrtSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchCallback([](void*) { throw std::runtime_error("thrown by a callback"); }, nullptr,
                                ACL_CALLBACK_BLOCK, stream_),
            ACL_SUCCESS);
  EXPECT_NE(aclrtProcessReport(1000), ACL_SUCCESS);
  static_cast<void>(aclGetRecentErrMsg());
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "was given up");
  EXPECT_EQ(aclrtUnSubscribeReport(ThisThread(), stream_), ACL_SUCCESS);
}

class aclrtLaunchHostFuncTest : public DeviceTest {};

TEST_F(aclrtLaunchHostFuncTest, WithoutSubscription_RunsInOrderOnAnotherThread) {
  Noted noted;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchHostFunc, (stream_, nullptr, &noted), "fn is null");
  int seen = -1;
  EXPECT_EQ(aclrtLaunchHostFunc(stream_, Note, &noted), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(stream_, Note, &noted), ACL_SUCCESS);
  const Launch behind(stream_, [&](const Hcomm&) {
    seen = noted.calls.load();
    return 0u;
  });
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(seen, 2);
  EXPECT_NE(noted.thread.load(), ThisThread());
}

TEST_F(aclrtLaunchHostFuncTest, ItWaitsForAStream_IsRefused) {
  struct Data {
    aclrtLaunchHostFuncTest* test;
    aclrtStream stream;
  } data{this, stream_};
  EXPECT_EQ(aclrtLaunchHostFunc(
                stream_,
                [](void* raw) {
                  auto* given = static_cast<Data*>(raw);
                  EXPECT_FAILS_IN(given->test, ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (given->stream),
                                  "must not be called from a callback");
                },
                &data),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
