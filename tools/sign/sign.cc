// Reading the files that signing needs, and writing the package that comes out of it.
#include "sign/sign.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "package/archive.h"
#include "package/file.h"
#include "signature/sign.h"

namespace softhccl::tools {
namespace {

constexpr std::size_t kPemLimit = std::size_t{1} << 20;

struct Options {
  std::string key;
  std::string certificate;
  std::string revocations;
  std::string kind = "customer";
  std::uint32_t version_counter = 0;
  std::string input;
  std::string output;
};

base::Status Run(const Options& options) {
  const auto archive = package::ReadRegularFile(options.input, package::kFileLimit);
  if (!archive) return archive.error();
  const auto key = package::ReadRegularFile(options.key, kPemLimit);
  if (!key) return key.error();
  const auto certificates = package::ReadRegularFile(options.certificate, kPemLimit);
  if (!certificates) return certificates.error();
  std::string revocations;
  if (!options.revocations.empty()) {
    auto list = package::ReadRegularFile(options.revocations, kPemLimit);
    if (!list) return list.error();
    revocations = std::move(*list);
  }
  // What no loader would take is not worth a signature.
  if (!package::IsContainer(*archive)) {
    const auto contents = package::ReadArchive(*archive, options.input, "");
    if (!contents) return contents.error();
  }
  signature::SigningOptions signing{*key, *certificates, revocations, package::CertificateKind::kCustomer,
                                    options.version_counter};
  for (const package::CertificateKind kind : package::kCertificateKinds) {
    if (options.kind == package::KindName(kind)) signing.kind = kind;
  }
  const auto bytes = signature::Sign(*archive, signing);
  if (!bytes) return bytes.error();
  return package::ReplaceFile(options.output.empty() ? options.input : options.output, *bytes, 0644);
}

}  // namespace

void AddSign(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("sign", "sign a kernel package with its author's key");
  command->add_option("--key", options->key, "private key in PEM, without a passphrase")->required();
  command
      ->add_option("--cert", options->certificate,
                   "certificate in PEM; those between it and the trusted one may follow")
      ->required();
  command->add_option("--crl", options->revocations, "a revocation list that goes along");
  command->add_option("--kind", options->kind, "whose certificate it is")
      ->check(CLI::IsMember({"huawei", "customer", "community"}))
      ->capture_default_str();
  command->add_option("--nvcnt", options->version_counter, "version counter")->capture_default_str();
  command->add_option("package", options->input, "the tar.gz")->required();
  command->add_option("output", options->output, "where to; the package itself otherwise");
  command->callback([options, exit_code] {
    const base::Status status = Run(*options);
    if (status.ok()) return;
    fmt::print(stderr, "softhccl sign: {}\n", status.message());
    *exit_code = 1;
  });
}

}  // namespace softhccl::tools
