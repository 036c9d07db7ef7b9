// Allocation of regions and the table by which a peer in the same process finds one.
#include "transport/region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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
  return Enter(std::shared_ptr<Region>(new Region(*memory, size, memory::Space::kDevice, true, "")));
}

std::shared_ptr<Region> Region::Lend(std::byte* data, std::size_t size, memory::Space space, std::string tag) {
  return Enter(std::shared_ptr<Region>(new Region(data, size, space, false, std::move(tag))));
}

std::shared_ptr<Region> Region::Enter(std::shared_ptr<Region> region) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  table.regions[region->id()] = region;
  return region;
}

Region::Region(std::byte* data, std::size_t size, memory::Space space, bool owns_memory, std::string tag)
    : data_(data), size_(size), space_(space), owns_memory_(owns_memory), tag_(std::move(tag)) {
  static std::atomic<std::uint64_t> next{1};
  id_ = next.fetch_add(1);
}

void Region::Populate(std::size_t bytes) {
  std::call_once(populated_, [&] {
    // Best effort: an old kernel does not know the advice, and then the first use commits the pages as ever.
    populated_bytes_.store(std::min(bytes, size_));
    static_cast<void>(::madvise(data_, populated_bytes_.load(), MADV_POPULATE_WRITE));
  });
}

void Region::Clear() {
  const std::size_t kept = populated_bytes_.load();
  std::fill_n(data_, kept, std::byte{0});
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = (kept + page - 1) / page * page;
  if (begin >= size_) {
    std::fill(data_ + kept, data_ + size_, std::byte{0});
    return;
  }
  std::fill(data_ + kept, data_ + begin, std::byte{0});
  // Whole pages are taken out of the file; what follows the last whole page is written.
  const std::size_t whole = (size_ - begin) / page * page;
  if (whole > 0 && ::madvise(data_ + begin, whole, MADV_REMOVE) != 0) std::fill_n(data_ + begin, whole, std::byte{0});
  std::fill(data_ + begin + whole, data_ + size_, std::byte{0});
}

Region::~Region() {
  {
    Table& table = TheTable();
    std::lock_guard lock(table.mutex);
    table.regions.erase(id_);
  }
  if (!owns_memory_) return;
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
