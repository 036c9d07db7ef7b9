// Rendezvous of ranks in one process.
#include "bootstrap/group.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <deque>

#include "bootstrap/family.h"

#include "exec/host_wait.h"

namespace softhccl::bootstrap {
namespace {

using base::Code;

// How many failed groups are remembered by their reason, so that a rank that comes late is told.
constexpr std::size_t kRememberedFailures = 64;

struct Groups {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Group>> by_id;
  std::deque<std::pair<std::string, base::Status>> failed;  // oldest first
};

Groups& TheGroups() {
  static auto* groups = new Groups;
  return *groups;
}

constexpr std::size_t kListedRanks = 16;

// "0, 2, 3"; the first sixteen.
std::string Listed(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i == kListedRanks) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

// The group itself goes as soon as those who wait in it have been told.
void RememberFailure(const std::string& id, const base::Status& failure) {
  Groups& groups = TheGroups();
  std::lock_guard lock(groups.mutex);
  groups.by_id.erase(id);
  groups.failed.emplace_back(id, failure);
  if (groups.failed.size() > kRememberedFailures) groups.failed.pop_front();
}

}  // namespace

Group::Group(std::string id, std::vector<std::string> places, std::shared_ptr<Store> store)
    : id_(std::move(id)),
      places_(std::move(places)),
      store_(std::move(store)),
      domain_(std::make_shared<exec::AbortDomain>(id_)),
      sub_families_(std::make_unique<SubFamilies>()) {}

Group::~Group() = default;

std::string Group::NameOf(std::uint32_t rank) const {
  return rank < places_.size() ? fmt::format("rank {} ({})", rank, places_[rank]) : fmt::format("rank {}", rank);
}

std::vector<std::uint32_t> Group::MissingRanks() const {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t rank = 0; rank < size_ && missing.size() <= kListedRanks; ++rank) {
    if (present_.count(rank) == 0) missing.push_back(rank);
  }
  return missing;
}

void Group::FailAll(base::Status failure) {
  failure_ = std::move(failure);
  changed_.notify_all();
  RememberFailure(id_, failure_);
}

base::Status Group::Announce(std::uint32_t rank, std::uint32_t size, int device) {
  if (!failure_.ok()) return failure_;
  if (rank >= size) {
    return base::Fail(Code::kInvalidParam, "rank {} is out of range, the group has {} ranks; use 0 to {}", rank, size,
                      size == 0 ? 0 : size - 1);
  }
  if (complete_) {
    return base::Fail(
        Code::kInternal,
        "root info {} was used already by a communicator of {} ranks; call HcclGetRootInfo again for the next", id_,
        size_);
  }
  if (size_ == 0) size_ = size;
  if (size_ != size) {
    FailAll(base::Fail(Code::kInternal, "nRanks: rank {} says {}, an earlier rank said {}; all must agree", rank, size,
                       size_));
  } else if (!present_.emplace(rank, device).second) {
    FailAll(base::Fail(Code::kInternal, "rank {} joined twice (devices {} and {}); every rank must have its own number",
                       rank, present_[rank], device));
  }
  complete_ = failure_.ok() && present_.size() + left_.size() == size_;
  if (complete_) {
    for (const auto& [number, where] : present_) devices_.push_back(where);
    changed_.notify_all();
  }
  return failure_;
}

base::Status Group::Enter(std::uint32_t rank, std::uint32_t size, int device) {
  std::lock_guard lock(mutex_);
  return Announce(rank, size, device);
}

base::Status Group::AwaitOthers(std::unique_lock<std::mutex>& lock, base::Nanos deadline, const LookFor& look) {
  const std::chrono::steady_clock::time_point limit{std::chrono::nanoseconds(deadline)};
  const auto is_over = [&] { return complete_ || !failure_.ok(); };
  while (!is_over()) {
    if (look) SOFTHCCL_RETURN_IF_ERROR(look(MissingRanks()));
    const auto now = std::chrono::steady_clock::now();
    if (now >= limit) return {};
    changed_.wait_until(lock, std::min(limit, now + std::chrono::nanoseconds(exec::kHostWaitLook)), is_over);
  }
  return {};
}

base::Status Group::Join(std::uint32_t rank, std::uint32_t size, int device, base::Nanos deadline,
                         const LookFor& look) {
  std::unique_lock lock(mutex_);
  SOFTHCCL_RETURN_IF_ERROR(Announce(rank, size, device));
  base::Status ended = AwaitOthers(lock, deadline, look);
  if (complete_ || !failure_.ok()) return failure_;
  if (ended.ok()) {
    ended = base::Fail(Code::kTimeout,
                       "EI0015 {} of {} ranks joined in time; missing: rank {}; every rank must call "
                       "HcclCommInitRootInfo with this root info",
                       present_.size(), size_, Listed(MissingRanks()));
  }
  present_.erase(rank);
  if (present_.empty()) size_ = 0;  // the next attempt starts anew
  return ended;
}

void Group::Withdraw(std::uint32_t rank, const base::Status& reason) {
  std::lock_guard lock(mutex_);
  if (complete_ || !failure_.ok()) return;
  FailAll(base::Fail(Code::kRemote, "{} could not join: {}; start again with a new root info", NameOf(rank),
                     reason.message()));
}

bool Group::Leave(std::uint32_t rank) {
  std::lock_guard lock(mutex_);
  present_.erase(rank);
  left_.insert(rank);
  return present_.empty();
}

std::vector<int> Group::Devices() const {
  std::lock_guard lock(mutex_);
  return devices_;
}

bool Group::HasLeft(std::uint32_t rank) const {
  std::lock_guard lock(mutex_);
  return left_.count(rank) != 0;
}

bool Group::HasCome(std::uint32_t rank) const {
  std::lock_guard lock(mutex_);
  return present_.count(rank) != 0 || left_.count(rank) != 0;
}

bool Group::IsOver() const {
  std::lock_guard lock(mutex_);
  return size_ != 0 && left_.size() == size_;
}

std::shared_ptr<Group> OpenGroup(int device) {
  static std::atomic<std::uint64_t> counter{0};
  char host[64] = "localhost";
  ::gethostname(host, sizeof host - 1);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::string id = fmt::format("{}_{}_{}_{}_{}", host, ::getpid(), device, now.tv_sec, counter.fetch_add(1));
  auto group = std::make_shared<Group>(id);
  Groups& groups = TheGroups();
  std::lock_guard lock(groups.mutex);
  groups.by_id[id] = group;
  return group;
}

base::Result<std::shared_ptr<Group>> FindGroup(const std::string& id) {
  Groups& groups = TheGroups();
  std::lock_guard lock(groups.mutex);
  const auto found = groups.by_id.find(id);
  if (found == groups.by_id.end()) {
    for (const auto& [failed_id, reason] : groups.failed) {
      if (failed_id == id) return tl::unexpected(reason);
    }
    return base::FailResult(Code::kNotFound,
                            "rootInfo names \"{}\", which no HcclGetRootInfo of this process made (or its "
                            "communicator is gone); ranks in other processes are not supported yet",
                            id.substr(0, 127));
  }
  return found->second;
}

void CloseGroup(const std::string& id) {
  Groups& groups = TheGroups();
  std::lock_guard lock(groups.mutex);
  groups.by_id.erase(id);
}

}  // namespace softhccl::bootstrap
