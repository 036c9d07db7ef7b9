// Finds the description of the kernel beside this library (<vendor folder>/lib64 and <vendor folder>/aicpu/config), or
// in the SDK when the library runs from somewhere else.
#include "load_kernel.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>

#include "log.h"

namespace hccl_custom_sample_op {
namespace {

const char* const KERNEL_NAME = "HcclLaunchSampleOpAicpuKernel";
const char* const DESCRIPTION = "/aicpu/config/libsample_op_aicpu_kernel.json";

std::string BesideLibrary() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&LoadKernel), &info) == 0 || info.dli_fname == nullptr) {
    return std::string();
  }
  const std::string library = info.dli_fname;
  const std::string::size_type slash = library.rfind('/');
  return (slash == std::string::npos ? std::string(".") : library.substr(0, slash)) + "/.." + DESCRIPTION;
}

std::string InSdk() {
  const char* const root = getenv("ASCEND_HOME_PATH");
  return std::string(root != nullptr ? root : "/usr/local/Ascend/cann") + "/opp/vendors/" CUSTOM_OPS_VENDOR +
         DESCRIPTION;
}

HcclResult Load(aclrtFuncHandle* function) {
  const std::string beside = BesideLibrary();
  const std::string path = access(beside.c_str(), R_OK) == 0 ? beside : InSdk();
  if (access(path.c_str(), R_OK) != 0) {
    OP_ERROR("the kernel is not installed: neither %s nor %s can be read", beside.c_str(), path.c_str());
    return HCCL_E_OPEN_FILE_FAILURE;
  }
  aclrtBinaryLoadOption option = {};
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = 0;  // from an installed package
  aclrtBinaryLoadOptions options = {};
  options.options = &option;
  options.numOpt = 1;
  aclrtBinHandle binary = nullptr;
  CHECK_ACL(aclrtBinaryLoadFromFile(path.c_str(), &options, &binary));
  CHECK_ACL(aclrtBinaryGetFunction(binary, KERNEL_NAME, function));
  return HCCL_SUCCESS;
}

struct Loaded {
  std::mutex mutex;
  std::map<int32_t, aclrtFuncHandle> functions;  // by device
};

}  // namespace

HcclResult LoadKernel(aclrtFuncHandle* function) {
  // Never destroyed: the runtime may be gone before this library is.
  static Loaded* const loaded = new Loaded;
  int32_t device = -1;
  CHECK_ACL(aclrtGetDevice(&device));
  const std::lock_guard<std::mutex> lock(loaded->mutex);
  aclrtFuncHandle& known = loaded->functions[device];
  if (known == nullptr) {
    CHECK_HCCL(Load(&known));
  }
  *function = known;
  return HCCL_SUCCESS;
}

}  // namespace hccl_custom_sample_op
