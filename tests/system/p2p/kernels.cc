// Kernels that crash, exit, loop, fail, cannot be found or record twice (needs A15, A16, A24): loud, bounded, and with
// the name of the kernel. The kernels are in tests/system/probe; PROBE_FOLDER is where they were built.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "driver.h"
#include "probe.h"

namespace p2p_test {
namespace {

constexpr uint16_t kKernelSeconds = 3;

aclError Load(const char* name, aclrtFuncHandle* function) {
  const char* const folder = getenv("PROBE_FOLDER");
  EXPECT(folder != nullptr);
  const std::string path = std::string(folder == nullptr ? "." : folder) + "/aicpu/config/libprobe_kernel.json";
  aclrtBinaryLoadOption option = {};
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = 0;
  aclrtBinaryLoadOptions options = {};
  options.options = &option;
  options.numOpt = 1;
  aclrtBinHandle binary = nullptr;
  const aclError loaded = aclrtBinaryLoadFromFile(path.c_str(), &options, &binary);
  return loaded != 0 ? loaded : aclrtBinaryGetFunction(binary, name, function);
}

aclError Launch(aclrtFuncHandle function, ProbeParam param, aclrtStream stream) {
  aclrtArgsHandle args = nullptr;
  aclrtParamHandle handle = nullptr;
  EXPECT(aclrtKernelArgsInit(function, &args) == 0);
  EXPECT(aclrtKernelArgsAppend(args, &param, sizeof(param), &handle) == 0);
  EXPECT(aclrtKernelArgsFinalize(args) == 0);
  aclrtLaunchKernelAttr attribute = {};
  attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attribute.value.timeout = kKernelSeconds;
  aclrtLaunchKernelCfg config = {};
  config.attrs = &attribute;
  config.numAttrs = 1;
  return aclrtLaunchKernelWithConfig(function, 1, stream, &config, args, nullptr);
}

// Loads, launches and synchronises; the code of the first step that failed.
aclError RunKernel(const Rank& self, const char* name) {
  aclrtFuncHandle function = nullptr;
  aclError code = Load(name, &function);
  printf("%s: loading gave %d\n", name, code);
  if (code != 0) return code;
  code = Launch(function, ProbeParam(), self.stream);
  printf("%s: launching gave %d\n", name, code);
  if (code != 0) return code;
  fflush(stdout);
  const double start = Now();
  code = self.Sync();
  printf("%s: synchronise gave %d after %.1f s\n", name, code, Now() - start);
  return code;
}

void Kernel_ReturnsZero_Succeeds() {
  RunRanks(1, 1, [](Rank& self) { EXPECT(RunKernel(self, "ProbeReturnsZero") == 0); });
}
void Kernel_ReturnsOne_Fails() {
  RunRanks(1, 1, [](Rank& self) { EXPECT(RunKernel(self, "ProbeReturnsOne") != 0); });
}
void Kernel_MisnamedInTheDescription_Fails() {
  RunRanks(1, 1, [](Rank& self) { EXPECT(RunKernel(self, "ProbeMisnamed") != 0); });
}
void Kernel_LibraryMissing_Fails() {
  RunRanks(1, 1, [](Rank& self) { EXPECT(RunKernel(self, "ProbeWithoutLibrary") != 0); });
}
void Kernel_NotInTheDescription_Fails() {
  RunRanks(1, 1, [](Rank& self) { EXPECT(RunKernel(self, "ProbeUnknown") != 0); });
}

// The thread of the kernel cannot be ended, so the stream must be.
void Kernel_NeverReturns_EndsAtItsLimit() {
  RunRanks(1, 1, [](Rank& self) {
    const double start = Now();
    EXPECT(RunKernel(self, "ProbeNeverReturns") != 0);
    EXPECT(Now() - start >= kKernelSeconds - 0.1);
  });
}

// The process dies in these; the last expectation is never reached.
void RunDeadly(const char* name) {
  RunRanks(2, 1, [name](Rank& self) {
    self.Meet();
    if (self.rank == 1) (void)RunKernel(self, name);
    self.Meet();
  });
  EXPECT(!"the process went on");
}
void Kernel_DereferencesNull_KillsTheProcessLoudly() { RunDeadly("ProbeDereferencesNull"); }
void Kernel_CallsExit_EndsTheProcessLoudly() { RunDeadly("ProbeCallsExit"); }
void Kernel_Aborts_KillsTheProcessLoudly() { RunDeadly("ProbeAborts"); }
void Kernel_Overflows_IsFoundByAsan() { RunDeadly("ProbeOverflows"); }

// An engine that does not exist yet must say so, not succeed.
void Unsupported_Engine_IsRefused() {
  RunRanks(1, 1, [](Rank& self) {
    ThreadHandle thread = 0;
    EXPECT(HcclThreadAcquire(self.Comm(), COMM_ENGINE_CCU, 1, 0, &thread) == HCCL_E_NOT_SUPPORT);
  });
}

// needs A24: both records come before the first wait, so one of them is lost and the second wait cannot be satisfied.
void Notify_RecordedTwiceBeforeTheWait_IsReported() {
  RunRanks(2, 1, [](Rank& self) {
    ProbeParam param = {};
    EXPECT(HcclGetCommName(self.Comm(), param.commName) == HCCL_SUCCESS);
    EXPECT(HcclThreadAcquire(self.Comm(), COMM_ENGINE_AICPU, 1, 0, &param.thread) == HCCL_SUCCESS);
    HcclChannelDesc desc;
    EXPECT(HcclChannelDescInit(&desc, 1) == HCCL_SUCCESS);
    desc.remoteRank = 1 - self.rank;
    desc.channelProtocol = COMM_PROTOCOL_HCCS;
    desc.notifyNum = 1;
    EXPECT(HcclChannelAcquire(self.Comm(), COMM_ENGINE_AICPU, &desc, 1, &param.channel) == HCCL_SUCCESS);
    aclrtFuncHandle function = nullptr;
    EXPECT(Load(self.rank == 0 ? "ProbeRecordsTwice" : "ProbeWaitsTwice", &function) == 0);
    if (self.rank == 0) {
      EXPECT(Launch(function, param, self.stream) == 0);
      EXPECT(self.Sync() == 0);
      SleepFor(0.5);  // the kernel has returned; its thread has long run the two records
    }
    self.Meet();
    if (self.rank == 1) {
      fprintf(stderr, "the waits begin\n");
      EXPECT(Launch(function, param, self.stream) == 0);
      EXPECT(self.Sync() == 0);  // the kernel only queued
      SleepFor(4);               // until the wait for what was lost has been ended
    }
    self.Meet();
  });
}

}  // namespace

#define CASE(name) {#name, name}
const std::vector<Case>& KernelCases() {
  static const std::vector<Case> cases = {CASE(Kernel_ReturnsZero_Succeeds),
                                          CASE(Kernel_ReturnsOne_Fails),
                                          CASE(Kernel_MisnamedInTheDescription_Fails),
                                          CASE(Kernel_LibraryMissing_Fails),
                                          CASE(Kernel_NotInTheDescription_Fails),
                                          CASE(Kernel_NeverReturns_EndsAtItsLimit),
                                          CASE(Kernel_DereferencesNull_KillsTheProcessLoudly),
                                          CASE(Kernel_CallsExit_EndsTheProcessLoudly),
                                          CASE(Kernel_Aborts_KillsTheProcessLoudly),
                                          CASE(Kernel_Overflows_IsFoundByAsan),
                                          CASE(Unsupported_Engine_IsRefused),
                                          CASE(Notify_RecordedTwiceBeforeTheWait_IsReported)};
  return cases;
}

}  // namespace p2p_test
