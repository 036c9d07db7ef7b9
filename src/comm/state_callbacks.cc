// The table of callbacks.
#include "comm/state_callbacks.h"

namespace softhccl::comm {

StateCallbacks& StateCallbacks::Get() {
  static auto* callbacks = new StateCallbacks;  // communicators may be destroyed during exit
  return *callbacks;
}

void StateCallbacks::Register(const std::string& name, Callback callback) {
  std::lock_guard lock(mutex_);
  by_name_[name] = std::move(callback);
}

StateCallbacks::Answer StateCallbacks::Run(std::uint64_t comm, Phase phase) const {
  std::map<std::string, Callback> callbacks;
  {
    std::lock_guard lock(mutex_);
    callbacks = by_name_;
  }
  for (const auto& [name, callback] : callbacks) {
    const int number = callback(comm, phase);
    if (number != 0) return {number, name};
  }
  return {};
}

}  // namespace softhccl::comm
