// Copies on streams, of matrices, and of many ranges.
#include <numeric>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

// Host memory that devices know.
class PinnedInts {
 public:
  explicit PinnedInts(std::size_t count) {
    EXPECT_EQ(aclrtMallocHost(reinterpret_cast<void**>(&data_), count * sizeof(int)), ACL_SUCCESS);
  }
  ~PinnedInts() { EXPECT_EQ(aclrtFreeHost(data_), ACL_SUCCESS); }
  PinnedInts(const PinnedInts&) = delete;
  PinnedInts& operator=(const PinnedInts&) = delete;
  int& operator[](std::size_t i) { return data_[i]; }
  int* data() { return data_; }

 private:
  int* data_ = nullptr;
};

// A stream that stands still until Go.
class HeldStream : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateNotify(&notify_, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyNotify(notify_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  void Hold() { ASSERT_EQ(aclrtWaitAndResetNotify(notify_, stream_, 0), ACL_SUCCESS); }
  void Go() { ASSERT_EQ(aclrtRecordNotify(notify_, nullptr), ACL_SUCCESS); }
  aclrtNotify notify_ = nullptr;
};

class aclrtMemcpyAsyncTest : public HeldStream {};

TEST_F(aclrtMemcpyAsyncTest, KnownMemory_IsCopiedInStreamOrder) {
  const DeviceInts device({1, 2});
  PinnedInts host(2);
  host[0] = 0;
  Hold();
  ASSERT_EQ(aclrtMemcpyAsync(device.data(), 4, device.data() + 1, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(host.data(), 8, device.data(), 8, ACL_MEMCPY_DEVICE_TO_HOST, stream_), ACL_SUCCESS);
  EXPECT_EQ(host[0], 0) << "the stream stands still";
  Go();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(host[0], 2);
  EXPECT_EQ(host[1], 2);
}

TEST_F(aclrtMemcpyAsyncTest, UnknownHostMemory_IsCopiedBeforeTheCallReturns) {
  const DeviceInts device({1, 2});
  for (int i = 0; i < 100; ++i) {
    int value = i;
    ASSERT_EQ(aclrtMemcpyAsync(device.data(), 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream_), ACL_SUCCESS);
    value = -1;
    int back = -1;
    ASSERT_EQ(aclrtMemcpyAsync(&back, 4, device.data(), 4, ACL_MEMCPY_DEFAULT, stream_), ACL_SUCCESS);
    ASSERT_EQ(back, i);
  }
}

TEST_F(aclrtMemcpyAsyncTest, RegisteredMemory_IsNotWaitedFor) {
  const DeviceInts device({9});
  int registered = 0;
  ASSERT_EQ(aclrtHostRegisterV2(&registered, 4, ACL_HOST_REG_MAPPED), ACL_SUCCESS);
  Hold();
  ASSERT_EQ(aclrtMemcpyAsync(&registered, 4, device.data(), 4, ACL_MEMCPY_DEVICE_TO_HOST, stream_), ACL_SUCCESS);
  EXPECT_EQ(registered, 0);
  Go();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(registered, 9);
  EXPECT_EQ(aclrtHostUnregister(&registered), ACL_SUCCESS);
}

TEST_F(aclrtMemcpyAsyncTest, OrderOfChecks_IsAsTheSynchronousOne) {
  int a = 1;
  int b = 2;
  EXPECT_EQ(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, FromNumber<aclrtMemcpyKind>(9), nullptr), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync, (nullptr, 0, &b, 4, ACL_MEMCPY_DEFAULT, stream_),
               "dst is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync, (&a, 0, nullptr, 4, ACL_MEMCPY_DEFAULT, stream_),
               "src is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync, (&a, 0, &b, 4, FromNumber<aclrtMemcpyKind>(6), stream_),
               "kind 6 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync, (&a, 3, &b, 4, ACL_MEMCPY_HOST_TO_HOST, stream_),
               "count 4 is larger than destMax 3");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemcpyAsync, (&a, 4, &b, 4, ACL_MEMCPY_HOST_TO_HOST, stream_),
               "use aclrtMemcpy or memcpy", "207000]");
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpyAsync, (&a, 4, &b, 4, ACL_MEMCPY_DEFAULT, stream_),
                 "no device is set");
  }).join();
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemcpyAsync, (&a, 4, &b, 4, ACL_MEMCPY_DEFAULT, notify_),
               "is a notify, expected a stream");
  EXPECT_EQ(a, 1);
}

