// Files as the package module reads and writes them: a read that no strange file can hang or exhaust, and a write
// after which there is either the old file or the new one, also after a crash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace softhccl::package {

// The bytes of a regular file. Errors: kFileError: missing, unreadable, not a regular file, more than `limit` bytes.
base::Result<std::string> ReadRegularFile(const std::string& path, std::size_t limit);

// Puts `bytes` in the place of `path` (through a link: of the file it leads to): written beside it, flushed, renamed.
// A file that is there keeps its mode; a new one gets `mode`. Errors: kFileError; the old file is then untouched.
base::Status ReplaceFile(const std::string& path, std::string_view bytes, unsigned mode);

// A text of unknown origin for a message: control characters spelled out, at most `limit` bytes of it.
std::string Printable(std::string_view text, std::size_t limit = 80);

}  // namespace softhccl::package
