// Test of the installed operator: ranks 1 to 16, all sizes and data types, every root.
#include "collective_test.h"
#include "hccl_custom_broadcast.h"

using namespace collective_test;

namespace {

int Value(uint32_t root, uint64_t index) { return static_cast<int>((root + 3 * index) % 5); }

bool RunCase(const Rank& rank, const TypeCase& type, uint64_t count, uint32_t root) {
  const DeviceArray data(type, count, [&](uint64_t i) { return rank.rank == root ? Value(root, i) : 4; });
  COLLECTIVE_TEST_CALL(rank, HcclBroadcastCustom(data.data(), count, type.type, root, rank.comm, rank.stream));
  COLLECTIVE_TEST_CALL(rank, aclrtSynchronizeStream(rank.stream));
  return data.Check(rank, "broadcast", [&](uint64_t i) { return Value(root, i); });
}

bool RunRank(const Rank& rank) {
  for (const TypeCase& type : AllTypes()) {
    for (const uint64_t count : CountsOf(type)) {
      const uint32_t root = static_cast<uint32_t>(count % rank.rankNum);
      if (!RunCase(rank, type, count, root)) {
        return false;
      }
    }
  }
  for (uint32_t root = 0; root < rank.rankNum; ++root) {
    if (!RunCase(rank, AllTypes().front(), 1000, root)) {
      return false;
    }
  }
  return true;
}

}  // namespace

int main() { return RunAll("broadcast", RunRank); }
