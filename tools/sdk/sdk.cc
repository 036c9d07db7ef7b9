#include "sdk/sdk.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace softhccl::tools {
namespace {

namespace fs = std::filesystem;

// <root>/bin/softhccl
fs::path OwnRoot() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

bool IsSdk(const fs::path& root) {
  std::error_code error;
  return fs::is_regular_file(root / "include/hccl/hccl_types.h", error) && fs::is_directory(root / "lib64", error);
}

}  // namespace

Outcome<std::string> FindSdk(const std::string& given) {
  const char* home = std::getenv("ASCEND_HOME_PATH");
  fs::path root = given;
  std::string origin = "given";
  if (root.empty() && home != nullptr && *home != '\0') {
    root = home;
    origin = "ASCEND_HOME_PATH";
  }
  if (root.empty()) {
    root = OwnRoot();
    origin = "of this program";
  }
  if (!IsSdk(root)) {
    return Failure{
        fmt::format("no SDK at {} ({}): include/hccl/hccl_types.h or lib64 is missing; source set_env.sh of an "
                    "installed SDK",
                    root.string(), origin)};
  }
  std::error_code error;
  return fs::absolute(root, error).lexically_normal().string();
}

Outcome<std::string> SharedFolder(const std::string& name) {
  const fs::path folder = OwnRoot() / "share/softhccl" / name;
  std::error_code error;
  if (fs::is_directory(folder, error)) return folder.string();
  return Failure{fmt::format("{} is missing: this program must stay in its SDK, <sdk>/bin", folder.string())};
}

int Complain(const char* command, const Failure& failure) {
  fmt::print(stderr, "softhccl {}: error: {}\n", command, failure.text);
  return 1;
}

}  // namespace softhccl::tools
