// Test of the installed operator: communicators of 1 to 8 ranks, a host thread per rank; several sizes, and calls that
// follow each other without a synchronise.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl_custom_sample_op.h"

namespace {

constexpr uint32_t MOST_RANKS = 8;

struct Rank {
  uint32_t rank;
  uint32_t rankNum;
  HcclComm comm;
  aclrtStream stream;
};

bool Succeeded(uint32_t rank, const char* call, int code) {
  if (code != 0) {
    fprintf(stderr, "rank %u: %s failed with %d\n", rank, call, code);
  }
  return code == 0;
}
#define TRY(rank, call)                                    \
  do {                                                     \
    if (!Succeeded(rank, #call, static_cast<int>(call))) { \
      return false;                                        \
    }                                                      \
  } while (0)

// What a rank has at an index in a call.
int32_t Value(uint32_t rank, uint64_t index, uint32_t call) {
  return static_cast<int32_t>(100000 * call + 1000 * rank + index % 997);
}

bool RunCalls(const Rank& own, uint64_t count) {
  constexpr uint32_t CALLS = 3;
  const uint64_t bytes = std::max<uint64_t>(count, 1) * sizeof(int32_t);
  const uint32_t previous = (own.rank + own.rankNum - 1) % own.rankNum;
  void* send[CALLS] = {};
  void* recv[CALLS] = {};
  std::vector<int32_t> values(count);
  for (uint32_t call = 0; call < CALLS; ++call) {
    TRY(own.rank, aclrtMalloc(&send[call], bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    TRY(own.rank, aclrtMalloc(&recv[call], bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    for (uint64_t i = 0; i < count; ++i) {
      values[i] = Value(own.rank, i, call);
    }
    if (count > 0) {
      TRY(own.rank, aclrtMemcpy(send[call], bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    TRY(own.rank, HcclSampleOpCustom(send[call], recv[call], count, HCCL_DATA_TYPE_INT32, own.comm, own.stream));
  }
  TRY(own.rank, aclrtSynchronizeStream(own.stream));
  for (uint32_t call = 0; call < CALLS; ++call) {
    if (count > 0) {
      TRY(own.rank, aclrtMemcpy(values.data(), bytes, recv[call], bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    for (uint64_t i = 0; i < count; ++i) {
      if (values[i] != Value(previous, i, call)) {
        fprintf(stderr, "rank %u of %u, call %u, element %llu of %llu is %d, expected %d\n", own.rank, own.rankNum,
                call, static_cast<unsigned long long>(i), static_cast<unsigned long long>(count), values[i],
                Value(previous, i, call));
        return false;
      }
    }
    TRY(own.rank, aclrtFree(send[call]));
    TRY(own.rank, aclrtFree(recv[call]));
  }
  return true;
}

bool RunRank(uint32_t rank, uint32_t rankNum, const HcclRootInfo* rootInfo) {
  Rank own = {rank, rankNum, nullptr, nullptr};
  TRY(rank, aclrtSetDevice(static_cast<int32_t>(rank)));
  TRY(rank, HcclCommInitRootInfo(rankNum, rootInfo, rank, &own.comm));
  TRY(rank, aclrtCreateStream(&own.stream));
  bool isRight = true;
  for (const uint64_t count : {0, 1, 1000, 700000}) {  // the last one does not fit the HcclBuffer
    isRight = isRight && RunCalls(own, count);
  }
  TRY(rank, HcclCommDestroy(own.comm));
  TRY(rank, aclrtDestroyStream(own.stream));
  TRY(rank, aclrtResetDevice(static_cast<int32_t>(rank)));
  return isRight;
}

bool RunRanks(uint32_t rankNum) {
  HcclRootInfo rootInfo;
  TRY(0, HcclGetRootInfo(&rootInfo));
  std::vector<char> isRight(rankNum, 0);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < rankNum; ++rank) {
    ranks.emplace_back([&, rank] { isRight[rank] = RunRank(rank, rankNum, &rootInfo) ? 1 : 0; });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  return std::count(isRight.begin(), isRight.end(), 1) == static_cast<std::ptrdiff_t>(rankNum);
}

bool RunAll() {
  uint32_t devices = 0;
  TRY(0, aclInit(nullptr));
  TRY(0, aclrtGetDeviceCount(&devices));
  TRY(0, aclrtSetDevice(0));
  bool isRight = true;
  for (uint32_t rankNum = 1; rankNum <= std::min(devices, MOST_RANKS); ++rankNum) {
    const bool isRightNow = RunRanks(rankNum);
    printf("HcclSampleOpCustom, %u ranks: %s\n", rankNum, isRightNow ? "right" : "WRONG");
    isRight = isRight && isRightNow;
  }
  TRY(0, aclrtResetDevice(0));
  TRY(0, aclFinalize());
  return isRight;
}

}  // namespace

int main() { return RunAll() ? 0 : 1; }
