// Ranks of one communicator that live as threads of the benchmark process, with everything acquired before the clock
// starts: the operator library, buffers, a communication thread and a channel to rank 0. Written against the public
// headers, as a user's program is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_res.h"

namespace softhccl::bench {

// Ends the process when `code` is not 0: a benchmark of failing calls measures nothing, and the peer would hang.
void Require(int code, const char* call);
#define SOFTHCCL_BENCH_REQUIRE(call) ::softhccl::bench::Require(static_cast<int>(call), #call)

// The two functions of libhccl_custom_p2p.so.
struct Operator {
  using Function = HcclResult (*)(void* buffer, std::uint64_t count, HcclDataType type, std::uint32_t peer,
                                  HcclComm comm, aclrtStream stream);
  Function send = nullptr;
  Function receive = nullptr;
};

struct Rank {
  std::uint32_t rank = 0;
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  std::byte* user = nullptr;  // device memory of the size given to Ranks
  // For ops queued without the operator's host part; only the ranks 0 and 1 have a channel, to each other.
  ThreadHandle thread = 0;
  ChannelHandle channel = 0;
  void* staging = nullptr;  // rank 0's HcclBuffer as this rank names it
  aclrtNotify start = nullptr;
  aclrtNotify end = nullptr;
  std::uint32_t start_id = 0;
  std::uint32_t end_id = 0;
};

// Made once by the main thread; rank r is then used by one thread at a time, which calls Enter first. Lives until the
// process ends.
class Ranks {
 public:
  // `library`: path of libhccl_custom_p2p.so. Warms up: every other rank has received from rank 0 often enough for the
  // kernel to have earned its place.
  Ranks(const std::string& library, std::uint32_t count, std::size_t user_bytes);

  // Makes the calling thread work for rank `index`.
  Rank& Enter(std::uint32_t index);
  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }

  // One message from rank 0 to `peer`, called by both; queues only.
  void QueueTransfer(const Rank& self, std::uint32_t peer, std::size_t bytes) const;
  // The same `count` times from the ranks 0 and 1 on their communication threads, between `start` and `end`, as the
  // kernel of the operator does it.
  static void QueueDevicePairs(const Rank& self, std::size_t bytes, int count);
  // Lets go what QueueDevicePairs queued and waits for it.
  static void RunDevicePairs(const Rank& self);

 private:
  void Start(std::uint32_t index, const HcclRootInfo& root, std::size_t user_bytes);

  Operator operator_;
  std::vector<Rank> ranks_;
};

// Two threads meet here; spins, since sleeping would cost more than what is measured.
class SpinBarrier {
 public:
  void Meet();

 private:
  std::atomic<std::uint32_t> arrived_{0};
};

}  // namespace softhccl::bench
