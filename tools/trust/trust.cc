// Trusted certificates are files in a folder, so adding one is writing it there under a name made of its digest.
#include "trust/trust.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/config.h"
#include "package/file.h"
#include "package/sha256.h"
#include "package/signature.h"
#include "signature/openssl.h"

namespace softhccl::tools {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Fail;
using base::Status;

constexpr std::size_t kFileLimit = std::size_t{16} << 20;
constexpr std::size_t kNameDigits = 16;

struct Options {
  std::string kind = "customer";
  std::string file;
};

package::TrustFolders Folders() {
  std::vector<Status> ignored;
  const base::Config config = base::ReadConfig(&ignored);
  return package::TrustFolders::Of(config.ascend_home, config.config_home);
}

Status List() {
  bool is_empty = true;
  for (const package::CertificateKind kind : package::kCertificateKinds) {
    const auto anchors = package::ReadAnchors(Folders(), kind);
    if (!anchors) return anchors.error();
    for (const package::TrustFile& file : anchors->certificates) {
      const auto certificates = signature::ReadCertificates(file.bytes, file.path);
      if (!certificates) return certificates.error();
      for (const auto& certificate : *certificates) {
        fmt::print("{:<9} {} until {}\n          sha256 {}\n          {}\n", package::KindName(kind),
                   signature::SubjectOf(certificate.get()), signature::TimeText(X509_get0_notAfter(certificate.get())),
                   signature::FingerprintOf(certificate.get()), file.path);
        is_empty = false;
      }
    }
    for (const package::TrustFile& file : anchors->revocations) {
      fmt::print("{:<9} revocation list\n          {}\n", package::KindName(kind), file.path);
      is_empty = false;
    }
  }
  if (is_empty) fmt::print("no certificate is trusted\n");
  return {};
}

Status Add(const Options& options) {
  const auto bytes = package::ReadRegularFile(options.file, kFileLimit);
  if (!bytes) return bytes.error();
  const bool is_list = signature::ReadRevocations(*bytes, options.file).has_value();
  if (!is_list) {
    const auto certificates = signature::ReadCertificates(*bytes, options.file);
    if (!certificates) return certificates.error();
  }
  const std::string folder = Folders().user;
  if (folder.empty()) return Fail(Code::kFileError, "there is no folder for it: set HOME or XDG_CONFIG_HOME");
  const fs::path path = fs::path(folder) / options.kind /
                        (package::Hex(package::Sha256Of(*bytes)).substr(0, kNameDigits) + (is_list ? ".crl" : ".pem"));
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error)
    return Fail(Code::kFileError, "folder {} cannot be made: {}", path.parent_path().string(), error.message());
  SOFTHCCL_RETURN_IF_ERROR(package::ReplaceFile(path.string(), *bytes, 0644));
  fmt::print("added {}\n", path.string());
  return {};
}

// Only what lies in this user's own folder.
Status Remove(const Options& options) {
  std::error_code error;
  const fs::path wanted = fs::weakly_canonical(options.file, error);
  const std::string own = Folders().user;
  const fs::path folder = fs::weakly_canonical(own, error);
  const fs::path relative = wanted.lexically_relative(folder);
  if (own.empty() || relative.empty() || *relative.begin() == "..") {
    return Fail(Code::kInvalidParam, "{} is not below {}; softhccl trust list shows the paths", options.file, own);
  }
  if (!fs::remove(wanted, error)) {
    return Fail(Code::kFileError, "{} cannot be removed: {}", options.file,
                error ? error.message() : "it is not there");
  }
  fmt::print("removed {}\n", wanted.string());
  return {};
}

void Report(const Status& status, int* exit_code) {
  if (status.ok()) return;
  fmt::print(stderr, "softhccl trust: {}\n", status.message());
  *exit_code = 1;
}

}  // namespace

void AddTrust(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("trust", "certificates whose packages devices that verify accept");
  command->require_subcommand(1);
  command->add_subcommand("list", "what is trusted, by the SDK and by this user")->callback([exit_code] {
    Report(List(), exit_code);
  });
  CLI::App* add = command->add_subcommand("add", "trust a certificate, or add a revocation list");
  add->add_option("--kind", options->kind, "for packages of whom")
      ->check(CLI::IsMember({"huawei", "customer", "community"}))
      ->capture_default_str();
  add->add_option("file", options->file, "certificate or revocation list, PEM or DER")->required();
  add->callback([options, exit_code] { Report(Add(*options), exit_code); });
  CLI::App* remove = command->add_subcommand("remove", "trust it no more");
  remove->add_option("file", options->file, "a path that list shows")->required();
  remove->callback([options, exit_code] { Report(Remove(*options), exit_code); });
}

}  // namespace softhccl::tools
