// Test of the installed operator: ranks 1 to 16, all sizes and data types; also in place.
#include "collective_test.h"
#include "hccl_custom_allgather.h"

using namespace collective_test;

namespace {

int Value(uint32_t rank, uint64_t index) { return static_cast<int>((rank + index) % 5); }

bool RunCase(const Rank& rank, const TypeCase& type, uint64_t count) {
  const DeviceArray send(type, count, [&](uint64_t i) { return Value(rank.rank, i); });
  const DeviceArray recv(type, count * rank.rankNum, [](uint64_t) { return 4; });
  COLLECTIVE_TEST_CALL(rank, HcclAllGatherCustom(send.data(), recv.data(), count, type.type, rank.comm, rank.stream));
  COLLECTIVE_TEST_CALL(rank, aclrtSynchronizeStream(rank.stream));
  return recv.Check(rank, "all-gather", [&](uint64_t i) { return Value(static_cast<uint32_t>(i / count), i % count); });
}

// The own block lies where it will be in the result.
bool RunInPlace(const Rank& rank, const TypeCase& type, uint64_t count) {
  const DeviceArray both(type, count * rank.rankNum, [&](uint64_t i) { return Value(rank.rank, i % count); });
  void* const own = static_cast<char*>(both.data()) + rank.rank * count * type.bytes;
  COLLECTIVE_TEST_CALL(rank, HcclAllGatherCustom(own, both.data(), count, type.type, rank.comm, rank.stream));
  COLLECTIVE_TEST_CALL(rank, aclrtSynchronizeStream(rank.stream));
  return both.Check(rank, "all-gather in place",
                    [&](uint64_t i) { return Value(static_cast<uint32_t>(i / count), i % count); });
}

bool RunRank(const Rank& rank) {
  for (const TypeCase& type : AllTypes()) {
    for (const uint64_t count : CountsOf(type)) {
      if (!RunCase(rank, type, count)) {
        return false;
      }
    }
  }
  return RunInPlace(rank, AllTypes().front(), 1000);
}

}  // namespace

int main() { return RunAll("all-gather", RunRank); }
