// Binaries from memory, what is known of functions, and the other forms of a launch.
#include <cstddef>
#include <fstream>
#include <iterator>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

aclrtBinaryLoadOption Mode(int32_t mode) {
  aclrtBinaryLoadOption option{};
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = mode;
  return option;
}

std::string LibraryBytes() {
  std::ifstream file(KernelFolder() + "/libconformance_kernels.so", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A binary made from the bytes of the kernel library; unloaded at the end unless the test has done it.
class DataTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtBinaryLoadFromData(bytes_.data(), bytes_.size(), &options_, &binary_), ACL_SUCCESS);
  }
  void TearDown() override {
    if (binary_ != nullptr) {
      EXPECT_EQ(aclrtBinaryUnLoad(binary_), ACL_SUCCESS);
    }
    DeviceTest::TearDown();
  }
  aclrtFuncHandle Register(const char* function) {
    aclrtFuncHandle handle = nullptr;
    EXPECT_EQ(aclrtRegisterCpuFunc(binary_, function, function, &handle), ACL_SUCCESS);
    return handle;
  }
  const std::string bytes_ = LibraryBytes();
  aclrtBinaryLoadOption option_ = Mode(2);
  aclrtBinaryLoadOptions options_{&option_, 1};
  aclrtBinHandle binary_ = nullptr;
};

class aclrtBinaryLoadFromDataTest : public DataTest {};

TEST_F(aclrtBinaryLoadFromDataTest, BadArguments_AreRefusedInOrder) {
  aclrtBinHandle none = nullptr;
  const auto* data = bytes_.data();
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromData, (nullptr, 1, &options_, &none), "data is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromData, (data, 1, &options_, nullptr), "binHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromData, (data, 0, &options_, &none), "length 0");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtBinaryLoadFromData, (data, 1, nullptr, &none), "AI-core binary");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromData, (data, 100, &options_, &none), "truncated");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromData, ("text", 4, &options_, &none),
               "is not an ELF file");
  option_.value.cpuKernelMode = 1;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoadFromData, (data, 100, &options_, &none),
               "cpuKernelMode 1 is not valid for data; use 2");
  EXPECT_EQ(none, nullptr);
}

class aclrtCreateBinaryTest : public DeviceTest {};

TEST_F(aclrtCreateBinaryTest, BadBytes_AreNullAndSaid) {
  ExpectLog({"aclrtCreateBinary: data is null"});
  ExpectLog({"aclrtCreateBinary: dataLen 0"});
  ExpectLog({"aclrtCreateBinary: dataLen 18446744073709551615"});
  EXPECT_EQ(aclrtCreateBinary(nullptr, 1), nullptr);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("data is null"), std::string::npos);
  EXPECT_EQ(aclrtCreateBinary("", 0), nullptr);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("dataLen 0 is out of range"), std::string::npos);
  EXPECT_EQ(aclrtCreateBinary("", SIZE_MAX), nullptr);
}

class aclrtDestroyBinaryTest : public DeviceTest {};

TEST_F(aclrtDestroyBinaryTest, BadHandles_AreRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyBinary, (nullptr), "binary is null");
  const aclrtBinary data = aclrtCreateBinary("text", 4);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(aclrtDestroyBinary(data), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyBinary, (data), "destroyed");
}

class aclrtBinaryLoadTest : public DeviceTest {};

