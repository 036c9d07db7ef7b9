// The goal for floats that lie in the second cache is 60 % of memcpy's rate; docs/performance.md says which processors
// reach it. That depends on the processor, so the test prints the shares and fails only for what shows on any of them
// that a loop is no longer vector code: it is slower than the portable path's, or far slower than on the slowest
// processor known. Everything is measured in turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transport/reduce.h"

namespace softhccl::transport {
namespace {

double Seconds(auto&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

const ReducePath& Portable() {
  const ReducePaths paths = AllReducePaths();
  return *paths.begin[paths.count - 1];
}

// The path that this machine takes.
const ReducePath& Chosen(int type, int op) {
  const ReducePaths paths = AllReducePaths();
  for (int i = 0; i < paths.count; ++i) {
    if (paths.begin[i]->available && paths.begin[i]->apply[type][op] != nullptr) return *paths.begin[i];
  }
  return Portable();
}

struct Speed {
  double of_memcpy;    // memcpy's time by the reduction's
  double of_portable;  // the portable path's time by the reduction's
};

// Medians of many rounds. Zeros: no overflow, whatever the operator.
Speed Measure(int type, int op) {
  constexpr int kRounds = 21;
  constexpr int kTimes = 10;
  const long cache = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  const std::size_t size = cache > 0 ? static_cast<std::size_t>(cache) / 8 / 512 * 512 : std::size_t{128} * 1024;
  const auto allocate = [size] {
    std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(512, size), &std::free);
    std::memset(memory.get(), 0, size);
    return memory;
  };
  const auto dst = allocate();
  const auto src = allocate();
  const Reduction& reduction = *FindReduction(type, op).value();
  const auto reduce = [&](ReduceApply apply) {
    return Seconds([&] {
      for (int i = 0; i < kTimes; ++i) apply(dst.get(), src.get(), size / reduction.element_size);
    });
  };
  std::vector<double> of_memcpy;
  std::vector<double> of_portable;
  for (int round = 0; round < kRounds; ++round) {
    const double copy = Seconds([&] {
      for (int i = 0; i < kTimes; ++i) {
        std::memcpy(dst.get(), src.get(), size);
        asm volatile("" ::: "memory");
      }
    });
    const double chosen = reduce(reduction.apply);
    of_memcpy.push_back(copy / chosen);
    of_portable.push_back(reduce(Portable().apply[type][op]) / chosen);
  }
  return {Median(of_memcpy), Median(of_portable)};
}

// Half of the share measured on the slowest processor known, a first-generation EPYC, which computes a vector of AVX2
// in two halves: a margin for processors whose memcpy is faster. Compiled without vector code the loops reach there at
// most 0.13 for FP32, 0.03 for halves and, for sums and products of FP16, 0.01.
double Floor(int type, ReduceOp op) {
  const bool is_extremum = op == ReduceOp::kMax || op == ReduceOp::kMin;
  if (type == static_cast<int>(DataType::kFp32)) return is_extremum ? 0.25 : 0.30;
  if (type == static_cast<int>(DataType::kFp16)) return is_extremum ? 0.18 : 0.07;
  if (type == static_cast<int>(DataType::kBf16)) return is_extremum ? 0.18 : 0.08;
  return 0;
}

using Combination = std::pair<int, int>;  // a type and an operator

// Those with a loop of their own on this machine; the portable path has nothing to be compared with.
std::vector<Combination> Combinations() {
  std::vector<Combination> all;
  for (int type = 0; type < kDataTypes; ++type) {
    for (int op = 0; op < kReduceOps; ++op) {
      const ReducePath& path = Chosen(type, op);
      if (&path != &Portable()) all.emplace_back(type, op);
    }
  }
  return all;
}

class ReduceSpeedTest : public ::testing::TestWithParam<Combination> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReduceSpeedTest);

TEST_P(ReduceSpeedTest, ChosenPath_IsVectorCode) {
  // Products of UINT64 and of INT64 are the same arithmetic, and yet their ratios differed by 0.14. Floats without
  // vector code lose more: they took 1.9 times the portable path's time at least.
  constexpr double kNoise = 0.6;
  const auto [type, op] = GetParam();
  const double floor = Floor(type, static_cast<ReduceOp>(op));
  Speed best{};
  // Another process on the core slows them down differently; it is not there all the time.
  for (int attempt = 0; attempt < 10 && (best.of_memcpy < floor || best.of_portable < kNoise); ++attempt) {
    const Speed speed = Measure(type, op);
    best.of_memcpy = std::max(best.of_memcpy, speed.of_memcpy);
    best.of_portable = std::max(best.of_portable, speed.of_portable);
  }
  std::printf("%s, operator %d, %s: %.2f of memcpy, %.2f of portable\n", DataTypeName(type), op, Chosen(type, op).name,
              best.of_memcpy, best.of_portable);
  EXPECT_GE(best.of_memcpy, floor) << "share of memcpy's rate";
  EXPECT_GE(best.of_portable, kNoise) << "share of the portable path's rate";
}

INSTANTIATE_TEST_SUITE_P(All, ReduceSpeedTest, ::testing::ValuesIn(Combinations()),
                         [](const ::testing::TestParamInfo<Combination>& which) {
                           return std::string(DataTypeName(which.param.first)) + "_" +
                                  std::to_string(which.param.second);
                         });

}  // namespace
}  // namespace softhccl::transport
