// The arena's file and its extents. One memfd per arena keeps the number of descriptors constant however many devices
// allocate, and its seals are what lets a peer map it without fear of SIGBUS: nobody can shrink the file under it.
#include "memory/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/log.h"

namespace softhccl::memory {
namespace {

constexpr std::uint64_t kDataCapacity = std::uint64_t{1} << 46;     // 64 TiB: more than any address space holds of it
constexpr std::uint64_t kControlCapacity = std::uint64_t{1} << 36;  // 2^29 slots of 128 bytes

std::uint64_t PageSize() {
  static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::uint64_t RoundUpToPages(std::uint64_t size) { return (size + PageSize() - 1) & ~(PageSize() - 1); }

std::uint64_t RandomId() {
  std::uint64_t id = 0;
  while (id == 0) {
    if (::getrandom(&id, sizeof id, 0) != sizeof id) SOFTHCCL_CHECK(errno == EINTR);
  }
  return id;
}

// Exceeding this limit would raise SIGXFSZ instead of returning an error.
std::uint64_t FileSizeLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  return std::min<std::uint64_t>(limit.rlim_cur, INT64_MAX);
}

}  // namespace

base::Result<std::unique_ptr<Arena>> Arena::Create(const char* name, std::uint64_t capacity) {
  if (capacity == 0) return base::FailResult(base::Code::kInvalidArgument, "arena {}: capacity is 0", name);
  const std::uint64_t limit = FileSizeLimit();
  if (capacity > limit || RoundUpToPages(capacity) > limit) {
    return base::FailResult(base::Code::kOutOfMemory,
                            "arena {}: capacity of {} bytes exceeds the file-size limit of {} bytes; raise ulimit -f",
                            name, capacity, limit);
  }
  capacity = RoundUpToPages(capacity);
  base::UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) {
    return base::FailResult(base::Code::kOutOfMemory, "arena {}: the system refuses an anonymous file: {}", name,
                            std::strerror(errno));
  }
  if (::ftruncate(fd.get(), static_cast<off_t>(capacity)) != 0) {
    return base::FailResult(base::Code::kOutOfMemory, "arena {}: the system refuses a sparse file of {} bytes: {}",
                            name, capacity, std::strerror(errno));
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return base::FailResult(base::Code::kInternal, "arena {}: cannot seal the file: {}", name, std::strerror(errno));
  }
  return std::unique_ptr<Arena>(new Arena(name, std::move(fd), capacity));
}

Arena::Arena(const char* name, base::UniqueFd fd, std::uint64_t capacity)
    : name_(name), fd_(std::move(fd)), id_(RandomId()), capacity_(capacity) {
  offsets_.Give({0, capacity});
}

Arena::Arena(const char* name, base::Status refusal)
    : name_(name), id_(RandomId()), capacity_(0), refusal_(std::move(refusal)) {}

Arena* Arena::CreateForProcess(const char* name, std::uint64_t capacity) {
  const std::uint64_t granted = std::min(capacity, FileSizeLimit() & ~(PageSize() - 1));
  base::Result<std::unique_ptr<Arena>> arena = Create(name, std::max(granted, PageSize()));
  if (arena.has_value()) return arena->release();
  return new Arena(name, std::move(arena.error()));
}

base::Result<std::uint64_t> Arena::Reserve(std::size_t size) {
  if (!refusal_.ok()) return tl::unexpected<base::Status>(refusal_);
  if (size == 0) return base::FailResult(base::Code::kInvalidArgument, "arena {}: extent of 0 bytes", name_);
  std::optional<std::uint64_t> offset;
  std::lock_guard lock(mutex_);
  if (size <= capacity_) offset = offsets_.Take(RoundUpToPages(size), PageSize());
  if (offset.has_value()) return *offset;
  return base::FailResult(base::Code::kOutOfMemory,
                          "arena {}: {} bytes do not fit, {} of its {} bytes are in use; allocate less", name_, size,
                          capacity_ - offsets_.free(), capacity_);
}

base::Result<std::byte*> Arena::MapAt(std::uint64_t offset, std::size_t size, void* address) {
  const int fixed = address != nullptr ? MAP_FIXED : 0;
  void* const mapped = ::mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | fixed, fd_.get(),
                              static_cast<off_t>(offset));
  if (mapped != MAP_FAILED) return static_cast<std::byte*>(mapped);
  const int error = errno;
  std::lock_guard lock(mutex_);
  return base::FailResult(base::Code::kOutOfMemory,
                          "arena {}: mapping {} bytes failed with {} bytes in use beside them: {}; allocate less, "
                          "or raise ulimit -v or vm.max_map_count",
                          name_, size, capacity_ - offsets_.free() - size, std::strerror(error));
}

base::Result<Extent> Arena::MapExtent(std::size_t size) {
  const auto offset = Reserve(size);
  if (!offset.has_value()) return tl::unexpected<base::Status>(offset.error());
  const std::size_t rounded = RoundUpToPages(size);
  auto mapped = MapAt(*offset, rounded, nullptr);
  if (mapped.has_value()) return Extent{base::Mapping(*mapped, rounded), *offset};
  std::lock_guard lock(mutex_);
  offsets_.Give({*offset, rounded});
  return tl::unexpected<base::Status>(std::move(mapped.error()));
}

void Arena::ReleaseExtent(Extent extent) {
  if (!extent.mapping.valid()) return;
  const std::size_t size = extent.mapping.size();
  extent.mapping.Reset();
  Release(extent.offset, size);
}

void Arena::Release(std::uint64_t offset, std::size_t size) {
  Discard(offset, size);
  std::lock_guard lock(mutex_);
  offsets_.Give({offset, RoundUpToPages(size)});
}

void Arena::Discard(std::uint64_t offset, std::size_t size) {
  int result = 0;
  do {
    result = ::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                         static_cast<off_t>(size));
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    base::Log(base::LogLevel::kWarning, fmt::format("arena {}: cannot give back {} bytes at offset {}: {}", name_, size,
                                                    offset, std::strerror(errno)));
  }
}

Arena& DataArena() {
  static Arena* const arena = Arena::CreateForProcess("softhccl-data", kDataCapacity);
  return *arena;
}

Arena& ControlArena() {
  static Arena* const arena = Arena::CreateForProcess("softhccl-control", kControlCapacity);
  return *arena;
}

}  // namespace softhccl::memory
