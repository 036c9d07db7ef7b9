// Signing a kernel package with the key of its author. For the softhccl command; the runtime never signs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "package/container.h"

namespace softhccl::signature {

struct SigningOptions {
  std::string_view key;               // private key, PEM, not encrypted
  std::string_view certificates;      // PEM: the author's first, then those between it and the trusted one, if any
  std::string_view revocations = {};  // a revocation list that goes along, PEM or DER; may be empty
  package::CertificateKind kind = package::CertificateKind::kCustomer;
  std::uint32_t version_counter = 0;
};

// The signed package for a tar.gz. Errors: kFileError: a file that is none; kInvalidParam: key and certificate do not
// belong together, the certificate is expired or not for signing, the package is signed already.
base::Result<std::string> Sign(std::string_view archive, const SigningOptions& options);

}  // namespace softhccl::signature
