// aclrtReduceAsync.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclrtReduceAsyncTest : public DeviceTest {};

TEST_F(aclrtReduceAsyncTest, EachKind_CombinesElementwiseInStreamOrder) {
  const DeviceInts to({1, 20, -3});
  const DeviceInts from({5, 4, -6});
  EXPECT_EQ(aclrtReduceAsync(to.data(), from.data(), 12, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream_, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(to.Read(), (std::vector<int>{6, 24, -9}));
  EXPECT_EQ(aclrtReduceAsync(to.data(), from.data(), 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN, ACL_INT32, stream_, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtReduceAsync(to.data(), from.data(), 12, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT32, nullptr, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(to.Read(), (std::vector<int>{5, 4, -6}));
}

TEST_F(aclrtReduceAsyncTest, EveryDocumentedType_IsReduced) {
  for (const aclDataType type : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_UINT32, ACL_FLOAT16, ACL_FLOAT, ACL_BF16}) {
    const DeviceInts to({0, 0});
    const DeviceInts from({0x3C003C00, 0});
    EXPECT_EQ(aclrtReduceAsync(to.data(), from.data(), 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, type, stream_, nullptr),
              ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(to.Read(), from.Read()) << type << ": the sum with zero is the other summand";
  }
}

TEST_F(aclrtReduceAsyncTest, BadArguments_AreRefusedInOrder) {
  const DeviceInts ints({1, 2});
  int on_the_stack = 0;
  constexpr auto kSum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
  const auto reserve = reinterpret_cast<void*>(8);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtReduceAsync,
               (nullptr, nullptr, 0, FromNumber<aclrtReduceKind>(9), ACL_DOUBLE, stream_, reserve), "dst is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtReduceAsync,
               (ints.data(), nullptr, 0, FromNumber<aclrtReduceKind>(9), ACL_DOUBLE, stream_, reserve), "src is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync,
               (ints.data(), ints.data() + 1, 0, FromNumber<aclrtReduceKind>(9), ACL_DOUBLE, stream_, reserve),
               "kind 9 is not valid; use 10 (sum), 11 (max) or 12 (min)");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtReduceAsync,
               (ints.data(), ints.data() + 1, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, ACL_INT32, stream_, nullptr),
               "ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL is not supported");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync,
               (ints.data(), ints.data() + 1, 0, kSum, ACL_DOUBLE, stream_, reserve), "type 11 cannot be reduced");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync,
               (ints.data(), ints.data() + 1, 6, kSum, ACL_INT32, stream_, reserve),
               "count 6 is in bytes and must be a positive multiple of 4");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync,
               (ints.data(), ints.data() + 1, 4, kSum, ACL_INT32, stream_, reserve), "reserve 0x8 must be null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync,
               (ints.data(), &on_the_stack, 4, kSum, ACL_INT32, stream_, nullptr), "src", "is not device memory");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync,
               (ints.data(), ints.data() + 1, 8, kSum, ACL_INT32, stream_, nullptr), "src: 8 bytes at offset 4",
               "12 bytes would be needed");
  EXPECT_EQ(ints.Read(), (std::vector<int>{1, 2}));
}

TEST_F(aclrtReduceAsyncTest, MemoryOfAnotherDevice_IsRefused) {
  const DeviceInts ints({1});
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    const DeviceInts theirs({2});
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReduceAsync,
                 (theirs.data(), ints.data(), 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, nullptr, nullptr), "src",
                 "is memory of device 0, but the stream belongs to device 1");
  }).join();
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDeviceForce(1), ACL_SUCCESS);
  }).join();
}

}  // namespace
}  // namespace softhccl::conformance
