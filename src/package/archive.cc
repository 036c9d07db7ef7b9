// Two readers of libarchive, one behind the other: the first unpacks gzip and the second reads tar from it. libarchive
// itself ignores the checksum and what follows the tar, so the bytes are watched where they pass from one to the other.
#include "package/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "package/digest_list.h"
#include "package/file.h"

namespace softhccl::package {
namespace {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

constexpr std::size_t kChunk = std::size_t{256} << 10;
constexpr std::size_t kDigestListLimit = std::size_t{1} << 20;
constexpr std::size_t kTrailer = 8;  // of a gzip file: checksum and length

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeArchive>;

std::string ReaderError(archive* reader) {
  const char* text = archive_error_string(reader);
  return text == nullptr ? "no reason given" : text;
}

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ 0xedb88320u : value >> 1;
    table[i] = value;
  }
  return table;
}();

std::uint32_t LittleEndian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The content of a gzip file, as a stream. Its first defect is kept, and ends the stream.
class GzipStream {
 public:
  explicit GzipStream(std::string_view bytes) : bytes_(bytes), buffer_(kChunk) {}

  Status Open() {
    if (bytes_.size() < 2 || bytes_[0] != '\x1f' || bytes_[1] != '\x8b') {
      return Fail(Code::kFileError, "it is not a tar.gz: its {} bytes do not begin with 1f 8b", bytes_.size());
    }
    reader_.reset(archive_read_new());
    if (reader_ == nullptr) return Fail(Code::kOutOfMemory, "no memory to read it");
    archive_read_support_filter_gzip(reader_.get());
    archive_read_support_format_raw(reader_.get());
    archive_read_support_format_empty(reader_.get());
    archive_entry* entry = nullptr;
    if (archive_read_open_memory(reader_.get(), bytes_.data(), bytes_.size()) < ARCHIVE_WARN) return Bad();
    const int code = archive_read_next_header(reader_.get(), &entry);
    if (code == ARCHIVE_EOF) return Fail(Code::kFileError, "it is empty");
    if (code < ARCHIVE_WARN) return Bad();
    // What is packed twice would be unpacked twice.
    if (archive_filter_code(reader_.get(), 0) != ARCHIVE_FILTER_GZIP ||
        archive_filter_code(reader_.get(), 1) != ARCHIVE_FILTER_NONE) {
      return Fail(Code::kFileError, "it is not a tar that was packed once with gzip");
    }
    return {};
  }

  // The next bytes; none at the end or after a defect.
  std::string_view Next() {
    if (!status_.ok() || reader_ == nullptr) return {};
    const auto count = archive_read_data(reader_.get(), buffer_.data(), buffer_.size());
    if (count < 0) {
      status_ = Bad();
      return {};
    }
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
    size_ += bytes.size();
    for (const char c : bytes) crc_ = crc_ >> 8 ^ kCrcTable[(crc_ ^ static_cast<unsigned char>(c)) & 0xff];
    if (size_ > kTotalLimit) {
      status_ = Fail(Code::kFileError, "it unpacks to more than the limit of {} bytes", kTotalLimit);
      return {};
    }
    return bytes;
  }

  const Status& status() const { return status_; }

  // After the end: the two numbers that stand there, of a file that is one piece.
  Status CheckTrailer() const {
    if (bytes_.size() < kTrailer) return Fail(Code::kFileError, "truncated gzip input");
    const std::string_view trailer = bytes_.substr(bytes_.size() - kTrailer);
    const std::uint32_t crc = LittleEndian(trailer);
    const std::uint32_t size = LittleEndian(trailer.substr(4));
    if (crc == ~crc_ && size == static_cast<std::uint32_t>(size_)) return {};
    return Fail(Code::kFileError,
                "it is damaged or does not end with its gzip data: checksum {:08x} and length {} at the end, {:08x} "
                "and {} unpacked",
                crc, size, ~crc_, size_);
  }

