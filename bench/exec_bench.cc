// What the scheduler costs, without engine and C interface: the hand-over between streams by notifies, the notify
// alone, submit and drain, and an emit site of the event module with nobody and with somebody listening.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "event/ring.h"
#include "exec/notify.h"
#include "exec/scheduler.h"

namespace softhccl::bench {
namespace {

using exec::Op;
using exec::OpContext;
using exec::OpOutcome;

template <typename T>
T Must(base::Result<T> result) {
  if (result) return *result;
  std::fprintf(stderr, "exec_bench: %s\n", result.error().message().c_str());
  std::exit(1);
}

void Must(const base::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "exec_bench: %s\n", status.message().c_str());
  std::exit(1);
}

exec::SchedulerOptions OnlyThisThread() {
  exec::SchedulerOptions options;
  options.workers = 0;
  options.permits = 1;
  return options;
}

exec::Footprint NoFootprint(const Op&) { return {}; }

// --- a ring of streams that hand a token round

struct Hop {
  exec::Notify* mine = nullptr;
  exec::Notify* next = nullptr;
  std::uint64_t* left = nullptr;  // hops until the end, of the whole ring
};

// arg: 0 Hop*. Ends when the token has made all hops; passes it on, so that every other stream ends too.
OpOutcome RunHop(OpContext& context, Op& op) {
  const Hop& hop = *reinterpret_cast<Hop*>(op.arg[0]);
  for (;;) {
    const OpOutcome outcome = hop.mine->Wait(context, op, base::kForever);
    if (outcome != OpOutcome::kDone) return outcome;
    context.ClearResumeCode();
    const bool last = *hop.left == 0;
    if (!last) --*hop.left;
    hop.next->Record(context, op);
    if (last) return OpOutcome::kDone;
  }
}
const exec::OpClass kHop = {"hop", RunHop, nullptr, NoFootprint, nullptr};

OpOutcome RunStart(OpContext& context, Op& op) {
  reinterpret_cast<exec::Notify*>(op.arg[0])->Record(context, op);
  return OpOutcome::kDone;
}
const exec::OpClass kStart = {"start", RunStart, nullptr, NoFootprint, nullptr};

Op OpOf(const exec::OpClass& op_class, const void* argument) {
  Op op;
  op.op_class = &op_class;
  op.arg[0] = reinterpret_cast<std::uint64_t>(argument);
  return op;
}

// Time per hop: one record, the resume it causes, the turn of the other stream, and that stream's next suspension.
void RingOfStreams(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  exec::Scheduler scheduler(OnlyThisThread());
  std::vector<exec::Stream*> streams(size);
  std::vector<exec::Notify*> notifies(size);
  std::vector<Hop> hops(size);
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < size; ++i) {
    streams[i] = Must(scheduler.CreateStream(0, exec::Party(), "ring"));
    notifies[i] = Must(scheduler.CreateNotify(0, static_cast<std::uint32_t>(i), exec::Party(), "ring"));
  }
  exec::Stream* starter = Must(scheduler.CreateStream(0, exec::Party(), "starter"));
  for (std::size_t i = 0; i < size; ++i) hops[i] = Hop{notifies[i], notifies[(i + 1) % size], &left};
  const std::uint64_t per_batch = std::max<std::uint64_t>(size, 10'000);
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(per_batch))) {
    state.PauseTiming();
    left = per_batch;
    for (std::size_t i = 0; i < size; ++i) {
      const Op op = OpOf(kHop, &hops[i]);
      Must(scheduler.Submit(*streams[i], {&op, 1}));
      while (scheduler.RunOne()) {
      }
    }
    const Op start = OpOf(kStart, notifies[0]);
    Must(scheduler.Submit(*starter, {&start, 1}));
    state.ResumeTiming();
    Must(scheduler.Drain(*streams[per_batch % size], base::kForever));
    state.PauseTiming();
    for (exec::Stream* stream : streams) Must(scheduler.Drain(*stream, base::kForever));
    for (exec::Notify* notify : notifies) notify->Reset();
    state.ResumeTiming();
  }
}
BENCHMARK(RingOfStreams)->Arg(2)->Arg(100)->Arg(10'000);

// --- a notify that nobody is parked on

struct Loop {
  exec::Notify* notify = nullptr;
  std::uint64_t count = 0;
};

OpOutcome RunRecordTake(OpContext& context, Op& op) {
  const Loop& loop = *reinterpret_cast<Loop*>(op.arg[0]);
  for (std::uint64_t i = 0; i < loop.count; ++i) {
    loop.notify->Record(context, op);
    if (loop.notify->Wait(context, op, base::kForever) != OpOutcome::kDone) return OpOutcome::kFailed;
  }
  return OpOutcome::kDone;
}
const exec::OpClass kRecordTake = {"record and take", RunRecordTake, nullptr, NoFootprint, nullptr};

void NotifyRecordTake(benchmark::State& state) {
  exec::Scheduler scheduler(OnlyThisThread());
  exec::Stream* stream = Must(scheduler.CreateStream(0, exec::Party(), "stream"));
  const Loop loop{Must(scheduler.CreateNotify(0, 1, exec::Party(), "notify")), 10'000};
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(loop.count))) {
    const Op op = OpOf(kRecordTake, &loop);
    Must(scheduler.Submit(*stream, {&op, 1}));
    Must(scheduler.Drain(*stream, base::kForever));
  }
  Must(stream->TakeError());
}
BENCHMARK(NotifyRecordTake);

// --- submit and drain

OpOutcome RunNothing(OpContext&, Op&) { return OpOutcome::kDone; }
const exec::OpClass kNothing = {"nothing", RunNothing, nullptr, NoFootprint, nullptr};

// Time per op when so many are submitted at once.
void SubmitDrain(benchmark::State& state) {
  exec::Scheduler scheduler(OnlyThisThread());
  exec::Stream* stream = Must(scheduler.CreateStream(0, exec::Party(), "stream"));
  const std::vector<Op> ops(static_cast<std::size_t>(state.range(0)), OpOf(kNothing, nullptr));
  while (state.KeepRunningBatch(state.range(0))) {
    Must(scheduler.Submit(*stream, ops));
    Must(scheduler.Drain(*stream, base::kForever));
  }
}
BENCHMARK(SubmitDrain)->Arg(1)->Arg(128)->Arg(4096);

// --- emit sites

void EmitOff(benchmark::State& state) {
  for (auto _ : state) {
    event::Emit(event::Kind::kRecord, 1, 2, 3);
    benchmark::ClobberMemory();  // the thread's ring pointer is loaded again, as at every real site
  }
}
BENCHMARK(EmitOff);

void EmitOn(benchmark::State& state) {
  constexpr std::uint64_t kEvents = 1 << 20;
  while (state.KeepRunningBatch(kEvents)) {
    event::StartRecording(kEvents);
    double seconds = 0;
    std::thread([&seconds] {  // a thread of its own: it keeps its ring for ever
      event::AttachThread("bench");
      const base::SteadyClock clock;
      const base::Nanos start = clock.Now();
      for (std::uint64_t i = 0; i < kEvents; ++i) event::Emit(event::Kind::kRecord, 1, 2, i);
      seconds = static_cast<double>(clock.Now() - start) * 1e-9;
    })
        .join();
    event::StopRecording();
    state.SetIterationTime(seconds);
  }
}
BENCHMARK(EmitOn)->UseManualTime()->Iterations(1 << 20);

}  // namespace
}  // namespace softhccl::bench

BENCHMARK_MAIN();
