// aclrtCreateStream, aclrtDestroyStream, aclrtSynchronizeStream, aclrtSynchronizeStreamWithTimeout.
#include <chrono>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclrtCreateStreamTest : public DeviceTest {};

TEST_F(aclrtCreateStreamTest, PointerNull_IsRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateStream, (nullptr), "stream is null");
}

TEST_F(aclrtCreateStreamTest, NoDevice_PointerNullWins) {
  std::thread([this] {
    EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateStream, (nullptr), "stream is null");
    aclrtStream stream = nullptr;
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream, (&stream), "no device is set");
    EXPECT_EQ(stream, nullptr);
  }).join();
}

TEST_F(aclrtCreateStreamTest, MoreThanTheDeviceHas_IsRefused) {
  std::vector<aclrtStream> streams(1983, nullptr);  // the fixture has one
  for (aclrtStream& stream : streams) ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  aclrtStream extra = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_NO_STREAM_RESOURCE, aclrtCreateStream, (&extra), "device 0 has 1984 streams, its limit",
               "[ACL_ERROR_RT_NO_STREAM_RESOURCE 207008]");
  EXPECT_EQ(extra, nullptr);
  EXPECT_EQ(aclrtDestroyStream(streams.back()), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateStream(&streams.back()), ACL_SUCCESS) << "a destroyed one makes room";
  for (aclrtStream stream : streams) EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

class aclrtDestroyStreamTest : public DeviceTest {};

TEST_F(aclrtDestroyStreamTest, NullForeignOrStale_IsRefusedByName) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream, (nullptr), "stream is null");
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream, (stream), "is a stream that was destroyed", "107017]");
  aclrtNotify notify = nullptr;
  EXPECT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream, (notify), "is a notify, expected a stream");
  EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
  int on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream, (&on_the_stack), "is not a stream of this process");
}

TEST_F(aclrtDestroyStreamTest, StreamOfAnotherDevice_IsRefused) {
  EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream, (stream_), "device 0/stream", "belongs to device 0",
               "but device 1 is set", "107003]");
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(aclrtDestroyStreamTest, WorkPending_WaitsForIt) {
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::atomic<int> calls{0};
  const auto body = [&](const Hcomm&) {
    calls.fetch_add(1);
    return 0u;
  };
  const Launch first(stream, body);
  const Launch second(stream, body);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(calls.load(), 2);
}

TEST_F(aclrtDestroyStreamTest, InsideAKernel_IsRefused) {
  EXPECT_EQ(RunKernel(stream_,
                      [this](const Hcomm&) {
                        EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream, (stream_),
                                     "must not be called from a kernel");
                        return 0u;
                      }),
            ACL_SUCCESS);
}

class aclrtSynchronizeStreamTest : public DeviceTest {};

TEST_F(aclrtSynchronizeStreamTest, NothingQueuedOrDefaultStream_Succeeds) {
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

TEST_F(aclrtSynchronizeStreamTest, NoDevice_IsRefused) {
  std::thread([this] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream, (stream_), "no device is set");
  }).join();
}

TEST_F(aclrtSynchronizeStreamTest, StreamOfAnotherDevice_IsSynchronised) {
  std::atomic<bool> ran{false};
  const Launch launch(stream_, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  std::thread([this] {
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "it switches to the stream's own device";
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  }).join();
  EXPECT_TRUE(ran.load());
}

TEST_F(aclrtSynchronizeStreamTest, TaskFailed_ToldOnceAndThenCleared) {
  ExpectLog({"kernel ReturnSeven#", "returned 7"});
  EXPECT_EQ(aclrtLaunchKernel(Kernel("ReturnSeven"), 1, nullptr, 0, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "kernel ReturnSeven#",
                       "on device 0 returned 7 (0 means success)", "507018]");
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS) << "the stream is usable again";
}

TEST_F(aclrtSynchronizeStreamTest, TwoTasksFailed_TheFirstIsTold) {
  ExpectLog({"returned 7"});
  AllowLog({"returned 9"});
  const Launch first(stream_, [](const Hcomm&) { return 7u; });
  const Launch second(stream_, [](const Hcomm&) { return 9u; });
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(aclrtSynchronizeStreamTest, InsideAKernel_IsRefused) {
  EXPECT_EQ(RunKernel(stream_,
                      [this](const Hcomm&) {
                        EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_),
                                     "must not be called from a kernel");
                        return 0u;
                      }),
            ACL_SUCCESS);
}

class aclrtSynchronizeStreamWithTimeoutTest : public DeviceTest {};

TEST_F(aclrtSynchronizeStreamWithTimeoutTest, BadTimeout_IsRefusedFirst) {
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout, (stream_, 0), "timeout 0 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout, (stream_, -2), "timeout -2 is not valid");
  std::thread([this] {
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout, (stream_, 0), "timeout 0");
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStreamWithTimeout, (stream_, 5), "no device is set");
  }).join();
}

TEST_F(aclrtSynchronizeStreamWithTimeoutTest, WorkIsDoneInTime_Succeeds) {
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, -1), ACL_SUCCESS);
  std::atomic<bool> ran{false};
  const Launch launch(stream_, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 30000), ACL_SUCCESS);
  EXPECT_TRUE(ran.load());
}

TEST_F(aclrtSynchronizeStreamWithTimeoutTest, TimePasses_TheTaskGoesOn) {
  std::atomic<bool> may_return{false};
  const Launch launch(stream_, [&](const Hcomm&) {
    while (!may_return.load()) std::this_thread::yield();
    return 0u;
  });
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout, (stream_, 20), "507046]");
  may_return.store(true);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "nothing failed, it was only late";
}

}  // namespace
}  // namespace softhccl::conformance
