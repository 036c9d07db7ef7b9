// A program with a mistake: both ranks send first and receive afterwards. A send ends when the receiver has read, so
// each waits for the other. The READMEs and docs/debugging.md show what is printed; commands_test.sh compares.
#include <cstdint>
#include <cstdio>
#include <thread>

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl_custom_p2p.h"

namespace {

constexpr int kTaskTimeout = 107020;
constexpr uint64_t kCount = 8;

HcclRootInfo g_root;
int g_results[2];

void RunRank(uint32_t rank) {
  const uint64_t bytes = kCount * sizeof(float);
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  void* sent = nullptr;
  void* received = nullptr;
  bool is_ready = aclrtSetDevice(static_cast<int32_t>(rank)) == 0 &&
                  HcclCommInitRootInfo(2, &g_root, rank, &comm) == HCCL_SUCCESS && aclrtCreateStream(&stream) == 0 &&
                  aclrtMalloc(&sent, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0 &&
                  aclrtMalloc(&received, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0;
  is_ready = is_ready && HcclSendCustom(sent, kCount, HCCL_DATA_TYPE_FP32, 1 - rank, comm, stream) == HCCL_SUCCESS &&
             HcclRecvCustom(received, kCount, HCCL_DATA_TYPE_FP32, 1 - rank, comm, stream) == HCCL_SUCCESS;
  if (is_ready) {
    g_results[rank] = aclrtSynchronizeStream(stream);
  }
}

}  // namespace

int main() {
  if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || HcclGetRootInfo(&g_root) != HCCL_SUCCESS) {
    return 1;
  }
  std::thread first(RunRank, 0);
  std::thread second(RunRank, 1);
  first.join();
  second.join();
  printf("rank 0: %d, rank 1: %d\n", g_results[0], g_results[1]);
  return g_results[0] == kTaskTimeout && g_results[1] == kTaskTimeout ? 0 : 1;
}
