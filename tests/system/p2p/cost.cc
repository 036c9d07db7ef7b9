// What waiting and idling cost: waiting ranks sleep, and buffers that nobody touched take no memory.
#include <sys/resource.h>

#include <cstdio>

#include "driver.h"
#include "measure.h"

namespace p2p_test {
namespace {

double CpuSeconds() {
  rusage usage = {};
  EXPECT(getrusage(RUSAGE_SELF, &usage) == 0);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void WaitingRank_TwoSeconds_UsesLittleCpu() {
  RunRanks(2, 1, [](Rank& self) {
    ConnectAllPairs(self);
    const DeviceMemory data(sizeof(int32_t));
    if (self.rank == 1) {
      SleepFor(2);
      EXPECT(self.Recv(data.Get(), 1, HCCL_DATA_TYPE_INT32, 0) == HCCL_SUCCESS);
      EXPECT(self.Sync() == 0);
    } else {
      const double cpu = CpuSeconds();
      const double start = Now();
      EXPECT(self.Send(data.Get(), 1, HCCL_DATA_TYPE_INT32, 1) == HCCL_SUCCESS);
      EXPECT(self.Sync() == 0);
      const double share = (CpuSeconds() - cpu) / (Now() - start);
      printf("the process used %.2f %% of a core while rank 0 waited\n", 100 * share);
      EXPECT(share < 0.05);
    }
    self.Meet();
  });
}

void IdleRanks_EightWithDefaultBuffers_TakeLittleMemory() {
  RunRanks(8, 1, [](Rank& self) {
    ConnectAllPairs(self);
    if (self.rank == 0) {
      const double megabytes = ResidentMegabytes();
      printf("8 connected ranks with 400 MB buffers: %.0f MB resident\n", megabytes);
      EXPECT(megabytes < 200);
    }
    self.Meet();
  });
}

void IdleRanks_EightUnconnected_TakeLittleMemory() {
  RunRanks(8, 1, [](Rank& self) {
    self.Meet();
    if (self.rank == 0) {
      const double megabytes = ResidentMegabytes();
      printf("8 idle ranks with 400 MB buffers: %.0f MB resident\n", megabytes);
      EXPECT(megabytes < 200);
    }
    self.Meet();
  });
}

}  // namespace

#define CASE(name) {#name, name}
const std::vector<Case>& CostCases() {
  static const std::vector<Case> cases = {CASE(WaitingRank_TwoSeconds_UsesLittleCpu),
                                          CASE(IdleRanks_EightWithDefaultBuffers_TakeLittleMemory),
                                          CASE(IdleRanks_EightUnconnected_TakeLittleMemory)};
  return cases;
}

}  // namespace p2p_test
