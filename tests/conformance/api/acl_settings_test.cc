// Versions, time limits of the process, and the last error of a thread.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclsysGetVersionStrTest : public ApiTest {};

TEST_F(aclsysGetVersionStrTest, KnownPackage_AnswersTheInterfaceVersion) {
  char name[] = "hcomm";
  char empty[] = "";
  char text[ACL_PKG_VERSION_MAX_SIZE] = {};
  EXPECT_EQ(aclsysGetVersionStr(name, text), ACL_SUCCESS);
  EXPECT_STREQ(text, "9.2.0");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr, (nullptr, text), "pkgName is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr, (name, nullptr), "versionStr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr, (empty, text), "pkgName is empty");
}

class aclsysGetCANNVersionTest : public ApiTest {};

TEST_F(aclsysGetCANNVersionTest, WholeAndParts_Agree) {
  aclCANNPackageVersion version;
  std::memset(&version, 0x5A, sizeof version);
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_HCCL, &version), ACL_SUCCESS);
  EXPECT_STREQ(version.version, "9.2.0");
  EXPECT_STREQ(version.majorVersion, "9");
  EXPECT_STREQ(version.minorVersion, "2");
  EXPECT_STREQ(version.releaseVersion, "0");
  EXPECT_STREQ(version.patchVersion, "");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion, (FromNumber<aclCANNPackageName>(8), &version), "name 8");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion, (ACL_PKG_NAME_CANN, nullptr), "version is null");
}

class aclrtGetVersionTest : public ApiTest {};

TEST_F(aclrtGetVersionTest, Numbers_AreThoseOfTheHeader) {
  int32_t version[3] = {-1, -1, -1};
  EXPECT_EQ(aclrtGetVersion(&version[0], &version[1], &version[2]), ACL_SUCCESS);
  EXPECT_EQ(version[0], 1);
  EXPECT_EQ(version[1], 17);
  EXPECT_EQ(version[2], 0);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetVersion, (&version[0], &version[1], nullptr), "patchVersion is null");
}

class aclrtSetOpExecuteTimeOutTest : public DeviceTest {
 protected:
  void TearDown() override {
    EXPECT_EQ(aclrtSetOpExecuteTimeOut(1091), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  uint32_t Millis() {
    uint32_t millis = 0;
    EXPECT_EQ(aclrtGetOpExecuteTimeout(&millis), ACL_SUCCESS);
    return millis;
  }
};

TEST_F(aclrtSetOpExecuteTimeOutTest, EveryUnit_SetsTheSameLimit) {
  EXPECT_EQ(Millis(), 1'091'000u) << "the default";
  EXPECT_EQ(aclrtSetOpExecuteTimeOut(2), ACL_SUCCESS);
  EXPECT_EQ(Millis(), 2000u);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutWithMs(1500), ACL_SUCCESS);
  EXPECT_EQ(Millis(), 1500u);
  uint64_t interval = 0;
  EXPECT_EQ(aclrtGetOpTimeOutInterval(&interval), ACL_SUCCESS);
  ASSERT_GT(interval, 0u);
  uint64_t actual = 0;
  EXPECT_EQ(aclrtSetOpExecuteTimeOutV2(interval + 1, &actual), ACL_SUCCESS);
  EXPECT_EQ(actual, 2 * interval) << "rounded up";
  EXPECT_EQ(Millis(), 2 * interval / 1000);
  EXPECT_EQ(aclrtSetOpExecuteTimeOut(0), ACL_SUCCESS);
  EXPECT_EQ(Millis(), 0u) << "without limit";
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetOpExecuteTimeout, (nullptr), "timeoutMs is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetOpTimeOutInterval, (nullptr), "interval is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetOpExecuteTimeOutV2, (5, nullptr), "actualTimeout is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetOpExecuteTimeOutV2, (UINT64_MAX, &actual), "is too large");
}

TEST_F(aclrtSetOpExecuteTimeOutTest, KernelWithoutALimitOfItsOwn_IsGivenUp) {
  ExpectLog({"did not return within its limit of 0.1 s"});
  std::atomic<bool> may_return{false};
  std::atomic<bool> returned{false};
  EXPECT_EQ(aclrtSetOpExecuteTimeOutWithMs(100), ACL_SUCCESS);
  const Launch slow(stream_, [&](const Hcomm&) {
    while (!may_return.load()) std::this_thread::yield();
    returned.store(true);
    return 0u;
  });
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_TIMEOUT, aclrtSynchronizeStream, (stream_), "limit of 0.1 s");
  may_return.store(true);
  WaitUntil([&] { return returned.load(); }, "the kernel returns after all");
}

class aclrtGetLastErrorTest : public ApiTest {};

TEST_F(aclrtGetLastErrorTest, RuntimeErrors_AreKeptPerThreadUntilRead) {
  static_cast<void>(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice, (99), "deviceId 99");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFree, (nullptr), "devPtr is null");
  std::thread([] { EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS); }).join();
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID)
      << "the argument check after it does not count";
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetLastError, (FromNumber<aclrtLastErrLevel>(1)), "level 1 is not known");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtPeekAtLastError, (FromNumber<aclrtLastErrLevel>(1)), "level 1");
}

class aclrtNotifyBatchResetTest : public DeviceTest {};

TEST_F(aclrtNotifyBatchResetTest, SetNotifies_AreCleared) {
  aclrtNotify notifies[2] = {};
  for (aclrtNotify& notify : notifies) {
    ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordNotify(notify, stream_), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtNotifyBatchReset(notifies, 2), ACL_SUCCESS);
  for (aclrtNotify notify : notifies) {
    EXPECT_EQ(aclrtRecordNotify(notify, stream_), ACL_SUCCESS);  // a record of a set one would be reported as lost
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtNotifyBatchReset, (nullptr, 2), "notifies is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyBatchReset, (notifies, 0), "num 0");
  aclrtNotify mixed[2] = {notifies[0], stream_};
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtNotifyBatchReset, (mixed, 2), "is a stream, expected a notify",
               "notifies[1] of 2");
  for (aclrtNotify notify : notifies) EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
