// Test of the installed operator: ranks 1 to 16, all sizes and data types.
#include "collective_test.h"
#include "hccl_custom_alltoall.h"

using namespace collective_test;

namespace {

int Value(uint32_t from, uint32_t to, uint64_t index) { return static_cast<int>((from + 2 * to + index) % 5); }

bool RunCase(const Rank& rank, const TypeCase& type, uint64_t count) {
  const uint64_t whole = count * rank.rankNum;
  const DeviceArray send(type, whole,
                         [&](uint64_t i) { return Value(rank.rank, static_cast<uint32_t>(i / count), i % count); });
  const DeviceArray recv(type, whole, [](uint64_t) { return 4; });
  COLLECTIVE_TEST_CALL(rank, HcclAlltoAllCustom(send.data(), recv.data(), count, type.type, rank.comm, rank.stream));
  COLLECTIVE_TEST_CALL(rank, aclrtSynchronizeStream(rank.stream));
  return recv.Check(rank, "all-to-all",
                    [&](uint64_t i) { return Value(static_cast<uint32_t>(i / count), rank.rank, i % count); });
}

bool RunRank(const Rank& rank) {
  for (const TypeCase& type : AllTypes()) {
    for (const uint64_t count : CountsOf(type)) {
      if (!RunCase(rank, type, count)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

int main() { return RunAll("all-to-all", RunRank); }
