// What the tests of the scheduler share: ops small enough to read at a glance, a fixture that owns one scheduler and
// fails on every log line a test did not expect, and waiting for a condition with a deadline instead of sleeping.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "exec/notify.h"
#include "exec/scheduler.h"
#include "exec/stream.h"

namespace softhccl::exec {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// --- Ops

using Body = std::function<OpOutcome(OpContext&)>;
using Skip = std::function<void(const base::Status&)>;

struct CallState {
  Body body;
  Skip skip;
};

// arg: 0 CallState*
inline const OpClass kCall = {
    "test call", [](OpContext& context, Op& op) { return reinterpret_cast<CallState*>(op.arg[0])->body(context); },
    [](Op& op, const base::Status& cause) {
      const CallState& state = *reinterpret_cast<CallState*>(op.arg[0]);
      if (state.skip) state.skip(cause);
    },
    [](const Op&) { return Footprint{}; }, nullptr};

// arg: 0 Notify*
inline const OpClass kRecord = {
    "test record",
    [](OpContext& context, Op& op) {
      reinterpret_cast<Notify*>(op.arg[0])->Record(context, op);
      return OpOutcome::kDone;
    },
    [](Op& op, const base::Status& cause) { reinterpret_cast<Notify*>(op.arg[0])->RecordFailure(cause); },
    [](const Op&) { return Footprint{}; }, nullptr};

// arg: 0 handle of the notify, 1 limit (kForever: none), 2 deadline once it began
inline const OpClass kWait = {
    "test wait",
    [](OpContext& context, Op& op) {
      Notify* notify = context.scheduler().notifies().Lookup(op.arg[0]);
      if (notify == nullptr) return context.Fail(base::Fail(base::Code::kInvalidHandle, "the notify was destroyed"));
      const auto limit = static_cast<base::Nanos>(op.arg[1]);
      if (limit == base::kForever) return notify->Wait(context, op, base::kForever);
      if (op.arg[2] == 0) op.arg[2] = static_cast<std::uint64_t>(context.scheduler().Now() + limit);
      return notify->Wait(context, op, static_cast<base::Nanos>(op.arg[2]));
    },
    nullptr, [](const Op&) { return Footprint{}; }, nullptr};

inline Op RecordOf(Notify* notify) {
  Op op;
  op.op_class = &kRecord;
  op.arg[0] = reinterpret_cast<std::uint64_t>(notify);
  return op;
}

inline Op WaitFor(Notify* notify, base::Nanos limit = base::kForever) {
  Op op;
  op.op_class = &kWait;
  op.arg[0] = notify->handle;
  op.arg[1] = static_cast<std::uint64_t>(limit);
  return op;
}

// --- Waiting

// True as soon as `condition` holds; false when it does not within 30 seconds, which no healthy run needs.
inline bool WaitUntil(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    ::sched_yield();
  }
  return true;
}

// --- Fixture

class ExecTest : public ::testing::Test {
 protected:
  ExecTest() {
    base::SetLogSink([this](base::LogLevel level, std::string_view text) {
      if (level < base::LogLevel::kWarning) return;
      std::lock_guard lock(log_mutex_);
      log_.emplace_back(text);
    });
  }
  ~ExecTest() override {
    scheduler_.reset();
    base::SetLogSink(nullptr);
    EXPECT_THAT(log_, ::testing::IsEmpty()) << "lines that the test did not expect";
  }

  // Warnings and errors since the last call. Any thread.
  std::vector<std::string> TakeLog() {
    std::lock_guard lock(log_mutex_);
    return std::exchange(log_, {});
  }

  Scheduler& Start(int workers, int permits = -1, std::uint64_t seed = 0, const base::Clock* clock = nullptr) {
    SchedulerOptions options;
    options.workers = workers;
    options.permits = permits;
    options.seed = seed;
    options.clock = clock;
    scheduler_ = std::make_unique<Scheduler>(options);
    return *scheduler_;
  }
  Scheduler& scheduler() { return *scheduler_; }

  Stream* NewStream(Party party = {}, std::string label = "test stream") {
    return scheduler_->CreateStream(0, std::move(party), std::move(label)).value();
  }
  Notify* NewNotify(Party recorder = {}, std::string label = "test notify") {
    return scheduler_->CreateNotify(0, next_notify_++, std::move(recorder), std::move(label)).value();
  }

  // An op that runs `body`. Any thread.
  Op Call(Body body, Skip skip = nullptr) {
    std::lock_guard lock(calls_mutex_);
    calls_.push_back(CallState{std::move(body), std::move(skip)});
    Op op;
    op.op_class = &kCall;
    op.arg[0] = reinterpret_cast<std::uint64_t>(&calls_.back());
    return op;
  }
  Op Do(std::function<void()> action, Skip skip = nullptr) {
    return Call(
        [action = std::move(action)](OpContext&) {
          action();
          return OpOutcome::kDone;
        },
        std::move(skip));
  }
  Op FailWith(base::Code code, std::string message) {
    return Call([code, message](OpContext& context) { return context.Fail(base::Status(code, message)); });
  }

  void Submit(Stream* stream, const std::vector<Op>& ops) {
    const base::Status status = scheduler_->Submit(*stream, ops);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void Drain(Stream* stream) {
    const base::Status status = scheduler_->Drain(*stream, base::kForever);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  // Runs everything that is ready on this thread.
  void RunAll() {
    while (scheduler_->RunOne()) {
    }
  }

 private:
  std::mutex log_mutex_;
  std::vector<std::string> log_;  // guarded by log_mutex_
  std::mutex calls_mutex_;
  std::deque<CallState> calls_;  // guarded by calls_mutex_; never moved
  std::unique_ptr<Scheduler> scheduler_;
  std::uint32_t next_notify_ = 0;
};

}  // namespace softhccl::exec
