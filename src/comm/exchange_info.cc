// What waits to be sent, and what waits to be read.
#include "comm/exchange_info.h"

#include <utility>

namespace softhccl::comm {

using base::Code;
using base::Status;

Status ExchangeInfo::Add(std::string data) {
  const std::lock_guard lock(mutex_);
  if (outgoing_) {
    return base::Fail(Code::kInvalidParam,
                      "{} bytes are waiting for the next acquire already; call HcclCommResetExchangeInfo first",
                      outgoing_->size());
  }
  outgoing_ = std::move(data);
  return {};
}

std::optional<std::string> ExchangeInfo::Outgoing() const {
  const std::lock_guard lock(mutex_);
  return outgoing_;
}

void ExchangeInfo::ForgetOutgoing() {
  const std::lock_guard lock(mutex_);
  outgoing_.reset();
}

void ExchangeInfo::Received(std::uint32_t rank, std::string data) {
  const std::lock_guard lock(mutex_);
  received_[rank] = std::move(data);
}

base::Result<std::string> ExchangeInfo::Take(std::uint32_t rank, std::size_t room) {
  const std::lock_guard lock(mutex_);
  const auto found = received_.find(rank);
  if (found == received_.end()) {
    return base::FailResult(Code::kNotFound,
                            "remoteRank {} has sent nothing with its last channel, or it was read already", rank);
  }
  if (found->second.size() > room) {
    return base::FailResult(Code::kInvalidParam, "length {} is too small for the {} bytes of rank {}", room,
                            found->second.size(), rank);
  }
  std::string data = std::move(found->second);
  received_.erase(found);
  return data;
}

void ExchangeInfo::Reset() {
  const std::lock_guard lock(mutex_);
  outgoing_.reset();
  received_.clear();
}

}  // namespace softhccl::comm
