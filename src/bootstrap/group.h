// A group: the ranks that meet under one root info. Creating a root info opens the group, every rank joins it, and
// joining returns when all have come or names who is missing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "bootstrap/store.h"
#include "exec/abort_domain.h"

namespace softhccl::bootstrap {

class SubFamilies;

// What is shared by all ranks of a communicator in this process. Any thread.
class Group {
 public:
  // `places` tells where the ranks live, for messages ("server 10.0.0.1, device 3"); empty when that is not known.
  explicit Group(std::string id, std::vector<std::string> places = {},
                 std::shared_ptr<Store> store = MakeInProcessStore());
  ~Group();

  const std::string& id() const { return id_; }
  Store& store() { return *store_; }
  const std::shared_ptr<exec::AbortDomain>& domain() const { return domain_; }
  SubFamilies& sub_families() { return *sub_families_; }

  // What the ranks of this process share under `key`: made by the first who asks, gone with the last who holds it. One
  // key, one type.
  template <typename T>
  std::shared_ptr<T> Share(const std::string& key, const std::function<std::shared_ptr<T>()>& make) {
    std::lock_guard lock(shared_mutex_);
    std::weak_ptr<void>& known = shared_[key];
    auto object = std::static_pointer_cast<T>(known.lock());
    if (object == nullptr) known = object = make();
    return object;
  }

  // Announces `rank` of `size` on `device` and waits until all ranks have come. Errors: kInvalidParam when rank is not
  // below size, kInternal when the rank is announced twice or sizes differ (everybody fails), kRemote when another rank
  // withdrew, kTimeout at `deadline` naming the missing ranks. While it waits, `look` hears every few milliseconds who
  // is missing; what it answers ends the wait unless it is ok.
  using LookFor = std::function<base::Status(const std::vector<std::uint32_t>& missing)>;
  base::Status Join(std::uint32_t rank, std::uint32_t size, int device, base::Nanos deadline, const LookFor& look = {});
  // The same without waiting, for groups whose ranks are known beforehand.
  base::Status Enter(std::uint32_t rank, std::uint32_t size, int device);
  // `rank` will not come: whoever waits, and whoever joins later, fails at once with this reason.
  void Withdraw(std::uint32_t rank, const base::Status& reason);
  // The rank has destroyed its communicator; true when it was the last one.
  bool Leave(std::uint32_t rank);
  // The devices of all ranks, by rank. Known once Join has succeeded.
  std::vector<int> Devices() const;
  // Waiting for something of this rank is in vain.
  bool HasLeft(std::uint32_t rank) const;
  bool HasCome(std::uint32_t rank) const;
  // Every rank has come and left.
  bool IsOver() const;
  // "rank 3 (server 10.0.0.1, device 3)", or "rank 3".
  std::string NameOf(std::uint32_t rank) const;

 private:
  base::Status Announce(std::uint32_t rank, std::uint32_t size, int device);  // mutex_ is held
  void FailAll(base::Status failure);                                         // mutex_ is held
  std::vector<std::uint32_t> MissingRanks() const;
  // Waits until all have come; ok at the deadline, too.
  base::Status AwaitOthers(std::unique_lock<std::mutex>& lock, base::Nanos deadline, const LookFor& look);

  const std::string id_;
  const std::vector<std::string> places_;
  std::shared_ptr<Store> store_;
  std::shared_ptr<exec::AbortDomain> domain_;
  std::unique_ptr<SubFamilies> sub_families_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t size_ = 0;                // guarded by mutex_; 0: nobody has come
  std::map<std::uint32_t, int> present_;  // guarded by mutex_: rank → device
  bool complete_ = false;                 // guarded by mutex_
  std::vector<int> devices_;              // guarded by mutex_: by rank, once complete; stays when ranks leave
  std::set<std::uint32_t> left_;          // guarded by mutex_
  base::Status failure_;                  // guarded by mutex_
  std::mutex shared_mutex_;
  std::map<std::string, std::weak_ptr<void>> shared_;  // guarded by shared_mutex_
};

// Opens a group with a new identifier made of host, process, device and a counter (< 128 characters).
std::shared_ptr<Group> OpenGroup(int device);
// The group with that identifier. Errors: kNotFound; the reason why it failed, when it did not long ago.
base::Result<std::shared_ptr<Group>> FindGroup(const std::string& id);
// Forgets a group; those who hold it may go on.
void CloseGroup(const std::string& id);

}  // namespace softhccl::bootstrap
