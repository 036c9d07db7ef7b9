// Runs the package itself: it knows its files and how to put them there whole. What this adds is finding package and
// SDK, no questions, and the record in the list of packages for packages that do not write it themselves.
#include "install/install.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "process/process.h"
#include "sdk/sdk.h"

namespace softhccl::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string package;
  std::string target;
  bool uninstall = false;
};

// The package, or the only one that a project's build_out holds.
Outcome<std::string> FindPackage(const std::string& given) {
  std::error_code error;
  if (fs::is_regular_file(given, error)) return fs::absolute(given).string();
  if (!fs::is_directory(given, error)) return Failure{fmt::format("there is no file or folder {}", given)};
  const fs::path folder =
      fs::is_directory(fs::path(given) / "build_out", error) ? fs::path(given) / "build_out" : fs::path(given);
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file() && entry.path().extension() == ".run")
      found.push_back(fs::absolute(entry.path()).string());
  }
  std::sort(found.begin(), found.end());
  if (found.size() == 1) return found[0];
  if (found.empty()) return Failure{fmt::format("{} holds no .run file; make one with softhccl pack", folder.string())};
  return Failure{fmt::format("{} holds {} .run files, name one of them: {}", folder.string(), found.size(),
                             fmt::join(found, ", "))};
}

int Install(const Options& options) {
  const auto package = FindPackage(options.package);
  if (const auto* failure = std::get_if<Failure>(&package)) return Complain("install", *failure);
  const auto sdk = FindSdk(options.target);
  if (const auto* failure = std::get_if<Failure>(&sdk)) return Complain("install", *failure);
  const auto& run = std::get<std::string>(package);
  const auto& root = std::get<std::string>(sdk);
  const int code =
      Run("bash", {run, options.uninstall ? "--uninstall" : "--install", "--quiet", "--install-path=" + root});
  if (code != 0) return Complain("install", {fmt::format("{} ended with exit code {}", run, code)});
  fmt::print("{} {} {}\n", options.uninstall ? "removed what" : "installed", run,
             options.uninstall ? fmt::format("had put into {}", root) : fmt::format("into {}", root));
  return 0;
}

}  // namespace

void AddInstall(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("install", "put a packed operator into an SDK, or take it out again");
  command->add_option("package", options->package, "a .run file, or the folder of a project that was packed")
      ->required();
  command->add_option("--to", options->target, "root of the SDK; without: ASCEND_HOME_PATH, then that of this program");
  command->add_flag("--uninstall", options->uninstall, "remove the files of the package again");
  command->callback([options, exit_code] { *exit_code = Install(*options); });
}

}  // namespace softhccl::tools
