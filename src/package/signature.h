// Checking who signed a package. What needs a cryptographic library is in src/signature; the runtime opens that as a
// library of its own when the first signature is to be checked, and tools link it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "package/container.h"

namespace softhccl::package {

// Certificates (PEM or DER) that are trusted for one kind of package, and revocation lists, each with its path.
struct TrustFile {
  std::string path;
  std::string bytes;
};
struct TrustAnchors {
  std::vector<TrustFile> certificates;
  std::vector<TrustFile> revocations;
};

// Folders below which the anchors lie, in <folder>/<kind>: *.pem, *.crt and *.cer are certificates, *.crl revocation
// lists.
struct TrustFolders {
  std::string sdk;   // <sdk>/conf/softhccl/certificates; may be empty
  std::string user;  // <config>/softhccl/certificates; may be empty
  static TrustFolders Of(const std::string& sdk_root, const std::string& config_folder);
};

// What the folders hold for one kind. Errors: kFileError: a file that is there cannot be read.
base::Result<TrustAnchors> ReadAnchors(const TrustFolders& folders, CertificateKind kind);

// Who signed.
struct Signer {
  std::string subject;
  std::string issuer;
  std::string fingerprint;  // sha256 of the certificate, hexadecimal
  std::string not_after;    // "2027-01-31"
};

// Checks that `signature` (CMS) signs `text`, that its certificate leads to one of the anchors, is in its time, may
// sign, and that no revocation list names it: those of the anchors and `revocations` (DER, may be empty) of the
// package. Errors: kKernelFailed, one sentence; the kind is for its words.
using SignatureVerifier = base::Result<Signer> (*)(std::string_view text, std::string_view signature,
                                                   std::string_view revocations, const TrustAnchors& anchors,
                                                   const char* kind);

// The verifier of this process; one that a tool has linked, or that of libsofthccl_signature.so beside this library.
// Errors: kKernelFailed when that cannot be opened.
base::Result<SignatureVerifier> FindSignatureVerifier();
// For tools, before anything is verified.
void UseSignatureVerifier(SignatureVerifier verifier);

}  // namespace softhccl::package
