// Calls that are put off: between start and end of a group a thread only collects them, and the end runs them all at
// once, each on a thread of its own. So one host thread can create the ranks of several devices, which wait for each
// other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/device.h"

namespace softhccl::comm {

// Belongs to one thread; nothing here is for others.
class CallGroup {
 public:
  enum class Kind { kCreate, kDestroy, kPointToPoint };

  static CallGroup& OfThisThread();

  bool is_open() const { return depth_ > 0; }
  // Groups nest; only the outermost End runs the calls.
  void Start() { ++depth_; }
  // Blocks until all calls have returned. Errors: kNotSupported without Start, else the first failure in the order of
  // the calls; the others are logged.
  base::Status End();
  // Puts off `body`, which will run with `device` set. Errors: kInvalidParam when the group has calls of another kind.
  base::Status Add(Kind kind, std::string call, const engine::Device& device, std::function<base::Status()> body);

 private:
  struct Call {
    std::string name;
    const engine::Device* device;
    std::function<base::Status()> body;
  };
  int depth_ = 0;
  Kind kind_ = Kind::kCreate;
  std::vector<Call> calls_;
};

}  // namespace softhccl::comm
