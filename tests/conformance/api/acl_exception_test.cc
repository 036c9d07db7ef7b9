// Being told of tasks that failed: when, on which thread, and what can be asked.
#include <sys/syscall.h>
#include <unistd.h>

#include "fixture.h"
#include "runtime/rt_external.h"

namespace softhccl::conformance {
namespace {

struct Told {
  uint32_t task = 0;
  uint32_t stream = 0;
  uint32_t thread = 0;
  uint32_t device = 0;
  uint32_t error = 0;
  std::thread::id told_on;
  std::vector<unsigned char> arguments;
  aclrtFuncHandle function = nullptr;
  aclError asked = ACL_SUCCESS;
  void* data = nullptr;
};

std::mutex g_mutex;
std::vector<Told> g_told;  // guarded by g_mutex

void Note(aclrtExceptionInfo* info, void* data) {
  Told told;
  told.task = aclrtGetTaskIdFromExceptionInfo(info);
  told.stream = aclrtGetStreamIdFromExceptionInfo(info);
  told.thread = aclrtGetThreadIdFromExceptionInfo(info);
  told.device = aclrtGetDeviceIdFromExceptionInfo(info);
  told.error = aclrtGetErrorCodeFromExceptionInfo(info);
  told.told_on = std::this_thread::get_id();
  told.data = data;
  void* arguments = nullptr;
  uint32_t length = 0;
  told.asked = aclrtGetArgsFromExceptionInfo(info, &arguments, &length);
  if (told.asked == ACL_SUCCESS) {
    const auto* bytes = static_cast<const unsigned char*>(arguments);
    told.arguments.assign(bytes, bytes + length);
    EXPECT_EQ(aclrtGetFuncHandleFromExceptionInfo(info, &told.function), ACL_SUCCESS);
  }
  const std::lock_guard lock(g_mutex);
  g_told.push_back(told);
}

void NoteFailure(aclrtExceptionInfo* info) { Note(info, nullptr); }

class ExceptionTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    const std::lock_guard lock(g_mutex);
    g_told.clear();
  }
  std::vector<Told> TakeTold() {
    const std::lock_guard lock(g_mutex);
    return std::exchange(g_told, {});
  }
  void Fail() {
    if (!is_expected_) ExpectLog({"kernel ReturnSeven#", "returned 7"});
    is_expected_ = true;  // stands for all lines of the test
    const uint32_t argument = 0x01020304;
    EXPECT_EQ(aclrtLaunchKernel(Kernel("ReturnSeven"), 1, &argument, sizeof argument, stream_), ACL_SUCCESS);
    EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
  }

 private:
  bool is_expected_ = false;
};

class aclrtSetExceptionInfoCallbackTest : public ExceptionTest {};

TEST_F(aclrtSetExceptionInfoCallbackTest, KernelFails_EveryNumberIsThatOfTheTask) {
  EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(NoteFailure), ACL_SUCCESS);
  Fail();
  const std::vector<Told> told = TakeTold();
  ASSERT_EQ(told.size(), 1u) << "told before the synchronise returned";
  int32_t stream = -1;
  uint32_t task = 0;
  EXPECT_EQ(aclrtStreamGetId(stream_, &stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetThreadLastTaskId(&task), ACL_SUCCESS);
  EXPECT_EQ(told[0].stream, static_cast<uint32_t>(stream));
  EXPECT_EQ(told[0].task, task);
  EXPECT_EQ(told[0].device, 0u);
  EXPECT_EQ(told[0].error, 507018u);
  EXPECT_EQ(told[0].thread, static_cast<uint32_t>(syscall(SYS_gettid)));
  EXPECT_NE(told[0].told_on, std::this_thread::get_id());
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
  Fail();
  EXPECT_TRUE(TakeTold().empty());
}

TEST_F(aclrtSetExceptionInfoCallbackTest, WaitExpires_IsToldWithoutArguments) {
  ExpectLog({"EI0002 wait timeout"});
  ExpectLog({"aclrtGetArgsFromExceptionInfo", "is no kernel"});
  aclrtNotify notify = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(NoteFailure), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify, stream_, 1), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStreamWithTimeout, (stream_, 30000), "wait timeout");
  const std::vector<Told> told = TakeTold();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].error, 107020u);
  EXPECT_EQ(told[0].asked, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
}

TEST_F(aclrtSetExceptionInfoCallbackTest, NoInfo_IsAnsweredWithAllOnes) {
  int invented = 0;
  for (const auto* info :
       {static_cast<const aclrtExceptionInfo*>(nullptr), reinterpret_cast<const aclrtExceptionInfo*>(&invented)}) {
    EXPECT_EQ(aclrtGetTaskIdFromExceptionInfo(info), UINT32_MAX);
    EXPECT_EQ(aclrtGetStreamIdFromExceptionInfo(info), UINT32_MAX);
    EXPECT_EQ(aclrtGetThreadIdFromExceptionInfo(info), UINT32_MAX);
    EXPECT_EQ(aclrtGetDeviceIdFromExceptionInfo(info), UINT32_MAX);
    EXPECT_EQ(aclrtGetErrorCodeFromExceptionInfo(info), UINT32_MAX);
  }
  aclrtFuncHandle function = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetFuncHandleFromExceptionInfo, (nullptr, &function), "info is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtGetFuncHandleFromExceptionInfo,
               (reinterpret_cast<const aclrtExceptionInfo*>(&invented), &function), "inside the callback");
}