 private:
  Status Bad() const { return Fail(Code::kFileError, "it cannot be read: {}", ReaderError(reader_.get())); }

  std::string_view bytes_;
  Reader reader_;
  std::vector<char> buffer_;
  Status status_;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = ~std::uint32_t{0};
};

la_ssize_t ReadFromStream(archive*, void* stream, const void** buffer) {
  const std::string_view bytes = static_cast<GzipStream*>(stream)->Next();
  *buffer = bytes.data();
  return static_cast<la_ssize_t>(bytes.size());
}

std::string_view BaseName(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Why an entry's path would leave the folder it is unpacked in, or cannot be shown; null when it is harmless.
const char* UnsafePath(std::string_view path) {
  if (path.empty()) return "is empty or cannot be expressed";
  if (path.starts_with('/')) return "is absolute";
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "has a control character";
  }
  while (!path.empty()) {
    const auto slash = path.find('/');
    if (path.substr(0, slash) == "..") return "contains \"..\"";
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  }
  return nullptr;
}

// Why an entry is not what a package holds; null when it is a folder or a plain file.
const char* UnsafeKind(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return "is a hard link";
  const auto type = archive_entry_filetype(entry);
  if (type == AE_IFLNK) return "is a symbolic link";
  if (type == AE_IFCHR || type == AE_IFBLK) return "is a device";
  if (type == AE_IFIFO) return "is a FIFO";
  if (type != AE_IFREG && type != AE_IFDIR) return "is neither a file nor a folder";
  // Folders inherit the set-group-id bit where people share them; it does nothing there.
  const auto bits = archive_entry_mode(entry) & (type == AE_IFDIR ? S_ISUID : S_ISUID | S_ISGID);
  if (bits != 0) return "has the set-user-id or set-group-id bit";
  if (archive_entry_sparse_count(entry) > 0) return "is a sparse file";
  return nullptr;
}

// Collects what the tar holds.
class TarPass {
 public:
  TarPass(GzipStream* stream, std::string_view wanted) : stream_(stream), wanted_(wanted) {}

  Status Run() {
    reader_.reset(archive_read_new());
    if (reader_ == nullptr) return Fail(Code::kOutOfMemory, "no memory to read it");
    archive_read_support_format_tar(reader_.get());
    if (archive_read_open(reader_.get(), stream_, nullptr, ReadFromStream, nullptr) < ARCHIVE_WARN) return Bad();
    for (std::size_t entries = 0;; ++entries) {
      archive_entry* entry = nullptr;
      const int code = archive_read_next_header(reader_.get(), &entry);
      if (!stream_->status().ok()) return stream_->status();
      if (code == ARCHIVE_EOF) return {};
      if (code < ARCHIVE_WARN) return Bad();
      if (entries == kEntryLimit) return Fail(Code::kFileError, "it has more than {} entries", kEntryLimit);
      SOFTHCCL_RETURN_IF_ERROR(Take(entry));
    }
  }

  ArchiveContents contents;
  std::string digest_list;

 private:
  Status Bad() const {
    if (!stream_->status().ok()) return stream_->status();
    return Fail(Code::kFileError, "it cannot be read: {}", ReaderError(reader_.get()));
  }

  Status Take(archive_entry* entry) {
    const char* raw = archive_entry_pathname(entry);
    if (raw == nullptr) raw = archive_entry_pathname_utf8(entry);
    const std::string path = raw == nullptr ? "" : raw;
    const std::string shown = Printable(path, 200);
    if (const char* reason = UnsafePath(path)) {
      return Fail(Code::kFileError, "the path of its entry {} {}", shown, reason);
    }
    if (const char* reason = UnsafeKind(entry)) return Fail(Code::kFileError, "its entry {} {}", shown, reason);
    if (archive_entry_filetype(entry) == AE_IFDIR) return {};
    const std::string name(BaseName(path));
    const std::int64_t size = archive_entry_size(entry);
    const std::size_t limit = name == kDigestListName ? kDigestListLimit : kFileLimit;
    if (size < 0 || static_cast<std::uint64_t>(size) > limit) {
      return Fail(Code::kFileError, "its entry {} has {} bytes, the limit is {}", shown, size, limit);
    }
    if (contents.files.contains(name)) return Fail(Code::kFileError, "it holds two files named {}", shown);
    return Read(name, shown);
  }

