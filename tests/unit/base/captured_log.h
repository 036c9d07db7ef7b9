// Collects what the library would print, for tests that assert a warning or that there is none. A line that no test
// took is a failure, as it would be noise on a user's terminal.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"

namespace softhccl::base {

// Owns the sink of the process while it lives. Any thread may log.
class CapturedLog {
 public:
  CapturedLog() {
    SetLogSink([this](LogLevel level, std::string_view text) {
      if (level < LogLevel::kWarning) return;
      std::lock_guard lock(mutex_);
      lines_.emplace_back(text);
    });
  }
  ~CapturedLog() {
    SetLogSink(nullptr);
    EXPECT_THAT(lines_, ::testing::IsEmpty()) << "lines that the test did not expect";
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  // Warnings and errors since the last call.
  std::vector<std::string> Take() {
    std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;  // guarded by mutex_
};

}  // namespace softhccl::base
