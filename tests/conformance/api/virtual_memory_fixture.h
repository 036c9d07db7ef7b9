// What the tests of virtual memory begin with.
#pragma once

#include "fixture.h"

namespace softhccl::conformance {

inline constexpr size_t kUnit = size_t{2} << 20;

inline aclrtPhysicalMemProp OnDevice(uint32_t device = 0) {
  aclrtPhysicalMemProp prop{};
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  prop.location.id = device;
  return prop;
}

class VirtualMemoryTest : public DeviceTest {
 protected:
  aclrtDrvMemHandle Physical(size_t size = kUnit, uint32_t device = 0) {
    const aclrtPhysicalMemProp prop = OnDevice(device);
    aclrtDrvMemHandle handle = nullptr;
    EXPECT_EQ(aclrtMallocPhysical(&handle, size, &prop, 0), ACL_SUCCESS);
    return handle;
  }
  char* Reserve(size_t size) {
    void* address = nullptr;
    EXPECT_EQ(aclrtReserveMemAddress(&address, size, 0, nullptr, 1), ACL_SUCCESS);
    return static_cast<char*>(address);
  }
};

}  // namespace softhccl::conformance
