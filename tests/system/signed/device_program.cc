// What the tests of packages run on device 0. It prints nothing about failures, so that every line on standard error is
// the runtime's.
//
// device_program load <description> <kernel>   loads the kernel and runs it once; exit code 0 when it ran
// device_program work <MiB>                    holds that much device memory and keeps a core busy, from "ready" on
//                                              standard output to the end of standard input
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_rt.h"

namespace {

bool Load(const char* description, const char* kernel) {
  aclrtBinaryLoadOption option = {};
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = 0;
  aclrtBinaryLoadOptions options = {};
  options.options = &option;
  options.numOpt = 1;
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle function = nullptr;
  aclrtArgsHandle arguments = nullptr;
  aclrtParamHandle place = nullptr;
  aclrtStream stream = nullptr;
  uint64_t nothing = 0;
  return aclrtBinaryLoadFromFile(description, &options, &binary) == ACL_SUCCESS &&
         aclrtBinaryGetFunction(binary, kernel, &function) == ACL_SUCCESS &&
         aclrtCreateStream(&stream) == ACL_SUCCESS && aclrtKernelArgsInit(function, &arguments) == ACL_SUCCESS &&
         aclrtKernelArgsAppend(arguments, &nothing, sizeof(nothing), &place) == ACL_SUCCESS &&
         aclrtKernelArgsFinalize(arguments) == ACL_SUCCESS &&
         aclrtLaunchKernelWithConfig(function, 1, stream, nullptr, arguments, nullptr) == ACL_SUCCESS &&
         aclrtSynchronizeStream(stream) == ACL_SUCCESS && aclrtDestroyStream(stream) == ACL_SUCCESS &&
         aclrtBinaryUnLoad(binary) == ACL_SUCCESS;
}

bool Work(size_t bytes) {
  void* memory = nullptr;
  if (aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
      aclrtMemset(memory, bytes, 1, bytes) != ACL_SUCCESS) {
    return false;
  }
  std::thread([] {
    volatile uint64_t turns = 0;
    for (;;) turns = turns + 1;
  }).detach();
  printf("ready\n");
  fflush(stdout);
  while (getchar() != EOF) {
  }
  return aclrtFree(memory) == ACL_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) {
    return 2;
  }
  const bool isOk =
      strcmp(argv[1], "work") == 0 ? Work(strtoul(argv[2], nullptr, 10) << 20) : argc == 4 && Load(argv[2], argv[3]);
  // The objects of a kernel that failed are still there, and leaving says nothing about them.
  if (!isOk) {
    _Exit(1);
  }
  return aclrtResetDevice(0) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS ? 0 : 1;
}
