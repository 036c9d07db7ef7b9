// Exports, their keys, and imports.
#include "memory/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "memory/shared_key.h"

namespace softhccl::memory {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

namespace {

std::size_t PageSize() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

constexpr char kKind[] = "mem";

}  // namespace

SharedMemories& SharedMemories::Process() {
  static auto* const memories = new SharedMemories;
  return *memories;
}

base::Result<SharedMemories::Entry*> SharedMemories::Find(const std::string& key) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) return &found->second;
  return tl::unexpected(ExplainUnknownKey(kKind, key, "its export was closed"));
}

base::Result<std::string> SharedMemories::Export(const void* address, std::size_t size, bool checks_pids) {
  auto pinned = Memory::Process().Pin(address);
  if (!pinned) return tl::unexpected(std::move(pinned).error());
  Entry entry;
  entry.exported = pinned->base;
  entry.range = *pinned;
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - pinned->base);
  if (size == 0 || size > pinned->size - offset) {
    Memory::Process().Unpin(pinned->base);
    return FailResult(Code::kInvalidParam, "size: {} bytes at offset {} are not in the {} bytes of {}", size, offset,
                      pinned->size, pinned->purpose);
  }
  entry.range.base += offset;
  entry.range.where.offset += offset;
  entry.range.size = size;
  entry.range.purpose = "memory imported with aclrtIpcMemImportByKey";
  entry.range.ended_by = "aclrtIpcMemClose";
  entry.checks_pids = checks_pids;
  const std::lock_guard lock(mutex_);
  std::string key = MakeSharedKey(kKind, ++last_);
  SOFTHCCL_CHECK(key.size() < kSharedKeySize);
  entries_.emplace(key, std::move(entry));
  return key;
}

Status SharedMemories::Allow(const std::string& key, const std::vector<std::int32_t>& pids) {
  const std::lock_guard lock(mutex_);
  auto entry = Find(key);
  if (!entry) return std::move(entry).error();
  (*entry)->pids.insert(pids.begin(), pids.end());
  return {};
}

base::Result<std::byte*> SharedMemories::Import(const std::string& key) {
  const std::lock_guard lock(mutex_);
  auto found = Find(key);
  if (!found) return tl::unexpected(std::move(found).error());
  Entry& entry = **found;
  if (entry.checks_pids && entry.pids.count(::getpid()) == 0) {
    return FailResult(Code::kInvalidParam,
                      "process {} is not among the {} that may import this key; name it with aclrtIpcMemSetImportPid",
                      ::getpid(), entry.pids.size());
  }
  const std::uint64_t offset = entry.range.where.offset;
  const std::uint64_t first = offset / PageSize() * PageSize();
  const std::size_t size = (offset + entry.range.size - first + PageSize() - 1) / PageSize() * PageSize();
  auto mapped = DataArena().MapAt(first, size, nullptr);
  if (!mapped) return tl::unexpected(std::move(mapped).error());
  Window window{base::Mapping(*mapped, size), *mapped + (offset - first)};
  Allocation imported = entry.range;
  imported.base = window.data;
  Memory::Process().AddReserved(*mapped, size, "memory beside a range that aclrtIpcMemImportByKey imported");
  Memory::Process().AddMapped(imported);
  entry.imports.push_back(std::move(window));
  return imported.base;
}

Status SharedMemories::Close(const std::string& key) {
  const std::lock_guard lock(mutex_);
  auto entry = Find(key);
  if (!entry) return std::move(entry).error();
  if ((*entry)->imports.empty()) {
    Memory::Process().Unpin((*entry)->exported);
    entries_.erase(key);
    return {};
  }
  const Window& window = (*entry)->imports.back();
  Memory::Process().RemoveMapped(window.data);
  Memory::Process().RemoveReserved(window.mapping.data());
  (*entry)->imports.pop_back();
  return {};
}

}  // namespace softhccl::memory
