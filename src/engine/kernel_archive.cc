// Reads one file out of a kernel package. Nothing is ever extracted to a folder, so a hostile archive can at worst
// waste memory, and that is bounded here. Only gzip-compressed tar is accepted, because that is the only form a
// card accepts.
#include <archive.h>
#include <archive_entry.h>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/kernel_package.h"

namespace softhccl::engine {
namespace {

using base::Code;
using base::Fail;
using base::Status;

constexpr std::size_t kFileLimit = std::size_t{512} << 20;
constexpr std::int64_t kTotalLimit = std::int64_t{4} << 30;  // of all entries unpacked: ends a decompression bomb
constexpr std::size_t kChunk = std::size_t{256} << 10;
constexpr std::int64_t kEntryOverhead = 512;  // a tar header; makes a million empty entries count as well

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeArchive>;

enum class Next { kGoOn, kStop };
using Visitor = std::function<base::Result<Next>(archive*, archive_entry*, const std::string& path)>;

std::string ReaderError(archive* reader) {
  const char* text = archive_error_string(reader);
  return text == nullptr ? "no reason given" : text;
}

std::string_view BaseName(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Why an entry's path would leave the folder it is unpacked in; null when it would not.
const char* UnsafePath(std::string_view path) {
  if (path.starts_with('/')) return "is absolute";
  while (!path.empty()) {
    const auto slash = path.find('/');
    if (path.substr(0, slash) == "..") return "contains \"..\"";
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  }
  return nullptr;
}

// The path in the locale's encoding or else in UTF-8; empty when neither can express it, and then it is no library
// name either.
std::string PathOf(archive_entry* entry) {
  const char* path = archive_entry_pathname(entry);
  if (path == nullptr) path = archive_entry_pathname_utf8(entry);
  return path == nullptr ? "" : path;
}

bool IsRegular(archive_entry* entry) {
  return archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr;
}

base::Result<Reader> OpenReader(const std::string& archive_path, const std::string& bytes) {
  if (bytes.size() < 2 || bytes[0] != '\x1f' || bytes[1] != '\x8b') {
    return base::FailResult(Code::kFileError, "package {} is not a tar.gz: its {} bytes do not begin with 1f 8b",
                            archive_path, bytes.size());
  }
  Reader reader(archive_read_new());
  if (reader == nullptr) return base::FailResult(Code::kOutOfMemory, "no memory to read package {}", archive_path);
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) < ARCHIVE_WARN) {
    return base::FailResult(Code::kFileError, "package {} cannot be read: {}", archive_path, ReaderError(reader.get()));
  }
  return reader;
}

// Shows every entry to `visit` until it stops or the archive ends.
Status Walk(const std::string& archive_path, const Visitor& visit) {
  const auto bytes = ReadRegularFile(archive_path, kFileLimit);
  if (!bytes) return bytes.error();
  auto reader = OpenReader(archive_path, *bytes);
  if (!reader) return reader.error();

  std::int64_t total = 0;
  for (;;) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader->get(), &entry);
    if (code == ARCHIVE_EOF) return {};
    if (code < ARCHIVE_WARN) {
      return Fail(Code::kFileError, "package {} cannot be read: {}", archive_path, ReaderError(reader->get()));
    }
    const std::string path = PathOf(entry);
    if (const char* reason = UnsafePath(path)) {
      return Fail(Code::kFileError, "package {} is refused: the path of its entry {} {}", archive_path, path, reason);
    }
    const std::int64_t size = archive_entry_size(entry);
    if (size < 0 || size > kTotalLimit - total - kEntryOverhead) {
      return Fail(Code::kFileError,
                  "package {} is refused: with entry {} it unpacks to more than the limit of {} bytes", archive_path,
                  path, kTotalLimit);
    }
    total += size + kEntryOverhead;
    const auto next = visit(reader->get(), entry, path);
    if (!next) return next.error();
    if (*next == Next::kStop) return {};
  }
}

base::Result<std::string> ReadEntry(archive* reader, const std::string& archive_path, const std::string& path) {
  std::string bytes;
  for (;;) {
    const std::size_t old_size = bytes.size();
    bytes.resize(old_size + kChunk);
    const auto count = archive_read_data(reader, bytes.data() + old_size, kChunk);
    if (count < 0) {
      return base::FailResult(Code::kFileError, "package {}: entry {} cannot be read beyond byte {}: {}", archive_path,
                              path, old_size, ReaderError(reader));
    }
    bytes.resize(old_size + static_cast<std::size_t>(count));
    if (count == 0) return bytes;
    if (bytes.size() > kFileLimit) {
      return base::FailResult(Code::kFileError, "package {}: entry {} is larger than the limit of {} bytes",
                              archive_path, path, kFileLimit);
    }
  }
}

}  // namespace

base::Result<std::string> ReadFromArchive(const std::string& archive_path, const std::string& file_name) {
  std::optional<std::string> found;
  std::string found_path;
  // Goes on after the hit: a later second one, an unsafe path or a torn end are defects that must not pass.
  const Status status =
      Walk(archive_path, [&](archive* reader, archive_entry* entry, const std::string& path) -> base::Result<Next> {
        if (!IsRegular(entry) || BaseName(path) != file_name) return Next::kGoOn;
        if (found) {
          return base::FailResult(Code::kFileError, "package {} holds {} twice: {} and {}", archive_path, file_name,
                                  found_path, path);
        }
        if (const auto size = archive_entry_size(entry); size > static_cast<std::int64_t>(kFileLimit)) {
          return base::FailResult(Code::kFileError, "package {}: entry {} has {} bytes, the limit is {}", archive_path,
                                  path, size, kFileLimit);
        }
        auto bytes = ReadEntry(reader, archive_path, path);
        if (!bytes) return tl::unexpected<Status>(bytes.error());
        found = std::move(*bytes);
        found_path = path;
        return Next::kGoOn;
      });
  SOFTHCCL_RETURN_RESULT_IF_ERROR(status);
  if (!found) {
    return base::FailResult(Code::kFileError, "package {} holds no regular file named {}", archive_path, file_name);
  }
  return std::move(*found);
}

base::Result<bool> ArchiveHolds(const std::string& archive_path, const std::string& file_name) {
  bool holds = false;
  const Status status =
      Walk(archive_path, [&](archive*, archive_entry* entry, const std::string& path) -> base::Result<Next> {
        holds = IsRegular(entry) && BaseName(path) == file_name;
        return holds ? Next::kStop : Next::kGoOn;
      });
  SOFTHCCL_RETURN_RESULT_IF_ERROR(status);
  return holds;
}

}  // namespace softhccl::engine
