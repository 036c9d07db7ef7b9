// Test of the installed operator: ranks 1 to 16, all sizes, data types and operators.
#include "collective_test.h"
#include "hccl_custom_reduce_scatter.h"

using namespace collective_test;

namespace {

const HcclReduceOp OPS[] = {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN};

bool RunCase(const Rank& rank, const TypeCase& type, uint64_t count, HcclReduceOp op) {
  const DeviceArray send(type, count * rank.rankNum,
                         [&](uint64_t i) { return Operand(op, rank.rank, rank.rankNum, i); });
  const DeviceArray recv(type, count, [](uint64_t) { return 4; });
  COLLECTIVE_TEST_CALL(rank,
                       HcclReduceScatterCustom(send.data(), recv.data(), count, type.type, op, rank.comm, rank.stream));
  COLLECTIVE_TEST_CALL(rank, aclrtSynchronizeStream(rank.stream));
  return recv.Check(rank, ReduceName(op), [&](uint64_t i) { return Reduced(op, rank.rankNum, rank.rank * count + i); });
}

bool RunRank(const Rank& rank) {
  for (const TypeCase& type : AllTypes()) {
    for (const HcclReduceOp op : OPS) {
      for (const uint64_t count : CountsOf(type)) {
        if (!RunCase(rank, type, count, op)) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

int main() { return RunAll("reduce-scatter", RunRank); }
