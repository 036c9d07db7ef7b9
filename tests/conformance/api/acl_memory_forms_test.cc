// The other ways to allocate and free, and the questions about memory.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;

aclrtMallocAttribute Attribute(int type) {
  aclrtMallocAttribute attribute{};
  attribute.attr = FromNumber<aclrtMallocAttrType>(type);
  return attribute;
}

class aclrtMallocAlign32Test : public DeviceTest {};

TEST_F(aclrtMallocAlign32Test, GoodAndBadArguments) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMallocAlign32(&memory, 33, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 32, 0u);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocAlign32, (nullptr, 1, kPolicy), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocAlign32, (&memory, 0, kPolicy), "size 0");
}

class aclrtMallocCachedTest : public DeviceTest {};

TEST_F(aclrtMallocCachedTest, GoodAndBadArguments) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMallocCached(&memory, 1, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocCached, (nullptr, 1, kPolicy), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocCached, (&memory, 0, kPolicy), "size 0");
}

class aclrtMallocWithCfgTest : public DeviceTest {};

TEST_F(aclrtMallocWithCfgTest, Attributes_AreChecked) {
  void* memory = nullptr;
  aclrtMallocAttribute attributes[2] = {Attribute(ACL_RT_MEM_ATTR_MODULE_ID), Attribute(ACL_RT_MEM_ATTR_VA_FLAG)};
  aclrtMallocConfig config{attributes, 2};
  ASSERT_EQ(aclrtMallocWithCfg(&memory, 64, kPolicy, &config), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocWithCfg(&memory, 64, kPolicy, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  attributes[1] = Attribute(4);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocWithCfg, (&memory, 64, kPolicy, &config),
               "cfg->attrs[1].attr 4 is not valid; use 0 to 3");
  config.attrs = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocWithCfg, (&memory, 64, kPolicy, &config),
               "cfg->attrs is null with numAttrs 2");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocWithCfg, (nullptr, 64, kPolicy, &config), "devPtr is null");
}

class aclrtMallocForTaskSchedulerTest : public DeviceTest {};

TEST_F(aclrtMallocForTaskSchedulerTest, Attributes_AreChecked) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMallocForTaskScheduler(&memory, 64, kPolicy, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  aclrtMallocAttribute attribute = Attribute(-1);
  aclrtMallocConfig config{&attribute, 1};
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocForTaskScheduler, (&memory, 64, kPolicy, &config),
               "cfg->attrs[0].attr -1");
}

class aclrtMallocHostWithCfgTest : public DeviceTest {};

TEST_F(aclrtMallocHostWithCfgTest, Attributes_AreChecked) {
  void* memory = nullptr;
  aclrtMallocAttribute attribute = Attribute(ACL_RT_MEM_ATTR_VA_FLAG);
  aclrtMallocConfig config{&attribute, 1};
  ASSERT_EQ(aclrtMallocHostWithCfg(&memory, 64, &config), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(memory), ACL_SUCCESS);
  attribute = Attribute(99);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocHostWithCfg, (&memory, 64, &config), "cfg->attrs[0].attr 99");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg, (nullptr, 64, nullptr), "ptr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg, (&memory, 0, nullptr), "size 0");
}

// Frees memory that a queued copy reads: only one that waits leaves the copy whole.
class FreeWithSync : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateNotify(&notify_, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    ASSERT_EQ(aclrtWaitAndResetNotify(notify_, stream_, 0), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyNotify(notify_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  // Queues a copy out of `from` behind a wait that ends while `free` is running.
  void FreeWhileCopying(void* from, const std::function<aclError()>& free) {
    const DeviceInts to({0});
    const int seven = 7;
    ASSERT_EQ(aclrtMemcpy(from, 4, &seven, 4, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpyAsync(to.data(), 4, from, 4, ACL_MEMCPY_DEFAULT, stream_), ACL_SUCCESS);
    std::thread recorder([this] {
      ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      aclrtStream other = nullptr;
      ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
      ASSERT_EQ(aclrtRecordNotify(notify_, other), ACL_SUCCESS);
      ASSERT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
      ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    });
    EXPECT_EQ(free(), ACL_SUCCESS);
    recorder.join();
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_THAT(to.Read(), ::testing::ElementsAre(7));
  }
  aclrtNotify notify_ = nullptr;
};

class aclrtFreeWithDevSyncTest : public FreeWithSync {};

TEST_F(aclrtFreeWithDevSyncTest, WorkQueued_IsDoneFirst) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 4, kPolicy), ACL_SUCCESS);
  FreeWhileCopying(memory, [memory] { return aclrtFreeWithDevSync(memory); });
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFreeWithDevSync, (nullptr), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync, (memory), "was freed already");
}

class aclrtFreeHostWithDevSyncTest : public FreeWithSync {};

