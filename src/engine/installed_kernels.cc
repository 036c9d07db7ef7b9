#include "engine/installed_kernels.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/kernel_binary.h"
#include "event/labels.h"
#include "package/descriptor.h"
#include "package/file.h"

namespace softhccl::engine {
namespace {

namespace fs = std::filesystem;
using base::Code;

constexpr std::size_t kDescriptorLimit = std::size_t{16} << 20;

bool Names(const fs::path& description, const std::string& library) {
  const auto text = package::ReadRegularFile(description.string(), kDescriptorLimit);
  if (!text) return false;
  const auto entries = package::ParseDescriptor(*text, description.string());
  if (!entries) return false;  // an operator that is broken is not this one's business
  return std::any_of(entries->begin(), entries->end(),
                     [&](const KernelEntry& entry) { return entry.library_name == library; });
}

std::vector<fs::path> FilesOf(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> DescriptionsOf(const std::string& library, const std::string& sdk_root) {
  std::vector<std::string> found;
  for (const fs::path& vendor : FilesOf(fs::path(sdk_root) / "opp" / "vendors")) {
    for (const fs::path& file : FilesOf(vendor / "aicpu" / "config")) {
      if (file.extension() == ".json" && Names(file, library)) found.push_back(file.string());
    }
  }
  return found;
}

// The binary that reads from where the library is installed.
base::Result<std::shared_ptr<KernelBinary>> InstalledBinary(const std::string& library, const std::string& sdk_root) {
  const std::vector<std::string> descriptions = DescriptionsOf(library, sdk_root);
  if (descriptions.size() > 1) {
    return base::FailResult(Code::kKernelFailed, "library {} is described by two operators, in {} and {}: remove one",
                            library, descriptions[0], descriptions[1]);
  }
  // Without description the list stands in its place: no package lies beside it.
  const std::string place = descriptions.empty() ? sdk_root + "/conf/ascend_package_load.ini" : descriptions[0];
  return KernelBinary::Installed(place, sdk_root);
}

struct Known {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<KernelBinary>> binaries;                       // guarded by mutex
  std::map<std::pair<std::string, std::string>, std::shared_ptr<KernelInfo>> kernels;  // guarded by mutex
};

}  // namespace

base::Result<std::shared_ptr<KernelInfo>> InstalledKernel(const std::string& library, const std::string& symbol,
                                                          int device, const std::string& sdk_root) {
  static auto& known = *new Known;  // kernels may run during static destruction
  const std::lock_guard lock(known.mutex);
  std::shared_ptr<KernelInfo> info;
  if (const auto found = known.kernels.find({library, symbol}); found != known.kernels.end()) {
    info = found->second;
  } else {
    info = std::make_shared<KernelInfo>();
    info->entry = {symbol, library, symbol, "AICPUKernel"};
    info->name_id = event::NameId(symbol);
    if (const auto opened = known.binaries.find(library); opened != known.binaries.end()) {
      info->binary = opened->second;
    } else {
      auto binary = InstalledBinary(library, sdk_root);
      if (!binary) return tl::unexpected(binary.error());
      info->binary = std::move(*binary);
    }
  }
  const auto function = info->FunctionOn(device);
  if (!function) return tl::unexpected(function.error());  // not kept: it may be installed later
  known.binaries[library] = info->binary;
  known.kernels[{library, symbol}] = info;
  return info;
}

}  // namespace softhccl::engine
