// From the handles of C programs to objects: which device a stream must be of, and what is said when a handle is not
// what the call needs. Works on the process runtime, as the C functions do.
#include "api/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/captured_log.h"

namespace softhccl::api {
namespace {

using base::Code;
using engine::Device;
using engine::Runtime;
using ::testing::HasSubstr;

class ObjectsTest : public ::testing::Test {
 protected:
  ObjectsTest() {
    for (const int id : {1, 0}) EXPECT_TRUE(Runtime::Get().devices().Select(id).ok());
    zero_ = Runtime::Get().devices().Get(0).value();
    one_ = Runtime::Get().devices().Get(1).value();
  }
  ~ObjectsTest() override {
    for (const int id : {0, 1}) {
      const base::Status reset = Runtime::Get().devices().Reset(id);
      EXPECT_TRUE(reset.ok()) << reset.message();
    }
  }

  base::CapturedLog log_;
  Device* zero_ = nullptr;
  Device* one_ = nullptr;
};

TEST_F(ObjectsTest, CurrentDevice_IsPerThread) {
  EXPECT_EQ(CurrentDevice().value(), zero_);
  std::thread([] {
    const auto none = CurrentDevice();
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code(), Code::kNoContext);
    EXPECT_THAT(none.error().message(), HasSubstr("aclrtSetDevice"));
    EXPECT_EQ(FindComm(nullptr).error().code(), Code::kNoContext) << "asked before the pointer";
  }).join();
}

TEST_F(ObjectsTest, NullStream_IsTheDefaultStreamOfTheDevice) {
  EXPECT_EQ(FindStream(nullptr, *zero_).value(), zero_->default_stream());
  EXPECT_EQ(FindOwnStream(nullptr, *one_).value(), one_->default_stream());
  Device* unset = Runtime::Get().devices().Get(2).value();
  const auto none = FindStream(nullptr, *unset);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Code::kNoContext);
  EXPECT_EQ(none.error().message(), "device 2 was reset; call aclrtSetDevice first");
}

TEST_F(ObjectsTest, StreamOfAnotherDevice_IsFoundButNotOwn) {
  exec::Stream* stream = one_->CreateStream().value();
  EXPECT_EQ(FindStream(Handle(stream->handle), *zero_).value(), stream);
  EXPECT_EQ(FindOwnStream(Handle(stream->handle), *one_).value(), stream);
  const auto wrong = FindOwnStream(Handle(stream->handle), *zero_);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), Code::kWrongContext);
  EXPECT_THAT(wrong.error().message(), ::testing::StartsWith("stream: device 1/stream"));
  EXPECT_THAT(wrong.error().message(), HasSubstr("belongs to device 1, but device 0 is set on this thread"));
  ASSERT_TRUE(one_->DestroyStream(stream).ok());
}

TEST_F(ObjectsTest, BadHandles_SayWhatTheyAre) {
  exec::Notify* notify = zero_->CreateNotify().value();
  void* handle = Handle(notify->handle);
  EXPECT_EQ(FindNotify(handle).value(), notify);
  const auto not_a_stream = FindOwnStream(handle, *zero_);
  ASSERT_FALSE(not_a_stream);
  EXPECT_EQ(not_a_stream.error().code(), Code::kInvalidHandle);
  EXPECT_THAT(not_a_stream.error().message(), HasSubstr("is a notify, expected a stream"));
  ASSERT_TRUE(zero_->DestroyNotify(notify->handle).ok());
  EXPECT_THAT(FindNotify(handle).error().message(), HasSubstr("is a notify that was destroyed"));
  int local = 0;
  EXPECT_THAT(FindNotify(&local).error().message(), HasSubstr("uninitialised or foreign value"));
}

TEST_F(ObjectsTest, Comm_IsCheckedForNullAndKind) {
  const auto null = FindComm(nullptr);
  ASSERT_FALSE(null);
  EXPECT_EQ(null.error().code(), Code::kNullPointer);
  EXPECT_EQ(null.error().message(), "comm is null; pass a valid pointer");
  const auto foreign = FindComm(Handle(zero_->default_stream()->handle));
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code(), Code::kInvalidHandle);
  EXPECT_THAT(foreign.error().message(), HasSubstr("is a stream, expected a communicator"));
}

// Called as a kernel; 0 when a wait was refused in the right words.
std::uint32_t WaitInKernel(void*) {
  const base::Status refused = RefuseInKernel("aclrtSynchronizeStream");
  return refused.code() == Code::kInvalidParam &&
                 refused.message() ==
                     "aclrtSynchronizeStream waits and must not be called from a kernel (k#1) (SH-A008)"
             ? 0
             : 1;
}

TEST_F(ObjectsTest, WaitingCalls_AreRefusedInKernelsOnly) {
  EXPECT_TRUE(RefuseInKernel("aclrtSynchronizeStream").ok());
  engine::Invocation invocation;
  invocation.info = std::make_shared<engine::KernelInfo>();
  invocation.function = &WaitInKernel;
  invocation.label = "k#1";
  invocation.stream = zero_->default_stream();
  engine::Execute(Runtime::Get().scheduler(), invocation);
  EXPECT_EQ(invocation.result, 0u);
  EXPECT_TRUE(RefuseInKernel("aclrtSynchronizeStream").ok());
}

}  // namespace
}  // namespace softhccl::api