TEST_F(aclrtMemcpyAsyncTest, StreamOfAnotherDevice_IsRefused) {
  const DeviceInts device({1, 2});
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemcpyAsync,
                 (device.data(), 4, device.data() + 1, 4, ACL_MEMCPY_DEFAULT, stream_), "belongs to device 0",
                 "107003]");
    ASSERT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  }).join();
}

TEST_F(aclrtMemcpyAsyncTest, FreedMeanwhile_FailsTheStream) {
  const DeviceInts device({1});
  void* gone = nullptr;
  ASSERT_EQ(aclrtMalloc(&gone, 4, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  Hold();
  ASSERT_EQ(aclrtMemcpyAsync(device.data(), 4, gone, 4, ACL_MEMCPY_DEFAULT, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(gone), ACL_SUCCESS);
  ExpectLog({"local copy", "failed: src", "freed"});
  Go();
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "src", "freed");
}

TEST_F(aclrtMemcpyAsyncTest, FromAKernel_CannotWaitForItself) {
  const DeviceInts device({1});
  EXPECT_EQ(RunKernel(stream_,
                      [&](const Hcomm&) {
                        EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
                        int value = 0;
                        EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync,
                                     (&value, 4, device.data(), 4, ACL_MEMCPY_DEFAULT, stream_),
                                     "must not be called from a kernel");
                        return 0u;
                      }),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS) << "set by the kernel, which must not reset it";
}

class aclrtMemcpyAsyncWithConditionTest : public DeviceTest {};

TEST_F(aclrtMemcpyAsyncWithConditionTest, CopiesAsTheOtherOne) {
  const DeviceInts device({1, 2});
  int back = 0;
  EXPECT_EQ(aclrtMemcpyAsyncWithCondition(&back, 4, device.data() + 1, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream_),
            ACL_SUCCESS);
  EXPECT_EQ(back, 2);
  EXPECT_EQ(aclrtMemcpyAsyncWithCondition(nullptr, 0, nullptr, 0, ACL_MEMCPY_DEFAULT, stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithCondition,
               (&back, 3, device.data(), 4, ACL_MEMCPY_DEFAULT, stream_), "destMax 3");
}

class aclrtMemcpyAsyncWithOffsetTest : public HeldStream {};

TEST_F(aclrtMemcpyAsyncWithOffsetTest, PointersOnTheHost_AreReadAtTheCall) {
  const DeviceInts from({1, 2, 3});
  const DeviceInts to({0, 0, 0});
  void* destination = to.data();
  const void* source = from.data();
  Hold();
  ASSERT_EQ(aclrtMemcpyAsyncWithOffset(&destination, 12, 4, &source, 8, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_),
            ACL_SUCCESS);
  destination = nullptr;
  source = nullptr;
  Go();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(to.Read(), ::testing::ElementsAre(0, 2, 3));
}

TEST_F(aclrtMemcpyAsyncWithOffsetTest, PointersOnTheDevice_AreReadWhenTheCopyBegins) {
  const DeviceInts from({1, 2, 3});
  const DeviceInts to({0, 0, 0});
  void** pointers = nullptr;
  ASSERT_EQ(aclrtMalloc(reinterpret_cast<void**>(&pointers), 16, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemset(pointers, 16, 0, 16), ACL_SUCCESS);
  Hold();
  const auto copy = [&] {
    return aclrtMemcpyAsyncWithOffset(pointers, 12, 0, const_cast<const void**>(pointers + 1), 12, 0,
                                      ACL_MEMCPY_DEVICE_TO_DEVICE, stream_);
  };
  ASSERT_EQ(copy(), ACL_SUCCESS);
  pointers[0] = to.data();
  pointers[1] = from.data();
  Go();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(to.Read(), ::testing::ElementsAre(1, 2, 3));
  pointers[1] = nullptr;
  ExpectLog({"indirect copy", "the address that src points to is null"});
  ASSERT_EQ(copy(), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "src points to is null");
  EXPECT_EQ(aclrtFree(pointers), ACL_SUCCESS);
}

TEST_F(aclrtMemcpyAsyncWithOffsetTest, BadArguments_AreRefused) {
  const DeviceInts device({1, 2, 3});
  void* address = device.data();
  const void* source = device.data();
  EXPECT_EQ(aclrtMemcpyAsyncWithOffset(nullptr, 0, 0, nullptr, 0, 0, ACL_MEMCPY_DEFAULT, stream_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsyncWithOffset,
               (nullptr, 12, 0, &source, 4, 0, ACL_MEMCPY_DEFAULT, stream_), "dst is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithOffset,
               (&address, 12, 10, &source, 4, 0, ACL_MEMCPY_DEFAULT, stream_),
               "count 4 behind dstDataOffset 10 is larger than destMax 12");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithOffset,
               (&address, 12, 0, &source, 4, 10, ACL_MEMCPY_DEFAULT, stream_), "src: 4 bytes at offset 10");
  source = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsyncWithOffset,
               (&address, 12, 0, &source, 4, 0, ACL_MEMCPY_DEFAULT, stream_), "*src is null");
}

// --- Matrices ----------------------------------------------------------------------------------------------------

class aclrtMemcpy2dTest : public DeviceTest {};

TEST_F(aclrtMemcpy2dTest, Rows_LandAtTheirPitch) {
  const DeviceInts device({0, 0, 0, 0, 0, 0});
  const int host[4] = {1, 2, 3, 4};
  EXPECT_EQ(aclrtMemcpy2d(device.data(), 12, host, 8, 8, 2, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_THAT(device.Read(), ::testing::ElementsAre(1, 2, 0, 3, 4, 0));
}

TEST_F(aclrtMemcpy2dTest, BadArguments_AreRefused) {
  const DeviceInts device({0, 0, 0, 0, 0, 0});
  int host[6] = {};
  const auto kind = ACL_MEMCPY_HOST_TO_DEVICE;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d, (nullptr, 12, host, 8, 8, 2, kind), "dst is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d, (device.data(), 12, nullptr, 8, 8, 2, kind), "src is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d, (device.data(), 12, host, 8, 0, 2, kind), "width 0");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d, (device.data(), 12, host, 8, 8, 0, kind), "height 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2d, (device.data(), 7, host, 8, 8, 2, kind),
               "width 8 is larger than dpitch 7");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2d, (device.data(), 12, host, 7, 8, 2, kind),
               "width 8 is larger than spitch 7");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2d, (device.data(), 12, host, 8, 8, 3, kind),
               "dst: 32 bytes at offset 0 do not fit into the 24 bytes");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2d, (device.data(), SIZE_MAX, host, 8, 8, 4, kind),
               "more than an address space");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d,
               (device.data(), 12, host, 8, 8, 2, FromNumber<aclrtMemcpyKind>(8)), "kind 8");
}

