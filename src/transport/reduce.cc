// The table of data types and operators, and the choice of what this machine runs for each.
#include "transport/reduce.h"

#include <array>
#include <initializer_list>
#include <iterator>

namespace softhccl::transport {
namespace {

using base::Code;
using base::FailResult;

constexpr int kUnused = 13;  // the hole in HcclDataType

struct TypeFacts {
  const char* name;
  std::size_t size;
};

constexpr TypeFacts kFacts[kDataTypes] = {{"INT8", 1},    {"INT16", 2},   {"INT32", 4},   {"FP16", 2},   {"FP32", 4},
                                          {"INT64", 8},   {"UINT64", 8},  {"UINT8", 1},   {"UINT16", 2}, {"UINT32", 4},
                                          {"FP64", 8},    {"BFP16", 2},   {"INT128", 16}, {"", 0},       {"HIF8", 1},
                                          {"FP8E4M3", 1}, {"FP8E5M2", 1}, {"FP8E8M0", 1}};

using Table = std::array<std::array<Reduction, kReduceOps>, kDataTypes>;

// The functions that fill in a path are compiled for its processor, too: another one cannot run them.
ReducePath MakePath(const char* name, bool available, std::initializer_list<void (*)(ReducePath*)> fill) {
  ReducePath path{name, available, {}};
  if (!available) return path;
  for (const auto function : fill) function(&path);
  return path;
}

ReduceApply Best(int data_type, int op) {
  const ReducePaths paths = AllReducePaths();
  for (int i = 0; i < paths.count; ++i) {
    const ReducePath& path = *paths.begin[i];
    if (path.available && path.apply[data_type][op] != nullptr) return path.apply[data_type][op];
  }
  return nullptr;
}

Table MakeTable() {
  Table table{};
  for (int type = 0; type < kDataTypes; ++type) {
    for (int op = 0; op < kReduceOps; ++op) {
      table[type][op] = {type, static_cast<ReduceOp>(op), kFacts[type].size, Best(type, op)};
    }
  }
  return table;
}

}  // namespace

ReducePaths AllReducePaths() {
  static const ReducePath portable = MakePath("portable", true, {FillPortable, FillSmallFloats});
#ifdef __x86_64__
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  const bool vbmi2 = avx512 && __builtin_cpu_supports("avx512vbmi2") != 0;
  const bool fp16 = avx512 && __builtin_cpu_supports("avx512fp16") != 0;
  static const ReducePath avx512_fp16 = MakePath("avx512-fp16", fp16, {FillAvx512Fp16});
  static const ReducePath avx512_vbmi2 = MakePath("avx512-vbmi2", vbmi2, {FillAvx512Vbmi2});
  static const ReducePath avx512_base = MakePath("avx512", avx512, {FillAvx512});
  static const ReducePath avx2_base = MakePath("avx2", avx2, {FillAvx2});
  static const ReducePath* const paths[] = {&avx512_fp16, &avx512_vbmi2, &avx512_base, &avx2_base, &portable};
#else
  static const ReducePath* const paths[] = {&portable};
#endif
  return {paths, static_cast<int>(std::size(paths))};
}

base::Result<std::size_t> ElementSize(int data_type) {
  if (data_type < 0 || data_type >= kDataTypes || data_type == kUnused) {
    return FailResult(Code::kInvalidParam, "data type {} is none of HcclDataType: 0 to 12 and 14 to {}", data_type,
                      kDataTypes - 1);
  }
  return kFacts[data_type].size;
}

const char* DataTypeName(int data_type) {
  return data_type >= 0 && data_type < kDataTypes ? kFacts[data_type].name : "";
}

base::Result<const Reduction*> FindReduction(int data_type, int op) {
  static const Table table = MakeTable();
  const auto size = ElementSize(data_type);
  if (op < 0 || op >= kReduceOps) {
    return FailResult(Code::kInvalidParam,
                      "reduce operator {} (for data type {}) is none of HcclReduceOp: 0 sum, 1 product, 2 maximum, 3 "
                      "minimum",
                      op, data_type);
  }
  if (!size) {
    return FailResult(Code::kInvalidParam, "{} (for reduce operator {})", size.error().message(), op);
  }
  const Reduction& reduction = table[data_type][op];
  if (reduction.apply == nullptr) {
    return FailResult(Code::kNotSupported, "this build has no arithmetic for data type {} ({}), reduce operator {}",
                      data_type, kFacts[data_type].name, op);
  }
  return &reduction;
}

}  // namespace softhccl::transport