TEST_F(aclrtBinaryLoadTest, Library_ItsFunctionsAreKernels) {
  std::string bytes = LibraryBytes();
  const aclrtBinary data = aclrtCreateBinary(bytes.data(), bytes.size());
  ASSERT_NE(data, nullptr);
  bytes.assign(bytes.size(), '\0');  // the bytes are copied
  aclrtBinHandle binary = nullptr;
  ASSERT_EQ(aclrtBinaryLoad(data, &binary), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyBinary(data), ACL_SUCCESS);
  aclrtFuncHandle function = nullptr;
  ASSERT_EQ(aclrtBinaryGetFunction(binary, "CountCalls", &function), ACL_SUCCESS);
  uint32_t calls = 0;
  uint32_t* out = &calls;
  EXPECT_EQ(aclrtLaunchKernel(function, 1, &out, sizeof out, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_GT(calls, 0u);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetFunction, (binary, "NoSuchKernel", &function), "NoSuchKernel");
  EXPECT_EQ(aclrtBinaryUnLoad(binary), ACL_SUCCESS);
}

TEST_F(aclrtBinaryLoadTest, BadArguments_AreRefused) {
  aclrtBinHandle binary = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoad, (nullptr, &binary), "binary is null");
  const aclrtBinary data = aclrtCreateBinary("text", 4);
  ASSERT_NE(data, nullptr);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryLoad, (data, nullptr), "binHandle is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryLoad, (data, &binary), "is not an ELF file");
  EXPECT_EQ(aclrtDestroyBinary(data), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtBinaryLoad, (data, &binary), "destroyed");
  EXPECT_EQ(binary, nullptr);
}

class aclrtRegisterCpuFuncTest : public DataTest {};

TEST_F(aclrtRegisterCpuFuncTest, Registered_CanBeFoundAndRuns) {
  aclrtFuncHandle function = nullptr;
  ASSERT_EQ(aclrtRegisterCpuFunc(binary_, "CountCalls", "Count", &function), ACL_SUCCESS);
  aclrtFuncHandle again = nullptr;
  ASSERT_EQ(aclrtRegisterCpuFunc(binary_, "Inspect", "Count", &again), ACL_SUCCESS);
  EXPECT_EQ(again, function) << "the first registration of a kernel name counts";
  ASSERT_EQ(aclrtBinaryGetFunction(binary_, "Count", &again), ACL_SUCCESS);
  EXPECT_EQ(again, function);
  uint32_t calls = 0;
  uint32_t* out = &calls;
  EXPECT_EQ(aclrtLaunchKernel(function, 1, &out, sizeof out, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_GT(calls, 0u);
}

TEST_F(aclrtRegisterCpuFuncTest, BadArguments_AreRefused) {
  aclrtFuncHandle function = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRegisterCpuFunc, (nullptr, "a", "b", &function), "handle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRegisterCpuFunc, (binary_, nullptr, "b", &function), "funcName is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRegisterCpuFunc, (binary_, "a", nullptr, &function), "kernelName is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRegisterCpuFunc, (binary_, "a", "b", nullptr), "funcHandle is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtRegisterCpuFunc, (stream_, "a", "b", &function),
               "is a stream, expected a kernel binary");
  aclrtBinHandle described = nullptr;
  ASSERT_EQ(aclrtFunctionGetBinary(Kernel("Inspect"), &described), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRegisterCpuFunc, (described, "a", "b", &function),
               "which names its kernels");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetFunction, (binary_, "Nothing", &function),
               "has no kernel 'Nothing'");
}

