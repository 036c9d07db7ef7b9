// aclrtLaunchKernelWithConfig and aclrtLaunchKernel: checks at the call, and what a kernel's end means for its stream.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class LaunchTest : public DeviceTest {
 protected:
  // An argument list with the address of `out`, ready to be launched.
  aclrtArgsHandle Args(uint32_t** out) {
    aclrtArgsHandle args = nullptr;
    aclrtParamHandle param = nullptr;
    EXPECT_EQ(aclrtKernelArgsInit(Kernel("CountCalls"), &args), ACL_SUCCESS);
    EXPECT_EQ(aclrtKernelArgsAppend(args, out, sizeof *out, &param), ACL_SUCCESS);
    EXPECT_EQ(aclrtKernelArgsFinalize(args), ACL_SUCCESS);
    return args;
  }
  uint32_t calls_ = 0;
  uint32_t* out_ = &calls_;
};

using aclrtLaunchKernelWithConfigTest = LaunchTest;

TEST_F(aclrtLaunchKernelWithConfigTest, BlocksAndStreams_RunTheKernelThatOften) {
  aclrtFuncHandle function = Kernel("CountCalls");
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, nullptr, nullptr, Args(&out_), nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  const uint32_t before = calls_;
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 5, stream_, nullptr, Args(&out_), nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(calls_, before + 5);
}

TEST_F(aclrtLaunchKernelWithConfigTest, KernelGlobals_ArePerDevice) {
  aclrtFuncHandle function = Kernel("CountCalls");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, stream_, nullptr, Args(&out_), nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  }
  EXPECT_GE(calls_, 2u);
  EXPECT_EQ(aclrtSetDevice(3), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, nullptr, nullptr, Args(&out_), nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(calls_, 1u) << "device 3 has its own copy of the library";
  EXPECT_EQ(aclrtResetDevice(3), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(aclrtLaunchKernelWithConfigTest, BadArguments_AreRefusedInOrder) {
  aclrtFuncHandle function = Kernel("CountCalls");
  aclrtArgsHandle args = Args(&out_);
  aclrtLaunchKernelCfg none{nullptr, 0};
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithConfig, (nullptr, 0, stream_, &none, nullptr, this),
               "funcHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithConfig, (function, 0, stream_, &none, nullptr, this),
               "numBlocks 0");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithConfig, (function, 1, stream_, &none, nullptr, this),
               "argsHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithConfig, (function, 1, stream_, &none, args, this),
               "reserve", "must be null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithConfig, (function, 1, stream_, &none, args, nullptr),
               "cfg->attrs is null", "107000]");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithConfig, (function, 1, stream_, nullptr, &none, nullptr),
               "is not the list");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchKernelWithConfig, (stream_, 1, stream_, nullptr, args, nullptr),
               "funcHandle 0x", "is a stream, expected a kernel function");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchKernelWithConfig, (function, 1, args, nullptr, args, nullptr),
               "is not a stream of this process");
  EXPECT_EQ(aclrtKernelArgsInit(function, &args), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithConfig, (function, 1, stream_, nullptr, args, nullptr),
               "is not finalised", "call aclrtKernelArgsFinalize");
  std::thread([&] {
    aclrtArgsHandle own = Args(&out_);  // lists need no device
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchKernelWithConfig, (function, 1, stream_, nullptr, own, nullptr),
                 "no device is set");
  }).join();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(calls_, 0u) << "nothing was launched";
}

