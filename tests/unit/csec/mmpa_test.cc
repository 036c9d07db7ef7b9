// Tests of libmmpa.so and of the macro through which operators reach it.
#include "mmpa/mmpa_api.h"

#include <gtest/gtest.h>

namespace {

TEST(MmSysGetEnv, VariableIsSet_GivesItsValue) {
  ASSERT_EQ(setenv("ASCEND_HOME_PATH", "/opt/cann", 1), 0);
  EXPECT_STREQ(mmSysGetEnv(MM_ENV_ASCEND_HOME_PATH), "/opt/cann");
  const char* value = nullptr;
  MM_SYS_GET_ENV(MM_ENV_ASCEND_HOME_PATH, value);
  EXPECT_STREQ(value, "/opt/cann");
}

TEST(MmSysGetEnv, VariableIsNotSet_GivesNull) {
  ASSERT_EQ(unsetenv("ASCEND_HOME_PATH"), 0);
  EXPECT_EQ(mmSysGetEnv(MM_ENV_ASCEND_HOME_PATH), nullptr);
  const char* value = "old";
  MM_SYS_GET_ENV(MM_ENV_ASCEND_HOME_PATH, value);
  EXPECT_EQ(value, nullptr);
}

TEST(MmSysGetEnv, UnknownNumber_GivesNull) { EXPECT_EQ(mmSysGetEnv(static_cast<mmEnvId>(2)), nullptr); }

}  // namespace
