// Test of the installed operator: all devices, one rank per device and thread. Every even rank sends its number to the
// next rank; every odd rank prints and checks what it received. Exits with 0 only when every call succeeded and every
// value is right.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_types.h"
#include "hccl_custom_p2p.h"

namespace {

struct RankResult {
  bool isOk = false;
  std::vector<float> output;  // of the odd ranks
};

bool Succeeded(uint32_t rank, const char* call, int code) {
  if (code != 0) {
    fprintf(stderr, "rankId: %u, %s failed with %d\n", rank, call, code);
  }
  return code == 0;
}

#define CHECK(rank, call)                                  \
  do {                                                     \
    if (!Succeeded(rank, #call, static_cast<int>(call))) { \
      return false;                                        \
    }                                                      \
  } while (0)

bool RunSender(uint32_t rank, uint32_t count, HcclComm comm, aclrtStream stream) {
  const uint64_t bytes = count * sizeof(float);
  void* hostBuf = nullptr;
  void* sendBuf = nullptr;
  CHECK(rank, aclrtMallocHost(&hostBuf, bytes));
  CHECK(rank, aclrtMalloc(&sendBuf, bytes, ACL_MEM_MALLOC_HUGE_ONLY));
  float* const values = static_cast<float*>(hostBuf);
  for (uint32_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(rank);
  }
  CHECK(rank, aclrtMemcpy(sendBuf, bytes, hostBuf, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK(rank, HcclSendCustom(sendBuf, count, HCCL_DATA_TYPE_FP32, rank + 1, comm, stream));
  CHECK(rank, aclrtSynchronizeStream(stream));
  CHECK(rank, aclrtFree(sendBuf));
  CHECK(rank, aclrtFreeHost(hostBuf));
  return true;
}

bool RunReceiver(uint32_t rank, uint32_t count, HcclComm comm, aclrtStream stream, std::vector<float>* output) {
  const uint64_t bytes = count * sizeof(float);
  void* hostBuf = nullptr;
  void* recvBuf = nullptr;
  CHECK(rank, aclrtMallocHost(&hostBuf, bytes));
  CHECK(rank, aclrtMalloc(&recvBuf, bytes, ACL_MEM_MALLOC_HUGE_ONLY));
  CHECK(rank, HcclRecvCustom(recvBuf, count, HCCL_DATA_TYPE_FP32, rank - 1, comm, stream));
  CHECK(rank, aclrtSynchronizeStream(stream));
  CHECK(rank, aclrtMemcpy(hostBuf, bytes, recvBuf, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  const float* const values = static_cast<const float*>(hostBuf);
  output->assign(values, values + count);
  CHECK(rank, aclrtFree(recvBuf));
  CHECK(rank, aclrtFreeHost(hostBuf));
  return true;
}

bool RunRank(uint32_t rank, uint32_t rankSize, const HcclRootInfo* rootInfo, std::vector<float>* output) {
  aclrtStream stream = nullptr;
  HcclComm comm = nullptr;
  CHECK(rank, aclrtSetDevice(static_cast<int32_t>(rank)));
  CHECK(rank, HcclCommInitRootInfo(rankSize, rootInfo, rank, &comm));
  CHECK(rank, aclrtCreateStream(&stream));
  const bool isOk =
      rank % 2 == 0 ? RunSender(rank, rankSize, comm, stream) : RunReceiver(rank, rankSize, comm, stream, output);
  CHECK(rank, HcclCommDestroy(comm));
  CHECK(rank, aclrtDestroyStream(stream));
  CHECK(rank, aclrtResetDevice(static_cast<int32_t>(rank)));
  return isOk;
}

// Prints what an odd rank got; true when all of it is the number of the rank before.
bool PrintAndCheck(uint32_t rank, const std::vector<float>& output, uint32_t count) {
  printf("rankId: %u, output: [", rank);
  bool isRight = output.size() == count;
  for (const float value : output) {
    printf(" %g", static_cast<double>(value));
    isRight = isRight && value == static_cast<float>(rank - 1);
  }
  printf(" ]\n");
  if (!isRight) {
    fprintf(stderr, "rankId: %u, wrong output: expected %u times %u\n", rank, count, rank - 1);
  }
  return isRight;
}

}  // namespace

int main() {
  uint32_t deviceCount = 0;
  if (!Succeeded(0, "aclInit", aclInit(nullptr)) ||
      !Succeeded(0, "aclrtGetDeviceCount", aclrtGetDeviceCount(&deviceCount))) {
    return 1;
  }
  printf("Found %u NPU device(s) available\n", deviceCount);
  fflush(stdout);
  if (deviceCount == 0 || deviceCount % 2 != 0) {
    fprintf(stderr, "the ranks work in pairs, so the number of devices must be even and not 0; it is %u\n",
            deviceCount);
    (void)aclFinalize();
    return 1;
  }
  HcclRootInfo rootInfo;
  if (!Succeeded(0, "aclrtSetDevice", aclrtSetDevice(0)) ||
      !Succeeded(0, "HcclGetRootInfo", static_cast<int>(HcclGetRootInfo(&rootInfo)))) {
    return 1;
  }
  std::vector<RankResult> results(deviceCount);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < deviceCount; ++rank) {
    ranks.emplace_back([&results, &rootInfo, rank, deviceCount] {
      results[rank].isOk = RunRank(rank, deviceCount, &rootInfo, &results[rank].output);
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  bool isOk = true;
  for (uint32_t rank = 0; rank < deviceCount; ++rank) {
    isOk = isOk && results[rank].isOk;
    if (rank % 2 != 0 && results[rank].isOk) {
      isOk = PrintAndCheck(rank, results[rank].output, deviceCount) && isOk;
    }
  }
  isOk = Succeeded(0, "aclrtResetDevice", aclrtResetDevice(0)) && isOk;
  isOk = Succeeded(0, "aclFinalize", aclFinalize()) && isOk;
  return isOk ? 0 : 1;
}
