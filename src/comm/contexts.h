// Memory that a communicator keeps for operators, found again by name: engine contexts under (tag, engine), and device
// memory under a tag alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/status.h"

namespace softhccl::comm {

// Any thread. Owns the memory until Close.
class EngineContexts {
 public:
  // `name` is the communicator's, for messages.
  EngineContexts(int device, std::string name);

  struct Context {
    std::byte* data = nullptr;
    std::uint64_t size = 0;
  };
  // Zeroed memory where the engine's contexts live. Errors: kInvalidParam for size 0, an unknown engine, or a context
  // that exists; kOutOfMemory.
  base::Result<std::byte*> Create(const std::string& tag, int engine, std::uint64_t size);
  // Errors: kInvalidParam for an unknown engine, kNotFound.
  base::Result<Context> Find(const std::string& tag, int engine) const;
  // Copies `size` bytes into the context at `offset`. Errors: as Find; kInvalidParam for size 0 or when they do not
  // fit.
  base::Status CopyInto(const std::string& tag, int engine, const void* from, std::uint64_t size, std::uint64_t offset);
  // Errors: kInvalidParam for an unknown engine or when there is none.
  base::Status Destroy(const std::string& tag, int engine);

  // Device memory under `tag`: made with `size` bytes when there is none yet. Errors: kInvalidParam for size 0, or when
  // it exists and is smaller; kOutOfMemory.
  struct Named {
    Context memory;
    bool is_new = false;
  };
  base::Result<Named> AcquireNamed(const std::string& tag, std::uint64_t size);

  // Frees everything. Later requests are refused with `reason`.
  void Close(const base::Status& reason);

 private:
  using Key = std::pair<std::string, int>;  // tag, engine
  base::Result<Context> FindLocked(const std::string& tag, int engine) const;

  const int device_;
  const std::string name_;
  mutable std::mutex mutex_;
  base::Status closed_;                   // guarded by mutex_
  std::map<Key, Context> contexts_;       // guarded by mutex_
  std::map<std::string, Context> named_;  // guarded by mutex_
};

}  // namespace softhccl::comm