TEST_F(aclrtRegisterCpuFuncTest, NoSuchSymbol_FailsTheStream) {
  ExpectLog({"kernel launch", "has no function NoSuch"});
  EXPECT_EQ(aclrtLaunchKernel(Register("NoSuch"), 1, nullptr, 0, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "has no function NoSuch");
}

class aclrtBinaryUnLoadTest : public DataTest {};

TEST_F(aclrtBinaryUnLoadTest, Unloaded_HandlesAreStaleAndQueuedLaunchesRun) {
  aclrtFuncHandle function = Register("CountCalls");
  uint32_t calls = 0;
  uint32_t* out = &calls;
  EXPECT_EQ(aclrtLaunchKernel(function, 1, &out, sizeof out, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtBinaryUnLoad(binary_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_GT(calls, 0u);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchKernel, (function, 1, &out, sizeof out, stream_), "funcHandle",
               "destroyed");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtBinaryUnLoad, (binary_), "binHandle");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryUnLoad, (nullptr), "binHandle is null");
  binary_ = nullptr;
}

class aclrtBinaryGetGlobalTest : public DataTest {};

TEST_F(aclrtBinaryGetGlobalTest, Variable_IsTheOneTheKernelSees) {
  void* address = nullptr;
  size_t size = 0;
  ASSERT_EQ(aclrtBinaryGetGlobal(binary_, "kernel_global", &address, &size), ACL_SUCCESS);
  EXPECT_EQ(size, sizeof(uint32_t));
  uint32_t seen = 0;
  uint32_t* out = &seen;
  const uint32_t value = 4711;
  ASSERT_EQ(aclrtMemcpy(address, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernel(Register("ReadGlobal"), 1, &out, sizeof out, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(seen, value);
}

TEST_F(aclrtBinaryGetGlobalTest, NoVariable_IsRefused) {
  void* address = nullptr;
  size_t size = 0;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetGlobal, (binary_, "nothing", &address, &size),
               "exports no variable nothing");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtBinaryGetGlobal, (binary_, "Inspect", &address, &size),
               "it is a function");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetGlobal, (nullptr, "x", &address, &size), "binHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetGlobal, (binary_, nullptr, &address, &size), "name is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetGlobal, (binary_, "x", nullptr, &size), "dptr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinaryGetGlobal, (binary_, "x", &address, nullptr), "size is null");
}

class aclrtFunctionGetBinaryTest : public DataTest {};

TEST_F(aclrtFunctionGetBinaryTest, Function_GivesItsBinary) {
  aclrtBinHandle found = nullptr;
  EXPECT_EQ(aclrtFunctionGetBinary(Register("Inspect"), &found), ACL_SUCCESS);
  EXPECT_EQ(found, binary_);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFunctionGetBinary, (nullptr, &found), "funcHandle is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtFunctionGetBinary, (binary_, &found), "is a kernel binary");
}

class aclrtGetFunctionNameTest : public DeviceTest {};

TEST_F(aclrtGetFunctionNameTest, Name_FitsOrIsRefused) {
  char name[8] = {};
  EXPECT_EQ(aclrtGetFunctionName(Kernel("Inspect"), 8, name), ACL_SUCCESS);
  EXPECT_STREQ(name, "Inspect");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtGetFunctionName, (Kernel("Inspect"), 7, name),
               "maxLen 7 is too small; the name 'Inspect' needs 8");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetFunctionName, (Kernel("Inspect"), 0, name), "maxLen 0");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetFunctionName, (Kernel("Inspect"), 8, nullptr), "name is null");
}

class aclrtGetFunctionAttributeTest : public DeviceTest {};

TEST_F(aclrtGetFunctionAttributeTest, KernelType_IsAicpu) {
  int64_t value = 0;
  EXPECT_EQ(aclrtGetFunctionAttribute(Kernel("Inspect"), ACL_FUNC_ATTR_KERNEL_TYPE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, ACL_KERNEL_TYPE_AICPU);
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetFunctionAttribute,
               (Kernel("Inspect"), ACL_FUNC_ATTR_KERNEL_RATIO, &value), "belongs to AI-core kernels");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetFunctionAttribute,
               (Kernel("Inspect"), FromNumber<aclrtFuncAttribute>(4), &value), "attrType 4");
}

// --- Launches ----------------------------------------------------------------------------------------------------

class aclrtLaunchKernelV2Test : public DeviceTest {};

