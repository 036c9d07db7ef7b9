// Reductions beside memcpy: each type and operator on every path that this machine has, with operands that fit into the
// second cache. "of_memcpy" is the rate in elements' bytes as a share of memcpy's, both measured in turn.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "transport/reduce.h"

namespace softhccl::bench {
namespace {

using transport::DataType;
using transport::ReduceApply;

constexpr const char* kTypes[transport::kDataTypes] = {"int8",   "int16", "int32",  "fp16",   "fp32", "int64",
                                                       "uint64", "uint8", "uint16", "uint32", "fp64", "bf16",
                                                       "int128", "",      "hif8",   "e4m3",   "e5m2", "e8m0"};
constexpr const char* kOps[transport::kReduceOps] = {"sum", "prod", "max", "min"};

// Bytes of each operand: a quarter of the second cache.
std::size_t OperandBytes() {
  const long cache = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return cache > 0 ? static_cast<std::size_t>(cache) / 4 : std::size_t{256} * 1024;
}

double Seconds(auto&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Aligned as device memory is.
struct Operand {
  explicit Operand(std::size_t size) : bytes(size + kAlignment) {}
  static constexpr std::size_t kAlignment = 512;
  unsigned char* data() {
    return bytes.data() + (kAlignment - reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment);
  }
  std::vector<unsigned char> bytes;
};

// Ones in most types, so that neither NaN nor infinity appears.
void Fill(Operand& operand, int type) {
  auto& bytes = operand.bytes;
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
  const auto fill = [&bytes](auto one) {
    for (std::size_t i = 0; i + sizeof one <= bytes.size(); i += sizeof one) std::memcpy(&bytes[i], &one, sizeof one);
  };
  if (type == static_cast<int>(DataType::kFp32)) fill(1.0F);
  if (type == static_cast<int>(DataType::kFp64)) fill(1.0);
  if (type == static_cast<int>(DataType::kFp16)) fill(std::uint16_t{0x3C00});
  if (type == static_cast<int>(DataType::kBf16)) fill(std::uint16_t{0x3F80});
}

void Reduce(benchmark::State& state, ReduceApply apply, int type) {
  constexpr int kTimes = 20;
  const std::size_t size = OperandBytes();
  Operand dst(size);
  Operand src(size);
  Fill(dst, type);
  Fill(src, type);
  const std::size_t count = size / transport::ElementSize(type).value();
  std::vector<double> ratios;
  for (auto _ : state) {
    const double copy = Seconds([&] {
      for (int i = 0; i < kTimes; ++i) {
        std::memcpy(dst.data(), src.data(), size);
        benchmark::ClobberMemory();
      }
    });
    const double reduce = Seconds([&] {
      for (int i = 0; i < kTimes; ++i) apply(dst.data(), src.data(), count);
    });
    state.SetIterationTime(reduce);
    ratios.push_back(copy / reduce);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  state.counters["of_memcpy"] = ratios[ratios.size() / 2];
  state.SetBytesProcessed(state.iterations() * kTimes * static_cast<std::int64_t>(size));
}

void Register() {
  const transport::ReducePaths paths = transport::AllReducePaths();
  for (int type = 0; type < transport::kDataTypes; ++type) {
    for (int op = 0; op < transport::kReduceOps; ++op) {
      for (int i = 0; i < paths.count; ++i) {
        const transport::ReducePath& path = *paths.begin[i];
        const ReduceApply apply = path.apply[type][op];
        if (!path.available || apply == nullptr) continue;
        const std::string name = std::string(kTypes[type]) + "/" + kOps[op] + "/" + path.name;
        benchmark::RegisterBenchmark(name.c_str(), Reduce, apply, type)->UseManualTime()->Iterations(15);
      }
    }
  }
}

}  // namespace
}  // namespace softhccl::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  softhccl::bench::Register();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
