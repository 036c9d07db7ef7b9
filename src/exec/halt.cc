// Holding a stream back: what it has stays queued, nothing of it runs.
#include <mutex>
#include <thread>

#include "exec/scheduler.h"
#include "exec/wake_list.h"

namespace softhccl::exec {

using base::Nanos;

bool Scheduler::RestHalted(Stream& stream, ResumeCode* code) {
  const std::uint64_t sequence = StateWord{stream.state_.load()}.sequence();
  StateWord resting = StateWord::Make(StreamState::kHalted, *code, sequence);
  stream.state_.store(resting.value);
  PokeWatch();
  if (stream.halted()) return true;
  // The halt ended in between. Whoever moves the state on runs the stream: this executor or EndHalt.
  const StateWord running = StateWord::Make(StreamState::kRunning, ResumeCode::kNone, sequence);
  return !stream.state_.compare_exchange_strong(resting.value, running.value);
}

void Scheduler::HaltStream(Stream& stream) {
  stream.halted_.store(true);
  {
    WakeList wake;
    std::lock_guard lock(lock_);
    for (DrainWaiter* waiter = stream.waiters_; waiter != nullptr; waiter = waiter->next) {
      if (waiter->executor->idle) SignalLocked(*waiter->executor, &wake);
    }
  }
  const Nanos patience = steady_clock_.Now() + base::FromMillis(100);
  const auto runs = [&] {
    const StreamState state = StateWord{stream.state_.load()}.state();
    return state == StreamState::kRunning || state == StreamState::kRunningResumed;
  };
  while (runs() && steady_clock_.Now() < patience) std::this_thread::yield();
}

void Scheduler::EndHalt(Stream& stream) {
  if (!stream.halted_.exchange(false)) return;
  StateWord word{stream.state_.load()};
  if (word.state() != StreamState::kHalted) return;
  const StateWord ready = StateWord::Make(StreamState::kReady, word.code(), word.sequence());
  if (stream.state_.compare_exchange_strong(word.value, ready.value)) MakeReady(stream);
}

}  // namespace softhccl::exec
