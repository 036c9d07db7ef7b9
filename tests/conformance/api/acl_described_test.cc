// Copies by description, cache hints, and the calls that would make caches coherent.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

constexpr auto kInner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;

// Device memory for a description.
class DescriptionTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    size_t size = 0;
    ASSERT_EQ(aclrtGetMemcpyDescSize(kInner, &size), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&desc_, size, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(desc_, size, 0, size), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtFree(desc_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  void* desc_ = nullptr;
};

using aclrtGetMemcpyDescSizeTest = DescriptionTest;

TEST_F(aclrtGetMemcpyDescSizeTest, BadArguments_AreRefused) {
  size_t size = 7;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetMemcpyDescSize, (kInner, nullptr), "descSize is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemcpyDescSize, (ACL_MEMCPY_DEVICE_TO_DEVICE, &size),
               "kind 3 is not valid; use ACL_MEMCPY_INNER_DEVICE_TO_DEVICE 6");
  EXPECT_EQ(size, 7u);
}

using aclrtSetMemcpyDescTest = DescriptionTest;

TEST_F(aclrtSetMemcpyDescTest, BadArguments_AreRefusedInOrder) {
  const DeviceInts ints({1, 2});
  int on_the_stack = 0;
  int* const data = ints.data();
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetMemcpyDesc, (nullptr, kInner, nullptr, nullptr, 0, desc_),
               "desc is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetMemcpyDesc, (desc_, kInner, nullptr, nullptr, 0, desc_),
               "srcAddr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetMemcpyDesc, (desc_, kInner, data, nullptr, 0, desc_),
               "dstAddr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc, (desc_, ACL_MEMCPY_DEFAULT, data, data + 1, 0, desc_),
               "kind 4 is not valid");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetMemcpyDesc, (desc_, kInner, data, data + 1, 0, desc_), "count 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc, (desc_, kInner, data, data + 1, 4, desc_), "config",
               "must be null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc, (desc_, kInner, data, data + 1, 8, nullptr),
               "dstAddr: 8 bytes at offset 4 do not fit");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc, (&on_the_stack, kInner, data, data + 1, 4, nullptr),
               "desc", "is not device memory");
}

using aclrtMemcpyAsyncWithDescTest = DescriptionTest;

