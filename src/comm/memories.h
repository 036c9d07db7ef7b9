// Memory of the user that peers may reach: registered under a tag, addressed by a handle, described to peers by a
// region of the transport. A communicator and an endpoint have such a registry each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "transport/region.h"

namespace softhccl::comm {

class MemoryRegistry;

// One registration.
struct RegisteredMemory {
  std::uint64_t handle = 0;
  std::shared_ptr<transport::Region> region;
  const MemoryRegistry* owner = nullptr;
  std::string description;  // for other endpoints; made when it is asked for
};

using MemorySlab = base::Slab<RegisteredMemory, base::HandleKind::kMemory>;
MemorySlab& Memories();

// Memory that a user lends to peers must be what its type says; host memory may also be ordinary memory of the process.
// `argument` names it: "mem" of mem->addr. Errors: kInvalidParam.
base::Status CheckLentMemory(memory::Space space, const std::byte* data, std::size_t size, const char* argument);

// Appends the transport's ids of the registrations. Errors: kInvalidHandle for one that has ended meanwhile; a caller
// that checked the handles before may have waited since.
base::Status ReadRegionIds(const std::vector<std::uint64_t>& handles, std::vector<std::uint64_t>* ids);

// Any thread.
class MemoryRegistry {
 public:
  static constexpr std::size_t kMaxTag = 255;

  // `owner` for messages: "communicator X".
  explicit MemoryRegistry(std::string owner) : owner_(std::move(owner)) {}
  ~MemoryRegistry() { Close(); }
  MemoryRegistry(const MemoryRegistry&) = delete;
  MemoryRegistry& operator=(const MemoryRegistry&) = delete;

  // Registers [data, data + size). The same range under the same tag gives the same handle. Errors: kInvalidParam for
  // size 0, memory of another space, a range that leaves its allocation, or a tag of another range; kUnavailable.
  base::Result<std::uint64_t> Register(const std::string& tag, memory::Space space, std::byte* data, std::size_t size);
  // Errors: kInvalidHandle, kInvalidParam when it is another registry's.
  base::Status Unregister(std::uint64_t handle);
  base::Result<RegisteredMemory*> Find(std::uint64_t handle, const std::string& argument) const;
  // All handles, by tag.
  std::vector<std::uint64_t> All() const;
  // Ends all registrations.
  void Close();

 private:
  static void Forget(std::uint64_t handle);

  const std::string owner_;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> by_tag_;  // guarded by mutex_
};

}  // namespace softhccl::comm
