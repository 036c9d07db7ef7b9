// What crosses the border to C: a number, one line on the terminal, and the text that aclGetRecentErrMsg hands out. No
// exception may cross with them.
#include "api/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/captured_log.h"
#include "api/error_map.h"

namespace softhccl::api {
namespace {

using base::Code;
using base::Status;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() { TakeRecentMessages(); }
  // The remembered texts of this thread, one per line.
  static std::string Recent() {
    const char* text = TakeRecentMessages();
    return text == nullptr ? "(none)" : text;
  }
  base::CapturedLog log_;
};

TEST_F(ReportTest, Ok_IsSilent) {
  EXPECT_EQ(ReportAcl("aclrtX", Status()), ACL_SUCCESS);
  EXPECT_EQ(ReportHccl("HcclX", Status()), HCCL_SUCCESS);
  EXPECT_THAT(log_.Take(), IsEmpty());
  EXPECT_EQ(TakeRecentMessages(), nullptr);
}

TEST_F(ReportTest, Failure_IsPrintedOnceWithCallAndNumber) {
  EXPECT_EQ(ReportAcl("aclrtX", base::Fail(Code::kTimeout, "late")), 107020);
  EXPECT_THAT(log_.Take(), ElementsAre("aclrtX: late [ACL_ERROR_RT_TASK_TIMEOUT 107020] (SH-W001)"));
  EXPECT_EQ(ReportHccl("HcclX", base::Fail(Code::kTimeout, "late")), HCCL_E_TIMEOUT);
  EXPECT_THAT(log_.Take(), ElementsAre("HcclX: late [HCCL_E_TIMEOUT 9] (SH-W001)"));
  EXPECT_EQ(ReportAclAs("aclInit", base::Fail(Code::kRepeated, "twice"), ACL_ERROR_REPEAT_INITIALIZE), 100002);
  EXPECT_THAT(log_.Take(), ElementsAre("aclInit: twice [ACL_ERROR_REPEAT_INITIALIZE 100002] (SH-D004)"));
}

TEST_F(ReportTest, Line_EndsWithTheIdThatExplainsIt) {
  static_cast<void>(ReportHccl("HcclX", base::Fail(Code::kTimeout, "EI0015 1 of 2 ranks joined")));
  static_cast<void>(ReportHccl("HcclX", base::Fail(Code::kTimeout, "deadlock (SH-W002)")));
  static_cast<void>(ReportHccl("HcclX", base::Fail(Code::kInternal, "SH-123 and SH- are no ids")));
  EXPECT_THAT(log_.Take(), ElementsAre("HcclX: EI0015 1 of 2 ranks joined [HCCL_E_TIMEOUT 9] (SH-G001)",
                                       "HcclX: deadlock (SH-W002) [HCCL_E_TIMEOUT 9]",
                                       "HcclX: SH-123 and SH- are no ids [HCCL_E_INTERNAL 4] (SH-I001)"));
}

TEST_F(ReportTest, ProbesAndKnownFailures_AreRememberedNotPrinted) {
  EXPECT_EQ(ReportHccl("HcclEngineCtxGet", base::Fail(Code::kNotFound, "no tag"), Loudness::kProbe), HCCL_E_NOT_FOUND);
  EXPECT_EQ(ReportKnownAcl("aclrtSynchronizeStream", base::Fail(Code::kRemote, "rank 1 failed")), 507057);
  EXPECT_THAT(log_.Take(), IsEmpty());
  EXPECT_EQ(Recent(),
            "aclrtSynchronizeStream: rank 1 failed [ACL_ERROR_RT_SUSPECT_REMOTE_ERROR 507057] (SH-G004)\n"
            "HcclEngineCtxGet: no tag [HCCL_E_NOT_FOUND 6] (SH-N002)");
}

TEST_F(ReportTest, RecentMessages_AreNewestFirstAndClearedByReading) {
  static_cast<void>(ReportKnownAcl("a", base::Fail(Code::kAgain, "one")));
  static_cast<void>(ReportKnownAcl("b", base::Fail(Code::kAgain, "two")));
  const char* text = TakeRecentMessages();
  ASSERT_STREQ(text,
               "b: two [ACL_ERROR_RT_STREAM_TASK_FULL 507002] (SH-R003)\na: one [ACL_ERROR_RT_STREAM_TASK_FULL 507002] "
               "(SH-R003)");
  static_cast<void>(ReportKnownAcl("c", base::Fail(Code::kAgain, "three")));
  EXPECT_EQ(std::string_view(text).substr(0, 6), "b: two") << "valid until the next reading";
  EXPECT_EQ(Recent(), "c: three [ACL_ERROR_RT_STREAM_TASK_FULL 507002] (SH-R003)");
  EXPECT_EQ(TakeRecentMessages(), nullptr);
}

TEST_F(ReportTest, RecentMessages_KeepTheLast32) {
  for (int i = 1; i <= 40; ++i) static_cast<void>(ReportKnownAcl("call", base::Fail(Code::kAgain, "number {}", i)));
  const std::string text = Recent();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 31);
  EXPECT_THAT(text, ::testing::StartsWith("call: number 40 ["));
  EXPECT_THAT(text, ::testing::HasSubstr("\ncall: number 9 ["));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("number 8 [")));
}

