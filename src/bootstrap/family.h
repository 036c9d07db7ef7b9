// Groups whose ranks are known beforehand and which may form again and again under one name: sub-communicators of a
// group, and the communicators of a rank table. A rank enters without waiting for the others; every time it comes it
// belongs to the first group of the family that it has not been in, so ranks that create and destroy in the same order
// meet.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "bootstrap/group.h"

namespace softhccl::bootstrap {

// Any thread.
class Family {
 public:
  // `members` describes what all ranks must agree on; `places` as for Group.
  Family(std::string name, std::vector<std::uint32_t> members, std::vector<std::string> places = {});

  const std::vector<std::uint32_t>& members() const { return members_; }
  // The group that `rank` enters next; it has to call Enter on it.
  std::shared_ptr<Group> GroupFor(std::uint32_t rank);
  // No group is there whose ranks have not all left.
  bool IsIdle() const;

 private:
  void ForgetOver();  // mutex_ is held

  const std::string name_;
  const std::vector<std::uint32_t> members_;
  const std::vector<std::string> places_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<Group>> groups_;  // guarded by mutex_, oldest first
};

// The family of a rank table by its fingerprint, made on first use. Families without living groups are forgotten.
std::shared_ptr<Family> FamilyOfTable(std::uint64_t fingerprint, const std::string& name,
                                      const std::vector<std::string>& places);

// The families of a group's sub-communicators, by the number the ranks agreed on. Any thread.
class SubFamilies {
 public:
  // `members`: ranks of the parent, in order. Errors: kInvalidParam when another rank named other members under `id`.
  base::Result<std::shared_ptr<Family>> Get(std::uint64_t id, const std::string& name,
                                            const std::vector<std::uint32_t>& members);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Family>> by_id_;  // guarded by mutex_
};

}  // namespace softhccl::bootstrap
