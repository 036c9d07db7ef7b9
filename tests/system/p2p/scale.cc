// As many devices as can be asked for, in a process that may open as few files as an ordinary one: what a device costs
// must not be a descriptor.
#include <dirent.h>
#include <sys/resource.h>

#include <cstdio>

#include "driver.h"

namespace p2p_test {
namespace {

std::size_t OpenDescriptors() {
  std::size_t count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  EXPECT(folder != nullptr);
  if (folder == nullptr) return 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count - 3;  // ".", ".." and the folder itself
}

struct DeviceThings {
  aclrtStream stream = nullptr;
  aclrtNotify notify = nullptr;
};

// With SOFTHCCL_DEVICES=1024 and at most 1024 files: every device has a stream and a notify, and then 64 of them a
// communicator.
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

}  // namespace

const std::vector<Case>& ScaleCases() {
  static const std::vector<Case> cases = {{"Devices_ThousandWithFewFiles_Work", Devices_ThousandWithFewFiles_Work}};
  return cases;
}

}  // namespace p2p_test
