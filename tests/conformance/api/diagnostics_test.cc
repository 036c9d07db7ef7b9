// What operators tell about themselves: accepted with good arguments, refused with bad ones, and named in reports where
// that is promised.
#include <cstring>
#include <string>

#include "comm/registry.h"
#include "fixture.h"
#include "hccl/hccl_diag.h"
#include "hccl/hcomm_diag.h"

namespace softhccl::conformance {
namespace {

class DiagnosticsTest : public ApiTest {
 protected:
  // What a report would say that the rank did last.
  static std::string LastOperation(const Rank& rank) {
    const auto found = comm::Registry::Get().FindByName(rank.name, static_cast<int>(rank.id));
    if (!found) return found.error().message();
    return (*found)->party().domain->LastOperation((*found)->rank());
  }
};

void DescribeNumber(const void* info, char* text, size_t size) {
  int number = 0;
  std::memcpy(&number, info, sizeof number);
  std::snprintf(text, size, "MyOperator#%d", number);
}

using HcclProfilingReportOpTest = DiagnosticsTest;
TEST_F(HcclProfilingReportOpTest, GoodCommunicator_IsAccepted_NullIsNot) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_EQ(HcclProfilingReportOp(rank.comm, HcommGetProfilingSysCycleTime()), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclProfilingReportOp, (nullptr, 0), "comm");
  });
}

using HcclReportAicpuKernelTest = DiagnosticsTest;
TEST_F(HcclReportAicpuKernelTest, GoodArguments_AreAccepted_NullNameIsNot) {
  RunRanks(1, [this](Rank& rank) {
    char name[] = "kernel";
    EXPECT_EQ(HcclReportAicpuKernel(rank.comm, 0, name), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclReportAicpuKernel, (rank.comm, 0, nullptr), "kernelName is null");
  });
}

using HcommGetProfilingSysCycleTimeTest = DiagnosticsTest;
TEST_F(HcommGetProfilingSysCycleTimeTest, Clock_OnlyGrows) {
  const uint64_t first = HcommGetProfilingSysCycleTime();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(HcommGetProfilingSysCycleTime(), first + 1'000'000);
}

using HcclDfxRegOpInfoByCommIdTest = DiagnosticsTest;
TEST_F(HcclDfxRegOpInfoByCommIdTest, AlgTag_NamesTheOperation) {
  RunRanks(1, [this](Rank& rank) {
    HcclDfxOpInfo info;
    std::memset(&info, 'x', sizeof info);  // also without a final 0
    std::string name = rank.name;
    EXPECT_EQ(HcclDfxRegOpInfoByCommId(name.data(), &info), HCCL_SUCCESS);
    EXPECT_THAT(LastOperation(rank), testing::HasSubstr(std::string(sizeof info.algTag, 'x')));
    std::strcpy(info.algTag, "RingAllGather");
    EXPECT_EQ(HcclDfxRegOpInfoByCommId(name.data(), &info), HCCL_SUCCESS);
    EXPECT_THAT(LastOperation(rank), testing::HasSubstr("RingAllGather"));
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclDfxRegOpInfoByCommId, (nullptr, &info), "commId is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclDfxRegOpInfoByCommId, (name.data(), nullptr), "hcclDfxOpInfo is null");
    char unknown[] = "nobody";
    EXPECT_FAILS_IN(this, HCCL_E_NOT_FOUND, HcclDfxRegOpInfoByCommId, (unknown, &info), "nobody");
  });
}

using HcommRegOpInfoTest = DiagnosticsTest;
TEST_F(HcommRegOpInfoTest, WithFunction_BecomesTheNameOfTheOperation) {
  RunRanks(1, [this](Rank& rank) {
    const char* name = rank.name.c_str();
    int number = 7;
    EXPECT_EQ(HcommRegOpTaskException(name, DescribeNumber), HCCL_SUCCESS);
    EXPECT_EQ(HcommRegOpInfo(name, &number, sizeof number), HCCL_SUCCESS);
    EXPECT_THAT(LastOperation(rank), testing::HasSubstr("MyOperator#7"));
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcommRegOpInfo, (name, nullptr, 4), "opInfo is null");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcommRegOpInfo, (name, &number, 0), "size 0 is out of range");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcommRegOpInfo, (name, &number, 65537),
                    "size 65537 is out of range, use 1 to 65536");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcommRegOpInfo, (nullptr, &number, 4), "commId is null");
  });
}

using HcommRegOpTaskExceptionTest = DiagnosticsTest;
TEST_F(HcommRegOpTaskExceptionTest, AfterTheDescription_DescribesWhatIsThere) {
  RunRanks(1, [this](Rank& rank) {
    const char* name = rank.name.c_str();
    int number = 9;
    EXPECT_EQ(HcommRegOpInfo(name, &number, sizeof number), HCCL_SUCCESS);
    EXPECT_EQ(HcommRegOpTaskException(name, DescribeNumber), HCCL_SUCCESS);
    EXPECT_THAT(LastOperation(rank), testing::HasSubstr("MyOperator#9"));
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcommRegOpTaskException, (name, nullptr), "callback is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcommRegOpTaskException, (nullptr, DescribeNumber), "commId is null");
  });
}

using HcommProfilingReportDeviceOpTest = DiagnosticsTest;
TEST_F(HcommProfilingReportDeviceOpTest, KnownName_IsAccepted_OthersAreNot) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_EQ(HcommProfilingReportDeviceOp(rank.name.c_str()), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcommProfilingReportDeviceOp, (nullptr), "groupname is null");
    EXPECT_FAILS_IN(this, HCCL_E_NOT_FOUND, HcommProfilingReportDeviceOp, ("nobody"), "nobody");
  });
}

using HcommProfilingReportKernelStartTaskTest = DiagnosticsTest;
TEST_F(HcommProfilingReportKernelStartTaskTest, KnownThreadAndName_AreAccepted_OthersAreNot) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_EQ(HcommProfilingReportKernelStartTask(rank.thread, rank.name.c_str()), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcommProfilingReportKernelStartTask, (1, rank.name.c_str()),
                    "thread 0x1 is not");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcommProfilingReportKernelStartTask, (rank.thread, nullptr), "groupname is null");
  });
}

using HcommProfilingReportKernelEndTaskTest = DiagnosticsTest;
TEST_F(HcommProfilingReportKernelEndTaskTest, KnownThreadAndName_AreAccepted_OthersAreNot) {
  RunRanks(1, [this](Rank& rank) {
    EXPECT_EQ(HcommProfilingReportKernelEndTask(rank.thread, rank.name.c_str()), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcommProfilingReportKernelEndTask, (1, rank.name.c_str()), "thread 0x1 is not");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcommProfilingReportKernelEndTask, (rank.thread, nullptr), "groupname is null");
  });
}

}  // namespace
}  // namespace softhccl::conformance