TEST_F(ReportTest, RecentMessages_BelongToTheirThread) {
  static_cast<void>(ReportKnownAcl("mine", base::Fail(Code::kAgain, "x")));
  std::thread([] {
    EXPECT_EQ(TakeRecentMessages(), nullptr);
    static_cast<void>(ReportKnownAcl("other", base::Fail(Code::kAgain, "y")));
    EXPECT_THAT(Recent(), ::testing::StartsWith("other: y"));
  }).join();
  EXPECT_THAT(Recent(), ::testing::StartsWith("mine: x"));
}

TEST_F(ReportTest, Guard_MapsWhatEscapes) {
  EXPECT_TRUE(Guard([] { return Status(); }).ok());
  EXPECT_EQ(Guard([] { return base::Fail(Code::kAgain, "full"); }).message(), "full");
  const Status memory = Guard([]() -> Status { throw std::bad_alloc(); });
  EXPECT_EQ(memory.code(), Code::kOutOfMemory);
  EXPECT_EQ(memory.message(), "the host is out of memory");
  const Status unexpected = Guard([]() -> Status { throw std::runtime_error("a defect"); });
  EXPECT_EQ(unexpected.code(), Code::kInternal);
  EXPECT_EQ(unexpected.message(), "unexpected exception: a defect");
}

TEST_F(ReportTest, Calls_GuardAndReport) {
  EXPECT_EQ(CallAcl("aclrtX", [] { return Status(); }), ACL_SUCCESS);
  EXPECT_EQ(CallAcl("aclrtX", []() -> Status { throw std::bad_alloc(); }), 207001);
  EXPECT_EQ(CallHccl("HcclX", []() -> Status { throw std::bad_alloc(); }), HCCL_E_OOM);
  EXPECT_THAT(log_.Take(),
              ElementsAre("aclrtX: the host is out of memory [ACL_ERROR_RT_MEMORY_ALLOCATION 207001] (SH-R001)",
                          "HcclX: the host is out of memory [HCCL_E_OOM 24] (SH-R001)"));
}

Status NeedsBoth(const void* first, const void* second) {
  SOFTHCCL_REQUIRE(first);
  SOFTHCCL_REQUIRE(second);
  return {};
}

Status AddOne(base::Result<int> number, int* out) {
  SOFTHCCL_ASSIGN(value, std::move(number));
  *out = value + 1;
  return {};
}

TEST_F(ReportTest, Require_NamesTheFirstNullArgument) {
  const int there = 0;
  EXPECT_TRUE(NeedsBoth(&there, &there).ok());
  const Status second = NeedsBoth(&there, nullptr);
  EXPECT_EQ(second.code(), Code::kNullPointer);
  EXPECT_EQ(second.message(), "second is null; pass a valid pointer");
  EXPECT_EQ(NeedsBoth(nullptr, nullptr).message(), "first is null; pass a valid pointer");
}

TEST_F(ReportTest, Assign_LeavesOnError) {
  int out = 0;
  EXPECT_TRUE(AddOne(4, &out).ok());
  EXPECT_EQ(out, 5);
  EXPECT_EQ(AddOne(base::FailResult(Code::kNotFound, "none"), &out).message(), "none");
  EXPECT_EQ(out, 5);
}

}  // namespace
}  // namespace softhccl::api
