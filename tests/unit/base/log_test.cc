// What reaches the terminal: which words SOFTHCCL_LOG knows, the shape of a line, and that a sink sees everything.
#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "captured_log.h"

namespace softhccl::base {
namespace {

using ::testing::ElementsAre;

// Before the first line of the process, which is when the level is read: these tests are about the default.
const int kDefaultLevel = ::unsetenv("SOFTHCCL_LOG");

TEST(LogTest, ParseLogThreshold_KnowsFiveWords) {
  EXPECT_EQ(ParseLogThreshold("debug"), LogThreshold::kDebug);
  EXPECT_EQ(ParseLogThreshold("info"), LogThreshold::kInfo);
  EXPECT_EQ(ParseLogThreshold("warning"), LogThreshold::kWarning);
  EXPECT_EQ(ParseLogThreshold("error"), LogThreshold::kError);
  EXPECT_EQ(ParseLogThreshold("off"), LogThreshold::kOff);
  for (const char* text : {"", "Warning", "warn", "err", "offf", " info", "0"}) {
    EXPECT_EQ(ParseLogThreshold(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(LogTest, StandardError_GetsOneLineFromWarningOn) {
  ASSERT_EQ(kDefaultLevel, 0);
  ::testing::internal::CaptureStderr();
  Log(LogLevel::kDebug, "too quiet");
  Log(LogLevel::kInfo, "too quiet");
  Log(LogLevel::kWarning, "braces {} and %s stay");
  Log(LogLevel::kError, "broken");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[softhccl] warning: braces {} and %s stay\n[softhccl] error: broken\n");
  EXPECT_FALSE(LogEnabled(LogLevel::kDebug));
  EXPECT_FALSE(LogEnabled(LogLevel::kInfo));
  EXPECT_TRUE(LogEnabled(LogLevel::kWarning));
  EXPECT_TRUE(LogEnabled(LogLevel::kError));
}

TEST(LogTest, Sink_SeesEveryLevelInsteadOfStandardError) {
  std::vector<std::pair<LogLevel, std::string>> seen;
  SetLogSink([&](LogLevel level, std::string_view text) { seen.emplace_back(level, text); });
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(LogEnabled(LogLevel::kDebug));
  Log(LogLevel::kDebug, "a");
  Log(LogLevel::kError, "b");
  SetLogSink(nullptr);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(
      seen, ElementsAre(std::pair(LogLevel::kDebug, std::string("a")), std::pair(LogLevel::kError, std::string("b"))));
  EXPECT_FALSE(LogEnabled(LogLevel::kDebug));
}

TEST(LogTest, Threads_LoseNoLine) {
  CapturedLog log;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int line = 0; line < 100; ++line) Log(LogLevel::kWarning, "x");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(log.Take().size(), 400u);
}

}  // namespace
}  // namespace softhccl::base
