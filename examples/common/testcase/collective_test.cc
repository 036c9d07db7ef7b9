// Ranks as threads, data of every type, comparison.
#include "collective_test.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace collective_test {
namespace {

constexpr uint32_t MAX_TESTED_RANKS = 16;

#define WHOLE(type, bytes) {HCCL_DATA_TYPE_##type, #type, bytes, {0, 1, 2, 3, 4}}
const std::vector<TypeCase> TYPES = {
    WHOLE(INT8, 1),
    WHOLE(UINT8, 1),
    WHOLE(INT16, 2),
    WHOLE(UINT16, 2),
    WHOLE(INT32, 4),
    WHOLE(UINT32, 4),
    WHOLE(INT64, 8),
    WHOLE(UINT64, 8),
    {HCCL_DATA_TYPE_FP16, "FP16", 2, {0, 0x3C00, 0x4000, 0x4200, 0x4400}},
    {HCCL_DATA_TYPE_BFP16, "BFP16", 2, {0, 0x3F80, 0x4000, 0x4040, 0x4080}},
    {HCCL_DATA_TYPE_FP32, "FP32", 4, {0, 0x3F800000, 0x40000000, 0x40400000, 0x40800000}},
    {HCCL_DATA_TYPE_FP64,
     "FP64",
     8,
     {0, 0x3FF0000000000000, 0x4000000000000000, 0x4008000000000000, 0x4010000000000000}},
    {HCCL_DATA_TYPE_FP8E4M3, "FP8E4M3", 1, {0, 0x38, 0x40, 0x44, 0x48}},
    {HCCL_DATA_TYPE_FP8E5M2, "FP8E5M2", 1, {0, 0x3C, 0x40, 0x42, 0x44}},
};
#undef WHOLE

void Require(const char* call, int code) {
  if (code != 0) {
    fprintf(stderr, "%s failed with %d\n", call, code);
    exit(1);
  }
}

std::vector<unsigned char> Encode(const TypeCase& type, uint64_t count, const Values& values) {
  std::vector<unsigned char> bytes(count * type.bytes);
  for (uint64_t i = 0; i < count; ++i) {
    memcpy(&bytes[i * type.bytes], &type.bits[values(i)], type.bytes);  // little-endian, as the elements are
  }
  return bytes;
}

bool RunRank(uint32_t rank, uint32_t rankNum, const HcclRootInfo* rootInfo,
             const std::function<bool(const Rank&)>& body) {
  Rank own = {rank, rankNum, nullptr, nullptr};
  COLLECTIVE_TEST_CALL(own, aclrtSetDevice(static_cast<int32_t>(rank)));
  COLLECTIVE_TEST_CALL(own, HcclCommInitRootInfo(rankNum, rootInfo, rank, &own.comm));
  COLLECTIVE_TEST_CALL(own, aclrtCreateStream(&own.stream));
  const bool isRight = body(own);
  COLLECTIVE_TEST_CALL(own, aclrtSynchronizeStream(own.stream));
  COLLECTIVE_TEST_CALL(own, HcclCommDestroy(own.comm));
  COLLECTIVE_TEST_CALL(own, aclrtDestroyStream(own.stream));
  COLLECTIVE_TEST_CALL(own, aclrtResetDevice(static_cast<int32_t>(rank)));
  return isRight;
}

bool RunRanks(uint32_t rankNum, const std::function<bool(const Rank&)>& body) {
  HcclRootInfo rootInfo;
  Require("HcclGetRootInfo", static_cast<int>(HcclGetRootInfo(&rootInfo)));
  std::vector<char> isRight(rankNum, 0);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < rankNum; ++rank) {
    ranks.emplace_back([&, rank] { isRight[rank] = RunRank(rank, rankNum, &rootInfo, body) ? 1 : 0; });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  return std::all_of(isRight.begin(), isRight.end(), [](char right) { return right != 0; });
}

}  // namespace

const std::vector<TypeCase>& AllTypes() { return TYPES; }

std::vector<uint64_t> CountsOf(const TypeCase& type) {
  std::vector<uint64_t> counts = {0, 1, 7, 333};
  if (type.type == HCCL_DATA_TYPE_FP32) {
    counts.push_back(40001);
  }
  return counts;
}

