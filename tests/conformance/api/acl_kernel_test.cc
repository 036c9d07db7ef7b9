// aclrtBinaryLoadFromFile, aclrtBinaryGetFunction, aclrtKernelArgsInit, aclrtKernelArgsAppend, aclrtKernelArgsFinalize.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

aclrtBinaryLoadOption Mode(int mode) {
  aclrtBinaryLoadOption option{};
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = mode;
  return option;
}

class aclrtBinaryLoadFromFileTest : public DeviceTest {
 protected:
  const std::string json_ = KernelFolder() + "/libconformance_kernels.json";
  const std::string library_ = KernelFolder() + "/libconformance_kernels.so";
  aclrtBinaryLoadOption option_ = Mode(1);
  aclrtBinaryLoadOptions options_{&option_, 1};
  aclrtBinHandle binary_ = nullptr;
};

TEST_F(aclrtBinaryLoadFromFileTest, DescriptionOrLibraryPath_LoadsTheSameWithAndWithoutDevice) {
  EXPECT_EQ(aclrtBinaryLoadFromFile(json_.c_str(), &options_, &binary_), ACL_SUCCESS);
  EXPECT_NE(binary_, nullptr);
  aclrtBinHandle other = nullptr;
  std::thread([&] { EXPECT_EQ(aclrtBinaryLoadFromFile(library_.c_str(), &options_, &other), ACL_SUCCESS); }).join();
  aclrtFuncHandle function = nullptr;
  EXPECT_EQ(aclrtBinaryGetFunction(other, "ReturnSeven", &function), ACL_SUCCESS);
}

TEST_F(aclrtBinaryLoadFromFileTest, Null_IsRefusedFirst) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromFile, (nullptr, nullptr, nullptr), "binPath is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromFile, (json_.c_str(), nullptr, nullptr),
               "binHandle is null");
}

TEST_F(aclrtBinaryLoadFromFileTest, BadOptions_AreRefused) {
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtBinaryLoadFromFile, (json_.c_str(), nullptr, &binary_),
               "options is null", "AI-core", "207000]");
  aclrtBinaryLoadOptions empty{nullptr, 1};
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile, (json_.c_str(), &empty, &binary_),
               "options holds no options (numOpt 1)");
  empty = {&option_, 0};
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile, (json_.c_str(), &empty, &binary_),
               "options holds no options (numOpt 0)");
  option_.type = ACL_RT_BINARY_LOAD_OPT_MAGIC;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile, (json_.c_str(), &options_, &binary_),
               "options[0].type 2 is not valid for a file", "107000]");
  option_.type = static_cast<aclrtBinaryLoadOptionType>(0);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile, (json_.c_str(), &options_, &binary_),
               "options[0].type 0 is not valid");
  for (const int mode : {-1, 2, 3}) {
    option_ = Mode(mode);
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile, (json_.c_str(), &options_, &binary_),
                 "cpuKernelMode " + std::to_string(mode));
  }
  EXPECT_EQ(binary_, nullptr);
}

TEST_F(aclrtBinaryLoadFromFileTest, LazyLoadOption_IsAccepted) {
  aclrtBinaryLoadOption both[2] = {Mode(1), Mode(1)};
  both[0].type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD;
  aclrtBinaryLoadOptions options{both, 2};
  EXPECT_EQ(aclrtBinaryLoadFromFile(json_.c_str(), &options, &binary_), ACL_SUCCESS);
}

TEST_F(aclrtBinaryLoadFromFileTest, FileMissingBrokenOrOfAnotherKind_IsRefused) {
  const auto refused = [&](const std::string& path, const std::string& part) {
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile, (path.c_str(), &options_, &binary_), path, part,
                 "107000]");
  };
  refused(KernelFolder() + "/not_there.json", "cannot be found");
  refused(KernelFolder() + "/kernels.txt", "must end in .json or .so");
  refused(KernelFolder() + "/broken.json", "line 1, column");
  // Mode 1 needs the library beside its description, and says so before anything is launched.
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromFile,
               ((KernelFolder() + "/missing_library.json").c_str(), &options_, &binary_), "cpuKernelMode 1",
               "missing_library.so must lie beside its descriptor");
}

