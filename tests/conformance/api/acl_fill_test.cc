// aclrtMemset and its forms.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclrtMemsetTest : public DeviceTest {};

TEST_F(aclrtMemsetTest, DeviceAndHostMemory_AreFilledWithTheLowByte) {
  const DeviceInts device({1, 2});
  int* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(reinterpret_cast<void**>(&host), 4), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(device.data(), 8, 0x1201, 4), ACL_SUCCESS);
  EXPECT_THAT(device.Read(), ::testing::ElementsAre(0x01010101, 2));
  EXPECT_EQ(aclrtMemset(host, 4, -1, 4), ACL_SUCCESS);
  EXPECT_EQ(*host, -1);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
}

TEST_F(aclrtMemsetTest, OrderOfChecks_IsZeroNullSizeDeviceMemory) {
  int on_the_stack = 3;
  EXPECT_EQ(aclrtMemset(nullptr, 0, 1, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemset, (nullptr, 0, 1, 1), "devPtr is null");
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset, (&on_the_stack, 3, 1, 4),
                 "count 4 is larger than maxCount 3");
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemset, (&on_the_stack, 4, 1, 4), "no device is set");
  }).join();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset, (&on_the_stack, 4, 1, 4), "use memset");
  EXPECT_EQ(on_the_stack, 3);
  const DeviceInts device({1});
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset, (device.data(), 8, 1, 8), "do not fit into the 4 bytes");
}

class aclrtMemsetAsyncTest : public DeviceTest {};

TEST_F(aclrtMemsetAsyncTest, OnAStream_KeepsItsOrder) {
  const DeviceInts device({1, 2, 3});
  EXPECT_EQ(aclrtMemsetAsync(device.data(), 12, 0, 12, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetAsync(device.data() + 1, 8, 1, 4, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(device.Read(), ::testing::ElementsAre(0, 0x01010101, 0));
  EXPECT_EQ(aclrtMemsetAsync(device.data(), 12, -1, 12, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_THAT(device.Read(), ::testing::Each(-1));
}

TEST_F(aclrtMemsetAsyncTest, MoreThanAQuantum_IsFilledToTheEnd) {
  const std::size_t ints = 1'000'003;
  const DeviceInts device(std::vector<int>(ints, 5));
  EXPECT_EQ(aclrtMemsetAsync(device.data(), device.bytes(), 0xEE, device.bytes() - 4, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  const std::vector<int> read = device.Read();
  EXPECT_EQ(std::count(read.begin(), read.end(), static_cast<int>(0xEEEEEEEE)), static_cast<long>(ints - 1));
  EXPECT_EQ(read.back(), 5);
}

TEST_F(aclrtMemsetAsyncTest, BadArguments_AreRefused) {
  int on_the_stack = 0;
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 1, 0, nullptr), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemsetAsync, (nullptr, 1, 1, 1, stream_), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync, (&on_the_stack, 4, 1, 4, stream_), "use memset");
  const DeviceInts device({1});
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemsetAsync, (device.data(), 4, 1, 4, device.data()), "stream 0x");
}

class aclrtMemsetD32Test : public DeviceTest {};

TEST_F(aclrtMemsetD32Test, Words_AreStored) {
  const DeviceInts device({1, 2, 3});
  EXPECT_EQ(aclrtMemsetD32(device.data(), 12, 0x12345678, 2), ACL_SUCCESS);
  EXPECT_THAT(device.Read(), ::testing::ElementsAre(0x12345678, 0x12345678, 3));
}

TEST_F(aclrtMemsetD32Test, BadArguments_AreRefused) {
  const DeviceInts device({1, 2, 3});
  EXPECT_EQ(aclrtMemsetD32(nullptr, 0, 1, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemsetD32, (nullptr, 4, 1, 1), "ptr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32, (reinterpret_cast<char*>(device.data()) + 2, 8, 1, 1),
               "is not aligned to 4 bytes");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32, (device.data(), 7, 1, 2),
               "N 2 values of 4 bytes do not fit into memSize 7");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32, (device.data(), SIZE_MAX, 1, SIZE_MAX), "do not fit");
}

class aclrtMemsetD32AsyncTest : public DeviceTest {};

TEST_F(aclrtMemsetD32AsyncTest, OnAStream_StoresWords) {
  const DeviceInts device(std::vector<int>(100'000, 1));
  EXPECT_EQ(aclrtMemsetD32Async(device.data(), device.bytes(), 77, 100'000, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(device.Read(), ::testing::Each(77));
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32Async, (device.data(), 3, 1, 1, stream_), "memSize 3");
}

}  // namespace
}  // namespace softhccl::conformance
