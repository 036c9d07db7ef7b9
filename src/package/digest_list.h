// bin_hash.cfg: the file inside a kernel package that names the SHA-256 digest of every other one.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "package/sha256.h"

namespace softhccl::package {

inline constexpr std::string_view kDigestListName = "bin_hash.cfg";

// Digests by file name: lines `<name>=<64 hexadecimal digits>`, blank lines are allowed. Errors: kFileError naming line
// and content.
base::Result<std::map<std::string, std::string>> ParseDigestList(std::string_view text);

// Ok when the list names exactly the files that are there, with their digests. Errors: kFileError.
base::Status CheckDigests(const std::map<std::string, std::string>& listed, const std::map<std::string, Digest>& files);

}  // namespace softhccl::package
