// npu-smi: the devices of this machine as far as there are any, the jobs that use them, and which devices verify the
// kernel packages that they load. Exit codes: 0, 1 it cannot be done, 2 the command line is wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>

#include "base/config.h"
#include "npu_smi/jobs.h"
#include "package/device_security.h"

namespace softhccl::tools {
namespace {

using base::Code;
using base::Fail;
using base::Status;
using package::SecurityState;

constexpr const char* kEnable = "custom-op-secverify-enable";
constexpr const char* kMode = "custom-op-secverify-mode";

struct Options {
  std::string type;
  std::optional<unsigned> device;
  std::optional<unsigned> value;
  bool list = false;
};

const base::Config& Configuration() {
  static const base::Config config = [] {
    std::vector<Status> ignored;
    return base::ReadConfig(&ignored);
  }();
  return config;
}

Status CheckDevice(const Options& options) {
  const unsigned count = Configuration().device_count;
  if (!options.device) return Fail(Code::kInvalidParam, "-i <NPU id> is missing; there are 0 to {}", count - 1);
  if (*options.device < count) return {};
  return Fail(Code::kInvalidParam, "NPU {} is not there; there are 0 to {} (SOFTHCCL_DEVICES)", *options.device,
              count - 1);
}

base::Result<std::string> StatePath() {
  if (!Configuration().state_home.empty()) return SecurityState::PathIn(Configuration().state_home);
  return base::FailResult(Code::kFileError, "there is no folder for the settings: set HOME or XDG_STATE_HOME");
}

base::Result<SecurityState> ReadState() {
  const auto path = StatePath();
  return path ? SecurityState::Read(*path) : SecurityState();
}

void Row(const char* label, const std::string& value) { fmt::print("    {:<31}: {}\n", label, value); }

std::string ModeText(unsigned mode) {
  if (mode == package::kSecverifyOff) return "0 (off)";
  std::string names;
  for (const auto& [bit, name] : {std::pair{1u, "Huawei"}, std::pair{2u, "customer"}, std::pair{4u, "community"}}) {
    if ((mode & bit) != 0) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return fmt::format("{} ({})", mode, names);
}

Status InfoOfType(const Options& options) {
  SOFTHCCL_RETURN_IF_ERROR(CheckDevice(options));
  const auto state = ReadState();
  if (!state) return state.error();
  const auto security = state->Of(*options.device);
  if (options.type == kEnable) {
    Row("NPU ID", std::to_string(*options.device));
    Row(kEnable, security.is_configurable ? "1 (the mode can be set)" : "0 (the mode cannot be set)");
  } else if (options.type == kMode) {
    Row("NPU ID", std::to_string(*options.device));
    Row(kMode, ModeText(ModeInForce(security, !Configuration().faithful.empty())));
  } else {
    return Fail(Code::kInvalidParam, "type {} is not known here; use {} or {}", options.type, kEnable, kMode);
  }
  return {};
}

void InfoList() {
  fmt::print("    {:<31}: {}\n", "Total Count", Configuration().device_count);
  for (unsigned device = 0; device < Configuration().device_count; ++device) {
    fmt::print("\n");
    Row("NPU ID", std::to_string(device));
    Row("Chip Count", "1");
  }
}

Status InfoAll() {
  const auto state = ReadState();
  if (!state) return state.error();
  const base::Config& config = Configuration();
  fmt::print("npu-smi of SoftHCCL {}: {} software devices, {}\n\n", SOFTHCCL_VERSION, config.device_count,
             config.soc_name);
  fmt::print("{:>6}  {:<20} {}\n", "NPU", "Name", "Packages must be signed by");
  for (unsigned device = 0; device < config.device_count; ++device) {
    const unsigned mode = ModeInForce(state->Of(device), !config.faithful.empty());
    fmt::print("{:>6}  {:<20} {}\n", device, config.soc_name, mode == 0 ? "nobody" : ModeText(mode));
  }
  if (config.faithful.empty()) {
    fmt::print("\nDevices do not verify packages unless that is switched on; a card does (SOFTHCCL_FAITHFUL).\n");
  }
  const auto jobs = FindJobs();
  fmt::print("\n{:>8}  {:>6}  {:>12}  {}\n", "PID", "CPU %", "Memory MiB", "Process");
  for (const Job& job : jobs) {
    fmt::print("{:>8}  {:>6.0f}  {:>12.1f}  {}\n", job.pid, job.cpu_percent, job.memory_mib, job.name);
  }
  if (jobs.empty()) fmt::print("no running job of this user\n");
  fmt::print("CPU and device memory are those of the whole process, over all its devices.\n");
  return {};
}

Status Set(const Options& options) {
  SOFTHCCL_RETURN_IF_ERROR(CheckDevice(options));
  if (!options.value) return Fail(Code::kInvalidParam, "-d <value> is missing");
  const auto path = StatePath();
  if (!path) return path.error();
  auto state = SecurityState::Read(*path);
  if (!state) return state.error();
  if (options.type == kEnable) {
    if (*options.value > 1) return Fail(Code::kInvalidParam, "{} is 0 or 1, not {}", kEnable, *options.value);
    state->SetConfigurable(*options.device, *options.value == 1);
  } else if (options.type == kMode) {
    SOFTHCCL_RETURN_IF_ERROR(state->SetMode(*options.device, *options.value));
  } else {
    return Fail(Code::kInvalidParam, "type {} is not known here; use {} or {}", options.type, kEnable, kMode);
  }
  SOFTHCCL_RETURN_IF_ERROR(state->Write(*path));
  fmt::print("    {:<31}: OK\n    {:<31}: {} of NPU {} is {}\n", "Status", "Message", options.type, *options.device,
             *options.value);
  return {};
}

}  // namespace

int Main(int argc, char** argv) {
  Options options;
  CLI::App app{"Software devices of this machine: what they are, who uses them, and what they ask of packages."};
  app.name("npu-smi");
  app.set_version_flag("-v,--version", "npu-smi of SoftHCCL " SOFTHCCL_VERSION);
  app.require_subcommand(1);
  CLI::App* info = app.add_subcommand("info", "devices and jobs; -l: list; -t <type> -i <NPU id>: one setting");
  info->add_flag("-l", options.list, "list the devices");
  CLI::App* set = app.add_subcommand("set", "change a setting of a device: -t <type> -i <NPU id> -d <value>");
  for (CLI::App* command : {info, set}) {
    command->add_option("-t", options.type, "custom-op-secverify-enable or custom-op-secverify-mode");
    command->add_option("-i", options.device, "NPU id");
  }
  set->add_option("-d", options.value,
                  "enable: 1 lets the mode be set; mode: 0 off, 1 Huawei, 2 customer, 4 community");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  Status status;
  if (set->parsed()) {
    status = Set(options);
  } else if (options.list) {
    InfoList();
  } else {
    status = options.type.empty() ? InfoAll() : InfoOfType(options);
  }
  if (status.ok()) return 0;
  fmt::print(stderr, "npu-smi: {}\n", status.message());
  return status.code() == Code::kInvalidParam ? 2 : 1;
}

}  // namespace softhccl::tools

int main(int argc, char** argv) { return softhccl::tools::Main(argc, argv); }
