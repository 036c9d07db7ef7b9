// Finding each other: a key-value exchange in which everybody writes under keys of their own and waits for the keys
// of others. Ranks that are threads of one process meet in memory, without any socket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace softhccl::bootstrap {

// Any thread.
class Store {
 public:
  virtual ~Store() = default;
  virtual void Set(const std::string& key, std::string value) = 0;
  virtual void Remove(const std::string& key) = 0;
  // Sets `key` if its value is `expected` (nothing: it is absent), in one step; answers whether it did. It is how
  // several decide something once.
  virtual bool CompareAndSet(const std::string& key, const std::optional<std::string>& expected,
                             std::string desired) = 0;
  // The value of `key` as soon as it is there. Errors: kTimeout at `deadline`; kRemote after Interrupt.
  virtual base::Result<std::string> Get(const std::string& key, base::Nanos deadline) = 0;
  // Ends all pending and future Gets with kRemote and this reason.
  virtual void Interrupt(const base::Status& reason) = 0;
};

std::shared_ptr<Store> MakeInProcessStore();

}  // namespace softhccl::bootstrap