TEST_F(aclrtLaunchKernelWithConfigTest, StreamOfAnotherDevice_IsRefused) {
  aclrtFuncHandle function = Kernel("CountCalls");
  EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtLaunchKernelWithConfig,
               (function, 1, stream_, nullptr, Args(&out_), nullptr), "belongs to device 0", "but device 1 is set",
               "107003]");
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(aclrtLaunchKernelWithConfigTest, Attributes_AreHeldToTheirRange) {
  aclrtFuncHandle function = Kernel("CountCalls");
  aclrtLaunchKernelAttr attrs[2] = {};
  aclrtLaunchKernelCfg cfg{attrs, 1};
  const auto launch = [&] { return aclrtLaunchKernelWithConfig(function, 1, stream_, &cfg, Args(&out_), nullptr); };
  const auto refused = [&](const std::string& part) {
    ExpectFailure(ACL_ERROR_RT_PARAM_INVALID, launch(), "aclrtLaunchKernelWithConfig", {part});
  };
  attrs[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE;
  attrs[0].value.schemMode = 3;
  refused("cfg->attrs[0]: SCHEM_MODE 3 is out of range, use 0 to 2");
  attrs[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH;
  attrs[0].value.isBlockTaskPrefetch = 2;
  refused("BLOCK_TASK_PREFETCH 2 is out of range, use 0 to 1");
  attrs[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP;
  attrs[0].value.isDataDump = 2;
  refused("DATA_DUMP 2");
  attrs[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING;
  attrs[0].value.enableProfiling = 255;
  refused("ENABLE_PROFILING 255");
  attrs[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attrs[0].value.timeout = 1;
  attrs[1].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
  attrs[1].value.timeoutUs = {};
  cfg.numAttrs = 2;
  refused("cfg has both TIMEOUT and TIMEOUT_US");
  cfg.numAttrs = 1;
  attrs[0].value.timeout = 0;
  EXPECT_EQ(launch(), ACL_SUCCESS) << "0 is without limit";
  attrs[0].id = FromNumber<aclrtLaunchKernelAttrId>(4711);
  EXPECT_EQ(launch(), ACL_SUCCESS) << "unknown attributes are ignored";
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(aclrtLaunchKernelWithConfigTest, SymbolMissing_StreamFailsAtSynchronise) {
  ExpectLog({"CallBackk", "NoSuchSymbol"});
  aclrtArgsHandle args = nullptr;
  aclrtFuncHandle function = Kernel("NoSuchSymbol");
  EXPECT_EQ(aclrtKernelArgsInit(function, &args), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsFinalize(args), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, stream_, nullptr, args, nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "has no function CallBackk",
                       "while resolving kernel 'NoSuchSymbol'", "CallBack", "507018]");
}

TEST_F(aclrtLaunchKernelWithConfigTest, LibraryInNoPackage_StreamFailsAtSynchronise) {
  ExpectLog({"libnot_in_any_package.so"});
  aclrtFuncHandle function = Kernel("aicpu/config/missing_library.json", "NoSuchLibrary", 0);
  EXPECT_EQ(aclrtLaunchKernel(function, 1, nullptr, 0, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "libnot_in_any_package.so",
                       "while resolving kernel 'NoSuchLibrary'", "507018]");
}

TEST_F(aclrtLaunchKernelWithConfigTest, KernelOutlivesItsLimit_StreamFailsWithAicpuTimeout) {
  ExpectLog({"CallBack#", "did not return within its limit of 0.1 s"});
  // The kernel's thread is given up; what it still uses must outlive the test.
  static std::atomic<bool> may_return{false};
  static std::atomic<bool> returned{false};
  may_return.store(false);
  returned.store(false);
  CallBackArgs call;
  call.body = [](const Hcomm&, void*) {
    while (!may_return.load()) std::this_thread::yield();
    returned.store(true);
    return 0u;
  };
  call.data = nullptr;
  aclrtArgsHandle args = nullptr;
  aclrtParamHandle param = nullptr;
  aclrtLaunchKernelAttr attr{};
  attr.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
  attr.value.timeoutUs.timeoutLow = 100000;
  aclrtLaunchKernelCfg cfg{&attr, 1};
  EXPECT_EQ(aclrtKernelArgsInit(Kernel("CallBack"), &args), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsAppend(args, &call, sizeof call, &param), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsFinalize(args), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(Kernel("CallBack"), 1, stream_, &cfg, args, nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_TIMEOUT, aclrtSynchronizeStream, (stream_), "kernel CallBack#",
                       "its thread is given up", "507017]");
  may_return.store(true);
  WaitUntil([] { return returned.load(); }, "the return of the kernel that was given up");
  EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS) << "the stream is usable again";
}

using aclrtLaunchKernelTest = LaunchTest;

TEST_F(aclrtLaunchKernelTest, Arguments_AreCopiedAtTheCall) {
  uint32_t* out = &calls_;
  EXPECT_EQ(aclrtLaunchKernel(Kernel("CountCalls"), 1, &out, sizeof out, stream_), ACL_SUCCESS);
  out = nullptr;
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_GT(calls_, 0u);
}

TEST_F(aclrtLaunchKernelTest, BadArguments_AreRefusedInOrder) {
  aclrtFuncHandle function = Kernel("CountCalls");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernel, (nullptr, 0, nullptr, 8, stream_), "funcHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernel, (function, 0, nullptr, 8, stream_), "numBlocks 0");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernel, (function, 1, nullptr, 8, stream_), "argsData is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernel, (function, 1, &out_, 65537, stream_),
               "argsSize 65537 is larger than the limit of 65536 bytes");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchKernel, (stream_, 1, &out_, 8, stream_),
               "expected a kernel function");
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchKernel, (function, 1, &out_, 8, stream_), "no device is set");
  }).join();
}

TEST_F(aclrtLaunchKernelTest, KernelsOfTwoStreams_RunAtTheSameTime) {
  aclrtStream second = nullptr;
  EXPECT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
  std::atomic<int> inside{0};
  const auto meet = [&](const Hcomm&) {
    inside.fetch_add(1);
    WaitUntil([&] { return inside.load() == 2; }, "both kernels are running");
    return 0u;
  };
  const Launch first_launch(stream_, meet);
  const Launch second_launch(second, meet);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(second), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
