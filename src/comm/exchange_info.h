// Small data of the user that travel with the acquiring of channels: what this rank gives to its peers, and what they
// gave.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/status.h"

namespace softhccl::comm {

// Any thread.
class ExchangeInfo {
 public:
  // Keeps a copy for the next acquire. Errors: kInvalidParam when one is waiting already.
  base::Status Add(std::string data);
  // What to offer; empty: nothing.
  std::optional<std::string> Outgoing() const;
  // The acquire it waited for is over.
  void ForgetOutgoing();

  void Received(std::uint32_t rank, std::string data);
  // What `rank` gave; once. Errors: kNotFound, and kInvalidParam above `room` bytes, after which it can still be read.
  base::Result<std::string> Take(std::uint32_t rank, std::size_t room);
  // Forgets everything.
  void Reset();

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> outgoing_;            // guarded by mutex_
  std::map<std::uint32_t, std::string> received_;  // guarded by mutex_
};

}  // namespace softhccl::comm
