// The steps of a notify that two threads may take at once: cancel against record, abort and destroy against parking,
// several waiters against several recorders. Whatever wins, both sides must agree on it, and nobody may sleep on.
#include <atomic>
#include <thread>

#include "exec/abort_domain.h"
#include "exec/wait_report.h"
#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

using base::Code;

// Counts the iterations of a race: many on an idle machine, at least fifty on one where two threads seldom run at once.
class Race {
 public:
  bool GoesOn() {
    const base::Nanos now = base::SteadyClock().Now();
    if (started_ == 0) started_ = now;
    return ++iteration_ <= kLeast || (iteration_ <= kMost && now - started_ < base::FromMillis(400));
  }
  int iteration() const { return iteration_; }

 private:
  static constexpr int kLeast = 50;
  static constexpr int kMost = 4'000;
  base::Nanos started_ = 0;
  int iteration_ = 0;
};

// A second thread that runs one action per iteration at the same time as the test's own thread.
class Rival {
 public:
  Rival() : thread_([this] { Loop(); }) {}
  ~Rival() {
    stop_.store(true);
    thread_.join();
  }
  Rival(const Rival&) = delete;
  Rival& operator=(const Rival&) = delete;

  void AtOnce(const std::function<void()>& theirs, const std::function<void()>& mine) {
    action_ = &theirs;
    const int round = ++round_;
    started_.store(round);
    while (arrived_.load() != round) ::sched_yield();
    // The start drifts over the iterations, so that every step meets every other one.
    for (int i = 0; i < round % 200; ++i) base::CpuRelax();
    mine();
    while (finished_.load() != round) ::sched_yield();
  }

 private:
  void Loop() {
    int round = 0;
    while (!stop_.load()) {
      if (started_.load() == round) {
        ::sched_yield();
        continue;
      }
      round = started_.load();
      arrived_.store(round);
      for (int i = 0; i < 100; ++i) base::CpuRelax();
      (*action_)();
      finished_.store(round);
    }
  }

