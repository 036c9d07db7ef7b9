// Memory under a name: a range of an allocation that others import by its key, at addresses of their own. What crosses
// the border is the key and, behind it, a position in the data arena; a process that had the arena's file could map it
// the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/os.h"
#include "base/status.h"
#include "memory/arena.h"
#include "memory/memory.h"

namespace softhccl::memory {

// Any thread. Created on first use, never destroyed.
class SharedMemories {
 public:
  static SharedMemories& Process();

  // A new key for [address, address + size), which lies in one allocation. The allocation cannot be freed while it has
  // one. With `checks_pids` only processes that Allow names may import it. Errors: kInvalidParam.
  base::Result<std::string> Export(const void* address, std::size_t size, bool checks_pids);
  // Errors, as of all that take a key: kInvalidParam for one that is not open; kNotSupported for one of another
  // process.
  base::Status Allow(const std::string& key, const std::vector<std::int32_t>& pids);
  // Where the range begins in this process. Errors also: kInvalidParam when this process is not allowed, kOutOfMemory.
  base::Result<std::byte*> Import(const std::string& key);
  // Ends the newest import, or the export when there is none left.
  base::Status Close(const std::string& key);

 private:
  // An import: whole pages of the arena, of which the range is a part.
  struct Window {
    base::Mapping mapping;
    std::byte* data = nullptr;
  };
  struct Entry {
    Allocation range;  // what is shared: of its allocation the part that Export named
    std::byte* exported = nullptr;
    bool checks_pids = true;
    std::set<std::int32_t> pids;
    std::vector<Window> imports;
  };

  SharedMemories() = default;
  base::Result<Entry*> Find(const std::string& key);  // mutex_ held

  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // guarded by mutex_
  std::uint64_t last_ = 0;                // guarded by mutex_
};

}  // namespace softhccl::memory
