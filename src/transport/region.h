// A region is memory that peers may reach: the HcclBuffer of a rank. It is shared by its owner and by every link that
// can read it, so that a peer's copy in flight never loses its source when the owner destroys its communicator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/status.h"

namespace softhccl::transport {

// Owns device memory. Immutable; any thread.
class Region {
 public:
  // `purpose` names it in range errors and must live for ever. Errors: kOutOfMemory.
  static base::Result<std::shared_ptr<Region>> Create(int device, std::size_t size, const char* purpose);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // Commits the first `bytes` now, so that the first message does not pay for page faults. Once; later calls are free.
  void Populate(std::size_t bytes);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::uint64_t id() const { return id_; }

  // The region of this process with that id, if it is still alive.
  static std::shared_ptr<Region> Find(std::uint64_t id);

 private:
  Region(std::byte* data, std::size_t size);
  std::byte* data_;
  std::size_t size_;
  std::uint64_t id_;
  std::once_flag populated_;
};

}  // namespace softhccl::transport