TEST_F(aclrtFreeHostWithDevSyncTest, WorkQueued_IsDoneFirst) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMallocHost(&memory, 4), ACL_SUCCESS);
  FreeWhileCopying(memory, [memory] { return aclrtFreeHostWithDevSync(memory); });
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFreeHostWithDevSync, (nullptr), "hostPtr is null");
}

class aclrtGetMemInfoTest : public DeviceTest {};

TEST_F(aclrtGetMemInfoTest, EveryKind_FreeIsAtMostTotal) {
  for (const auto kind : {ACL_DDR_MEM, ACL_HBM_MEM, ACL_MEM_P2P_HUGE1G}) {
    size_t free = 0;
    size_t total = 0;
    ASSERT_EQ(aclrtGetMemInfo(kind, &free, &total), ACL_SUCCESS);
    EXPECT_GT(free, 0u);
    EXPECT_LE(free, total);
  }
}

TEST_F(aclrtGetMemInfoTest, BadArguments_AreRefusedInOrder) {
  size_t free = 5;
  size_t total = 6;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo, (ACL_HBM_MEM, nullptr, nullptr), "free is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo, (ACL_HBM_MEM, &free, nullptr), "total is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo, (FromNumber<aclrtMemAttr>(18), &free, &total), "attr 18");
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo, (ACL_HBM_MEM, &free, &total), "no device is set");
  }).join();
  EXPECT_EQ(free, 5u);
  EXPECT_EQ(total, 6u);
}

class aclrtPointerGetAttributesTest : public DeviceTest {};

TEST_F(aclrtPointerGetAttributesTest, EveryPlace_IsTold) {
  const DeviceInts device({1, 2});
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 8), ACL_SUCCESS);
  aclrtPtrAttributes attributes{};
  ASSERT_EQ(aclrtPointerGetAttributes(device.data() + 1, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(attributes.location.id, 0u);
  EXPECT_EQ(attributes.pageSize, 4096u);
  ASSERT_EQ(aclrtPointerGetAttributes(host, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  ASSERT_EQ(aclrtPointerGetAttributes(&attributes, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  EXPECT_EQ(attributes.pageSize, 0u);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtPointerGetAttributes, (nullptr, &attributes), "ptr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtPointerGetAttributes, (device.data(), nullptr), "attributes is null");
}

TEST_F(aclrtPointerGetAttributesTest, AnotherDevice_IsNamed) {
  int* memory = nullptr;
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(reinterpret_cast<void**>(&memory), 4, kPolicy), ACL_SUCCESS);
    ASSERT_EQ(aclrtResetDevice(2), ACL_SUCCESS);
  }).join();
  aclrtPtrAttributes attributes{};
  ASSERT_EQ(aclrtPointerGetAttributes(memory, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.id, 2u);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

class aclrtMemGetAddressRangeTest : public DeviceTest {};

TEST_F(aclrtMemGetAddressRangeTest, AddressInside_GivesTheAllocation) {
  const DeviceInts device({1, 2, 3});
  void* base = nullptr;
  size_t size = 0;
  ASSERT_EQ(aclrtMemGetAddressRange(device.data() + 2, &base, &size), ACL_SUCCESS);
  EXPECT_EQ(base, static_cast<void*>(device.data()));
  EXPECT_EQ(size, 12u);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange, (&base, &base, &size),
               "does not lie in a live allocation of device memory");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAddressRange, (nullptr, &base, &size), "ptr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAddressRange, (device.data(), nullptr, &size), "pbase is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAddressRange, (device.data(), &base, nullptr), "psize is null");
}

class aclrtCheckMemTypeTest : public DeviceTest {};

TEST_F(aclrtCheckMemTypeTest, AllOrNotAll_IsTold) {
  const DeviceInts device({1, 2});
  uint32_t result = 7;
  void* both[2] = {device.data(), device.data() + 1};
  ASSERT_EQ(aclrtCheckMemType(both, 2, ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP, &result, 0), ACL_SUCCESS);
  EXPECT_EQ(result, 1u);
  ASSERT_EQ(aclrtCheckMemType(both, 2, ACL_RT_MEM_TYPE_DVPP, &result, 0), ACL_SUCCESS);
  EXPECT_EQ(result, 0u);
  both[1] = &result;
  result = 7;
  ASSERT_EQ(aclrtCheckMemType(both, 2, ACL_RT_MEM_TYPE_DEV, &result, 0), ACL_SUCCESS);
  EXPECT_EQ(result, 0u);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType, (nullptr, 2, 2, &result, 0), "addrList is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType, (both, 2, 2, nullptr, 0), "checkResult is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType, (both, 0, 2, &result, 0), "size 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType, (both, 2, 1, &result, 0), "memType 0x1 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType, (both, 2, 2, &result, 1), "reserve 1 must be 0");
}

}  // namespace
}  // namespace softhccl::conformance
