// aclInit and aclFinalize, which change the whole process: one test that walks through every state in order.
#include <cstdio>
#include <fstream>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclInitTest : public ApiTest {
 protected:
  std::string Write(const std::string& text) {
    const std::string path = ::testing::TempDir() + "softhccl_acl_init.json";
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(aclInitTest, EveryStateInOrder_AnswersAsDocumented) {
  // Never initialised: the first aclFinalize succeeds, the second does not.
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize, (), "already finalised", "call aclInit first",
               "[ACL_ERROR_REPEAT_FINALIZE 100037]");
  // Calls that need no aclInit work without it.
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 8u);

  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_REPEAT_INITIALIZE, aclInit, (nullptr), "already initialised",
                       "[ACL_ERROR_REPEAT_INITIALIZE 100002]");
  // However often it was initialised, one aclFinalize ends it.
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize, (), "already finalised");
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_F(aclInitTest, References_AreTakenBackOneByOne) {
  uint64_t left = 7;
  EXPECT_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference, (&left), "not initialised", "100037]");
  EXPECT_EQ(left, 7u);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_REPEAT_INITIALIZE, aclInit, (nullptr), "already initialised");
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 1u);
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 0u);
  EXPECT_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize, (), "already finalised");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclFinalizeReference, (nullptr), "refCount is null");
}

using aclInitCallbackRegisterTest = aclInitTest;

TEST_F(aclInitCallbackRegisterTest, InitAndFinalise_CallThemInOrder) {
  struct Log {
    std::string text;
  } log;
  const aclInitCallbackFunc init = [](const char* config, size_t length, void* data) -> aclError {
    static_cast<Log*>(data)->text += "init(" + std::string(config, length) + ") ";
    return ACL_SUCCESS;
  };
  const aclFinalizeCallbackFunc first = [](void* data) -> aclError {
    static_cast<Log*>(data)->text += "first ";
    return ACL_SUCCESS;
  };
  const aclFinalizeCallbackFunc second = [](void* data) -> aclError {
    static_cast<Log*>(data)->text += "second ";
    return ACL_ERROR_FAILURE;
  };
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, init, &log), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_DVPP, first, &log), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_DVPP, second, &log), ACL_SUCCESS);
  EXPECT_EQ(aclInit(Write("{}").c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_FAILURE) << "what a callback answers";
  EXPECT_EQ(log.text, "init({}) second first ");
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, init), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclInitCallbackUnRegister, (ACL_REG_TYPE_OTHER, init), "is not registered");
  EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, first), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, second), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclFinalizeCallbackUnRegister, (ACL_REG_TYPE_ACL_DVPP, second),
               "is not registered");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclInitCallbackRegister,
               (FromNumber<aclRegisterCallbackType>(99), init, nullptr), "type 99 is not known");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclFinalizeCallbackRegister, (ACL_REG_TYPE_OTHER, nullptr, nullptr),
               "cbFunc is null");
  log.text.clear();
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, init, &log), ACL_SUCCESS);
  EXPECT_EQ(log.text, "init() ") << "at once, because the runtime runs already";
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, init), ACL_SUCCESS);
}

TEST_F(aclInitTest, ConfigPath_IsReadAndChecked) {
  EXPECT_EQ(aclInit(Write("").c_str()), ACL_SUCCESS) << "an empty file means the defaults";
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  const std::string path = Write("{\"dump\": {}}");
  EXPECT_EQ(aclInit(path.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  Write("{\"dump\": ");
  EXPECT_FAILS(ACL_ERROR_PARSE_FILE, aclInit, (path.c_str()), "configPath " + path, "not valid JSON",
               "[ACL_ERROR_PARSE_FILE 100006]");
  std::remove(path.c_str());
  EXPECT_FAILS(ACL_ERROR_INVALID_FILE, aclInit, (path.c_str()), "configPath " + path, "cannot be read",
               "[ACL_ERROR_INVALID_FILE 100003]");
  // A bad configuration did not count as an initialisation.
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_F(aclInitTest, ConfigPathIsAFolder_IsRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_FILE, aclInit, (::testing::TempDir().c_str()), "configPath", "cannot be read");
}

}  // namespace
}  // namespace softhccl::conformance
