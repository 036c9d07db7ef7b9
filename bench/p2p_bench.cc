// The point-to-point operator between two rank threads: op pair latency, windowed bandwidth and message rate, as a user
// program drives it (host part, kernel, synchronise) and, for the op pair, as the device sees it (the ops of many
// pairs queued in one batch). Each repetition carries the placement of the two cores, as mpi_bench's do.
// Usage: p2p_bench --operator=<libhccl_custom_p2p.so> [--quick] [Google Benchmark's options]
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "cases.h"
#include "placement.h"
#include "ranks.h"

namespace softhccl::bench {
namespace {

struct Shared {
  Ranks* ranks = nullptr;
  SpinBarrier barrier;
  ProbeLines lines{};
  std::uint32_t sequence[2] = {0, 0};
};
Shared g_shared;

double Probe(int side) {
  const ScopedPin pin(side);
  g_shared.barrier.Meet();
  return OneWayNs(g_shared.lines, side, &g_shared.sequence[side]);
}

// Called by both threads around the timed loop; the counters are those of thread 0, as the framework adds them up.
class TaggedRepetition {
 public:
  TaggedRepetition(benchmark::State& state, const Case& test)
      : state_(state), test_(test), before_(Probe(state.thread_index())) {}
  void End() {
    const double after = Probe(state_.thread_index());
    if (state_.thread_index() != 0) return;
    state_.counters["place"] = static_cast<double>(ClassifyPlacement(before_, after));
    state_.counters["one_way_ns"] = before_;
    state_.counters["bytes"] = static_cast<double>(test_.bytes);
    state_.counters["window"] = test_.window;
  }

 private:
  benchmark::State& state_;
  const Case& test_;
  const double before_;
};

// The buffers before and after: only data that arrived makes a measurement valid.
void FillPattern(const Rank& self, std::size_t bytes) {
  if (bytes > 0) std::memset(self.user, self.rank == 0 ? 'p' : 0, bytes);
}
void CheckPattern(benchmark::State& state, const Rank& self, std::size_t bytes) {
  if (bytes == 0 || (self.user[0] == std::byte{'p'} && self.user[bytes - 1] == std::byte{'p'})) return;
  state.SkipWithError("wrong data was received");
}

void OperatorCase(benchmark::State& state, const Case& test) {
  const Rank& self = g_shared.ranks->Enter(static_cast<std::uint32_t>(state.thread_index()));
  FillPattern(self, test.bytes);
  g_shared.barrier.Meet();
  g_shared.ranks->QueueTransfer(self, 1, test.bytes);
  SOFTHCCL_BENCH_REQUIRE(aclrtSynchronizeStream(self.stream));
  TaggedRepetition tagged(state, test);
  for (auto _ : state) {
    for (int i = 0; i < test.window; ++i) g_shared.ranks->QueueTransfer(self, 1, test.bytes);
    SOFTHCCL_BENCH_REQUIRE(aclrtSynchronizeStream(self.stream));
  }
  tagged.End();
  CheckPattern(state, self, test.bytes);
}

// One iteration runs `test.window` pairs that were queued before its clock starts.
void DeviceCase(benchmark::State& state, const Case& test) {
  const Rank& self = g_shared.ranks->Enter(static_cast<std::uint32_t>(state.thread_index()));
  FillPattern(self, test.bytes);
  g_shared.barrier.Meet();
  Ranks::QueueDevicePairs(self, test.bytes, 10);
  Ranks::RunDevicePairs(self);
  TaggedRepetition tagged(state, test);
  for (auto _ : state) {
    Ranks::QueueDevicePairs(self, test.bytes, test.window);
    g_shared.barrier.Meet();
    const double start = NowNs();
    Ranks::RunDevicePairs(self);
    state.SetIterationTime((NowNs() - start) * 1e-9);
  }
  tagged.End();
  CheckPattern(state, self, test.bytes);
}

// Enough for milliseconds, few enough for seconds: about 8 us and 4 GB/s are assumed.
std::int64_t IterationsFor(const Case& test, bool quick) {
  const double ns = test.window * (8000.0 + static_cast<double>(test.bytes) / 4.0);
  return std::max<std::int64_t>(static_cast<std::int64_t>((quick ? 5e5 : 1e7) / ns), 1);
}

void RegisterAll(bool quick) {
  for (const Case& test : kCases) {
    const std::string name = "operator_" + std::string(test.kind) + "/" + std::to_string(test.bytes);
    benchmark::RegisterBenchmark(name.c_str(), OperatorCase, test)
        ->Threads(2)
        ->UseRealTime()
        ->Iterations(IterationsFor(test, quick));
  }
  for (Case test : kCases) {
    if (test.window != 1) continue;
    test.window = test.bytes >= kMiB ? 32 : 1000;
    const std::string name = "device_" + std::string(test.kind) + "/" + std::to_string(test.bytes);
    benchmark::RegisterBenchmark(name.c_str(), DeviceCase, test)
        ->Threads(2)
        ->UseManualTime()
        ->Iterations(quick ? 1 : 5);
  }
}

int Main(int argc, char** argv) {
  std::string library;
  bool quick = false;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string option = "--operator=";
    if (argument == "--quick") {
      quick = true;
    } else if (argument.compare(0, option.size(), option) == 0) {
      library = argument.substr(option.size());
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  benchmark::Initialize(&argc, argv);
  if (library.empty() || benchmark::ReportUnrecognizedArguments(argc, argv)) {
    std::fprintf(stderr, "usage: p2p_bench --operator=<libhccl_custom_p2p.so> [--quick] [--benchmark_...]\n");
    return 2;
  }
  RegisterAll(quick);
  g_shared.ranks = new Ranks(library, 2, kLargestBytes);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace softhccl::bench

int main(int argc, char** argv) { return softhccl::bench::Main(argc, argv); }
