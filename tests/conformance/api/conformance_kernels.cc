// The kernels of the conformance tests, built as an operator's kernel library is: it links libccl_kernel.so only. One
// of them hands the data plane to a function of the test, the others do what a test cannot do through that.
#include "conformance_kernels.h"

#include <cstring>

#include "hccl/hccl_launch.h"

using softhccl::conformance::CallBackArgs;
using softhccl::conformance::CallBackP2pArgs;
using softhccl::conformance::Hcomm;
using softhccl::conformance::InspectArgs;

namespace {

Hcomm DataPlane() {
#define CONFORMANCE_ADDRESS(name) &::Hcomm##name,
  return {CONFORMANCE_DATA_PLANE(CONFORMANCE_ADDRESS)};
#undef CONFORMANCE_ADDRESS
}

}  // namespace

extern "C" {

uint32_t CallBack(void* raw) {
  static const Hcomm kHcomm = DataPlane();
  CallBackArgs args;
  std::memcpy(&args, raw, sizeof args);
  return args.body(kHcomm, args.data);
}

uint32_t CallBackP2p(void* raw) {
  static const Hcomm kHcomm = DataPlane();
  const auto* given = static_cast<const HcclP2pKernelParam*>(raw);
  CallBackP2pArgs args;
  std::memcpy(&args, given->opParams, sizeof args);
  return args.body(kHcomm, given->sendRecvThread, args.data);
}

uint32_t Inspect(void* raw) {
  InspectArgs args;
  std::memcpy(&args, raw, sizeof args);
  std::memcpy(args.out, static_cast<unsigned char*>(raw) + sizeof args, args.size);
  return 0;
}

// Arguments: where to, how many, from where.
uint32_t FollowPointer(void* raw) {
  InspectArgs args;
  const unsigned char* from = nullptr;
  std::memcpy(&args, raw, sizeof args);
  std::memcpy(&from, static_cast<unsigned char*>(raw) + sizeof args, sizeof from);
  std::memcpy(args.out, from, args.size);
  return 0;
}

uint32_t kernel_global = 1;

uint32_t ReadGlobal(void* raw) {
  uint32_t* out = nullptr;
  std::memcpy(&out, raw, sizeof out);
  *out = kernel_global;
  return 0;
}

uint32_t ReturnSeven(void*) { return 7; }

// Kernel globals are per device, as on a card: the number of calls on this device.
uint32_t CountCalls(void* raw) {
  static uint32_t calls = 0;
  ++calls;
  uint32_t* out = nullptr;
  std::memcpy(&out, raw, sizeof out);
  *out = calls;
  return 0;
}

}  // extern "C"
