// Contexts: which one is current, what belongs to it, what its end takes away, and the options it keeps.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclrtCreateContextTest : public ApiTest {};

TEST_F(aclrtCreateContextTest, WithoutSetDevice_IsCurrentAndHasADefaultStream) {
  aclrtContext context = nullptr;
  aclrtContext current = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateContext, (nullptr, 0), "context is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtCreateContext, (&context, 8), "deviceId 8");
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext, (&current), "no device is set");
    ASSERT_EQ(aclrtCreateContext(&context, 2), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    EXPECT_EQ(current, context);
    int32_t device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
    EXPECT_EQ(device, 2);
    EXPECT_EQ(RunKernel(nullptr, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext, (&current), "was destroyed");
  }).join();
}

class ContextTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtGetCurrentContext(&own_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateContext(&made_, 0), ACL_SUCCESS);
  }
  void TearDown() override {
    if (made_ != nullptr) {
      EXPECT_EQ(aclrtDestroyContext(made_), ACL_SUCCESS);
    }
    EXPECT_EQ(aclrtSetCurrentContext(own_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  aclrtContext own_ = nullptr;
  aclrtContext made_ = nullptr;
};

class aclrtDestroyContextTest : public ContextTest {};

TEST_F(aclrtDestroyContextTest, ItsStreams_AreWaitedForAndFreed) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::atomic<bool> ran{false};
  const Launch launch(stream, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  EXPECT_EQ(aclrtDestroyContext(made_), ACL_SUCCESS);
  EXPECT_TRUE(ran.load());
  EXPECT_EQ(aclrtSetCurrentContext(own_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream, (stream), "was destroyed");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyContext, (made_), "is a context that was destroyed");
  made_ = nullptr;
}

TEST_F(aclrtDestroyContextTest, NullOrThatOfTheDevice_IsRefused) {
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyContext, (nullptr), "context is null");
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDestroyContext, (own_), "is that of device 0", "aclrtResetDevice");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyContext, (stream_), "is a stream, expected a context");
}

class aclrtSetCurrentContextTest : public ContextTest {};

TEST_F(aclrtSetCurrentContextTest, StreamOfAnotherContext_IsRefused) {
  EXPECT_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream, (stream_), "belongs to context", "is current",
               "107003]");
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "which switches to the stream's own";
  EXPECT_EQ(aclrtSetCurrentContext(own_), ACL_SUCCESS);
  EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
}

TEST_F(aclrtSetCurrentContextTest, SetDevice_TakesItBack) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext current = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, own_);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetCurrentContext, (nullptr), "context is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetCurrentContext, (nullptr), "context is null");
  EXPECT_EQ(aclrtDestroyContext(made_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetCurrentContext, (made_), "was destroyed", "107002]");
  made_ = nullptr;
}

TEST_F(aclrtSetCurrentContextTest, AnotherThread_CanShareIt) {
  std::thread([this] {
    EXPECT_EQ(aclrtSetCurrentContext(made_), ACL_SUCCESS);
    EXPECT_EQ(RunKernel(nullptr, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
  }).join();
}

class aclrtCtxGetCurrentDefaultStreamTest : public ContextTest {};

TEST_F(aclrtCtxGetCurrentDefaultStreamTest, EachContext_HasItsOwn) {
  aclrtStream of_made = nullptr;
  aclrtStream of_device = nullptr;
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&of_made), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(own_), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&of_device), ACL_SUCCESS);
  EXPECT_NE(of_made, of_device);
  EXPECT_EQ(RunKernel(of_device, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream, (of_device), "the default stream cannot be destroyed");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCtxGetCurrentDefaultStream, (nullptr), "stream is null");
}

class aclrtGetPrimaryCtxStateTest : public ApiTest {};

TEST_F(aclrtGetPrimaryCtxStateTest, SetAndReset_Show) {
  int32_t active = -1;
  uint32_t flags = 9;
  EXPECT_EQ(aclrtGetPrimaryCtxState(3, &flags, &active), ACL_SUCCESS);
  EXPECT_EQ(active, 0);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(aclrtSetDevice(3), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetPrimaryCtxState(3, nullptr, &active), ACL_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(aclrtResetDevice(3), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState, (3, &flags, nullptr), "active is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetPrimaryCtxState, (-1, &flags, &active), "deviceId -1");
}

class aclrtSetSysParamOptTest : public ContextTest {};

TEST_F(aclrtSetSysParamOptTest, ProcessAndContext_KeepTheirOwnValues) {
  int64_t value = -5;
  EXPECT_FAILS(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt, (ACL_OPT_DETERMINISTIC, &value), "was not set",
               "107021]");
  EXPECT_FAILS(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtGetSysParamOpt, (ACL_OPT_STRONG_CONSISTENCY, &value),
               "was not set");
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(aclrtSetCurrentContext(own_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt, (ACL_OPT_DETERMINISTIC, &value),
               "was not set");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetSysParamOpt, (FromNumber<aclSysParamOpt>(4), 1), "opt 4 is not known");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCtxGetSysParamOpt, (ACL_OPT_DETERMINISTIC, nullptr), "value is null");
}

}  // namespace
}  // namespace softhccl::conformance