TEST_F(aclrtBinaryLoadFromFileTest, ModeZero_TakesTheLibraryFromThePackageBesideIt) {
  uint32_t calls = 0;
  uint32_t* out = &calls;
  ExpectLog({"a card would not load this: package ", "aicpu/kernel/"});
  aclrtFuncHandle function = Kernel("aicpu/config/libconformance_kernels.json", "CountCalls", 0);
  EXPECT_EQ(aclrtLaunchKernel(function, 1, &out, sizeof out, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_GT(calls, 0u);
}

class aclrtBinaryGetFunctionTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    aclrtBinaryLoadOption option = Mode(1);
    aclrtBinaryLoadOptions options{&option, 1};
    ASSERT_EQ(aclrtBinaryLoadFromFile((KernelFolder() + "/libconformance_kernels.json").c_str(), &options, &binary_),
              ACL_SUCCESS);
  }
  aclrtBinHandle binary_ = nullptr;
  aclrtFuncHandle function_ = nullptr;
};

TEST_F(aclrtBinaryGetFunctionTest, AskedTwice_GivesTheSameHandle) {
  EXPECT_EQ(aclrtBinaryGetFunction(binary_, "CallBack", &function_), ACL_SUCCESS);
  aclrtFuncHandle again = nullptr;
  EXPECT_EQ(aclrtBinaryGetFunction(binary_, "CallBack", &again), ACL_SUCCESS);
  EXPECT_EQ(again, function_);
  EXPECT_EQ(aclrtBinaryGetFunction(binary_, "Inspect", &again), ACL_SUCCESS);
  EXPECT_NE(again, function_);
}

TEST_F(aclrtBinaryGetFunctionTest, Null_IsRefusedInOrder) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetFunction, (nullptr, nullptr, nullptr), "binHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetFunction, (binary_, nullptr, nullptr), "kernelName is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetFunction, (binary_, "CallBack", nullptr), "funcHandle is null");
}

TEST_F(aclrtBinaryGetFunctionTest, EveryOtherReason_HasOneNumber) {
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetFunction, (binary_, "Callback", &function_),
               "has no kernel 'Callback'", "it has:", "CallBack", "Inspect", "107000]");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetFunction, (stream_, "CallBack", &function_),
               "is a stream, expected a kernel binary");
  std::thread([this] {
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetFunction, (binary_, "CallBack", &function_),
                 "no device is set");
  }).join();
  EXPECT_EQ(function_, nullptr);
}

class aclrtKernelArgsInitTest : public DeviceTest {};

TEST_F(aclrtKernelArgsInitTest, BadArguments_AreRefusedInOrder) {
  aclrtArgsHandle args = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInit, (nullptr, nullptr), "funcHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsInit, (stream_, nullptr), "argsHandle is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtKernelArgsInit, (stream_, &args),
               "is a stream, expected a kernel function", "107017]");
  EXPECT_EQ(args, nullptr);
}

TEST_F(aclrtKernelArgsInitTest, CalledAgain_SameListFromTheBeginning) {
  aclrtArgsHandle args = nullptr;
  aclrtArgsHandle again = nullptr;
  aclrtParamHandle param = nullptr;
  char byte = 1;
  EXPECT_EQ(aclrtKernelArgsInit(Kernel("Inspect"), &args), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsAppend(args, &byte, 1, &param), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsFinalize(args), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsInit(Kernel("Inspect"), &again), ACL_SUCCESS);
  EXPECT_EQ(again, args) << "a thread has one list";
  EXPECT_EQ(aclrtKernelArgsAppend(again, &byte, 1, &param), ACL_SUCCESS) << "it is open again";
  std::thread([args] {
    aclrtArgsHandle other = nullptr;
    EXPECT_EQ(aclrtKernelArgsInit(Kernel("Inspect"), &other), ACL_SUCCESS);
    EXPECT_NE(other, args);
  }).join();
}

class aclrtKernelArgsAppendTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtKernelArgsInit(Kernel("Inspect"), &args_), ACL_SUCCESS);
  }
  aclrtArgsHandle args_ = nullptr;
  aclrtParamHandle param_ = nullptr;
  char bytes_[64 * 1024] = {};
};

TEST_F(aclrtKernelArgsAppendTest, SeveralParameters_ReachTheKernelPackedAndCopied) {
  unsigned char seen[7] = {};
  InspectArgs head{seen, sizeof seen};
  unsigned char a = 1;
  uint32_t b = 0x05040302;
  unsigned char c[2] = {6, 7};
  EXPECT_EQ(aclrtKernelArgsAppend(args_, &head, sizeof head, &param_), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsAppend(args_, &a, sizeof a, &param_), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsAppend(args_, &b, sizeof b, &param_), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsAppend(args_, c, sizeof c, &param_), ACL_SUCCESS);
  a = 0;
  b = 0;
  c[0] = c[1] = 0;
  EXPECT_EQ(aclrtKernelArgsFinalize(args_), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(Kernel("Inspect"), 1, stream_, nullptr, args_, nullptr), ACL_SUCCESS);
  // The list may be begun anew while the launch is pending.
  EXPECT_EQ(aclrtKernelArgsInit(Kernel("Inspect"), &args_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(seen, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST_F(aclrtKernelArgsAppendTest, BadArguments_AreRefusedInOrder) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppend, (nullptr, nullptr, 0, nullptr), "argsHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppend, (args_, nullptr, 0, nullptr), "param is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppend, (args_, bytes_, 0, nullptr), "paramHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsAppend, (args_, bytes_, 0, &param_), "paramSize 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppend, (bytes_, bytes_, 1, &param_),
               "is not the list that aclrtKernelArgsInit gave to this thread");
  std::thread([this] {
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppend, (args_, bytes_, 1, &param_), "gave to this thread",
                 "107000]");
  }).join();
}

TEST_F(aclrtKernelArgsAppendTest, MoreThanTheLimits_IsRefused) {
  for (int i = 0; i < 128; ++i) ASSERT_EQ(aclrtKernelArgsAppend(args_, bytes_, 1, &param_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppend, (args_, bytes_, 1, &param_),
               "128 parameters with 128 bytes and 1 more exceed the limits of 128 parameters and 65536 bytes");
  EXPECT_EQ(aclrtKernelArgsInit(Kernel("Inspect"), &args_), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsAppend(args_, bytes_, sizeof bytes_, &param_), ACL_SUCCESS) << "exactly 64 KiB fit";
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsAppend, (args_, bytes_, SIZE_MAX, &param_),
               "1 parameters with 65536 bytes");
}

TEST_F(aclrtKernelArgsAppendTest, AfterFinalize_IsRefused) {
  EXPECT_EQ(aclrtKernelArgsFinalize(args_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtKernelArgsAppend, (args_, bytes_, 1, &param_),
               "the list is finalised; call aclrtKernelArgsInit", "207000]");
}

class aclrtKernelArgsFinalizeTest : public DeviceTest {};

TEST_F(aclrtKernelArgsFinalizeTest, NullOrForeign_IsRefusedAndTwiceIsFine) {
  int on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtKernelArgsFinalize, (nullptr), "argsHandle is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtKernelArgsFinalize, (&on_the_stack), "is not the list");
  aclrtArgsHandle args = nullptr;
  EXPECT_EQ(aclrtKernelArgsInit(Kernel("Inspect"), &args), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsFinalize(args), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsFinalize(args), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
