// Rendezvous of ranks in one process.
#include "bootstrap/group.h"

#include <unistd.h>

#include <atomic>
#include <ctime>

namespace softhccl::bootstrap {
namespace {

using base::Code;

struct Groups {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Group>> by_id;
};

Groups& TheGroups() {
  static auto* groups = new Groups;
  return *groups;
}

}  // namespace

Group::Group(std::string id)
    : id_(std::move(id)), store_(MakeInProcessStore()), domain_(std::make_shared<exec::AbortDomain>(id_)) {}

std::string Group::MissingRanks() const {
  std::string text;
  int listed = 0;
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    if (present_.count(rank) != 0) continue;
    if (++listed > 16) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return text;
}

base::Status Group::Join(std::uint32_t rank, std::uint32_t size, int device, base::Nanos deadline) {
  std::unique_lock lock(mutex_);
  if (!failure_.ok()) return failure_;
  if (complete_) {
    return base::Fail(
        Code::kInternal,
        "root info {} was used already by a communicator of {} ranks; call HcclGetRootInfo again for the next", id_,
        size_);
  }
  if (size_ == 0) size_ = size;
  if (size_ != size) {
    failure_ = base::Fail(Code::kInternal, "nRanks: rank {} says {}, an earlier rank said {}; all must agree", rank,
                          size, size_);
  } else if (!present_.emplace(rank, device).second) {
    failure_ =
        base::Fail(Code::kInternal, "rank {} joined twice (devices {} and {}); every rank must have its own number",
                   rank, present_[rank], device);
  }
  if (!failure_.ok()) {
    changed_.notify_all();
    return failure_;
  }
  complete_ = present_.size() == size_;
  if (complete_) changed_.notify_all();
  const std::chrono::steady_clock::time_point limit{std::chrono::nanoseconds(deadline)};
  if (changed_.wait_until(lock, limit, [&] { return complete_ || !failure_.ok(); })) return failure_;
  base::Status expired = base::Fail(Code::kTimeout,
                                    "EI0015 {} of {} ranks joined in time; missing: rank {}; every rank must call "
                                    "HcclCommInitRootInfo with this root info",
                                    present_.size(), size_, MissingRanks());
  present_.erase(rank);
  if (present_.empty()) size_ = 0;  // the next attempt starts anew
  return expired;
}

bool Group::Leave(std::uint32_t rank) {
  std::lock_guard lock(mutex_);
  present_.erase(rank);
  left_.insert(rank);
  return present_.empty();
}

bool Group::HasLeft(std::uint32_t rank) const {
  std::lock_guard lock(mutex_);
  return left_.count(rank) != 0;
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
