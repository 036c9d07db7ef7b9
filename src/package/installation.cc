// scripts/package/install.sh.in keeps a folder .<operator>.installing in the vendor's while files move from there into
// place, in an order in which the manifest, scripts/<operator>.sha256, is the last.
#include "package/installation.h"

#include <filesystem>
#include <string_view>

#include "package/file.h"

namespace softhccl::package {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kManifestLimit = std::size_t{1} << 20;
constexpr std::string_view kSuffix = ".installing";

}  // namespace

base::Status CheckInstalled(const std::string& descriptor) {
  const fs::path config = fs::path(descriptor).parent_path();
  const fs::path vendor = config.parent_path().parent_path();
  const std::string file = "/aicpu/config/" + fs::path(descriptor).filename().string() + "\n";
  std::error_code error;
  for (fs::directory_iterator it(vendor, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(kSuffix) || name.size() < 2 + kSuffix.size()) continue;
    const std::string ops = name.substr(1, name.size() - 1 - kSuffix.size());
    const fs::path manifest = it->path() / "opp" / "vendors" / vendor.filename() / "scripts" / (ops + ".sha256");
    const auto listed = ReadRegularFile(manifest.string(), kManifestLimit);
    if (listed && listed->find(file) != std::string::npos) {
      return base::Fail(base::Code::kKernelFailed,
                        "operator '{}' is being installed into {}, or its installer was interrupted, so its files may "
                        "be of two versions: run the .run file again (SH-K006)",
                        Printable(ops), vendor.string());
    }
  }
  return {};
}

}  // namespace softhccl::package
