// Test of the installed operator: ranks 1 to 16, many barriers in a row. Before each barrier every rank says, in host
// memory that all can see, how far it is; after it, nobody may be behind.
#include <array>
#include <atomic>
#include <cstdio>

#include "collective_test.h"
#include "hccl_custom_barrier.h"

using namespace collective_test;

namespace {

constexpr uint32_t ROUNDS = 50;
std::array<std::atomic<uint32_t>, 16> arrived;

bool RunRank(const Rank& rank) {
  arrived[rank.rank].store(0);
  COLLECTIVE_TEST_CALL(rank, HcclBarrierCustom(rank.comm, rank.stream));
  COLLECTIVE_TEST_CALL(rank, aclrtSynchronizeStream(rank.stream));
  for (uint32_t round = 1; round <= ROUNDS; ++round) {
    arrived[rank.rank].store(round);
    COLLECTIVE_TEST_CALL(rank, HcclBarrierCustom(rank.comm, rank.stream));
    COLLECTIVE_TEST_CALL(rank, aclrtSynchronizeStream(rank.stream));
    for (uint32_t other = 0; other < rank.rankNum; ++other) {
      if (arrived[other].load() < round) {
        fprintf(stderr, "rank %u of %u left barrier %u before rank %u came (it is at %u)\n", rank.rank, rank.rankNum,
                round, other, arrived[other].load());
        return false;
      }
    }
  }
  return true;
}

}  // namespace

int main() { return RunAll("barrier", RunRank); }
