// Reading and replacing files with the plain system calls, because their exact order is the point.
#include "package/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/os.h"

namespace softhccl::package {
namespace {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

std::string ErrorText(int error) { return std::generic_category().message(error); }

Status WriteAndFlush(int fd, std::string_view bytes, const std::string& path) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Fail(Code::kFileError, "file {} cannot be written: {}", path, ErrorText(errno));
    done += static_cast<std::size_t>(count);
  }
  if (::fsync(fd) != 0) return Fail(Code::kFileError, "file {} cannot be flushed: {}", path, ErrorText(errno));
  return {};
}

// A rename is on the disk when its folder is. Not every file system can do that, and then there is no more to do.
void FlushFolder(const std::filesystem::path& folder) {
  const base::UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) static_cast<void>(::fsync(fd.get()));
}

}  // namespace

base::Result<std::string> ReadRegularFile(const std::string& path, std::size_t limit) {
  // Non-blocking, so that a FIFO in place of the file is an answer and not a hang.
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return FailResult(Code::kFileError, "file {} cannot be opened: {}", path, ErrorText(errno));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return FailResult(Code::kFileError, "{} is not a regular file", path);
  }
  std::string bytes;
  if (static_cast<std::uint64_t>(info.st_size) <= limit) bytes.resize(static_cast<std::size_t>(info.st_size) + 1);
  std::size_t used = 0;
  while (used < bytes.size()) {
    const auto count = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailResult(Code::kFileError, "file {} cannot be read: {}", path, ErrorText(errno));
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
  }
  if (bytes.empty()) {
    return FailResult(Code::kFileError, "file {} has {} bytes, the limit is {}", path, info.st_size, limit);
  }
  if (used == bytes.size()) return FailResult(Code::kFileError, "file {} grew while it was read", path);
  bytes.resize(used);
  return bytes;
}

Status ReplaceFile(const std::string& path, std::string_view bytes, unsigned mode) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  const std::string target = error ? path : real.string();
  struct stat old{};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  std::string temporary = target + ".XXXXXX";
  const base::UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) {
    return Fail(Code::kFileError, "file {} cannot be written: nothing can be made beside it: {}", path,
                ErrorText(errno));
  }
  Status status = WriteAndFlush(fd.get(), bytes, path);
  if (status.ok() && ::fchmod(fd.get(), replaces ? old.st_mode & 0777u : mode) != 0) {
    status = Fail(Code::kFileError, "file {} cannot be given its mode: {}", path, ErrorText(errno));
  }
  // Root that edits somebody's file leaves it theirs.
  if (status.ok() && replaces && (old.st_uid != ::geteuid() || old.st_gid != ::getegid())) {
    static_cast<void>(::fchown(fd.get(), old.st_uid, old.st_gid) == 0);
  }
  if (status.ok() && ::rename(temporary.c_str(), target.c_str()) != 0) {
    status = Fail(Code::kFileError, "file {} cannot be put in place: {}", path, ErrorText(errno));
  }
  if (!status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  FlushFolder(std::filesystem::path(target).parent_path());
  return {};
}

std::string Printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return text.size() > limit ? out + "..." : out;
}

}  // namespace softhccl::package
