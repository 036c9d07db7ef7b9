// Finding the verifier, and reading the certificates that it trusts.
#include "package/signature.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <system_error>

#include "package/file.h"

namespace softhccl::package {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::FailResult;

constexpr std::size_t kTrustFileLimit = std::size_t{16} << 20;
constexpr const char* kLibrary = "libsofthccl_signature.so";
constexpr const char* kEntry = "softhccl_signature_verifier";

std::atomic<SignatureVerifier> g_verifier{nullptr};

base::Status ReadFolder(const fs::path& folder, TrustAnchors* anchors) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    const std::string extension = path.extension().string();
    const bool is_certificate = extension == ".pem" || extension == ".crt" || extension == ".cer";
    if (!is_certificate && extension != ".crl") continue;
    auto bytes = ReadRegularFile(path.string(), kTrustFileLimit);
    if (!bytes) return bytes.error();
    (is_certificate ? anchors->certificates : anchors->revocations).push_back({path.string(), std::move(*bytes)});
  }
  return {};
}

}  // namespace

TrustFolders TrustFolders::Of(const std::string& sdk_root, const std::string& config_folder) {
  return {sdk_root.empty() ? "" : sdk_root + "/conf/softhccl/certificates",
          config_folder.empty() ? "" : config_folder + "/softhccl/certificates"};
}

base::Result<TrustAnchors> ReadAnchors(const TrustFolders& folders, CertificateKind kind) {
  TrustAnchors anchors;
  for (const std::string& folder : {folders.sdk, folders.user}) {
    if (folder.empty()) continue;
    SOFTHCCL_RETURN_RESULT_IF_ERROR(ReadFolder(fs::path(folder) / KindName(kind), &anchors));
  }
  return anchors;
}

base::Result<SignatureVerifier> FindSignatureVerifier() {
  if (const SignatureVerifier known = g_verifier.load()) return known;
  Dl_info own{};
  std::string path = kLibrary;
  if (::dladdr(reinterpret_cast<void*>(&FindSignatureVerifier), &own) != 0 && own.dli_fname != nullptr) {
    path = fs::path(own.dli_fname).parent_path() / kLibrary;
  }
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* error = ::dlerror();
    return FailResult(Code::kKernelFailed, "signatures cannot be verified: {}", error == nullptr ? path : error);
  }
  using Getter = SignatureVerifier (*)();
  const auto getter = reinterpret_cast<Getter>(::dlsym(library, kEntry));
  if (getter == nullptr) {
    return FailResult(Code::kKernelFailed, "signatures cannot be verified: {} has no {}", path, kEntry);
  }
  g_verifier.store(getter());
  return getter();
}

void UseSignatureVerifier(SignatureVerifier verifier) { g_verifier.store(verifier); }

}  // namespace softhccl::package
