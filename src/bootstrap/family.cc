// Which group a rank belongs to next, and what may be forgotten.
#include "bootstrap/family.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace softhccl::bootstrap {
namespace {

struct Tables {
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<Family>> by_fingerprint;  // guarded by mutex
};

Tables& TheTables() {
  static auto* tables = new Tables;
  return *tables;
}

std::string Listed(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t kListed = 16;
  const auto count = static_cast<std::ptrdiff_t>(std::min(ranks.size(), kListed));
  return fmt::format("{}{}", fmt::join(ranks.begin(), ranks.begin() + count, ","),
                     ranks.size() > kListed ? fmt::format(",... ({} ranks)", ranks.size()) : "");
}

}  // namespace

Family::Family(std::string name, std::vector<std::uint32_t> members, std::vector<std::string> places)
    : name_(std::move(name)), members_(std::move(members)), places_(std::move(places)) {}

void Family::ForgetOver() {
  groups_.erase(std::remove_if(groups_.begin(), groups_.end(), [](const auto& group) { return group->IsOver(); }),
                groups_.end());
}

std::shared_ptr<Group> Family::GroupFor(std::uint32_t rank) {
  std::lock_guard lock(mutex_);
  ForgetOver();
  for (const auto& group : groups_) {
    if (!group->HasCome(rank)) return group;
  }
  return groups_.emplace_back(std::make_shared<Group>(name_, places_));
}

bool Family::IsIdle() const {
  std::lock_guard lock(mutex_);
  return std::all_of(groups_.begin(), groups_.end(), [](const auto& group) { return group->IsOver(); });
}

std::shared_ptr<Family> FamilyOfTable(std::uint64_t fingerprint, const std::string& name,
                                      const std::vector<std::string>& places) {
  Tables& tables = TheTables();
  std::lock_guard lock(tables.mutex);
  for (auto at = tables.by_fingerprint.begin(); at != tables.by_fingerprint.end();) {
    // A use count of one: nobody is between finding the family and entering it.
    at = at->first != fingerprint && at->second.use_count() == 1 && at->second->IsIdle()
             ? tables.by_fingerprint.erase(at)
             : std::next(at);
  }
  std::shared_ptr<Family>& family = tables.by_fingerprint[fingerprint];
  if (family == nullptr) family = std::make_shared<Family>(name, std::vector<std::uint32_t>(), places);
  return family;
}

base::Result<std::shared_ptr<Family>> SubFamilies::Get(std::uint64_t id, const std::string& name,
                                                       const std::vector<std::uint32_t>& members) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Family>& family = by_id_[id];
  if (family == nullptr || (family->members() != members && family.use_count() == 1 && family->IsIdle())) {
    family = std::make_shared<Family>(name, members);
  }
  if (family->members() == members) return family;
  return base::FailResult(base::Code::kInvalidParam,
                          "rankIds {} differ from {}, which another rank gave for subCommId {}; all members must give "
                          "the same",
                          Listed(members), Listed(family->members()), id);
}

}  // namespace softhccl::bootstrap
