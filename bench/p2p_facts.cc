// Figures about the running operator that are no latencies of it: what idle waiting ranks cost, how soon a kernel
// starts that nobody synchronises for, and which share of an op pair the emit sites of the event module have while
// nobody listens. Prints one JSON object per figure. Usage: p2p_facts --operator=<libhccl_custom_p2p.so> [--quick]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "event/labels.h"
#include "event/ring.h"
#include "placement.h"
#include "ranks.h"

namespace softhccl::bench {
namespace {

constexpr std::uint32_t kRanks = 8;

void PrintFact(const char* name, double value, const char* unit) {
  std::printf("{\"fact\": \"%s\", \"value\": %.4g, \"unit\": \"%s\"}\n", name, value, unit);
  std::fflush(stdout);
}

double ProcessCpuSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Runs `body(self)` as rank 0 .. count-1, each on a thread.
void RunAsRanks(Ranks& ranks, std::uint32_t count, const std::function<void(Rank&)>& body) {
  std::vector<std::thread> threads;
  for (std::uint32_t index = 0; index < count; ++index) {
    threads.emplace_back([&, index] { body(ranks.Enter(index)); });
  }
  for (std::thread& thread : threads) thread.join();
}

// Seven ranks wait in aclrtSynchronizeStream for a message of rank 0, which sleeps.
void MeasureIdleWaiting(Ranks& ranks, bool quick) {
  double share = 0;
  RunAsRanks(ranks, kRanks, [&](Rank& self) {
    if (self.rank == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the others have gone to sleep by then
      const double cpu = ProcessCpuSeconds();
      const double start = NowNs();
      std::this_thread::sleep_for(std::chrono::milliseconds(quick ? 200 : 3000));
      share = (ProcessCpuSeconds() - cpu) / ((NowNs() - start) * 1e-9);
      for (std::uint32_t peer = 1; peer < kRanks; ++peer) ranks.QueueTransfer(self, peer, 8);
    } else {
      ranks.QueueTransfer(self, self.rank, 8);
    }
    SOFTHCCL_BENCH_REQUIRE(aclrtSynchronizeStream(self.stream));
  });
  PrintFact("idle_cpu_7_ranks_waiting", 100 * share, "% of one core, whole process");
}

double EmitOffNs() {
  constexpr int kSites = 100'000;
  double best = 1e18;
  for (int round = 0; round < 50; ++round) {
    const double start = NowNs();
    for (int i = 0; i < kSites; ++i) {
      event::Emit(event::Kind::kRecord, 1, 2, 3);
      asm volatile("" ::: "memory");  // the ring pointer is loaded again, as at every real site
    }
    best = std::min(best, (NowNs() - start) / kSites);
  }
  return best;
}

// ns per pair of pairs that were queued before.
double DevicePairNs(Ranks& ranks, int count) {
  SpinBarrier barrier;
  double best = 1e18;
  for (int round = 0; round < 9; ++round) {
    double elapsed = 0;
    RunAsRanks(ranks, 2, [&](Rank& self) {
      Ranks::QueueDevicePairs(self, 8, count);
      barrier.Meet();
      const double start = NowNs();
      Ranks::RunDevicePairs(self);
      if (self.rank == 0) elapsed = NowNs() - start;
    });
    best = std::min(best, elapsed / count);
  }
  return best;
}

// Every Emit that was passed leaves one event, so counting events counts sites.
double SitesPerDevicePair(Ranks& ranks, int count) {
  event::StartRecording(4'000'000);
  RunAsRanks(ranks, 2, [&](Rank& self) {
    event::AttachThread("rank");
    Ranks::QueueDevicePairs(self, 8, count);
    Ranks::RunDevicePairs(self);
  });
  event::StopRecording();
  return static_cast<double>(event::Collect().events.size()) / count;
}

void MeasureEventCost(Ranks& ranks, bool quick) {
  const int count = quick ? 200 : 5000;
  const double emit = EmitOffNs();
  const double pair = DevicePairNs(ranks, count);
  const double sites = SitesPerDevicePair(ranks, count);
  PrintFact("emit_off", emit, "ns");
  PrintFact("device_pair_best_of_9", pair, "ns");
  PrintFact("emit_sites_per_device_pair", sites, "sites");
  PrintFact("emit_share_of_device_pair", 100 * sites * emit / pair, "%");
}

struct LaunchTimes {
  std::vector<double> start_us;  // from the submission of the launch to the start of the kernel
};

LaunchTimes LaunchesIn(const event::Recording& recording) {
  const std::uint64_t launch = event::NameId("kernel launch");
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::int64_t> submitted;  // (stream, number) → time
  std::map<std::uint32_t, std::uint64_t> current;                             // stream → number of its launch
  LaunchTimes times;
  for (const event::Event& event : recording.events) {
    if (event.kind == event::Kind::kSubmit) submitted[{event.stream, event.a}] = event.time;
    if (event.kind == event::Kind::kOpStart && event.object == launch) current[event.stream] = event.a;
    if (event.kind != event::Kind::kKernelStart) continue;
    const auto found = submitted.find({event.stream, current[event.stream]});
    if (found == submitted.end()) continue;
    times.start_us.push_back(static_cast<double>(event.time - found->second) * 1e-3);
  }
  std::sort(times.start_us.begin(), times.start_us.end());
  return times;
}

// Operators are launched and nobody synchronises; between two launches the runtime falls asleep. Both ranks launch at
// the same time, since a kernel does not start before the operator in front of it has ended. The recorder gives the
// times.
void MeasureKernelStart(Ranks& ranks, const char* name, int count) {
  SpinBarrier barrier;
  event::StartRecording(4'000'000);
  RunAsRanks(ranks, 2, [&](Rank& self) {
    event::AttachThread("rank");
    for (int i = 0; i < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      barrier.Meet();
      ranks.QueueTransfer(self, 1, 8);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the last ones start without help, too
    SOFTHCCL_BENCH_REQUIRE(aclrtSynchronizeStream(self.stream));
  });
  event::StopRecording();
  const std::vector<double> times = LaunchesIn(event::Collect()).start_us;
  if (times.empty()) Require(1, "finding the launches in the recording");
  const auto at = [&times](double part) { return times[static_cast<std::size_t>(part * double(times.size() - 1))]; };
  PrintFact((std::string(name) + "_median").c_str(), at(0.5), "us");
  PrintFact((std::string(name) + "_p90").c_str(), at(0.9), "us");
  PrintFact((std::string(name) + "_max").c_str(), at(1.0), "us");
}

// Which share of the kernels ran on a thread of their own instead of on the one that synchronises: each of those costs
// two thread switches.
void MeasureKernelThreads(Ranks& ranks, const char* name, int window, int count) {
  event::StartRecording(4'000'000);
  RunAsRanks(ranks, 2, [&](Rank& self) {
    for (int i = 0; i < count; ++i) {
      ranks.QueueTransfer(self, 1, 8);
      if ((i + 1) % window == 0) SOFTHCCL_BENCH_REQUIRE(aclrtSynchronizeStream(self.stream));
    }
  });
  event::StopRecording();
  const event::Recording recording = event::Collect();
  int all = 0;
  int apart = 0;
  for (const event::Event& event : recording.events) {
    if (event.kind != event::Kind::kKernelStart) continue;
    ++all;
    if (recording.thread_names[event.thread] == "aicpu core") ++apart;
  }
  if (all == 0) Require(1, "finding the kernels in the recording");
  PrintFact(name, 100.0 * apart / all, "%");
}

int Main(int argc, char** argv) {
  std::string library;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string option = "--operator=";
    if (argument == "--quick") quick = true;
    if (argument.compare(0, option.size(), option) == 0) library = argument.substr(option.size());
  }
  if (library.empty()) {
    std::fprintf(stderr, "usage: p2p_facts --operator=<libhccl_custom_p2p.so> [--quick]\n");
    return 2;
  }
  auto* ranks = new Ranks(library, kRanks, 4096);
  MeasureIdleWaiting(*ranks, quick);
  // In this order: a thread that has recorded once keeps its ring, and its sites are not free any more.
  MeasureEventCost(*ranks, quick);
  MeasureKernelStart(*ranks, "kernel_start_from_sleep", quick ? 20 : 300);
  MeasureKernelThreads(*ranks, "kernels_on_own_thread_one_at_a_time", 1, quick ? 64 : 2048);
  MeasureKernelThreads(*ranks, "kernels_on_own_thread_window_64", 64, quick ? 64 : 2048);
  return 0;
}

}  // namespace
}  // namespace softhccl::bench

int main(int argc, char** argv) { return softhccl::bench::Main(argc, argv); }
