#include "packages/installed.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/config.h"
#include "package/device_security.h"
#include "package/file.h"
#include "package/package.h"
#include "signature/verify.h"

namespace softhccl::tools {
namespace {

namespace fs = std::filesystem;
using Kind = Finding::Kind;

// What stands between the two in a file name; empty when it is another name.
std::string Between(std::string_view name, std::string_view start, std::string_view end) {
  if (name.size() <= start.size() + end.size() || !name.starts_with(start) || !name.ends_with(end)) return "";
  return std::string(name.substr(start.size(), name.size() - start.size() - end.size()));
}

std::vector<fs::path> Files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file(error)) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// As a device does that accepts every kind of certificate.
Finding CheckSignature(const std::string& archive, const std::string& sdk) {
  std::vector<base::Status> ignored;  // what is wrong with other variables does not matter here
  package::Policy policy;
  policy.modes = package::kSecverifyAll;
  policy.anchors = package::TrustFolders::Of(sdk, base::ReadConfig(&ignored).config_home);
  package::UseSignatureVerifier(signature::Verify);
  const auto opened = package::Package::Open(archive, "", policy);
  if (!opened) return {Kind::kBad, "signature: " + opened.error().message()};
  const package::Signer& signer = *opened->signer();
  return {Kind::kOk, fmt::format("signature: of {}, vouched for by {}, until {}", signer.subject, signer.issuer,
                                 signer.not_after)};
}

}  // namespace

std::vector<InstalledOperator> FindOperators(const std::string& sdk) {
  std::map<std::pair<std::string, std::string>, InstalledOperator> found;
  std::error_code error;
  const auto of = [&found](const std::string& vendor, const std::string& name) -> InstalledOperator& {
    InstalledOperator& one = found[{vendor, name}];
    one.vendor = vendor;
    one.name = name;
    return one;
  };
  for (fs::directory_iterator at(sdk + "/opp/vendors", error), end; !error && at != end; at.increment(error)) {
    const std::string vendor = at->path().filename().string();
    for (const fs::path& file : Files(at->path() / "lib64")) {
      const std::string name = Between(file.filename().string(), "libhccl_custom_", ".so");
      if (!name.empty()) of(vendor, name).library = file.string();
    }
    for (const fs::path& file : Files(at->path() / "aicpu/kernel")) {
      const std::string name = Between(file.filename().string(), "aicpu_hccl_custom_", ".tar.gz");
      if (!name.empty()) of(vendor, name).archive = file.string();
    }
  }
  std::vector<InstalledOperator> operators;
  for (auto& [key, one] : found) operators.push_back(std::move(one));
  return operators;
}

Outcome<OperatorCheck> OperatorCheck::Of(const std::string& sdk) {
  auto list = package::ReadPackageList(sdk);
  if (!list) return Failure{list.error().message()};
  OperatorCheck check;
  check.sdk_ = sdk;
  check.list_ = std::move(*list);
  std::vector<base::Status> ignored;  // what is wrong with other variables does not matter here
  check.soc_name_ = base::ReadConfig(&ignored).soc_name;
  return check;
}

std::vector<Finding> OperatorCheck::CheckList() const {
  std::vector<Finding> findings;
  for (const std::string& problem : list_.problems) {
    findings.push_back({Kind::kBad, fmt::format("{}: {}", package::ListPathOf(sdk_), problem)});
  }
  return findings;
}

bool OperatorCheck::IsListed(const InstalledOperator& which) const {
  return package::Lists(list_, which.archive, sdk_, soc_name_);
}

Finding OperatorCheck::CheckDescriptions(const InstalledOperator& which, const std::vector<std::string>& files) const {
  std::string kernels;
  for (const fs::path& file : Files(fs::path(which.archive).parent_path().parent_path() / "config")) {
    if (file.extension() != ".json") continue;
    const auto text = package::ReadRegularFile(file.string(), package::kDescriptorLimit);
    if (!text) return {Kind::kBad, text.error().message()};
    const auto entries = package::ParseDescriptor(*text, file.string());
    if (!entries) return {Kind::kBad, entries.error().message()};
    for (const package::KernelEntry& entry : *entries) {
      if (std::find(files.begin(), files.end(), entry.library_name) == files.end()) continue;
      kernels += (kernels.empty() ? "" : ", ") + entry.kernel_name;
    }
  }
  if (!kernels.empty()) return {Kind::kOk, "description: names " + kernels};
  return {Kind::kBad, fmt::format("description: no JSON file in aicpu/config names a library of {}", which.archive)};
}

std::vector<Finding> OperatorCheck::CheckArchive(const InstalledOperator& which) const {
  const auto opened = package::Package::Open(which.archive, "", {});
  if (!opened) return {{Kind::kBad, "archive: " + opened.error().message()}};
  std::vector<std::string> names;
  for (const auto& [name, digest] : opened->files()) names.push_back(name);
  std::vector<Finding> findings = {{Kind::kOk, fmt::format("archive: whole, {} files", names.size())}};
  findings.push_back(opened->has_digests() ? Finding{Kind::kOk, "digests: bin_hash.cfg agrees with every file"}
                                           : Finding{Kind::kNote, "digests: it carries none"});
  findings.push_back(opened->is_signed() ? CheckSignature(which.archive, sdk_)
                                         : Finding{Kind::kNote, "signature: none; devices that verify refuse it"});
  findings.push_back(CheckDescriptions(which, names));
  return findings;
}

std::vector<Finding> OperatorCheck::Run(const InstalledOperator& which) const {
  std::vector<Finding> findings;
  findings.push_back(which.library.empty() ? Finding{Kind::kNote, "library: none of this name"}
                                           : Finding{Kind::kOk, "library: " + which.library});
  if (which.archive.empty()) {
    findings.push_back({Kind::kNote, "archive: none of this name; its kernels must be part of the library"});
    return findings;
  }
  for (Finding& finding : CheckArchive(which)) findings.push_back(std::move(finding));
  findings.push_back(IsListed(which)
                         ? Finding{Kind::kOk, "list: conf/ascend_package_load.ini names it"}
                         : Finding{Kind::kBad, fmt::format("list: {} does not name it, so a card would not load it",
                                                           package::ListPathOf(sdk_))});
  return findings;
}

}  // namespace softhccl::tools