  // The bytes of the current entry: into the digest, and kept when they are asked for.
  Status Read(const std::string& name, const std::string& shown) {
    Sha256 sum;
    std::string* keep = nullptr;
    if (name == wanted_) keep = &contents.wanted.emplace();
    if (name == kDigestListName) keep = &digest_list;
    std::vector<char> buffer(kChunk);
    for (std::size_t done = 0;;) {
      const auto count = archive_read_data(reader_.get(), buffer.data(), buffer.size());
      if (!stream_->status().ok()) return stream_->status();
      if (count < 0) {
        return Fail(Code::kFileError, "its entry {} cannot be read beyond byte {}: {}", shown, done,
                    ReaderError(reader_.get()));
      }
      if (count == 0) break;
      const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
      done += bytes.size();
      sum.Add(bytes);
      if (keep != nullptr) *keep += bytes;
    }
    contents.files.emplace(name, sum.Finish());
    return {};
  }

  GzipStream* stream_;
  std::string_view wanted_;
  Reader reader_;
};

// What follows the tar counts for the checksum, and against the limit.
Status Drain(GzipStream* stream) {
  while (!stream->Next().empty()) {
  }
  return stream->status();
}

base::Result<ArchiveContents> ReadWhole(std::string_view bytes, std::string_view wanted) {
  GzipStream stream(bytes);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(stream.Open());
  TarPass pass(&stream, wanted);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(pass.Run());
  SOFTHCCL_RETURN_RESULT_IF_ERROR(Drain(&stream));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(stream.CheckTrailer());
  if (pass.contents.files.contains(std::string(kDigestListName))) {
    const auto listed = ParseDigestList(pass.digest_list);
    if (!listed) return tl::unexpected<Status>(listed.error());
    SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckDigests(*listed, pass.contents.files));
    pass.contents.has_digests = true;
  }
  return std::move(pass.contents);
}

// The archives that were read last, so that the ranks of a program do not each unpack the same one. They are known by
// their bytes: a name, a size and a time can be those of another file. Any thread.
class RecentArchives {
 public:
  std::optional<ArchiveContents> Find(std::string_view bytes, std::string_view wanted) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.wanted == wanted && entry.bytes == bytes) return entry.contents;
    }
    return std::nullopt;
  }

  void Add(std::string_view bytes, std::string_view wanted, const ArchiveContents& contents) {
    if (bytes.size() + (contents.wanted ? contents.wanted->size() : 0) > kSizeLimit) return;
    const std::lock_guard lock(mutex_);
    entries_.push_back({std::string(bytes), std::string(wanted), contents});
    if (entries_.size() > kCountLimit) entries_.pop_front();
  }

 private:
  struct Entry {
    std::string bytes;
    std::string wanted;
    ArchiveContents contents;
  };
  static constexpr std::size_t kSizeLimit = std::size_t{16} << 20;
  static constexpr std::size_t kCountLimit = 4;

  std::mutex mutex_;
  std::deque<Entry> entries_;
};

}  // namespace

base::Result<ArchiveContents> ReadArchive(std::string_view bytes, const std::string& source, std::string_view wanted) {
  static auto& recent = *new RecentArchives;
  if (auto known = recent.Find(bytes, wanted)) return *std::move(known);
  auto contents = ReadWhole(bytes, wanted);
  if (contents) {
    recent.Add(bytes, wanted, *contents);
    return contents;
  }
  return FailResult(contents.error().code(), "package {} is refused: {} (SH-K006)", source, contents.error().message());
}

}  // namespace softhccl::package
