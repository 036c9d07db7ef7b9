// Argument lists in all their forms: placeholders, updates, memory of the caller, sizes.
#include <cstddef>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

// The kernel "FollowPointer" copies from the address that follows its InspectArgs.
class ListTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    function_ = Kernel("FollowPointer");
    ASSERT_EQ(aclrtKernelArgsInit(function_, &args_), ACL_SUCCESS);
  }
  aclrtFuncHandle function_ = nullptr;
  aclrtArgsHandle args_ = nullptr;
  aclrtParamHandle param_ = nullptr;
};

class aclrtKernelArgsAppendPlaceHolderTest : public ListTest {};

TEST_F(aclrtKernelArgsAppendPlaceHolderTest, Data_IsReachedThroughTheAddress) {
  unsigned char seen[5] = {};
  InspectArgs head{seen, sizeof seen};
  aclrtParamHandle placeholder = nullptr;
  void* buffer = nullptr;
  ASSERT_EQ(aclrtKernelArgsAppend(args_, &head, sizeof head, &param_), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppendPlaceHolder(args_, &placeholder), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsFinalize, (args_),
               "parameter 1 is a placeholder without data");
  ASSERT_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args_, placeholder, 5, &buffer), ACL_SUCCESS);
  std::memcpy(buffer, "hello", 5);
  ASSERT_EQ(aclrtKernelArgsFinalize(args_), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchKernelWithConfig(function_, 1, stream_, nullptr, args_, nullptr), ACL_SUCCESS);
  std::memcpy(buffer, "XXXXX", 5);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(std::memcmp(seen, "hello", 5), 0) << "copied at the launch";
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppendPlaceHolder, (nullptr, &param_), "argsHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppendPlaceHolder, (args_, nullptr), "paramHandle is null");
}

class aclrtKernelArgsGetPlaceHolderBufferTest : public ListTest {};

TEST_F(aclrtKernelArgsGetPlaceHolderBufferTest, BadArguments_AreRefused) {
  aclrtParamHandle plain = nullptr;
  aclrtParamHandle placeholder = nullptr;
  void* buffer = nullptr;
  int value = 0;
  ASSERT_EQ(aclrtKernelArgsAppend(args_, &value, 4, &plain), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppendPlaceHolder(args_, &placeholder), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetPlaceHolderBuffer, (args_, placeholder, 0, &buffer),
               "dataSize 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetPlaceHolderBuffer, (args_, plain, 8, &buffer),
               "is not a placeholder");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetPlaceHolderBuffer, (args_, &value, 8, &buffer),
               "was not given by this list");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetPlaceHolderBuffer, (args_, placeholder, 65536, &buffer),
               "dataSize 65536 behind 16 bytes exceeds the limit of 65536 bytes");
  ASSERT_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args_, placeholder, 8, &buffer), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetPlaceHolderBuffer, (args_, placeholder, 8, &buffer),
               "has its buffer already");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtKernelArgsAppend, (args_, &value, 4, &plain),
               "a placeholder buffer was taken already");
}

class aclrtKernelArgsParaUpdateTest : public ListTest {};

TEST_F(aclrtKernelArgsParaUpdateTest, Updated_IsWhatTheNextLaunchGets) {
  unsigned char seen[2] = {};
  InspectArgs head{seen, 2};
  unsigned char value[2] = {1, 2};
  aclrtParamHandle second = nullptr;
  ASSERT_EQ(aclrtKernelArgsAppend(args_, &head, sizeof head, &param_), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppend(args_, value, 2, &second), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsFinalize(args_), ACL_SUCCESS);
  value[0] = 9;
  ASSERT_EQ(aclrtKernelArgsParaUpdate(args_, second, value, 2), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithConfig,
               (Kernel("Inspect"), 1, stream_, nullptr, args_, nullptr), "argsHandle is not finalised");
  ASSERT_EQ(aclrtKernelArgsFinalize(args_), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(Kernel("Inspect"), 1, stream_, nullptr, args_, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(seen, ::testing::ElementsAre(9, 2));
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsParaUpdate, (args_, second, value, 1),
               "paramSize 1 differs from the 2 bytes");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsParaUpdate, (args_, second, nullptr, 2), "param is null");
  ASSERT_EQ(aclrtKernelArgsInit(function_, &args_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsParaUpdate, (args_, second, value, 2),
               "was not given by this list since its last Init");
}

class aclrtKernelArgsInitByUserMemTest : public ListTest {};

TEST_F(aclrtKernelArgsInitByUserMemTest, OwnMemory_HoldsTheBytes) {
  size_t handle_bytes = 0;
  size_t list_bytes = 0;
  unsigned char seen[1] = {};
  InspectArgs head{seen, 1};
  unsigned char value = 77;
  ASSERT_EQ(aclrtKernelArgsGetHandleMemSize(function_, &handle_bytes), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsGetMemSize(function_, sizeof head + 1, &list_bytes), ACL_SUCCESS);
  EXPECT_GE(list_bytes, sizeof head + 1);
  std::vector<char> handle(handle_bytes);
  std::vector<char> memory(list_bytes);
  ASSERT_EQ(aclrtKernelArgsInitByUserMem(function_, handle.data(), memory.data(), list_bytes), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppend(handle.data(), &head, sizeof head, &param_), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppend(handle.data(), &value, 1, &param_), ACL_SUCCESS);
  EXPECT_EQ(memory[sizeof head], 77);
  ASSERT_EQ(aclrtKernelArgsFinalize(handle.data()), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(Kernel("Inspect"), 1, stream_, nullptr, handle.data(), nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(seen[0], 77);
  ASSERT_EQ(aclrtKernelArgsInitByUserMem(function_, handle.data(), memory.data(), 3), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppend, (handle.data(), &head, 4, &param_),
               "0 parameters with 0 bytes and 4 more exceed the limits of 128 parameters and 3 bytes");
}

TEST_F(aclrtKernelArgsInitByUserMemTest, BadArguments_AreRefused) {
  char memory[8];
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInitByUserMem, (nullptr, memory, memory, 8),
               "funcHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInitByUserMem, (function_, nullptr, memory, 8),
               "argsHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInitByUserMem, (function_, memory, nullptr, 8),
               "userHostMem is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInitByUserMem, (function_, memory, memory, 0),
               "actualArgsSize 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsInitByUserMem, (function_, args_, memory, 8),
               "is the list of this thread");
}

class aclrtKernelArgsGetHandleMemSizeTest : public ListTest {};

TEST_F(aclrtKernelArgsGetHandleMemSizeTest, BadArguments_AreRefused) {
  size_t size = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetHandleMemSize, (nullptr, &size), "funcHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetHandleMemSize, (function_, nullptr), "memSize is null");
  EXPECT_EQ(aclrtKernelArgsGetHandleMemSize(function_, &size), ACL_SUCCESS);
  EXPECT_GT(size, 0u);
}

class aclrtKernelArgsGetMemSizeTest : public ListTest {};

TEST_F(aclrtKernelArgsGetMemSizeTest, BadArguments_AreRefused) {
  size_t size = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsGetMemSize, (function_, 1, nullptr), "actualArgsSize is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetMemSize, (function_, 0, &size), "userArgsSize 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsGetMemSize, (function_, 65537, &size), "userArgsSize 65537");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtKernelArgsGetMemSize, (stream_, 1, &size), "is a stream");
}

}  // namespace
}  // namespace softhccl::conformance