class aclrtMemcpy2dAsyncTest : public HeldStream {};

TEST_F(aclrtMemcpy2dAsyncTest, LargeMatrix_IsCopiedInStreamOrder) {
  constexpr std::size_t kRows = 300;
  constexpr std::size_t kWidth = 1001;
  std::vector<int> values(kRows * kWidth);
  std::iota(values.begin(), values.end(), 0);
  const DeviceInts from(values);
  const DeviceInts to(std::vector<int>(kRows * (kWidth + 3), -1));
  Hold();
  ASSERT_EQ(aclrtMemcpy2dAsync(to.data(), (kWidth + 3) * 4, from.data(), kWidth * 4, kWidth * 4, kRows,
                               ACL_MEMCPY_DEVICE_TO_DEVICE, stream_),
            ACL_SUCCESS);
  EXPECT_EQ(to.data()[0], -1);
  Go();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  const std::vector<int> read = to.Read();
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kWidth + 3; ++column) {
      const int expected = column < kWidth ? values[row * kWidth + column] : -1;
      ASSERT_EQ(read[row * (kWidth + 3) + column], expected) << row << ", " << column;
    }
  }
}

TEST_F(aclrtMemcpy2dAsyncTest, UnknownHostMemory_IsWaitedForAndBadArgumentsAreRefused) {
  const DeviceInts device({1, 2, 3, 4});
  int host[2] = {};
  EXPECT_EQ(aclrtMemcpy2dAsync(host, 4, device.data(), 8, 4, 2, ACL_MEMCPY_DEVICE_TO_HOST, stream_), ACL_SUCCESS);
  EXPECT_THAT(host, ::testing::ElementsAre(1, 3));
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemcpy2dAsync,
               (host, 4, host, 4, 4, 1, ACL_MEMCPY_HOST_TO_HOST, stream_), "HOST_TO_HOST");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2dAsync,
               (host, 2, device.data(), 8, 4, 2, ACL_MEMCPY_DEFAULT, stream_), "dpitch 2");
}

}  // namespace
}  // namespace softhccl::conformance
