// The table of data types and operators, and the choice of what this machine runs for each.
#include "transport/reduce.h"

#include <array>

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
  static const ReducePath portable = [] {
    ReducePath path{"portable", true, {}};
    FillPortable(&path);
    FillSmallFloats(&path);
    return path;
  }();
  static const ReducePath* const paths[] = {&portable};
  return {paths, 1};
}

base::Result<std::size_t> ElementSize(int data_type) {
  if (data_type < 0 || data_type >= kDataTypes || data_type == kUnused) {
    return FailResult(Code::kInvalidParam, "data type {} is none of HcclDataType: 0 to 12 and 14 to {}", data_type,
                      kDataTypes - 1);
  }
  return kFacts[data_type].size;
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
