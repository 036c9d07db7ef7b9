#include "packages/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "packages/installed.h"

namespace softhccl::tools {
namespace {

struct Options {
  std::string sdk;
  std::string which;  // vendor, or vendor/operator; empty: all
};

const char* Word(Finding::Kind kind) {
  return kind == Finding::Kind::kOk ? "ok  " : kind == Finding::Kind::kNote ? "note" : "BAD ";
}

int List(const Options& options) {
  const auto sdk = FindSdk(options.sdk);
  if (const auto* failure = std::get_if<Failure>(&sdk)) return Complain("list", *failure);
  const auto check = OperatorCheck::Of(std::get<std::string>(sdk));
  if (const auto* failure = std::get_if<Failure>(&check)) return Complain("list", *failure);
  const auto operators = FindOperators(std::get<std::string>(sdk));
  for (const InstalledOperator& one : operators) {
    const char* listed = one.archive.empty()                            ? ""
                         : std::get<OperatorCheck>(check).IsListed(one) ? ", listed"
                                                                        : ", NOT LISTED";
    fmt::print("{}/{}: {}{}{}{}\n", one.vendor, one.name, one.library.empty() ? "" : "host library",
               one.library.empty() || one.archive.empty() ? "" : ", ", one.archive.empty() ? "" : "kernel package",
               listed);
  }
  if (operators.empty()) fmt::print("no operators in {}/opp/vendors\n", std::get<std::string>(sdk));
  return 0;
}

int Verify(const Options& options) {
  const auto sdk = FindSdk(options.sdk);
  if (const auto* failure = std::get_if<Failure>(&sdk)) return Complain("verify", *failure);
  const auto check = OperatorCheck::Of(std::get<std::string>(sdk));
  if (const auto* failure = std::get_if<Failure>(&check)) return Complain("verify", *failure);
  int bad = 0;
  int seen = 0;
  const auto print = [&bad](const Finding& finding) {
    fmt::print("  {} {}\n", Word(finding.kind), finding.text);
    if (finding.kind == Finding::Kind::kBad) ++bad;
  };
  for (const InstalledOperator& one : FindOperators(std::get<std::string>(sdk))) {
    const std::string name = one.vendor + "/" + one.name;
    if (!options.which.empty() && options.which != name && options.which != one.vendor) continue;
    ++seen;
    fmt::print("{}\n", name);
    for (const Finding& finding : std::get<OperatorCheck>(check).Run(one)) print(finding);
  }
  for (const Finding& finding : std::get<OperatorCheck>(check).CheckList()) print(finding);
  if (seen == 0 && options.which.empty()) {
    fmt::print("no operators in {}/opp/vendors, so there is nothing to verify\n", std::get<std::string>(sdk));
  } else if (seen == 0) {
    return Complain("verify", {fmt::format("there is no operator {} in {}/opp/vendors; softhccl list names them",
                                           options.which, std::get<std::string>(sdk))});
  }
  if (bad > 0) return Complain("verify", {fmt::format("{} things are wrong", bad)});
  return 0;
}

}  // namespace

void AddList(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "list the operators that are installed in an SDK");
  command->add_option("--sdk", options->sdk, "root of the SDK; without: ASCEND_HOME_PATH, then that of this program");
  command->callback([options, exit_code] { *exit_code = List(*options); });
}

void AddVerify(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("verify", "check that list, description, archive, digests and signature of operators agree");
  command->footer("Exit code 0: they do, or there is no operator to verify; 1: something is wrong.");
  command->add_option("operator", options->which, "<vendor>/<operator> or <vendor>; without: all");
  command->add_option("--sdk", options->sdk, "root of the SDK; without: ASCEND_HOME_PATH, then that of this program");
  command->callback([options, exit_code] { *exit_code = Verify(*options); });
}

}  // namespace softhccl::tools
