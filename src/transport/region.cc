// Allocation of regions and the table by which a peer in the same process finds one.
#include "transport/region.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "base/log.h"
#include "memory/memory.h"

namespace softhccl::transport {
namespace {

struct Table {
  std::mutex mutex;
  std::map<std::uint64_t, std::weak_ptr<Region>> regions;
};

Table& TheTable() {
  static auto* table = new Table;  // links may be released during static destruction
  return *table;
}

}  // namespace

base::Result<std::shared_ptr<Region>> Region::Create(int device, std::size_t size, const char* purpose) {
  auto memory = memory::Memory::Process().Allocate(memory::Space::kDevice, device, size, purpose);
  if (!memory) return tl::unexpected(memory.error());
  std::shared_ptr<Region> region(new Region(*memory, size));
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  table.regions[region->id()] = region;
  return region;
}

Region::Region(std::byte* data, std::size_t size) : data_(data), size_(size) {
  static std::atomic<std::uint64_t> next{1};
  id_ = next.fetch_add(1);
}

void Region::Populate(std::size_t bytes) {
  std::call_once(populated_, [&] {
    // Best effort: an old kernel does not know the advice, and then the first use commits the pages as ever.
    static_cast<void>(::madvise(data_, std::min(bytes, size_), MADV_POPULATE_WRITE));
  });
}

Region::~Region() {
  {
    Table& table = TheTable();
    std::lock_guard lock(table.mutex);
    table.regions.erase(id_);
  }
  const base::Status freed = memory::Memory::Process().Free(memory::Space::kDevice, data_);
  if (!freed.ok()) base::Log(base::LogLevel::kError, freed.message());
}

std::shared_ptr<Region> Region::Find(std::uint64_t id) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  const auto found = table.regions.find(id);
  return found == table.regions.end() ? nullptr : found->second.lock();
}

}  // namespace softhccl::transport
