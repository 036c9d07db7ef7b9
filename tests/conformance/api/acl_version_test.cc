// aclGetRecentErrMsg, aclrtGetSocName, aclsysGetVersionNum: what a program reads about the library and its errors.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclGetRecentErrMsgTest : public ApiTest {};

TEST_F(aclGetRecentErrMsgTest, NothingFailed_ReturnsNull) {
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "a success leaves no message";
}

TEST_F(aclGetRecentErrMsgTest, SeveralFailures_NewestFirstAndThenForgotten) {
  ExpectLog({"aclrtFree: devPtr is null"});
  ExpectLog({"aclrtFreeHost: hostPtr is null"});
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeHost(nullptr), ACL_ERROR_INVALID_PARAM);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_EQ(text,
            "aclrtFreeHost: hostPtr is null; pass a valid pointer [ACL_ERROR_INVALID_PARAM 100000] (SH-A001)\n"
            "aclrtFree: devPtr is null; pass a valid pointer [ACL_ERROR_INVALID_PARAM 100000] (SH-A001)");
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(aclGetRecentErrMsgTest, FailureOfAnotherThread_IsNotSeenHere) {
  ExpectLog({"aclrtFree: devPtr is null"});
  std::thread([] {
    EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  }).join();
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(aclGetRecentErrMsgTest, ManyUnreadFailures_OldestAreDropped) {
  AllowLog({"aclrtFree: devPtr is null"});
  AllowLog({"aclrtFreeHost: hostPtr is null"});
  EXPECT_EQ(aclrtFreeHost(nullptr), ACL_ERROR_INVALID_PARAM);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 31);
  EXPECT_EQ(text.find("aclrtFreeHost"), std::string::npos);
}

class aclrtGetSocNameTest : public ApiTest {};

TEST_F(aclrtGetSocNameTest, NoDeviceSet_AnswersTheDefaultProduct) {
  const char* name = aclrtGetSocName();
  ASSERT_NE(name, nullptr);
  EXPECT_STREQ(name, "Ascend950PR_9599");
  EXPECT_EQ(aclrtGetSocName(), name) << "static text";
}

class aclsysGetVersionNumTest : public ApiTest {};

TEST_F(aclsysGetVersionNumTest, KnownPackage_AnswersTheInterfaceVersion) {
  char hcomm[] = "hcomm";
  int32_t version = 0;
  EXPECT_EQ(aclsysGetVersionNum(hcomm, &version), ACL_SUCCESS);
  EXPECT_EQ(version, 90200000);
}

TEST_F(aclsysGetVersionNumTest, BadArguments_AreRefusedAndOutputIsKept) {
  char hcomm[] = "hcomm";
  char empty[] = "";
  int32_t version = -5;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum, (nullptr, &version), "pkgName is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum, (hcomm, nullptr), "versionNum is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum, (nullptr, nullptr), "pkgName is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum, (empty, &version), "pkgName is empty");
  EXPECT_EQ(version, -5);
}

}  // namespace
}  // namespace softhccl::conformance
