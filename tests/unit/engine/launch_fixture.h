// Launches plain functions of the test as kernels on streams of the process runtime, without packages.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "engine/issue.h"
#include "engine/ops/ops.h"
#include "engine/runtime.h"

namespace softhccl::engine {

class LaunchFixture : public ::testing::Test {
 protected:
  LaunchFixture() : runtime_(Runtime::Get()) {
    base::SetLogSink([this](base::LogLevel level, std::string_view text) {
      std::lock_guard lock(mutex_);
      if (level >= base::LogLevel::kWarning) lines_.emplace_back(text);
    });
    stream_ = runtime_.scheduler().CreateStream(0, {}, "test stream").value();
  }

  ~LaunchFixture() override {
    runtime_.scheduler().DestroyStream(stream_);
    base::SetLogSink(nullptr);
    for (const std::string& line : lines_) ADD_FAILURE() << "unexpected line: " << line;
  }

  // What the kernels are called in messages.
  std::shared_ptr<KernelInfo> MakeInfo(const std::string& name) {
    auto info = std::make_shared<KernelInfo>();
    info->entry.kernel_name = name;
    return info;
  }

  std::shared_ptr<Invocation> MakeInvocation(std::shared_ptr<KernelInfo> info, KernelFunction function) {
    auto invocation = std::make_shared<Invocation>();
    invocation->label = info->entry.kernel_name + "#1 on device 0";
    invocation->info = std::move(info);
    invocation->function = function;
    invocation->device = 0;
    invocation->stream = stream_;
    return invocation;
  }

  void Launch(std::shared_ptr<Invocation> invocation) {
    const exec::Op op = ops::KernelLaunch(std::move(invocation));
    ASSERT_TRUE(runtime_.scheduler().Submit(*stream_, {&op, 1}).ok());
  }

  // Waits for the stream and returns its error.
  base::Status Synchronise() {
    EXPECT_TRUE(runtime_.scheduler().Drain(*stream_, base::kForever).ok());
    return stream_->TakeError();
  }

  // The next warning or error that was logged and contains `text`; removed so that it is not "unexpected".
  bool TakeLine(const std::string& text) {
    std::lock_guard lock(mutex_);
    for (auto it = lines_.begin(); it != lines_.end(); ++it) {
      if (it->find(text) == std::string::npos) continue;
      lines_.erase(it);
      return true;
    }
    return false;
  }

  Runtime& runtime_;
  exec::Stream* stream_ = nullptr;

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;  // guarded by mutex_
};

}  // namespace softhccl::engine
