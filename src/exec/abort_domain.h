// The ranks that fail together: one domain per communicator. A failed op aborts its domain; every wait of the domain
// then ends with "rank k failed first", and it stays aborted until it is destroyed. The domain also remembers what
// each rank did last, which is what a report about a missing rank needs.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "base/status.h"
#include "exec/operation.h"

namespace softhccl::exec {

inline constexpr std::uint32_t kNoRank = UINT32_MAX;

// Any thread.
class AbortDomain {
 public:
  explicit AbortDomain(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  bool aborted() const { return aborted_.load(); }  // see MarkAborted

  // True for the first caller, whose cause is kept. The scheduler then ends the domain's waits.
  bool MarkAborted(std::uint32_t rank, const base::Status& cause);

  // The status for everybody else: kRemote, "communicator N was aborted because rank k: <cause>". Ok while not aborted.
  base::Status AbortStatus() const;
  std::uint32_t failed_rank() const;

  // `rank` lives on `device` of this process: what it waits for in one communicator holds it up in all.
  void SetDevice(std::uint32_t rank, int device);
  // -1 when it is not known.
  int DeviceOf(std::uint32_t rank) const;

  // `rank` started `what` ("HcclSendCustom#3 0->1"); kept as its last operation, with a count.
  void NoteOperation(std::uint32_t rank, const std::string& what);
  // "its last operation was HcclSendCustom#3 0->1 (4 started)" or "it has not started any operation".
  std::string LastOperation(std::uint32_t rank) const;

  // Counts the operations of a kind that `rank` does with `peer`: the number of the next one, from 1.
  std::uint32_t CountPair(std::uint32_t rank, std::uint32_t peer, OperationKind kind);
  // False when it was called for this operation of `rank` with `peer` before; the last 256 are remembered.
  bool IsFirstComplaint(std::uint32_t rank, std::uint32_t peer, const Operation& operation);

 private:
  const std::string name_;
  std::atomic<bool> aborted_{false};
  mutable std::mutex mutex_;
  std::uint32_t failed_rank_ = kNoRank;  // guarded by mutex_
  base::Status cause_;                   // guarded by mutex_
  struct Last {
    std::string what;
    std::uint64_t count = 0;
  };
  using PairKey = std::tuple<std::uint32_t, std::uint32_t, OperationKind>;
  using Complaint = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  std::map<PairKey, std::uint32_t> pairs_;  // guarded by mutex_
  std::deque<Complaint> complaints_;        // guarded by mutex_
  std::map<std::uint32_t, Last> last_;      // guarded by mutex_
  std::map<std::uint32_t, int> devices_;    // guarded by mutex_
};

// The two ranks of a channel of a communicator, seen from one of them; the domain is null for other channels.
struct ChannelEnds {
  const AbortDomain* domain = nullptr;
  std::uint32_t own = kNoRank;
  std::uint32_t peer = kNoRank;
};

// Who a stream works for or who should record a notify: a rank of a domain, or nobody in particular.
struct Party {
  std::shared_ptr<AbortDomain> domain;
  std::uint32_t rank = kNoRank;
};

}  // namespace softhccl::exec
