// The description of the kernel is looked for beside this library first, so any vendor name and any installation folder
// work, and then in ASCEND_HOME_PATH, for a library that runs from its build folder.
#include "load_kernel.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>

#include "log.h"

namespace hccl_custom_p2p {
namespace {

const char* const KERNEL_NAME = "HcclLaunchP2PAicpuKernel";
const char* const DESCRIPTION = "libp2p_aicpu_kernel.json";

bool IsReadable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

// <vendor folder>/aicpu/config/… when this library is <vendor folder>/lib64/libhccl_custom_p2p.so; empty otherwise.
std::string PathBesideLibrary() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&LoadAICPUKernel), &info) == 0 || info.dli_fname == nullptr) {
    return std::string();
  }
  const std::string library = info.dli_fname;
  const std::string::size_type slash = library.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : library.substr(0, slash);
  return folder + "/../aicpu/config/" + DESCRIPTION;
}

std::string PathInHome() {
  const char* const home = getenv("ASCEND_HOME_PATH");
  const std::string root = home != nullptr && home[0] != '\0' ? home : "/usr/local/Ascend/cann";
  return root + "/opp/vendors/" CUSTOM_OPS_VENDOR "/aicpu/config/" + DESCRIPTION;
}

struct LoadedKernels {
  std::mutex mutex;
  std::map<int32_t, aclrtFuncHandle> functions;  // by device
};

// Never destroyed, as the runtime may be gone before this library is.
LoadedKernels& GetLoadedKernels() {
  static LoadedKernels* const loaded = new LoadedKernels;
  return *loaded;
}

HcclResult Load(aclrtFuncHandle* function) {
  const std::string beside = PathBesideLibrary();
  const std::string inHome = PathInHome();
  const std::string& path = !beside.empty() && IsReadable(beside) ? beside : inHome;
  if (!IsReadable(path)) {
    P2P_ERROR(
        "the kernel is not installed: neither %s nor %s can be read; install the .run package of build.sh and "
        "source set_env.sh",
        beside.c_str(), inHome.c_str());
    return HCCL_E_OPEN_FILE_FAILURE;
  }
  aclrtBinaryLoadOption option = {};
  option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  option.value.cpuKernelMode = 0;
  aclrtBinaryLoadOptions options = {};
  options.options = &option;
  options.numOpt = 1;
  aclrtBinHandle binary = nullptr;
  P2P_CHECK_ACL(aclrtBinaryLoadFromFile(path.c_str(), &options, &binary));
  P2P_CHECK_ACL(aclrtBinaryGetFunction(binary, KERNEL_NAME, function));
  return HCCL_SUCCESS;
}

}  // namespace

HcclResult LoadAICPUKernel(int32_t device, aclrtFuncHandle* function) {
  LoadedKernels& loaded = GetLoadedKernels();
  const std::lock_guard<std::mutex> lock(loaded.mutex);
  const auto found = loaded.functions.find(device);
  if (found != loaded.functions.end()) {
    *function = found->second;
    return HCCL_SUCCESS;
  }
  aclrtFuncHandle made = nullptr;
  const HcclResult result = Load(&made);
  if (result != HCCL_SUCCESS) {
    return result;
  }
  loaded.functions[device] = made;
  *function = made;
  return HCCL_SUCCESS;
}

}  // namespace hccl_custom_p2p
