// The order of the checks: what the file is, who signed it, what is inside. Each works on the bytes that were read
// once, so that nobody can exchange the file between two of them.
#include "package/package.h"

#include <utility>

#include "package/archive.h"
#include "package/container.h"
#include "package/file.h"

namespace softhccl::package {
namespace {

using base::Code;
using base::FailResult;

// A signed package is larger than its tar.gz by headers and blocks.
constexpr std::size_t kContainerLimit = kFileLimit + (std::size_t{8} << 20);

std::string HowToTurnOff(unsigned device) {
  return fmt::format(
      "npu-smi set -t custom-op-secverify-enable -i {0} -d 1; npu-smi set -t custom-op-secverify-mode -i {0} -d 0",
      device);
}

base::Result<Signer> Verify(std::string_view bytes, const Policy& policy) {
  if (!IsContainer(bytes)) {
    return FailResult(Code::kFileError,
                      "it is not signed, and NPU {} verifies packages (custom-op-secverify-mode {}): sign it (build.sh "
                      "--sign-key= --sign-cert=) or turn verification off: {}",
                      policy.device, policy.modes, HowToTurnOff(policy.device));
  }
  const auto container = ParseContainer(bytes);
  if (!container) return tl::unexpected<base::Status>(container.error());
  const char* const kind = KindName(container->kind);
  if ((policy.modes & KindBit(container->kind)) == 0) {
    return FailResult(Code::kFileError,
                      "it is signed as a {} package, and custom-op-secverify-mode {} of NPU {} does not accept these: "
                      "add {} to the mode",
                      kind, policy.modes, policy.device, KindBit(container->kind));
  }
  const auto anchors = ReadAnchors(policy.anchors, container->kind);
  if (!anchors) return tl::unexpected<base::Status>(anchors.error());
  const auto verifier = FindSignatureVerifier();
  if (!verifier) return tl::unexpected<base::Status>(verifier.error());
  return (*verifier)(container->signed_text, container->signature, container->revocations, *anchors, kind);
}

}  // namespace

base::Result<Package> Package::Open(const std::string& path, std::string_view wanted, const Policy& policy) {
  const auto bytes = ReadRegularFile(path, kContainerLimit);
  if (!bytes) return tl::unexpected<base::Status>(bytes.error());
  Package package;
  package.path_ = path;
  if (policy.modes != 0) {
    auto signer = Verify(*bytes, policy);
    if (!signer) {
      return FailResult(Code::kFileError, "package {} is refused: {} (SH-K007)", path, signer.error().message());
    }
    package.signer_ = std::move(*signer);
  }
  std::string_view archive = *bytes;
  if (IsContainer(archive)) {
    const auto inside = ArchiveOf(archive);
    if (!inside) {
      return FailResult(Code::kFileError, "package {} is refused: {} (SH-K006)", path, inside.error().message());
    }
    archive = *inside;
    package.is_signed_ = true;
  }
  auto contents = ReadArchive(archive, path, wanted);
  if (!contents) return tl::unexpected<base::Status>(contents.error());
  package.files_ = std::move(contents->files);
  package.wanted_ = std::move(contents->wanted);
  package.has_digests_ = contents->has_digests;
  return package;
}

}  // namespace softhccl::package
