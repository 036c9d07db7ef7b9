// HcclBarrier: all ranks of a communicator meet in the order of their streams. The user's stream hands over to a stream
// of the communicator and waits for it; there every rank tells rank 0 that it has come, and rank 0 lets all go on when
// it has heard everybody. These are records and waits like those of an operator: they park streams, fail together with
// the communicator, and reports name the rank that is missing. Barriers of a rank happen in the order of its calls, on
// whatever streams they are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/status.h"
#include "bootstrap/group.h"
#include "exec/abort_domain.h"
#include "exec/scheduler.h"

namespace softhccl::comm {

// The notifies by which the ranks of a group meet, made by the rank that calls first. Any thread.
class BarrierBoard {
 public:
  explicit BarrierBoard(std::shared_ptr<exec::AbortDomain> domain) : domain_(std::move(domain)) {}
  ~BarrierBoard();
  BarrierBoard(const BarrierBoard&) = delete;
  BarrierBoard& operator=(const BarrierBoard&) = delete;

  // By rank, without rank 0.
  struct Pair {
    std::uint64_t arrival = 0;  // recorded by the rank, taken by rank 0
    std::uint64_t release = 0;  // the other way round
  };
  // Those of all ranks. Errors: kUnavailable; kRemote when a rank has left, which the others would wait for.
  base::Result<std::vector<Pair>> Open(std::uint32_t size);
  // The rank comes to no further barrier: who waits for it fails with `reason`.
  void Leave(std::uint32_t rank, const base::Status& reason);

 private:
  base::Result<exec::Notify*> Make(std::uint32_t recorder, std::uint32_t taker, const char* what);
  void FailPending(std::uint64_t notify, const base::Status& reason) const;

  const std::shared_ptr<exec::AbortDomain> domain_;
  std::mutex mutex_;
  std::vector<Pair> pairs_;       // guarded by mutex_; empty until the first barrier
  std::set<std::uint32_t> left_;  // guarded by mutex_
};

// The barriers of one rank. Any thread.
class Barriers {
 public:
  // What it needs of its communicator.
  struct Owner {
    std::shared_ptr<bootstrap::Group> group;
    std::uint32_t rank = 0;
    std::uint32_t size = 0;
    int device = -1;
    double wait_seconds = 0;  // limit of its waits; 0: for ever
  };

  explicit Barriers(Owner owner);

  // Queues this rank's next barrier on `stream` and returns. Errors: kAgain when the stream is full, or the own
  // one with barriers that are not done; kUnavailable, kRemote.
  base::Status Queue(exec::Stream& stream, const void* call_site);
  // The stream on which the ranks meet, if there was a barrier.
  std::vector<exec::Stream*> OwnStreams() const;
  // Ends what is pending, here and for the peers that wait for it. No Queue after it.
  void Close(const base::Status& reason);

 private:
  // Between the stream of a user and the communicator's.
  struct Bridge {
    exec::Notify* start = nullptr;
    exec::Notify* done = nullptr;
    std::uint64_t last = 0;  // number of the newest op of the own stream that names them
  };
  base::Status OpenLocked();
  // Stays where it is until it is forgotten.
  base::Result<Bridge*> BridgeLocked(const exec::Stream& stream);
  void ForgetDeadStreamsLocked();
  std::vector<exec::Op> MeetingLocked() const;
  base::Status CheckRoomLocked(std::size_t ops) const;
  static void Destroy(const Bridge& bridge);

  const Owner owner_;
  const exec::Party party_;
  const std::shared_ptr<BarrierBoard> board_;
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;                  // guarded by mutex_: barriers of this rank
  exec::Stream* stream_ = nullptr;           // guarded by mutex_
  std::vector<BarrierBoard::Pair> pairs_;    // guarded by mutex_
  std::map<std::uint64_t, Bridge> bridges_;  // guarded by mutex_: by handle of the user's stream
};

}  // namespace softhccl::comm
