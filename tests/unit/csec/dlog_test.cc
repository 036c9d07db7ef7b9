// Tests of libunified_dlog.so. The library reads its environment once per process, so every case runs in a child of its
// own, which is what a death test is; the parent never calls the library.
#include "base/dlog_pub.h"

#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/acl_log.h"

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
  for (const int each : {DLOG_DEBUG, DLOG_INFO, DLOG_WARN, DLOG_ERROR, DLOG_NULL, DLOG_EVENT}) {
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
  EXPECT_EXIT(Record("1", DLOG_INFO, "hello"), testing::ExitedWithCode(0),
              "^\\[INFO\\] module 3 pid [0-9]+: rank 7: hello\n$");
  EXPECT_EXIT(Record("1", DLOG_WARN, "with end\n"), testing::ExitedWithCode(0),
              "^\\[WARNING\\] module 3 pid [0-9]+: rank 7: with end\n$");
}

TEST(DlogRecordDeathTest, DisabledLevel_PrintsNothing) {
  EXPECT_EXIT(Record(nullptr, DLOG_WARN, "hello"), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(Record("4", DLOG_ERROR, "hello"), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(Record("0", DLOG_EVENT, "hello"), testing::ExitedWithCode(0), "^$");
}

TEST(DlogRecordDeathTest, LongText_IsCutVisibly) {
  EXPECT_EXIT(Record("3", DLOG_ERROR, std::string(5000, 'a')), testing::ExitedWithCode(0),
              "^\\[ERROR\\] module 3 pid [0-9]+: rank 7: aa.*aa\\.\\.\\.\n$");
}

TEST(DlogRecordDeathTest, NullFormat_PrintsNothing) {
  EXPECT_EXIT(
      {
        const char* no_format = nullptr;
        DlogRecord(kHccl, DLOG_ERROR, no_format);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

// Changes the switches, then prints the level, the event switch and the answers of the changing calls, and ends the
// child.
[[noreturn]] void ReportSetLevel() {
  SetEnvironment(nullptr, nullptr);
  const int good = dlog_setlevel(kHccl, DLOG_INFO, 1);
  const int bad = dlog_setlevel(kHccl, DLOG_NULL + 1, 0) + dlog_setlevel(kHccl, DLOG_DEBUG - 1, 0) +
                  dlog_setlevel(kHccl, DLOG_DEBUG, 2) + dlog_setlevel(kHccl, DLOG_DEBUG, -1);
  int32_t events = -1;
  const int32_t level = dlog_getlevel(kHccl, &events);
  std::fprintf(stderr, "%d %d %d %d %d.", good, bad, static_cast<int>(level), static_cast<int>(events),
               static_cast<int>(CheckLogLevel(kHccl, DLOG_DEBUG)));
  std::exit(0);
}

TEST(DlogSetLevelDeathTest, GoodValues_Hold_BadOnesChangeNothing) {
  EXPECT_EXIT(ReportSetLevel(), testing::ExitedWithCode(0), "^0 -4 1 1 0\\.$");
}

void PrintList(void (*print)(int32_t, int32_t, const char*, va_list), const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print(kHccl, DLOG_ERROR, format, arguments);
  va_end(arguments);
}

[[noreturn]] void PrintUnderEveryName() {
  SetEnvironment(nullptr, nullptr);
  DlogRecord(kHccl, DLOG_ERROR, "one %d", 1);
  acllogRecord(kHccl, DLOG_ERROR, "two %d", 2);
  PrintList(DlogVaList, "three %d", 3);
  PrintList(acllogVaList, "four %d", 4);
  acllogRecord(kHccl, DLOG_INFO, "hidden");
  DlogFlush();
  std::exit(0);
}

TEST(DlogNamesDeathTest, EveryName_PrintsTheSameLine) {
  EXPECT_EXIT(PrintUnderEveryName(), testing::ExitedWithCode(0),
              "^\\[ERROR\\] module 3 pid [0-9]+: one 1\n\\[ERROR\\] module 3 pid [0-9]+: two 2\n"
              "\\[ERROR\\] module 3 pid [0-9]+: three 3\n\\[ERROR\\] module 3 pid [0-9]+: four 4\n$");
}

}  // namespace
