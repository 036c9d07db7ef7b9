// Who signed a package, and whether this machine trusts them.
#pragma once

#include <string_view>

#include "package/signature.h"

namespace softhccl::signature {

// A package::SignatureVerifier. Any thread.
base::Result<package::Signer> Verify(std::string_view text, std::string_view signature, std::string_view revocations,
                                     const package::TrustAnchors& anchors, const char* kind);

}  // namespace softhccl::signature
