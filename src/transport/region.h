// A region is memory that peers may reach: the HcclBuffer of a rank, or memory that a user lends. It is shared by its
// owner and by every link that can read it, so that a peer's copy in flight never loses its source when the owner
// destroys its communicator. What a user lends stays the user's: it is not kept alive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "memory/memory.h"

namespace softhccl::transport {

// Owns device memory, or names a user's. Immutable; any thread.
class Region {
 public:
  // `purpose` names it in range errors and must live for ever. Errors: kOutOfMemory.
  static base::Result<std::shared_ptr<Region>> Create(int device, std::size_t size, const char* purpose);
  // Memory of the user, of that space; `tag` is the name under which peers know it.
  static std::shared_ptr<Region> Lend(std::byte* data, std::size_t size, memory::Space space, std::string tag);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // Commits the first `bytes` now, so that the first message does not pay for page faults. Once; later calls are free.
  void Populate(std::size_t bytes);

  // Makes every byte 0 and gives the pages back to the system, the populated ones apart. Nobody may be copying.
  void Clear();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::uint64_t id() const { return id_; }
  memory::Space space() const { return space_; }
  const std::string& tag() const { return tag_; }  // empty: not lent

  // The region of this process with that id, if it is still alive.
  static std::shared_ptr<Region> Find(std::uint64_t id);

 private:
  Region(std::byte* data, std::size_t size, memory::Space space, bool owns_memory, std::string tag);
  static std::shared_ptr<Region> Enter(std::shared_ptr<Region> region);

  std::byte* data_;
  std::size_t size_;
  memory::Space space_;
  bool owns_memory_;
  std::string tag_;
  std::uint64_t id_;
  std::once_flag populated_;
  std::atomic<std::size_t> populated_bytes_{0};
};

}  // namespace softhccl::transport
