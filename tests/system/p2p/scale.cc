// Many devices, and ranks that come and go many times: what a device costs must not be a descriptor, and what a rank
// took must be given back.
#include <sys/resource.h>

#include <cstdio>

#include "driver.h"
#include "measure.h"

namespace p2p_test {
namespace {

struct DeviceThings {
  aclrtStream stream = nullptr;
  aclrtNotify notify = nullptr;
};

// With SOFTHCCL_DEVICES=1024 and at most 1024 files, as many as an ordinary process may open: every device has a stream
// and a notify, and then 64 of them a communicator.
void Devices_ThousandWithFewFiles_Work() {
  rlimit limit = {};
  EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 1024);
  uint32_t count = 0;
  EXPECT(aclrtGetDeviceCount(&count) == 0 && count == 1024);
  std::vector<DeviceThings> devices(count);
  for (uint32_t device = 0; device < count; ++device) {
    EXPECT(aclrtSetDevice(static_cast<int32_t>(device)) == 0);
    EXPECT(aclrtCreateStream(&devices[device].stream) == 0);
    EXPECT(aclrtCreateNotify(&devices[device].notify, ACL_NOTIFY_DEFAULT) == 0);
    EXPECT(aclrtRecordNotify(devices[device].notify, devices[device].stream) == 0);
    EXPECT(aclrtWaitAndResetNotify(devices[device].notify, devices[device].stream, 10) == 0);
  }
  RunRanks(64, 1, [](Rank& self) {
    const DeviceMemory data(sizeof(int32_t));
    const uint32_t sender = self.rank & ~1u;
    data.SetInt(0, self.rank == sender ? static_cast<int32_t>(sender) : -1);
    if (self.rank == sender) EXPECT(self.Send(data.Get(), 1, HCCL_DATA_TYPE_INT32, sender + 1) == HCCL_SUCCESS);
    if (self.rank != sender) EXPECT(self.Recv(data.Get(), 1, HCCL_DATA_TYPE_INT32, sender) == HCCL_SUCCESS);
    EXPECT(self.Sync() == 0);
    EXPECT(data.GetInt(0) == static_cast<int32_t>(sender));
    self.Meet();
    if (self.rank == 0) printf("1024 devices, 64 ranks: %zu open descriptors\n", OpenDescriptors());
    self.Meet();
  });
  for (uint32_t device = 0; device < count; ++device) {
    EXPECT(aclrtSetDevice(static_cast<int32_t>(device)) == 0);
    EXPECT(aclrtSynchronizeStream(devices[device].stream) == 0);
    EXPECT(aclrtDestroyNotify(devices[device].notify) == 0);
    EXPECT(aclrtDestroyStream(devices[device].stream) == 0);
  }
}

// needs A09: sixteen ranks that come and go fifty times leave as much memory and as many descriptors in use as before,
// and sixteen idle ranks with their 400 MB buffers take little. What the first rounds leave is the process's own:
// stacks and heaps of threads, which the next ones use again.
void SixteenRanks_FiftyTimes_LeaveNothing() {
  constexpr int kRounds = 50;
  constexpr int kFirst = 10;
  double megabytes = 0;
  std::size_t descriptors = 0;
  for (int round = 0; round < kRounds && !HasFailed(); ++round) {
    RunRanks(16, 1, [round](Rank& self) {
      self.Meet();
      if (self.rank == 0 && round == 0) {
        printf("16 idle ranks: %.0f MB resident\n", ResidentMegabytes());
        EXPECT(ResidentMegabytes() < 1000);
      }
      self.Meet();
      const DeviceMemory data(sizeof(int32_t));
      const bool isSender = self.rank % 2 == 0;
      const auto call = isSender ? HcclSendCustom : HcclRecvCustom;
      const uint32_t peer = isSender ? self.rank + 1 : self.rank - 1;
      EXPECT(call(data.Get(), 1, HCCL_DATA_TYPE_INT32, peer, self.Comm(), self.stream) == HCCL_SUCCESS);
      EXPECT(self.Sync() == 0);
    });
    if (round + 1 == kFirst) {
      megabytes = ResidentMegabytes();
      descriptors = OpenDescriptors();
    }
  }
  printf("after %d rounds %.1f MB and %zu descriptors, after %d rounds %.1f MB and %zu descriptors\n", kFirst,
         megabytes, descriptors, kRounds, ResidentMegabytes(), OpenDescriptors());
  EXPECT(ResidentMegabytes() <= 1.05 * megabytes);
  EXPECT(OpenDescriptors() == descriptors);
}

}  // namespace

const std::vector<Case>& ScaleCases() {
  static const std::vector<Case> cases = {
      {"Devices_ThousandWithFewFiles_Work", Devices_ThousandWithFewFiles_Work},
      {"SixteenRanks_FiftyTimes_LeaveNothing", SixteenRanks_FiftyTimes_LeaveNothing}};
  return cases;
}

}  // namespace p2p_test
