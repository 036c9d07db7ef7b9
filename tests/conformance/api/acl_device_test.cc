// aclrtGetDeviceCount, aclrtSetDevice, aclrtGetDevice, aclrtResetDevice: the device is a property of the thread, the
// set/reset count one of the device.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclrtGetDeviceCountTest : public ApiTest {};

TEST_F(aclrtGetDeviceCountTest, Default_AnswersTheConfiguredNumber) {
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 8u);
}

TEST_F(aclrtGetDeviceCountTest, CountNull_IsRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCount, (nullptr), "count is null");
}

class aclrtSetDeviceTest : public ApiTest {};

TEST_F(aclrtSetDeviceTest, IdOutOfRange_NamesIdAndCount) {
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice, (8), "deviceId 8", "8 devices (0 to 7)",
               "SOFTHCCL_DEVICES", "107001]");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice, (-1), "deviceId -1");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice, (INT32_MAX), "deviceId 2147483647");
  int32_t device = -7;
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice, (&device), "no device is set");
}

TEST_F(aclrtSetDeviceTest, AnotherDevice_ReplacesTheFirst) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(3), ACL_SUCCESS);
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 3);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS) << "device 0 is still counted";
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 3);
  EXPECT_EQ(aclrtResetDevice(3), ACL_SUCCESS);
}

class aclrtGetDeviceTest : public ApiTest {};

TEST_F(aclrtGetDeviceTest, PointerNull_WinsOverNoDevice) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetDevice, (nullptr), "deviceId is null");
}

TEST_F(aclrtGetDeviceTest, NothingSetOnThisThread_IsNoContext) {
  EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  std::thread([this] {
    int32_t other = -7;
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice, (&other), "no device is set on this thread",
                 "call aclrtSetDevice first", "107002]");
    EXPECT_EQ(other, -7);
  }).join();
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
}

class aclrtResetDeviceTest : public ApiTest {};

TEST_F(aclrtResetDeviceTest, NotSet_IsRefused) {
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice, (2), "deviceId 2 is not set", "507007]");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice, (8), "deviceId 8");
}

TEST_F(aclrtResetDeviceTest, SetTwice_NeedsTwoResets) {
  EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(2), ACL_SUCCESS);
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(2), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice, (&device), "device 2 was reset",
               "call aclrtSetDevice on this thread again");
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice, (2), "deviceId 2 is not set");
}

TEST_F(aclrtResetDeviceTest, LastReset_TakesTheContextFromOtherThreadsToo) {
  EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  std::mutex mutex;
  std::condition_variable changed;
  int step = 0;
  const auto wait_for = [&](int wanted) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return step >= wanted; });
  };
  const auto go_to = [&](int next) {
    std::lock_guard lock(mutex);
    step = next;
    changed.notify_all();
  };
  std::thread other([&] {
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    go_to(1);
    wait_for(2);
    aclrtStream stream = nullptr;
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream, (&stream), "device 1 was reset");
    // Set again by somebody else: this thread's selection is still the old one.
    go_to(3);
    wait_for(4);
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream, (&stream), "device 1 was reset");
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  });
  wait_for(1);
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  go_to(2);
  wait_for(3);
  EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  go_to(4);
  other.join();
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
}

TEST_F(aclrtResetDeviceTest, WorkQueuedAndStreamNotDestroyed_WaitsAndFreesTheStream) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::atomic<bool> ran{false};
  const Launch launch(stream, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_TRUE(ran.load());
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream, (stream), "stream 0x", "was destroyed");
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(aclrtResetDeviceTest, InsideAKernel_IsRefused) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(RunKernel(nullptr,
                      [this](const Hcomm&) {
                        EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtResetDevice, (0),
                                     "must not be called from a kernel (CallBack#");
                        return 0u;
                      }),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

class aclrtSetTsDeviceTest : public DeviceTest {};

TEST_F(aclrtSetTsDeviceTest, OneScheduler_IsTheOnlyOne) {
  EXPECT_EQ(aclrtSetTsDevice(ACL_TS_ID_AICORE), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtSetTsDevice, (ACL_TS_ID_AIVECTOR), "there is one task scheduler");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetTsDevice, (static_cast<aclrtTsId>(2)), "tsId 2 is not valid");
}

}  // namespace
}  // namespace softhccl::conformance