class aclrtExceptionInfoCallbackRegisterTest : public ExceptionTest {};

TEST_F(aclrtExceptionInfoCallbackRegisterTest, RegisteredTwice_IsToldOnceUntilUnregistered) {
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtExceptionInfoCallbackRegister, (nullptr), "callback is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtExceptionInfoCallbackUnregister, (nullptr), "callback is null");
  EXPECT_EQ(aclrtExceptionInfoCallbackRegister(NoteFailure), ACL_SUCCESS);
  EXPECT_EQ(aclrtExceptionInfoCallbackRegister(NoteFailure), ACL_SUCCESS);
  Fail();
  EXPECT_EQ(TakeTold().size(), 1u);
  EXPECT_EQ(aclrtExceptionInfoCallbackUnregister(NoteFailure), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtExceptionInfoCallbackUnregister, (NoteFailure), "is not registered");
  Fail();
  EXPECT_TRUE(TakeTold().empty());
}

class aclrtBinarySetExceptionCallbackTest : public ExceptionTest {};

TEST_F(aclrtBinarySetExceptionCallbackTest, KernelOfTheBinary_IsToldWithFunctionAndArguments) {
  aclrtBinaryLoadOption option{};
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = 1;
  aclrtBinaryLoadOptions options{&option, 1};
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle function = nullptr;
  const std::string path = KernelFolder() + "/libconformance_kernels.json";
  ASSERT_EQ(aclrtBinaryLoadFromFile(path.c_str(), &options, &binary), ACL_SUCCESS);
  ASSERT_EQ(aclrtBinaryGetFunction(binary, "ReturnSeven", &function), ACL_SUCCESS);
  int data = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinarySetExceptionCallback, (nullptr, Note, &data), "binHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtBinarySetExceptionCallback, (binary, nullptr, &data), "callback is null");
  EXPECT_EQ(aclrtBinarySetExceptionCallback(binary, Note, &data), ACL_SUCCESS);
  Fail();
  EXPECT_TRUE(TakeTold().empty()) << "that was a kernel of another binary";
  const unsigned char argument[3] = {1, 2, 3};
  EXPECT_EQ(aclrtLaunchKernel(function, 1, argument, sizeof argument, stream_), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_AICPU_EXCEPTION, aclrtSynchronizeStream, (stream_), "returned 7");
  const std::vector<Told> told = TakeTold();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].data, &data);
  EXPECT_EQ(told[0].function, function);
  EXPECT_EQ(told[0].arguments, (std::vector<unsigned char>{1, 2, 3}));
}

class rtRegTaskFailCallbackByModuleTest : public ExceptionTest {};

TEST_F(rtRegTaskFailCallbackByModuleTest, Registered_IsToldUntilRemoved) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, rtRegTaskFailCallbackByModule, (nullptr, NoteFailure), "moduleName is null");
  EXPECT_EQ(rtRegTaskFailCallbackByModule("HCCL", NoteFailure), ACL_SUCCESS);
  Fail();
  EXPECT_EQ(TakeTold().size(), 1u);
  EXPECT_EQ(rtRegTaskFailCallbackByModule("HCCL", nullptr), ACL_SUCCESS);
  Fail();
  EXPECT_TRUE(TakeTold().empty());
}

class rtGetTaskIdAndStreamIDTest : public DeviceTest {};

TEST_F(rtGetTaskIdAndStreamIDTest, AfterALaunch_NamesItsTaskAndStream) {
  EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
  uint32_t task = 0;
  uint32_t stream = UINT32_MAX;
  uint32_t expected_task = 0;
  int32_t expected_stream = -1;
  EXPECT_EQ(rtGetTaskIdAndStreamID(&task, &stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetThreadLastTaskId(&expected_task), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetId(stream_, &expected_stream), ACL_SUCCESS);
  EXPECT_EQ(task, expected_task);
  EXPECT_EQ(stream, static_cast<uint32_t>(expected_stream));
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, rtGetTaskIdAndStreamID, (nullptr, &stream), "taskId is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, rtGetTaskIdAndStreamID, (&task, nullptr), "streamId is null");
  std::thread([this] {
    uint32_t none = 0;
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, rtGetTaskIdAndStreamID, (&none, &none), "has queued no task yet");
  }).join();
}

}  // namespace
}  // namespace softhccl::conformance
