// Tests of libunified_dlog.so. The library reads its environment once per process, so every case runs in a child of its
// own, which is what a death test is; the parent never calls the library.
#include "csec/dlog.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kHccl = 3;

void SetEnvironment(const char* level, const char* events) {
  level == nullptr ? unsetenv("ASCEND_GLOBAL_LOG_LEVEL") : setenv("ASCEND_GLOBAL_LOG_LEVEL", level, 1);
  events == nullptr ? unsetenv("ASCEND_GLOBAL_EVENT_ENABLE") : setenv("ASCEND_GLOBAL_EVENT_ENABLE", events, 1);
}

// Prints the level and the answers for all levels as "level:01234e", then ends the child.
[[noreturn]] void ReportLevels(const char* level, const char* events) {
  SetEnvironment(level, events);
  int32_t events_enabled = -1;
  std::string answers = std::to_string(dlog_getlevel(kHccl, &events_enabled)) + ":";
  for (const int each : {kDlogDebug, kDlogInfo, kDlogWarning, kDlogError, kDlogNull, kDlogEvent}) {
    const int32_t enabled = CheckLogLevel(kHccl, each);
    answers += acllogCheckDebugLevel(kHccl, each) == enabled ? std::to_string(enabled) : "x";
  }
  std::fprintf(stderr, "%s:%d.", answers.c_str(), static_cast<int>(events_enabled));
  std::exit(0);
}

void ExpectLevels(const char* level, const char* events, const std::string& report) {
  EXPECT_EXIT(ReportLevels(level, events), testing::ExitedWithCode(0), "^" + report + "\\.$")
      << (level ? level : "unset");
}

TEST(DlogLevelDeathTest, Unset_OnlyErrors) { ExpectLevels(nullptr, nullptr, "3:000100:0"); }

TEST(DlogLevelDeathTest, EachLevel_EnablesItAndAbove) {
  ExpectLevels("0", nullptr, "0:111100:0");
  ExpectLevels("1", nullptr, "1:011100:0");
  ExpectLevels("2", nullptr, "2:001100:0");
  ExpectLevels("3", nullptr, "3:000100:0");
  ExpectLevels("4", nullptr, "4:000000:0");
}

TEST(DlogLevelDeathTest, IllegalValue_IsTheDefault) {
  for (const char* illegal : {"", "5", "-1", "10", "debug", " 1"}) {
    ExpectLevels(illegal, nullptr, "3:000100:0");
  }
}

TEST(DlogLevelDeathTest, Events_AreASwitchOfTheirOwn) {
  ExpectLevels("4", "1", "4:000001:1");
  ExpectLevels("0", "0", "0:111100:0");
}

TEST(DlogLevelDeathTest, NullOutput_IsAllowed) {
  EXPECT_EXIT(std::exit(dlog_getlevel(kHccl, nullptr)), testing::ExitedWithCode(3), "");
}

[[noreturn]] void Record(const char* environment_level, int level, const std::string& text) {
  SetEnvironment(environment_level, nullptr);
  DlogRecord(kHccl, level, "rank %d: %s", 7, text.c_str());
  std::exit(0);
}

TEST(DlogRecordDeathTest, EnabledLevel_IsOneLineWithLevelModuleAndText) {
  EXPECT_EXIT(Record("1", kDlogInfo, "hello"), testing::ExitedWithCode(0),
              "^\\[INFO\\] module 3 pid [0-9]+: rank 7: hello\n$");
  EXPECT_EXIT(Record("1", kDlogWarning, "with end\n"), testing::ExitedWithCode(0),
              "^\\[WARNING\\] module 3 pid [0-9]+: rank 7: with end\n$");
}

TEST(DlogRecordDeathTest, DisabledLevel_PrintsNothing) {
  EXPECT_EXIT(Record(nullptr, kDlogWarning, "hello"), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(Record("4", kDlogError, "hello"), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(Record("0", kDlogEvent, "hello"), testing::ExitedWithCode(0), "^$");
}

TEST(DlogRecordDeathTest, LongText_IsCutVisibly) {
  EXPECT_EXIT(Record("3", kDlogError, std::string(5000, 'a')), testing::ExitedWithCode(0),
              "^\\[ERROR\\] module 3 pid [0-9]+: rank 7: aa.*aa\\.\\.\\.\n$");
}

TEST(DlogRecordDeathTest, NullFormat_PrintsNothing) {
  EXPECT_EXIT(
      {
        const char* no_format = nullptr;
        DlogRecord(kHccl, kDlogError, no_format);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

}  // namespace
