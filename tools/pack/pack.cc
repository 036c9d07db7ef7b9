// The work is done by the SDK's copy of build.sh: one road for those who write commands and those who run scripts.
#include "pack/pack.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "pack/project.h"
#include "process/process.h"
#include "sdk/sdk.h"

namespace softhccl::tools {
namespace {

struct Options {
  std::string folder = ".";
  std::string vendor;
  std::string output;
  std::string sdk;
};

int Pack(const Options& options) {
  const auto project = ReadProject(options.folder);
  if (const auto* failure = std::get_if<Failure>(&project)) return Complain("pack", *failure);
  const auto sdk = FindSdk(options.sdk);
  if (const auto* failure = std::get_if<Failure>(&sdk)) return Complain("pack", *failure);
  const auto scripts = SharedFolder("pack");
  if (const auto* failure = std::get_if<Failure>(&scripts)) return Complain("pack", *failure);
  const auto& [folder, name, vendor] = std::get<Project>(project);
  const int code = Run("bash", {std::get<std::string>(scripts) + "/build.sh", "--custom_ops_path=" + folder,
                                "--ops=" + name, "--vendor=" + (options.vendor.empty() ? vendor : options.vendor),
                                "--output=" + (options.output.empty() ? folder + "/build_out" : options.output),
                                "--package-path=" + std::get<std::string>(sdk)});
  return code == 0 ? 0 : 1;
}

}  // namespace

void AddPack(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("pack", "build an operator project and pack it into a .run file");
  command->add_option("project", options->folder, "folder of the project; without: the current one");
  command->add_option("--vendor", options->vendor,
                      "folder below opp/vendors to install into; without: that of scripts/ascend_package_load.ini");
  command->add_option("--output", options->output, "where the .run file goes; without: build_out in the project");
  command->add_option("--sdk", options->sdk, "root of the SDK; without: ASCEND_HOME_PATH, then that of this program");
  command->callback([options, exit_code] { *exit_code = Pack(*options); });
}

}  // namespace softhccl::tools
