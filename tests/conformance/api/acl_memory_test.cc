// aclrtMalloc, aclrtFree, aclrtMallocHost, aclrtFreeHost, aclrtMemcpy.
#include <cstdlib>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;

class aclrtMallocTest : public DeviceTest {};

TEST_F(aclrtMallocTest, AnySizeAndPolicy_GivesAlignedMemory) {
  for (const auto policy : {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY}) {
    for (const size_t size : {size_t{1}, size_t{32}, size_t{1} << 21}) {
      void* memory = nullptr;
      ASSERT_EQ(aclrtMalloc(&memory, size, policy), ACL_SUCCESS);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
      EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
    }
  }
}

TEST_F(aclrtMallocTest, NullOrSizeZero_WinsOverNoDevice) {
  void* memory = this;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMalloc, (nullptr, 0, kPolicy), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMalloc, (&memory, 0, kPolicy), "size 0; ask for at least one byte");
  std::thread([this] {
    void* other = nullptr;
    EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMalloc, (nullptr, 1, kPolicy), "devPtr is null");
    EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMalloc, (&other, 0, kPolicy), "size 0");
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc, (&other, 1, kPolicy), "no device is set");
  }).join();
  EXPECT_EQ(memory, static_cast<void*>(this));
}

TEST_F(aclrtMallocTest, MoreThanThereIs_IsRefused) {
  void* memory = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc, (&memory, SIZE_MAX, kPolicy), "bytes do not fit",
               "207001]");
  EXPECT_EQ(memory, nullptr);
}

class aclrtFreeTest : public DeviceTest {};

TEST_F(aclrtFreeTest, NullTwiceInsideOrForeign_IsRefusedByName) {
  void* memory = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFree, (nullptr), "devPtr is null");
  ASSERT_EQ(aclrtMalloc(&memory, 64, kPolicy), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree, (static_cast<char*>(memory) + 8), "points 8 bytes into",
               "free their first address");
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree, (memory), "was freed already", "aclrtMalloc", "107000]");
  int on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree, (&on_the_stack), "is not memory of this library");
}

TEST_F(aclrtFreeTest, HostMemory_SaysWhichFunctionToUse) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMallocHost(&memory, 64), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree, (memory), "not device memory; free it with aclrtFreeHost");
  EXPECT_EQ(aclrtFreeHost(memory), ACL_SUCCESS);
}

TEST_F(aclrtFreeTest, NoDeviceSet_Works) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 64, kPolicy), ACL_SUCCESS);
  std::thread([memory] { EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS); }).join();
}

class aclrtMallocHostTest : public DeviceTest {};

TEST_F(aclrtMallocHostTest, BadArguments_WinOverNoDevice) {
  void* memory = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocHost, (nullptr, 0), "hostPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocHost, (&memory, 0), "size 0");
  std::thread([this] {
    void* other = nullptr;
    EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocHost, (&other, 0), "size 0");
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocHost, (&other, 1), "no device is set");
  }).join();
  ASSERT_EQ(aclrtMallocHost(&memory, 5), ACL_SUCCESS);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
  EXPECT_EQ(aclrtFreeHost(memory), ACL_SUCCESS);
}

class aclrtFreeHostTest : public DeviceTest {};

TEST_F(aclrtFreeHostTest, NullTwiceOrDeviceMemory_IsRefusedByName) {
  void* memory = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFreeHost, (nullptr), "hostPtr is null");
  ASSERT_EQ(aclrtMallocHost(&memory, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(memory), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost, (memory), "was freed already");
  ASSERT_EQ(aclrtMalloc(&memory, 64, kPolicy), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost, (memory), "not host memory; free it with aclrtFree",
               "107000]");
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

class aclrtMemcpyTest : public DeviceTest {};

TEST_F(aclrtMemcpyTest, EveryKnownKind_CopiesByAddress) {
  const DeviceInts device({0, 0});
  for (int kind = ACL_MEMCPY_HOST_TO_HOST; kind <= ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; ++kind) {
    const int in[2] = {kind, -kind};
    ASSERT_EQ(aclrtMemcpy(device.data(), 8, in, 8, static_cast<aclrtMemcpyKind>(kind)), ACL_SUCCESS);
    EXPECT_THAT(device.Read(), ::testing::ElementsAre(kind, -kind));
  }
}

TEST_F(aclrtMemcpyTest, CountZero_SucceedsBeforeEverythingElse) {
  EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, FromNumber<aclrtMemcpyKind>(99)), ACL_SUCCESS);
  std::thread([] { EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, ACL_MEMCPY_DEFAULT), ACL_SUCCESS); }).join();
}

TEST_F(aclrtMemcpyTest, OrderOfChecks_IsNullsKindSizeSamePlaceDevice) {
  int a = 1;
  int b = 2;
  const auto bad_kind = static_cast<aclrtMemcpyKind>(6);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy, (nullptr, 0, &b, 4, bad_kind), "dst is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy, (&a, 0, nullptr, 4, bad_kind), "src is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy, (&a, 0, &b, 4, bad_kind), "kind 6 is not valid; use 0 to 5",
               "100000]");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy, (&a, 4, &b, 4, FromNumber<aclrtMemcpyKind>(-1)), "kind -1");
  std::thread([this] {
    int x = 1;
    int y = 2;
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy, (&x, 3, &y, 4, ACL_MEMCPY_DEFAULT),
                 "count 4 is larger than destMax 3", "107000]");
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy, (&x, 0, &y, 4, ACL_MEMCPY_DEFAULT), "destMax 0");
    EXPECT_EQ(aclrtMemcpy(&x, 4, &x, 4, ACL_MEMCPY_DEFAULT), ACL_SUCCESS) << "dst equals src: no device is needed";
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpy, (&x, 4, &y, 4, ACL_MEMCPY_DEFAULT), "no device is set");
    EXPECT_EQ(x, 1);
  }).join();
  EXPECT_EQ(a, 1);
}

TEST_F(aclrtMemcpyTest, BeyondAnAllocation_IsRefusedNamingTheArgument) {
  const DeviceInts device({1, 2});
  int host[4] = {};
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy, (host, 16, device.data(), 16, ACL_MEMCPY_DEVICE_TO_HOST),
               "src: 16 bytes at offset 0 do not fit into the 8 bytes");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy, (device.data() + 1, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE),
               "dst: 8 bytes at offset 4 do not fit");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy, (host, SIZE_MAX, device.data(), SIZE_MAX, ACL_MEMCPY_DEFAULT),
               "run past the end of the address space");
}

}  // namespace
}  // namespace softhccl::conformance
