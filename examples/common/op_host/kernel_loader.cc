// The description of the kernel is looked for beside this library first, so any vendor name and any installation folder
// work, and then in ASCEND_HOME_PATH, for a library that runs from its build folder.
#include "kernel_loader.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>

#include "collective_log.h"

namespace hccl_custom {
namespace {

// <vendor folder>/aicpu/config/… when this library is in <vendor folder>/lib64; empty otherwise.
std::string PathBesideLibrary(const char* description) {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&LoadKernel), &info) == 0 || info.dli_fname == nullptr) {
    return std::string();
  }
  const std::string library = info.dli_fname;
  const std::string::size_type slash = library.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : library.substr(0, slash);
  return folder + "/../aicpu/config/" + description;
}

std::string PathInHome(const char* description) {
  const char* const home = getenv("ASCEND_HOME_PATH");
  const std::string root = home != nullptr && home[0] != '\0' ? home : "/usr/local/Ascend/cann";
  return root + "/opp/vendors/" CUSTOM_OPS_VENDOR "/aicpu/config/" + description;
}

HcclResult Load(const CollectiveOperator& op, aclrtFuncHandle* function) {
  const std::string beside = PathBesideLibrary(op.description);
  const std::string inHome = PathInHome(op.description);
  const std::string& path = !beside.empty() && access(beside.c_str(), R_OK) == 0 ? beside : inHome;
  if (access(path.c_str(), R_OK) != 0) {
    COLLECTIVE_ERROR(
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
  COLLECTIVE_CHECK_ACL(aclrtBinaryLoadFromFile(path.c_str(), &options, &binary));
  COLLECTIVE_CHECK_ACL(aclrtBinaryGetFunction(binary, op.kernel, function));
  return HCCL_SUCCESS;
}

struct LoadedKernels {
  std::mutex mutex;
  std::map<int32_t, aclrtFuncHandle> functions;  // by device; a library holds one operator
};

// Never destroyed, as the runtime may be gone before this library is.
LoadedKernels& GetLoadedKernels() {
  static LoadedKernels* const loaded = new LoadedKernels;
  return *loaded;
}

}  // namespace

HcclResult LoadKernel(const CollectiveOperator& op, int32_t device, aclrtFuncHandle* function) {
  LoadedKernels& loaded = GetLoadedKernels();
  const std::lock_guard<std::mutex> lock(loaded.mutex);
  const auto found = loaded.functions.find(device);
  if (found != loaded.functions.end()) {
    *function = found->second;
    return HCCL_SUCCESS;
  }
  const HcclResult result = Load(op, function);
  if (result == HCCL_SUCCESS) {
    loaded.functions[device] = *function;
  }
  return result;
}

}  // namespace hccl_custom
