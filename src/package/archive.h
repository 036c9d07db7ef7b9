// The tar.gz of a kernel package, checked as a whole in one pass: nothing of it is used before everything in it was
// found harmless, and nothing is ever extracted to a folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "package/sha256.h"

namespace softhccl::package {

inline constexpr std::size_t kFileLimit = std::size_t{512} << 20;  // of a package, and of a file in it
inline constexpr std::size_t kTotalLimit = std::size_t{1} << 30;   // unpacked: ends a decompression bomb
inline constexpr std::size_t kEntryLimit = 10'000;

struct ArchiveContents {
  std::map<std::string, Digest> files;  // by base name, folders left out
  std::optional<std::string> wanted;    // the bytes of the file that was asked for; nothing when it is not there
  bool has_digests = false;             // bin_hash.cfg is there and was found right
};

// Reads a whole package from memory; `source` names it in messages. `wanted` is the base name of a file. Errors:
// kFileError: no gzip, truncated, a wrong checksum, a tar that cannot be read, an entry whose path is absolute or
// contains "..", a link, a device, a set-user-id bit, a sparse file, two files of one name, more than the limits above,
// a digest in bin_hash.cfg that is missing or wrong.
base::Result<ArchiveContents> ReadArchive(std::string_view bytes, const std::string& source, std::string_view wanted);

}  // namespace softhccl::package
