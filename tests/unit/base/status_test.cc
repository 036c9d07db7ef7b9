// A Status must survive copies and keep the whole chain of what was being done; the macros must leave the function
// exactly when something failed.
#include "base/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"

namespace softhccl::base {
namespace {

TEST(StatusTest, Default_IsOkWithoutText) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), Code::kOk);
  EXPECT_EQ(status.message(), "");
}

TEST(StatusTest, Fail_FormatsItsMessage) {
  const Status status = Fail(Code::kNotFound, "no stream {} on device {}", 7, 1);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_EQ(status.message(), "no stream 7 on device 1");
}

TEST(StatusTest, While_AppendsFromInsideOut) {
  const Status status = Fail(Code::kFileError, "a.json: empty").While("loading a kernel").While("launching it");
  EXPECT_EQ(status.message(), "a.json: empty, while loading a kernel, while launching it");
  EXPECT_EQ(status.code(), Code::kFileError);
}

TEST(StatusTest, While_OnOk_StaysOk) {
  const Status status = Status().While("doing nothing");
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.message(), "");
}

TEST(StatusTest, Copy_IsIndependent) {
  Status original = Fail(Code::kAgain, "full");
  Status copy(original);
  copy = std::move(copy).While("submitting");
  EXPECT_EQ(original.message(), "full");
  EXPECT_EQ(copy.message(), "full, while submitting");
  Status assigned;
  assigned = original;
  original = Status();
  EXPECT_TRUE(original.ok());
  EXPECT_EQ(assigned.message(), "full");
  const Status& itself = assigned;
  assigned = itself;
  EXPECT_EQ(assigned.message(), "full");
  EXPECT_EQ(assigned.code(), Code::kAgain);
}

TEST(StatusTest, CodeNames_AreStableAndDistinct) {
  std::set<std::string_view> names;
  for (int value = 0; value <= static_cast<int>(Code::kInternal); ++value) {
    const std::string_view name = CodeName(static_cast<Code>(value));
    EXPECT_NE(name, "unknown") << value;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(CodeName(Code::kOk), "ok");
  EXPECT_EQ(CodeName(Code::kNullPointer), "null-pointer");
  EXPECT_EQ(CodeName(Code::kInternal), "internal");
  EXPECT_EQ(CodeName(static_cast<Code>(200)), "unknown");
}

Status LeaveOn(const Status& status, bool* went_on) {
  SOFTHCCL_RETURN_IF_ERROR(status);
  *went_on = true;
  return {};
}

Result<int> SevenUnless(const Status& status) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(status);
  return 7;
}

TEST(StatusTest, ReturnIfError_LeavesOnlyOnError) {
  bool went_on = false;
  EXPECT_EQ(LeaveOn(Fail(Code::kRemote, "gone"), &went_on).message(), "gone");
  EXPECT_FALSE(went_on);
  EXPECT_TRUE(LeaveOn(Status(), &went_on).ok());
  EXPECT_TRUE(went_on);
}

TEST(StatusTest, ReturnResultIfError_CarriesCodeAndMessage) {
  EXPECT_EQ(SevenUnless(Status()).value(), 7);
  const Result<int> failed = SevenUnless(Fail(Code::kTimeout, "late"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Code::kTimeout);
  EXPECT_EQ(failed.error().message(), "late");
}

TEST(StatusTest, FailResult_FormatsItsMessage) {
  const Result<int> failed = FailResult(Code::kUnavailable, "{} of {}", 3, 4);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(), "3 of 4");
}

TEST(CheckDeathTest, FailedCheck_NamesConditionAndPlace) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(SOFTHCCL_CHECK(1 + 1 == 3), "internal check failed: 1 \\+ 1 == 3 at .*status_test.cc:");
  EXPECT_DEATH(static_cast<void>(Status(Code::kOk, "ok has no message")), "code != Code::kOk");
  SOFTHCCL_CHECK(1 + 1 == 2);
}

}  // namespace
}  // namespace softhccl::base
