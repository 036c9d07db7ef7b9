// Registration of ordinary host memory.
#include <sys/mman.h>

#include <vector>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclrtHostRegisterTest : public DeviceTest {
 protected:
  std::vector<char> memory_ = std::vector<char>(100'000);
  void* device_ = nullptr;
};

TEST_F(aclrtHostRegisterTest, Registered_IsHostMemoryThatDevicesKnow) {
  ASSERT_EQ(aclrtHostRegister(memory_.data(), memory_.size(), ACL_HOST_REGISTER_MAPPED, &device_), ACL_SUCCESS);
  aclrtPtrAttributes attributes{};
  ASSERT_EQ(aclrtPointerGetAttributes(&memory_[99'999], &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  ASSERT_EQ(aclrtMemset(device_, 1, 5, 1), ACL_SUCCESS);
  EXPECT_EQ(memory_[0], 5);
  EXPECT_EQ(aclrtHostUnregister(memory_.data()), ACL_SUCCESS);
  ASSERT_EQ(aclrtPointerGetAttributes(memory_.data(), &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
}

TEST_F(aclrtHostRegisterTest, BadArguments_AreRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostRegister, (nullptr, 1, ACL_HOST_REGISTER_MAPPED, &device_),
               "ptr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostRegister, (memory_.data(), 1, ACL_HOST_REGISTER_MAPPED, nullptr),
               "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostRegister, (memory_.data(), 0, ACL_HOST_REGISTER_MAPPED, &device_),
               "size 0");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostRegister,
               (memory_.data(), 1, FromNumber<aclrtHostRegisterType>(3), &device_), "type 3 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtHostRegister,
               (memory_.data(), 1, ACL_HOST_REGISTER_IOMEMORY, &device_), "IOMEMORY is not supported");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister,
               (memory_.data(), UINT64_MAX, ACL_HOST_REGISTER_MAPPED, &device_), "run past the end");
  EXPECT_EQ(device_, nullptr);
}

TEST_F(aclrtHostRegisterTest, UnmappedOverlappingOrOwnMemory_IsRefused) {
  void* hole = ::mmap(nullptr, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(hole, MAP_FAILED);
  ASSERT_EQ(::munmap(static_cast<char*>(hole) + 4096, 4096), 0);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister, (hole, 3 * 4096, ACL_HOST_REGISTER_MAPPED, &device_),
               "not all of the 12288 bytes");
  ::munmap(hole, 3 * 4096);
  ASSERT_EQ(aclrtHostRegister(&memory_[100], 100, ACL_HOST_REGISTER_READONLY, &device_), ACL_SUCCESS);
  for (const int begin : {50, 100, 150, 199}) {
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister,
                 (&memory_[static_cast<size_t>(begin)], 100, ACL_HOST_REGISTER_MAPPED, &device_), "overlap the 100");
  }
  ASSERT_EQ(aclrtHostRegister(&memory_[200], 1, ACL_HOST_REGISTER_MAPPED, &device_), ACL_SUCCESS) << "adjacent";
  EXPECT_EQ(aclrtHostUnregister(&memory_[200]), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(&memory_[100]), ACL_SUCCESS);
  const DeviceInts device({1});
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegister, (device.data(), 4, ACL_HOST_REGISTER_MAPPED, &device_),
               "lies in an aclrtMalloc allocation");
}

class aclrtHostRegisterV2Test : public aclrtHostRegisterTest {};

TEST_F(aclrtHostRegisterV2Test, Flags_AreChecked) {
  ASSERT_EQ(aclrtHostRegisterV2(memory_.data(), 8, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(memory_.data()), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2, (memory_.data(), 8, 0), "flag 0x0 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2, (memory_.data(), 8, 1), "flag 0x1 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtHostRegisterV2, (memory_.data(), 8, 6), "IOMEMORY");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostRegisterV2, (nullptr, 8, 2), "ptr is null");
}

class aclrtHostUnregisterTest : public aclrtHostRegisterTest {};

TEST_F(aclrtHostUnregisterTest, NotTheStartOfARange_IsRefused) {
  ASSERT_EQ(aclrtHostRegisterV2(memory_.data(), 8, ACL_HOST_REG_MAPPED), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostUnregister, (&memory_[4]),
               "lies in a registered range; unregister its start");
  EXPECT_EQ(aclrtHostUnregister(memory_.data()), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostUnregister, (memory_.data()), "is not the start");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostUnregister, (nullptr), "ptr is null");
}

class aclrtHostGetDevicePointerTest : public aclrtHostRegisterTest {};

TEST_F(aclrtHostGetDevicePointerTest, MemoryThatDevicesKnow_HasOne) {
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 8), ACL_SUCCESS);
  ASSERT_EQ(aclrtHostGetDevicePointer(host, &device_, 0), ACL_SUCCESS);
  EXPECT_EQ(device_, host);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostGetDevicePointer, (memory_.data(), &device_, 0),
               "is not host memory that devices know; register it");
  ASSERT_EQ(aclrtHostRegisterV2(memory_.data(), 8, ACL_HOST_REG_MAPPED), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostGetDevicePointer(&memory_[4], &device_, 0), ACL_SUCCESS);
  EXPECT_EQ(device_, static_cast<void*>(&memory_[4]));
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtHostGetDevicePointer, (memory_.data(), &device_, 1), "flag 1");
  EXPECT_EQ(aclrtHostUnregister(memory_.data()), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer, (nullptr, &device_, 0), "pHost is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer, (host, nullptr, 0), "pDevice is null");
}

class aclrtHostMemMapCapabilitiesTest : public ApiTest {};

TEST_F(aclrtHostMemMapCapabilitiesTest, EveryEngine_Reaches) {
  aclrtHostMemMapCapability capability = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
  EXPECT_EQ(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AICPU, &capability), ACL_SUCCESS);
  EXPECT_EQ(capability, ACL_RT_HOST_MEM_MAP_SUPPORTED);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtHostMemMapCapabilities, (99, ACL_RT_HAC_TYPE_AICPU, &capability),
               "deviceId 99");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostMemMapCapabilities, (0, FromNumber<aclrtHacType>(10), &capability),
               "hacType 10");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtHostMemMapCapabilities, (0, ACL_RT_HAC_TYPE_AICPU, nullptr),
               "capabilities is null");
}

}  // namespace
}  // namespace softhccl::conformance
