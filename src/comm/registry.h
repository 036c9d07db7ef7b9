// All communicators of the process: by handle, and by name on a device, which is how kernels know them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

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
  // A communicator of the ranks that a table lists; does not wait for them. Without a name it is hccl_world_group.
  // Errors: kUnavailable when the device has one already, kInvalidParam when the rank does not belong on this device.
  base::Result<std::uint64_t> CreateByTable(const std::shared_ptr<const bootstrap::RankTable>& table,
                                            std::uint32_t rank, int device, Communicator::Options options);
  // A communicator of some ranks of `parent`, on the same device; does not wait for the others. Errors: kInvalidParam
  // when the request does not fit the parent, or differs from what another rank asked for.
  struct SubRequest {
    std::uint64_t id = 0;
    std::vector<std::uint32_t> members;  // ranks of the parent, by their new rank
    std::uint32_t rank = 0;              // own rank in the new one
  };
  base::Result<std::uint64_t> CreateSub(const Communicator& parent, const SubRequest& request,
                                        Communicator::Options options);
  base::Result<std::shared_ptr<Communicator>> Find(std::uint64_t handle) const;
  // Errors: kInvalidHandle, kInvalidParam when it is on another device.
  base::Result<std::shared_ptr<Communicator>> FindOn(std::uint64_t handle, int device) const;
  base::Result<std::shared_ptr<Communicator>> FindByName(const std::string& name, int device) const;
  // Errors: kNotFound.
  base::Result<std::uint64_t> HandleByName(const std::string& name, int device) const;
  // Errors: kInvalidHandle, kInvalidParam on another device, kAgain while a kernel holds it.
  base::Status Destroy(std::uint64_t handle, int device);
  std::vector<std::string> Names() const;

 private:
  using Name = std::pair<std::string, int>;  // and device
  struct Place {
    std::shared_ptr<bootstrap::Group> group;
    std::uint32_t rank;
    std::uint32_t size;
    int device;
  };
  base::Result<std::uint64_t> CreateAt(const Place& place, Communicator::Options options);
  base::Result<std::shared_ptr<Communicator>> CreateOrForget(const Place& place, Communicator::Options options,
                                                             const Name& name);

  struct Slot {
    std::shared_ptr<Communicator> communicator;
  };
  base::Slab<Slot, base::HandleKind::kComm> slots_;
  mutable std::mutex mutex_;
  std::map<Name, std::uint64_t> by_name_;  // guarded by mutex_; 0: being created
  std::set<int> table_devices_;            // guarded by mutex_: devices with a communicator by rank table
};

}  // namespace softhccl::comm
