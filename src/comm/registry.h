// All communicators of the process: by handle, and by name on a device, which is how kernels know them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "comm/communicator.h"

namespace softhccl::comm {

// Any thread.
class Registry {
 public:
  static Registry& Get();

  // Opens a group whose root is the calling thread's device; returns its identifier.
  std::string OpenRoot(int device);
  // Creates a communicator and returns its handle. `name` empty: the identifier of the root info. Errors:
  // kInvalidParam when the name is taken on this device, and those of Communicator::Create.
  base::Result<std::uint64_t> Create(const std::string& root_id, std::uint32_t rank, std::uint32_t size, int device,
                                     Communicator::Options options);
  base::Result<std::shared_ptr<Communicator>> Find(std::uint64_t handle) const;
  base::Result<std::shared_ptr<Communicator>> FindByName(const std::string& name, int device) const;
  // Errors: kInvalidHandle, kInvalidParam on another device, kAgain while a kernel holds it.
  base::Status Destroy(std::uint64_t handle, int device);
  std::vector<std::string> Names() const;

 private:
  using Name = std::pair<std::string, int>;  // and device
  base::Result<std::shared_ptr<Communicator>> CreateOrForget(std::shared_ptr<bootstrap::Group> group,
                                                             std::uint32_t rank, std::uint32_t size, int device,
                                                             Communicator::Options options, const Name& name);

  struct Slot {
    std::shared_ptr<Communicator> communicator;
  };
  base::Slab<Slot, base::HandleKind::kComm> slots_;
  mutable std::mutex mutex_;
  std::map<Name, std::uint64_t> by_name_;  // guarded by mutex_; 0: being created
};

}  // namespace softhccl::comm
