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