TEST_F(aclrtMemcpyAsyncWithDescTest, Description_IsReadWhenTheCopyBegins) {
  const DeviceInts from({1, 2, 3});
  const DeviceInts to({0, 0, 0});
  aclrtNotify hold = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&hold, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetMemcpyDesc(desc_, kInner, from.data(), to.data(), 4, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(hold, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsyncWithDesc(desc_, kInner, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetMemcpyDesc(desc_, kInner, from.data() + 1, to.data() + 1, 8, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(hold, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(to.Read(), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(aclrtDestroyNotify(hold), ACL_SUCCESS);
}

TEST_F(aclrtMemcpyAsyncWithDescTest, NeverDescribed_FailsTheStream) {
  ExpectLog({"described copy", "holds no description when the task begins; make it with aclrtSetMemcpyDesc"});
  EXPECT_EQ(aclrtMemcpyAsyncWithDesc(desc_, kInner, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "holds no description");
}

TEST_F(aclrtMemcpyAsyncWithDescTest, DescribedMemoryFreedMeanwhile_FailsTheStream) {
  ExpectLog({"described copy", "failed: srcAddr"});
  const DeviceInts to({0});
  void* gone = nullptr;
  ASSERT_EQ(aclrtMalloc(&gone, 4, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetMemcpyDesc(desc_, kInner, gone, to.data(), 4, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(gone), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsyncWithDesc(desc_, kInner, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "srcAddr");
}

TEST_F(aclrtMemcpyAsyncWithDescTest, BadArguments_AreRefusedInOrder) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsyncWithDesc, (nullptr, ACL_MEMCPY_DEFAULT, stream_),
               "desc is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithDesc, (desc_, ACL_MEMCPY_DEFAULT, stream_),
               "kind 4 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsyncWithDesc, (static_cast<char*>(desc_) + 8, kInner, stream_),
               "desc: 32 bytes at offset 8 do not fit");
}

using aclrtCmoAsyncTest = DescriptionTest;

TEST_F(aclrtCmoAsyncTest, Prefetch_ChangesNothingAndIsAnOpOfTheStream) {
  const DeviceInts ints({1, 2});
  EXPECT_EQ(aclrtCmoAsync(ints.data(), ints.bytes(), ACL_RT_CMO_TYPE_PREFETCH, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(ints.Read(), (std::vector<int>{1, 2}));
}

TEST_F(aclrtCmoAsyncTest, BadArguments_AreRefusedInOrder) {
  const DeviceInts ints({1, 2});
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCmoAsync, (nullptr, 0, ACL_RT_CMO_TYPE_FLUSH, stream_), "src is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCmoAsync, (ints.data(), 0, ACL_RT_CMO_TYPE_FLUSH, stream_), "size 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCmoAsync, (ints.data(), 9, ACL_RT_CMO_TYPE_FLUSH, stream_),
               "cmoType 3 is not valid; use ACL_RT_CMO_TYPE_PREFETCH 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCmoAsync, (ints.data(), 9, ACL_RT_CMO_TYPE_PREFETCH, stream_),
               "src: 9 bytes at offset 0 do not fit");
}

TEST_F(aclrtCmoAsyncTest, FreedMeanwhile_FailsTheStream) {
  ExpectLog({"cache hint", "failed: src"});
  void* gone = nullptr;
  aclrtNotify hold = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&hold, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&gone, 4, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(hold, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtCmoAsync(gone, 4, ACL_RT_CMO_TYPE_PREFETCH, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(gone), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(hold, nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "src");
  EXPECT_EQ(aclrtDestroyNotify(hold), ACL_SUCCESS);
}

using aclrtCmoSetDescTest = DescriptionTest;

TEST_F(aclrtCmoSetDescTest, BadArguments_AreRefusedInOrder) {
  const DeviceInts ints({1});
  size_t size = 0;
  EXPECT_EQ(aclrtCmoGetDescSize(&size), ACL_SUCCESS);
  EXPECT_GT(size, 0u);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCmoGetDescSize, (nullptr), "size is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCmoSetDesc, (nullptr, nullptr, 0), "cmoDesc is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCmoSetDesc, (desc_, nullptr, 0), "src is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCmoSetDesc, (desc_, ints.data(), 0), "size 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCmoSetDesc, (desc_, ints.data(), 5), "src: 5 bytes at offset 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCmoSetDesc, (&size, ints.data(), 4), "cmoDesc", "is not device memory");
}

using aclrtCmoAsyncWithDescTest = DescriptionTest;

TEST_F(aclrtCmoAsyncWithDescTest, Described_IsCheckedWhenItBegins) {
  const DeviceInts ints({1});
  ASSERT_EQ(aclrtCmoSetDesc(desc_, ints.data(), 4), ACL_SUCCESS);
  EXPECT_EQ(aclrtCmoAsyncWithDesc(desc_, ACL_RT_CMO_TYPE_PREFETCH, stream_, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  ExpectLog({"cache hint", "holds no description when the task begins; make it with aclrtCmoSetDesc"});
  ASSERT_EQ(aclrtSetMemcpyDesc(desc_, kInner, ints.data(), ints.data(), 4, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtCmoAsyncWithDesc(desc_, ACL_RT_CMO_TYPE_PREFETCH, stream_, nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "holds no description");
}

TEST_F(aclrtCmoAsyncWithDescTest, BadArguments_AreRefusedInOrder) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCmoAsyncWithDesc, (nullptr, ACL_RT_CMO_TYPE_INVALID, stream_, desc_),
               "cmoDesc is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCmoAsyncWithDesc, (desc_, ACL_RT_CMO_TYPE_INVALID, stream_, desc_),
               "cmoType 2 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCmoAsyncWithDesc, (desc_, ACL_RT_CMO_TYPE_PREFETCH, stream_, desc_),
               "reserve", "must be null");
}

using aclrtMemFlushTest = DeviceTest;

TEST_F(aclrtMemFlushTest, FlushAndInvalidate_ChangeNothingButCheckTheRange) {
  const DeviceInts ints({1, 2});
  EXPECT_EQ(aclrtMemFlush(ints.data(), ints.bytes()), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemInvalidate(ints.data(), ints.bytes()), ACL_SUCCESS);
  EXPECT_EQ(ints.Read(), (std::vector<int>{1, 2}));
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemFlush, (nullptr, 0), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemFlush, (ints.data(), 0), "size 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemFlush, (ints.data(), 9), "devPtr: 9 bytes at offset 0");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemInvalidate, (nullptr, 0), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemInvalidate, (ints.data(), 0), "size 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemInvalidate, (ints.data(), 9), "devPtr: 9 bytes at offset 0");
}

}  // namespace
}  // namespace softhccl::conformance