TEST_F(aclrtLaunchKernelV2Test, ArgumentsOnTheDevice_AreReadWhenTheKernelRuns) {
  unsigned char seen[1] = {};
  struct Arguments {
    InspectArgs head;
    unsigned char value;
  };
  Arguments* arguments = nullptr;
  ASSERT_EQ(aclrtMalloc(reinterpret_cast<void**>(&arguments), sizeof *arguments, ACL_MEM_MALLOC_NORMAL_ONLY),
            ACL_SUCCESS);
  *arguments = {{seen, 1}, 1};
  EXPECT_EQ(aclrtMemsetAsync(&arguments->value, 1, 55, 1, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelV2(Kernel("Inspect"), 1, arguments, sizeof *arguments, nullptr, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(seen[0], 55);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelV2,
               (Kernel("Inspect"), 1, arguments, sizeof *arguments + 1, nullptr, stream_), "argsData", "do not fit");
  aclrtNotify notify = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  ASSERT_EQ(aclrtWaitAndResetNotify(notify, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelV2(Kernel("Inspect"), 1, arguments, sizeof *arguments, nullptr, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(arguments), ACL_SUCCESS);
  ExpectLog({"kernel launch", "argsData", "freed"});
  ASSERT_EQ(aclrtRecordNotify(notify, nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "argsData", "freed");
  EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
}

TEST_F(aclrtLaunchKernelV2Test, BadArguments_AreRefused) {
  char byte = 0;
  aclrtLaunchKernelCfg config{nullptr, 1};
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelV2, (nullptr, 1, &byte, 1, nullptr, stream_), "funcHandle");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelV2, (Kernel("Inspect"), 0, &byte, 1, nullptr, stream_),
               "numBlocks 0");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelV2, (Kernel("Inspect"), 1, nullptr, 1, nullptr, stream_),
               "argsData is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelV2, (Kernel("Inspect"), 1, &byte, 65537, nullptr, stream_),
               "argsSize 65537");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelV2, (Kernel("Inspect"), 1, &byte, 1, &config, stream_),
               "cfg->attrs is null");
}

class aclrtLaunchKernelWithHostArgsTest : public DeviceTest {
 protected:
  struct Arguments {
    InspectArgs head;
    const void* from;
    char data[8];
  };
  unsigned char seen_[3] = {};
  Arguments arguments_ = {{seen_, 3}, nullptr, "abcdefg"};
  aclrtPlaceHolderInfo placeholder_{offsetof(Arguments, from), offsetof(Arguments, data) + 2};
};

TEST_F(aclrtLaunchKernelWithHostArgsTest, Placeholder_PointsIntoTheCopy) {
  EXPECT_EQ(aclrtLaunchKernelWithHostArgs(Kernel("FollowPointer"), 1, stream_, nullptr, &arguments_, sizeof arguments_,
                                          &placeholder_, 1),
            ACL_SUCCESS);
  std::memset(arguments_.data, 0, sizeof arguments_.data);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(std::memcmp(seen_, "cde", 3), 0);
}

TEST_F(aclrtLaunchKernelWithHostArgsTest, BadArguments_AreRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithHostArgs,
               (Kernel("Inspect"), 1, stream_, nullptr, nullptr, 8, nullptr, 0), "hostArgs is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithHostArgs,
               (Kernel("Inspect"), 1, stream_, nullptr, &arguments_, 8, nullptr, 1), "placeHolderArray is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithHostArgs,
               (Kernel("Inspect"), 1, stream_, nullptr, &arguments_, 23, &placeholder_, 1),
               "placeholder 0: address offset 16 (8 bytes) and data offset 26 must lie in the 23 bytes");
  placeholder_ = {0, 24};
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernelWithHostArgs,
               (Kernel("Inspect"), 1, stream_, nullptr, &arguments_, 24, &placeholder_, 1), "data offset 24");
}

class aclrtLaunchKernelWithArgsArrayTest : public DeviceTest {};

TEST_F(aclrtLaunchKernelWithArgsArrayTest, AicpuKernel_IsRefused) {
  void* args[1] = {};
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtLaunchKernelWithArgsArray,
               (Kernel("Inspect"), 1, stream_, nullptr, args), "Inspect is an AICPU kernel", "207000]");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithArgsArray, (nullptr, 1, stream_, nullptr, args),
               "funcHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithArgsArray,
               (Kernel("Inspect"), 1, stream_, nullptr, nullptr), "args is null");
}

}  // namespace
}  // namespace softhccl::conformance
