// Block hand-over: a block is linked before any of its ops is published, and publication (the stream's submitted
// counter) orders it. One consumed block is kept as history, the one before it becomes the submitters' spare.
#include "exec/op_queue.h"

namespace softhccl::exec {

void OpQueue::Append(const Op& op) {
  if (back_block_ == nullptr) {
    back_block_ = new Block;
    front_block_ = back_block_;  // the owner does not look before the first publication
    front_index_ = 0;
    back_index_ = 0;
  } else if (back_index_ == kBlockOps) {
    Block* fresh = spare_.exchange(nullptr);
    if (fresh == nullptr) fresh = new Block;
    fresh->next.store(nullptr, std::memory_order_relaxed);      // published by the link below
    back_block_->next.store(fresh, std::memory_order_release);  // pairs with the acquire in NextBlock
    back_block_ = fresh;
    back_index_ = 0;
  }
  back_block_->ops[back_index_++] = op;
}

void OpQueue::NextBlock() {
  Block* next = front_block_->next.load(std::memory_order_acquire);  // pairs with Append
  if (retired_ != nullptr) delete spare_.exchange(retired_);
  retired_ = front_block_;
  front_block_ = next;
  front_index_ = 0;
}

void OpQueue::Clear() {
  while (front_block_ != nullptr) {
    Block* next = front_block_->next.load(std::memory_order_relaxed);  // nobody else uses the queue
    delete front_block_;
    front_block_ = next;
  }
  delete retired_;
  delete spare_.exchange(nullptr);
  retired_ = nullptr;
  back_block_ = nullptr;
  front_index_ = 0;
  back_index_ = 0;
}

}  // namespace softhccl::exec
