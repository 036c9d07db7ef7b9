// What a lowered kernel<<<1, nullptr, stream>>>(&arguments, size) calls: a kernel of the program itself on a stream.
#include "aicpu_launch.h"

#include "fixture.h"

namespace softhccl::conformance {
namespace {

struct Arguments {
  uint32_t value = 0;
  uint32_t* out = nullptr;
};

uint32_t StoreValue(void* raw) {
  Arguments arguments;
  std::memcpy(&arguments, raw, sizeof arguments);
  *arguments.out = arguments.value;
  return 0;
}

uint32_t AddValue(Arguments* arguments) {
  *arguments->out += arguments->value;
  return 0;
}

int32_t ReturnNine(void*) { return 9; }

class AicpuLaunchTest : public DeviceTest {
 protected:
  int Launch(uint32_t (*kernel)(void*), int64_t blocks, const void* reserved, void* stream, const void* args,
             size_t size) {
    return softhcclLaunchAicpuKernel("StoreValue", kernel, blocks, reserved, stream, args, size);
  }
  uint32_t out_ = 0;
  Arguments arguments_{42, &out_};
};

TEST_F(AicpuLaunchTest, Arguments_AreCopiedAtTheCall) {
  // The stream is held up until the caller has overwritten its arguments.
  aclrtNotify go = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&go, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(go, stream_, 0), ACL_SUCCESS);
  softhccl_aicpu::Prepare("StoreValue", StoreValue, 1u, nullptr, stream_)(&arguments_, sizeof arguments_);
  arguments_ = {7, nullptr};
  EXPECT_EQ(out_, 0u);
  EXPECT_EQ(aclrtRecordNotify(go, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(out_, 42u);
  EXPECT_EQ(aclrtDestroyNotify(go), ACL_SUCCESS);
}

TEST_F(AicpuLaunchTest, Launches_RunInTheOrderOfTheStream) {
  for (uint32_t i = 1; i <= 100; ++i) {
    arguments_.value = i;
    softhccl_aicpu::Prepare("AddValue", AddValue, 1, nullptr, stream_)(&arguments_, sizeof arguments_);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(out_, 5050u);
}

TEST_F(AicpuLaunchTest, NullStream_IsTheDefaultOne) {
  EXPECT_EQ(Launch(StoreValue, 1, nullptr, nullptr, &arguments_, sizeof arguments_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(out_, 42u);
}

TEST_F(AicpuLaunchTest, KernelFails_TheStreamSaysWhich) {
  ExpectLog({"kernel launch", "kernel ns::ReturnNine#", "returned 9"});
  softhccl_aicpu::Prepare("ns::ReturnNine", ReturnNine, 1, nullptr, stream_)(nullptr, 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_AICPU_EXCEPTION);
}

TEST_F(AicpuLaunchTest, BadParts_AreRefusedAndRemembered) {
  const std::string call = "StoreValue<<<>>>";
  for (const int64_t blocks : {int64_t{0}, int64_t{2}, int64_t{-1}}) {
    ExpectFailure(ACL_ERROR_RT_PARAM_INVALID,
                  Launch(StoreValue, blocks, nullptr, stream_, &arguments_, sizeof arguments_), call,
                  {std::to_string(blocks) + " blocks in <<<>>>", "use 1"});
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
  }
  ExpectFailure(ACL_ERROR_RT_PARAM_INVALID, Launch(StoreValue, 1, this, stream_, &arguments_, sizeof arguments_), call,
                {"the second part of <<<>>> is 0x", "must be nullptr"});
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(out_, 0u);
}

TEST_F(AicpuLaunchTest, BadPointersAndSizes_AreRefused) {
  const std::string call = "StoreValue<<<>>>";
  ExpectFailure(ACL_ERROR_INVALID_PARAM,
                softhcclLaunchAicpuKernel(nullptr, StoreValue, 1, nullptr, stream_, nullptr, 0), "kernel<<<>>>",
                {"name is null"});
  ExpectFailure(ACL_ERROR_INVALID_PARAM, Launch(nullptr, 1, nullptr, stream_, &arguments_, sizeof arguments_), call,
                {"the kernel before <<< is null"});
  ExpectFailure(ACL_ERROR_INVALID_PARAM, Launch(StoreValue, 1, nullptr, stream_, nullptr, 8), call, {"args is null"});
  ExpectFailure(ACL_ERROR_RT_PARAM_INVALID, Launch(StoreValue, 1, nullptr, stream_, &arguments_, 65537), call,
                {"size 65537", "65536 bytes"});
  ExpectFailure(ACL_ERROR_RT_INVALID_HANDLE, Launch(StoreValue, 1, nullptr, this, &arguments_, sizeof arguments_), call,
                {"is not a stream of this process"});
  std::thread([&] {
    ExpectFailure(ACL_ERROR_RT_CONTEXT_NULL, Launch(StoreValue, 1, nullptr, stream_, &arguments_, sizeof arguments_),
                  call, {"no device is set"});
  }).join();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(out_, 0u);
}

}  // namespace
}  // namespace softhccl::conformance
