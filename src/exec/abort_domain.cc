// The bookkeeping and the sentences of AbortDomain.
#include "exec/abort_domain.h"

#include <algorithm>

namespace softhccl::exec {

bool AbortDomain::MarkAborted(std::uint32_t rank, const base::Status& cause) {
  std::lock_guard lock(mutex_);
  if (aborted_.load(std::memory_order_relaxed)) return false;  // ordered by mutex_
  failed_rank_ = rank;
  cause_ = cause;
  // Sequentially consistent: either a wait that parks sees it, or the search for parked waits sees that one.
  aborted_.store(true);
  return true;
}

base::Status AbortDomain::AbortStatus() const {
  std::lock_guard lock(mutex_);
  if (cause_.ok()) return {};
  const std::string who = failed_rank_ == kNoRank ? "this process" : fmt::format("rank {}", failed_rank_);
  return base::Fail(base::Code::kRemote, "communicator {} was aborted because {}: {}; destroy it and create a new one",
                    name_, who, cause_.message());
}

std::uint32_t AbortDomain::failed_rank() const {
  std::lock_guard lock(mutex_);
  return failed_rank_;
}

void AbortDomain::SetDevice(std::uint32_t rank, int device) {
  std::lock_guard lock(mutex_);
  devices_[rank] = device;
}

int AbortDomain::DeviceOf(std::uint32_t rank) const {
  std::lock_guard lock(mutex_);
  const auto found = devices_.find(rank);
  return found == devices_.end() ? -1 : found->second;
}

void AbortDomain::NoteOperation(std::uint32_t rank, const std::string& what) {
  std::lock_guard lock(mutex_);
  Last& last = last_[rank];
  last.what = what;
  ++last.count;
}

std::string AbortDomain::LastOperation(std::uint32_t rank) const {
  std::lock_guard lock(mutex_);
  const auto found = last_.find(rank);
  if (found == last_.end()) return "it has not started any operation on this communicator";
  return fmt::format("its last operation was {} ({} started)", found->second.what, found->second.count);
}

std::uint32_t AbortDomain::CountPair(std::uint32_t rank, std::uint32_t peer, OperationKind kind) {
  std::lock_guard lock(mutex_);
  return ++pairs_[{rank, peer, kind}];
}

bool AbortDomain::IsFirstComplaint(std::uint32_t rank, std::uint32_t peer, const Operation& operation) {
  constexpr std::size_t kRemembered = 256;
  const Complaint complaint(rank, peer, operation.identity());
  std::lock_guard lock(mutex_);
  if (std::find(complaints_.begin(), complaints_.end(), complaint) != complaints_.end()) return false;
  complaints_.push_back(complaint);
  if (complaints_.size() > kRemembered) complaints_.pop_front();
  return true;
}

}  // namespace softhccl::exec
