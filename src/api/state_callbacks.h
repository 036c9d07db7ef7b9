// Functions that programs register under a name to hear of streams and devices that come and go. They are called on the
// thread that makes or destroys them.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_rt_structs.h"

namespace softhccl::api {

// Any thread. A callback may register and remove callbacks.
template <typename Function>
class NamedCallbacks {
 public:
  struct Entry {
    Function function;
    void* argument;
  };

  // A null function removes the name.
  void Set(const std::string& name, Function function, void* argument) {
    const std::lock_guard lock(mutex_);
    if (function == nullptr) {
      entries_.erase(name);
    } else {
      entries_[name] = Entry{function, argument};
    }
  }

  std::vector<Entry> All() const {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> all;
    for (const auto& named : entries_) all.push_back(named.second);
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // guarded by mutex_
};

NamedCallbacks<aclrtStreamStateCallback>& StreamStateCallbacks();
NamedCallbacks<aclrtDeviceStateCallback>& DeviceStateCallbacks();
NamedCallbacks<aclrtDeviceTaskAbortCallback>& TaskAbortCallbacks();

void TellStreamState(aclrtStream stream, aclrtStreamState state);
void TellDeviceState(int32_t device, aclrtDeviceState state);

}  // namespace softhccl::api
