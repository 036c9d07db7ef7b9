// The lists, and calling them without the lock: a callback may register others.
#include "api/life_callbacks.h"

#include <algorithm>

#include "api/lifecycle.h"

namespace softhccl::api {

LifeCallbacks& LifeCallbacks::Get() {
  static auto* callbacks = new LifeCallbacks;
  return *callbacks;
}

aclError LifeCallbacks::AddInit(int type, aclInitCallbackFunc function, void* argument) {
  {
    const std::lock_guard lock(mutex_);
    init_.push_back({type, function, argument});
  }
  return IsInitialised() ? function("", 0, argument) : ACL_SUCCESS;
}

aclError LifeCallbacks::AddFinalize(int type, aclFinalizeCallbackFunc function, void* argument) {
  const std::lock_guard lock(mutex_);
  finalize_.push_back({type, function, argument});
  return ACL_SUCCESS;
}

bool LifeCallbacks::RemoveInit(int type, aclInitCallbackFunc function) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(init_, [&](const auto& one) { return one.type == type && one.function == function; }) > 0;
}

bool LifeCallbacks::RemoveFinalize(int type, aclFinalizeCallbackFunc function) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(finalize_, [&](const auto& one) { return one.type == type && one.function == function; }) > 0;
}

aclError LifeCallbacks::TellInit(const std::string& config) {
  std::vector<Entry<aclInitCallbackFunc>> all;
  {
    const std::lock_guard lock(mutex_);
    all = init_;
  }
  aclError first = ACL_SUCCESS;
  for (const auto& one : all) {
    const aclError answer = one.function(config.c_str(), config.size(), one.argument);
    if (first == ACL_SUCCESS) first = answer;
  }
  return first;
}

aclError LifeCallbacks::TellFinalize() {
  std::vector<Entry<aclFinalizeCallbackFunc>> all;
  {
    const std::lock_guard lock(mutex_);
    all = finalize_;
  }
  std::reverse(all.begin(), all.end());
  aclError first = ACL_SUCCESS;
  for (const auto& one : all) {
    const aclError answer = one.function(one.argument);
    if (first == ACL_SUCCESS) first = answer;
  }
  return first;
}

}  // namespace softhccl::api
