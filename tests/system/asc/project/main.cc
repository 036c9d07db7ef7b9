// Four ranks call shift three times and compare what they got.
#include <cstdio>
#include <thread>
#include <vector>

#include "shift.h"

namespace {

constexpr uint32_t kRanks = 4;
constexpr uint64_t kCount = 1000;

bool RunRank(uint32_t rank, const HcclRootInfo& root) {
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  aclrtNotify end = nullptr;
  void* input = nullptr;
  void* output = nullptr;
  constexpr uint64_t bytes = kCount * sizeof(uint32_t);
  bool is_right = aclrtSetDevice(static_cast<int32_t>(rank)) == 0 &&
                  HcclCommInitRootInfo(kRanks, &root, rank, &comm) == 0 && aclrtCreateStream(&stream) == 0 &&
                  aclrtCreateNotify(&end, ACL_NOTIFY_DEFAULT) == 0 &&
                  aclrtMalloc(&input, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0 &&
                  aclrtMalloc(&output, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0;
  for (uint32_t call = 0; call < 3 && is_right; ++call) {
    std::vector<uint32_t> values(kCount, 10 * rank + call);
    is_right = aclrtMemcpy(input, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0 &&
               Shift(input, output, bytes, comm, end, stream) == 0 && aclrtSynchronizeStream(stream) == 0 &&
               aclrtMemcpy(values.data(), bytes, output, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0 &&
               values == std::vector<uint32_t>(kCount, 10 * ((rank + kRanks - 1) % kRanks) + call);
  }
  printf("rank %u: %s\n", rank, is_right ? "right" : "WRONG");
  return aclrtFree(input) == 0 && aclrtFree(output) == 0 && aclrtDestroyNotify(end) == 0 &&
         aclrtDestroyStream(stream) == 0 && HcclCommDestroy(comm) == 0 &&
         aclrtResetDevice(static_cast<int32_t>(rank)) == 0 && is_right;
}

}  // namespace

int main() {
  if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0) return 1;
  HcclRootInfo root;
  if (HcclGetRootInfo(&root) != 0) return 1;
  bool are_right[kRanks] = {};
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([rank, &root, &are_right] { are_right[rank] = RunRank(rank, root); });
  }
  for (std::thread& rank : ranks) rank.join();
  for (const bool is_right : are_right) {
    if (!is_right) return 1;
  }
  return aclFinalize() == 0 ? 0 : 1;
}