DeviceArray::DeviceArray(const TypeCase& type, uint64_t count, const Values& values) : type_(type), count_(count) {
  const std::vector<unsigned char> bytes = Encode(type, count, values);
  Require("aclrtMalloc", aclrtMalloc(&data_, std::max<size_t>(bytes.size(), 1), ACL_MEM_MALLOC_HUGE_FIRST));
  if (!bytes.empty()) {
    Require("aclrtMemcpy", aclrtMemcpy(data_, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  }
}

DeviceArray::~DeviceArray() { (void)aclrtFree(data_); }

bool DeviceArray::Check(const Rank& rank, const std::string& what, const Values& expected) const {
  const std::vector<unsigned char> wanted = Encode(type_, count_, expected);
  std::vector<unsigned char> got(wanted.size());
  if (got.empty()) {
    return true;
  }
  COLLECTIVE_TEST_CALL(rank, aclrtMemcpy(got.data(), got.size(), data_, got.size(), ACL_MEMCPY_DEVICE_TO_HOST));
  for (uint64_t i = 0; i < count_; ++i) {
    if (memcmp(&got[i * type_.bytes], &wanted[i * type_.bytes], type_.bytes) != 0) {
      uint64_t bits = 0;
      memcpy(&bits, &got[i * type_.bytes], type_.bytes);
      fprintf(stderr,
              "rank %u of %u, %s, %s, element %llu of %llu: the bits are 0x%llx, expected those of %d, 0x%llx\n",
              rank.rank, rank.rankNum, what.c_str(), type_.name, static_cast<unsigned long long>(i),
              static_cast<unsigned long long>(count_), static_cast<unsigned long long>(bits), expected(i),
              static_cast<unsigned long long>(type_.bits[expected(i)]));
      return false;
    }
  }
  return true;
}

bool Succeeded(uint32_t rank, const char* call, int code) {
  if (code != 0) {
    fprintf(stderr, "rank %u, %s failed with %d\n", rank, call, code);
  }
  return code == 0;
}

int Operand(HcclReduceOp op, uint32_t rank, uint32_t rankNum, uint64_t index) {
  const uint32_t first = static_cast<uint32_t>(index % rankNum);
  const bool isSecond = rankNum > 1 && rank == (first + 1) % rankNum;
  switch (op) {
    case HCCL_REDUCE_SUM: return rank == first ? static_cast<int>(1 + index % 3) : isSecond ? 1 : 0;
    case HCCL_REDUCE_PROD: return rank == first || isSecond ? 2 : 1;
    default: return static_cast<int>((rank * 7 + index) % 5);
  }
}

int Reduced(HcclReduceOp op, uint32_t rankNum, uint64_t index) {
  int result = Operand(op, 0, rankNum, index);
  for (uint32_t rank = 1; rank < rankNum; ++rank) {
    const int operand = Operand(op, rank, rankNum, index);
    switch (op) {
      case HCCL_REDUCE_SUM: result += operand; break;
      case HCCL_REDUCE_PROD: result *= operand; break;
      case HCCL_REDUCE_MAX: result = std::max(result, operand); break;
      default: result = std::min(result, operand); break;
    }
  }
  return result;
}

const char* ReduceName(HcclReduceOp op) {
  switch (op) {
    case HCCL_REDUCE_SUM: return "sum";
    case HCCL_REDUCE_PROD: return "prod";
    case HCCL_REDUCE_MAX: return "max";
    default: return "min";
  }
}

int RunAll(const char* name, const std::function<bool(const Rank&)>& body) {
  uint32_t devices = 0;
  Require("aclInit", aclInit(nullptr));
  Require("aclrtGetDeviceCount", aclrtGetDeviceCount(&devices));
  Require("aclrtSetDevice", aclrtSetDevice(0));
  bool isRight = true;
  for (uint32_t rankNum = 1; rankNum <= std::min(devices, MAX_TESTED_RANKS); ++rankNum) {
    const bool isRightNow = RunRanks(rankNum, body);
    printf("%s, %u ranks: %s\n", name, rankNum, isRightNow ? "right" : "WRONG");
    isRight = isRight && isRightNow;
  }
  Require("aclrtResetDevice", aclrtResetDevice(0));
  Require("aclFinalize", aclFinalize());
  return isRight ? 0 : 1;
}

}  // namespace collective_test
