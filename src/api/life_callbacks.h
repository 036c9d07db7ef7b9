// Functions that libraries register to take part in aclInit and aclFinalize.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_rt_structs.h"

namespace softhccl::api {

// Any thread. A callback runs on the thread that initialises or finalises.
class LifeCallbacks {
 public:
  static LifeCallbacks& Get();

  // Called at once when the runtime is initialised already, with an empty configuration; then its answer counts.
  aclError AddInit(int type, aclInitCallbackFunc function, void* argument);
  aclError AddFinalize(int type, aclFinalizeCallbackFunc function, void* argument);
  // False when it was not registered.
  bool RemoveInit(int type, aclInitCallbackFunc function);
  bool RemoveFinalize(int type, aclFinalizeCallbackFunc function);

  // Calls them in the order of registration, and the finalisers in the opposite one; all of them, the first failure is
  // the answer.
  aclError TellInit(const std::string& config);
  aclError TellFinalize();

 private:
  template <typename Function>
  struct Entry {
    int type;
    Function function;
    void* argument;
  };
  std::mutex mutex_;
  std::vector<Entry<aclInitCallbackFunc>> init_;          // guarded by mutex_
  std::vector<Entry<aclFinalizeCallbackFunc>> finalize_;  // guarded by mutex_
};

}  // namespace softhccl::api