  const std::function<void()>* action_ = nullptr;  // published by started_
  int round_ = 0;
  std::atomic<int> started_{0};
  std::atomic<int> arrived_{0};
  std::atomic<int> finished_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class NotifyRace : public ExecTest {
 protected:
  NotifyRace() { Start(0, 4); }
  Ticket OnlyTicket() { return WaitGraph::Collect(scheduler()).entries().at(0).ticket; }
};

TEST_F(NotifyRace, CancelAgainstRecord_ExactlyOneWins) {
  Rival rival;
  Notify* notify = NewNotify();
  Stream* waiter = NewStream();
  Stream* recorder = NewStream();
  int cancelled_count = 0;
  for (Race race; race.GoesOn();) {
    Submit(waiter, {WaitFor(notify)});
    RunAll();
    const Ticket ticket = OnlyTicket();
    Submit(recorder, {RecordOf(notify)});
    bool cancelled = false;
    rival.AtOnce([&] { cancelled = notify->Cancel(ticket, ResumeCode::kTimeout); }, [&] { scheduler().RunOne(); });
    RunAll();
    ASSERT_EQ(waiter->completed(), waiter->submitted()) << "iteration " << race.iteration();
    const base::Status error = waiter->TakeError();
    ASSERT_EQ(error.code(), cancelled ? Code::kTimeout : Code::kOk);
    ASSERT_EQ(notify->IsSet(), cancelled) << "the record is taken if and only if the wait succeeded";
    cancelled_count += cancelled;
    notify->Reset();
  }
  RecordProperty("cancelled", cancelled_count);
}

TEST_F(NotifyRace, AbortAgainstParking_WaitAlwaysEnds) {
  Rival rival;
  Notify* notify = NewNotify();
  for (Race race; race.GoesOn();) {
    const Party party{std::make_shared<AbortDomain>("short"), 0};
    Stream* waiter = NewStream(party);
    Submit(waiter, {WaitFor(notify)});
    rival.AtOnce([&] { scheduler().AbortParty({party.domain, 1}, base::Fail(Code::kKernelFailed, "boom")); },
                 [&] { scheduler().RunOne(); });
    RunAll();
    ASSERT_EQ(waiter->completed(), 1u) << "iteration " << race.iteration()
                                       << ": the wait sleeps on in an aborted communicator";
    ASSERT_EQ(waiter->error().code(), Code::kRemote);
    scheduler().DestroyStream(waiter);
    ASSERT_EQ(notify->slot->word.load(), kNotifyClear);
  }
}

TEST_F(NotifyRace, AbortAgainstParkingBehindAnother_WaitAlwaysEnds) {
  Rival rival;
  Notify* notify = NewNotify();
  Stream* in_front = NewStream();
  Submit(in_front, {WaitFor(notify)});
  RunAll();
  for (Race race; race.GoesOn();) {
    const Party party{std::make_shared<AbortDomain>("short"), 0};
    Stream* waiter = NewStream(party);
    Submit(waiter, {WaitFor(notify)});
    rival.AtOnce([&] { scheduler().AbortParty({party.domain, 1}, base::Fail(Code::kKernelFailed, "boom")); },
                 [&] { scheduler().RunOne(); });
    RunAll();
    ASSERT_EQ(waiter->completed(), 1u) << "iteration " << race.iteration();
    scheduler().DestroyStream(waiter);
  }
  Submit(NewStream(), {RecordOf(notify)});
  RunAll();
  EXPECT_EQ(in_front->completed(), 1u);
}

TEST_F(NotifyRace, DestroyAgainstParking_EndsAtOnce) {
  Rival rival;
  Notify* notify = NewNotify();
  for (Race race; race.GoesOn();) {
    Stream* waiter = NewStream();
    Submit(waiter, {WaitFor(notify)});
    rival.AtOnce([&] { scheduler().DestroyStream(waiter); }, [&] { scheduler().RunOne(); });
    ASSERT_EQ(waiter->completed(), 1u) << "iteration " << race.iteration();
    ASSERT_EQ(notify->slot->word.load(), kNotifyClear) << "no ticket of a dead stream is left";
  }
}

TEST_F(NotifyRace, DestroyNotifyAgainstParking_WaitAlwaysEnds) {
  Rival rival;
  for (Race race; race.GoesOn();) {
    Notify* notify = NewNotify();
    Stream* waiter = NewStream();
    Submit(waiter, {WaitFor(notify)});
    rival.AtOnce([&] { scheduler().DestroyNotify(notify); }, [&] { scheduler().RunOne(); });
    RunAll();
    ASSERT_EQ(waiter->completed(), 1u) << "iteration " << race.iteration();
    scheduler().DestroyStream(waiter);
  }
  TakeLog();  // one line per iteration: the notify was destroyed
}

TEST_F(NotifyRace, WaitersAndRecordersOnOneNotify_EveryRecordServesOneWait) {
  Start(4, 4);
  Notify* notify = NewNotify();
  Notify* taken = NewNotify();
  // One recorder that goes on only when its record was taken; many waiters that all want it.
  constexpr std::uint64_t kEach = kSanitized ? 100 : 1'000;
  constexpr std::size_t kWaiters = 4;
  std::vector<Stream*> waiters;
  for (std::size_t i = 0; i < kWaiters; ++i) {
    waiters.push_back(NewStream());
    std::vector<Op> ops;
    for (std::uint64_t k = 0; k < kEach; ++k) {
      ops.push_back(WaitFor(notify));
      ops.push_back(RecordOf(taken));
    }
    Submit(waiters.back(), ops);
  }
  Stream* recorder = NewStream();
  std::vector<Op> ops;
  for (std::uint64_t k = 0; k < kEach * kWaiters; ++k) {
    ops.push_back(RecordOf(notify));
    ops.push_back(WaitFor(taken));
  }
  Submit(recorder, ops);
  Drain(recorder);
  for (Stream* waiter : waiters) Drain(waiter);
  EXPECT_FALSE(notify->IsSet());
  EXPECT_FALSE(taken->IsSet());
}

}  // namespace
}  // namespace softhccl::exec
