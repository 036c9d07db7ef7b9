// The FIFO behind a stream: blocks of ops, appended by submitters under the stream's submit lock, consumed by the
// one executor that owns the stream. Ops never move, so an op may keep its progress in place. Consumed blocks are
// kept until the next one is consumed, which makes the queue the always-on record of what ran last.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "exec/op.h"

namespace softhccl::exec {

class OpQueue {
 public:
  static constexpr std::uint64_t kMaxQueued = 1u << 20;  // documented limit: more → try again later
  static constexpr std::uint32_t kBlockOps = 31;

  OpQueue() = default;
  ~OpQueue() { Clear(); }
  OpQueue(const OpQueue&) = delete;
  OpQueue& operator=(const OpQueue&) = delete;

  // Appends without publishing. Submitters, under the stream's submit lock. The caller publishes by advancing the
  // stream's submitted counter.
  void Append(const Op& op);

  // The op with the lowest number not yet popped. Owner only; a published op must be there.
  Op& Front() {
    if (front_index_ == kBlockOps) NextBlock();
    return front_block_->ops[front_index_];
  }
  void Pop() { ++front_index_; }

  // Frees everything. Nobody else may use the queue.
  void Clear();

 private:
  struct Block {
    std::array<Op, kBlockOps> ops;
    std::atomic<Block*> next{nullptr};
  };

  void NextBlock();

  Block* front_block_ = nullptr;   // owner, once the first op is published
  std::uint32_t front_index_ = 0;  // owner
  Block* retired_ = nullptr;       // owner: the block consumed last
  Block* back_block_ = nullptr;    // submitters
  std::uint32_t back_index_ = 0;   // submitters
  std::atomic<Block*> spare_{nullptr};
};

}  // namespace softhccl::exec
