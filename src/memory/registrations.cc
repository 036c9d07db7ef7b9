// The registry of host ranges.
#include "memory/registrations.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <vector>

#include "memory/memory.h"

namespace softhccl::memory {
namespace {

using base::Code;
using base::Fail;
using base::Status;

std::uintptr_t PageSize() {
  static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// Whether every page of the range belongs to some mapping of the process.
bool IsMapped(std::uintptr_t begin, std::uintptr_t end) {
  constexpr std::uintptr_t kPagesAtOnce = 4096;
  std::vector<unsigned char> resident(kPagesAtOnce);
  const std::uintptr_t step = kPagesAtOnce * PageSize();
  for (std::uintptr_t at = begin & ~(PageSize() - 1); at < end; at += std::min(step, end - at)) {
    if (::mincore(reinterpret_cast<void*>(at), std::min(step, end - at), resident.data()) != 0 && errno == ENOMEM) {
      return false;
    }
  }
  return true;
}

}  // namespace

Registrations& Registrations::Process() {
  static auto* const registrations = new Registrations;
  return *registrations;
}

Status Registrations::Add(void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (size > UINTPTR_MAX - begin) {
    return Fail(Code::kInvalidParam, "{} bytes at 0x{:x} run past the end of the address space", size, begin);
  }
  if (const auto own = Memory::Process().Resolve(address)) {
    return Fail(Code::kInvalidParam,
                "0x{:x} lies in {}, which devices reach already; register memory that the program allocated otherwise",
                begin, own->purpose);
  }
  SOFTHCCL_RETURN_IF_ERROR(Memory::Process().CheckRange(address, size, "ptr"));
  if (!IsMapped(begin, begin + size)) {
    return Fail(Code::kInvalidParam, "not all of the {} bytes at 0x{:x} are memory of this process", size, begin);
  }
  const std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(begin);
  if (next != ranges_.begin() && std::prev(next)->first + std::prev(next)->second > begin) --next;
  if (next != ranges_.end() && next->first < begin + size) {
    return Fail(Code::kInvalidParam,
                "{} bytes at 0x{:x} overlap the {} bytes at 0x{:x} that are registered already; unregister them first",
                size, begin, next->second, next->first);
  }
  ranges_.emplace(begin, size);
  return {};
}

Status Registrations::Remove(void* address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(mutex_);
  if (ranges_.erase(begin) == 1) return {};
  const auto next = ranges_.upper_bound(begin);
  if (next != ranges_.begin() && std::prev(next)->first + std::prev(next)->second > begin) {
    return Fail(Code::kInvalidParam, "0x{:x} lies in a registered range; unregister its start 0x{:x}", begin,
                std::prev(next)->first);
  }
  return Fail(Code::kInvalidParam, "0x{:x} is not the start of a registered range", begin);
}

bool Registrations::Holds(const void* address) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.upper_bound(begin);
  return next != ranges_.begin() && std::prev(next)->first + std::prev(next)->second > begin;
}

}  // namespace softhccl::memory
