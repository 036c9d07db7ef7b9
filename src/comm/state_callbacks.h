// Who wants to hear that a communicator is destroyed or resumed. Callbacks belong to the process, have names, and run
// in the order of their names; the first that fails stops the others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace softhccl::comm {

// Any thread; callbacks run without a lock held and may register others.
class StateCallbacks {
 public:
  // The vendor's numbers.
  enum class Phase { kDestroyPre = 0, kDestroyPost = 1, kResumePre = 2, kResumePost = 3 };
  // Gets communicator and phase, answers 0 or a number that says why not.
  using Callback = std::function<int(std::uint64_t comm, Phase phase)>;

  static StateCallbacks& Get();

  // Replaces the one of the same name.
  void Register(const std::string& name, Callback callback);
  struct Answer {
    int number = 0;    // 0: all succeeded
    std::string name;  // of the callback that did not
  };
  Answer Run(std::uint64_t comm, Phase phase) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Callback> by_name_;  // guarded by mutex_
};

}  // namespace softhccl::comm
