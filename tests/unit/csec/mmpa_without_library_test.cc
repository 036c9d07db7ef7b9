// The macro MM_SYS_GET_ENV in a program that does not link libmmpa, as the host libraries of operators do not.
#include <gtest/gtest.h>

#include "mmpa/mmpa_api.h"

namespace {

TEST(MmSysGetEnvMacro, LibraryIsNotLinked_ReadsTheVariableByName) {
  CHAR* (*const linked)(mmEnvId) = MmSysGetEnvIfLinked;
  ASSERT_TRUE(linked == nullptr) << "the program links libmmpa, so this test would show nothing";
  ASSERT_EQ(setenv("ASCEND_HOME_PATH", "/opt/cann", 1), 0);
  const char* value = nullptr;
  MM_SYS_GET_ENV(MM_ENV_ASCEND_HOME_PATH, value);
  EXPECT_STREQ(value, "/opt/cann");
  ASSERT_EQ(unsetenv("ASCEND_HOME_PATH"), 0);
  MM_SYS_GET_ENV(MM_ENV_ASCEND_HOME_PATH, value);
  EXPECT_EQ(value, nullptr);
}

TEST(MmSysGetEnvMacro, NoEnumerator_GivesNull) {
  const char* value = "old";
  const auto id = static_cast<mmEnvId>(2);
  MM_SYS_GET_ENV(id, value);
  EXPECT_EQ(value, nullptr);
}

}  // namespace
