// mmSysGetEnv, sprintf_s, memset_s: the three functions of the article that belong to neither acl nor hccl. Their
// own suites go deeper; here is what an operator relies on.
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "mmpa/mmpa_api.h"
#include "securec.h"

namespace softhccl::conformance {
namespace {

TEST(mmSysGetEnvTest, SetOrUnset_AnswersTheValueOrNull) {
  ::setenv("ASCEND_HOME_PATH", "/opt/somewhere", 1);
  char* home = nullptr;
  MM_SYS_GET_ENV(MM_ENV_ASCEND_HOME_PATH, home);
  ASSERT_NE(home, nullptr);
  EXPECT_STREQ(home, "/opt/somewhere");
  ::unsetenv("ASCEND_HOME_PATH");
  MM_SYS_GET_ENV(MM_ENV_ASCEND_HOME_PATH, home);
  EXPECT_EQ(home, nullptr);
}

TEST(sprintf_sTest, FitsOrNot_LengthOrMinusOneAndAnEmptyText) {
  char text[8] = "old";
  EXPECT_EQ(sprintf_s(text, sizeof text, "%d/%s", 12, "abcd"), 7);
  EXPECT_STREQ(text, "12/abcd");
  EXPECT_EQ(sprintf_s(text, sizeof text, "%s", "12345678"), -1);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(sprintf_s(nullptr, 8, "x"), -1);
  EXPECT_EQ(sprintf_s(text, 0, "x"), -1);
}

TEST(memset_sTest, FitsOrNot_ZeroOrAnErrorNumber) {
  unsigned char bytes[4] = {1, 1, 1, 1};
  EXPECT_EQ(memset_s(bytes, 4, 7, 3), EOK);
  EXPECT_EQ(bytes[2], 7);
  EXPECT_EQ(bytes[3], 1);
  EXPECT_NE(memset_s(bytes, 4, 0, 5), EOK);
  EXPECT_NE(memset_s(nullptr, 4, 0, 4), EOK);
  EXPECT_NE(memset_s(bytes, 0, 0, 0), EOK);
}

}  // namespace
}  // namespace softhccl::conformance
